import DownloadStore
import FileSystem
import Foundation
package import SyncFacts
import YAMLSource

/// The sentences for what a command can't do.
extension Refusal {
    /// Whole sentences for the person, ways out included.
    package var message: String {
        switch self {
        case .store(let error): error.sentence
        case .library(let error): error.refusal
        case .state(let error): error.sentence
        case .credentials(let error): error.sentence
        case .loginSecrets(let error): error.sentence
        case .unexpected(let error): error
        case .held(let holder): Self.beside(holder)
        case .working(let holder):
            "\(holder?.name ?? "the process that is at work") has taken it and is still at it; see how far with: "
                + "coursefetch status"
        case .silent(let holder):
            "\(holder.name) is at work for this user and doesn't answer; nothing was changed. Try again in a moment"
        case .answered(let text, _), .input(let text): text
        case .user(let refusal): refusal.message
        case .provider(let refusal): refusal.message
        case .selection(.nothingYet): "there is nothing yet to choose from; begin with: coursefetch sync CATALOG"
        case .selection(.unmatched(let selectors)): selectors.map(\.message).joined(separator: "\n")
        case .selection(.ambiguous(let selector)): selector.message
        case .catalog(let refusal): refusal.message
        case .run(let refusal): refusal.message
        }
    }

    private static func beside(_ holder: LockHolder?) -> String {
        guard let holder else { return "another sync of this user is running; try again when it is done" }
        return """
            another sync of this user is running since \(holder.sinceWhen): \(holder.who); try again when it is done
            """
    }
}

extension UnmatchedSelector {
    /// One sentence without its full stop.
    package var message: String { "no video matches \(selector)\(suggestion.map { "; did you mean \($0)?" } ?? "")" }
}

extension AmbiguousSelector {
    /// One sentence without its full stop; of many meanings the first few.
    package var message: String {
        let shown = meanings.prefix(5).map(\.description)
        let more = meanings.count > shown.count ? " and \(Wording.grouped(meanings.count - shown.count)) more" : ""
        return "several videos are called \(selector); name the chapter: \(shown.joined(separator: ", "))\(more)"
    }
}

extension Refusal.User {
    fileprivate var message: String {
        switch self {
        case .badName(let name):
            """
            “\(name)” can't be a user's name: 1 to 64 of letters, digits, “.”, “_”, “-” and “@”, not beginning with “.” \
            or “-”
            """
        case .unknown(let user, let others):
            """
            there is no user “\(user)” here\(Self.known(others)); the first login makes one: coursefetch login --user \
            \(user)
            """
        case .loggedOut(let user, let isAccountsOwn):
            "the user “\(user)” is logged out; log in with: coursefetch login\(isAccountsOwn ? "" : " --user \(user)")"
        case .overtaken(let provider):
            """
            somebody has logged out in the meantime, or has logged in at “\(provider)”; nothing was stored. Log in again \
            if you want to
            """
        case .onlyWiped(let refusal): "\(refusal.message). The session isn't closed; the credentials are wiped"
        case .stillTransferring(let holder):
            """
            logged out, but \(holder.name)\(holder?.work ?? "") hasn't said within 5 s that nothing is transferring any \
            more; look at it with: coursefetch status
            """
        case .noSync(let user):
            "no sync of the user “\(user)” is running; give these options to the next one: coursefetch sync"
        }
    }

    private static func known(_ others: [String]) -> String {
        others.isEmpty ? "" : " (there is \(others.map { "“\($0)”" }.joined(separator: ", ")))"
    }
}

extension Refusal.Provider {
    fileprivate var message: String {
        switch self {
        case .unknown(let name, let suggestion):
            "there is no provider “\(name)”\(suggestion.map { "; did you mean “\($0)”?" } ?? ";") see: "
                + "coursefetch plugins list"
        case .unusable(let name, let reason): "the provider “\(name)” can't be used: \(reason)"
        case .broken(let name, let reason): "the provider “\(name)”: \(reason)"
        case .needsNoLogin(let name): "the provider “\(name)” needs no login"
        case .parameters(let name, let problems):
            "--set doesn't fit the provider “\(name)”: \(problems.joined(separator: "; "))"
        case .takesNoParameters(let name):
            "the provider “\(name)” keeps the secrets as they are and takes no part in the login; leave --set out"
        case .login(let name, let failure, let said):
            "the provider “\(name)” \(failure.verb): \(said); nothing was changed"
        case .helper(let name, let trouble):
            "the credential helper for the provider “\(name)” \(trouble.message); try it with: echo host=\(name) | COMMAND get"
        case .unsaved(let name, let refusal):
            "new credentials of the provider “\(name)” can't be stored: \(refusal.message)"
        }
    }
}

extension HelperTrouble {
    /// A sentence's end.
    fileprivate var message: String {
        switch self {
        case .notStarted(let reason): "can't be started: \(reason)"
        case .exited(let code): "ended with exit code \(code)"
        case .signaled(let signal): "was ended by signal \(signal)"
        case .tooSlow(let seconds): "took longer than \(seconds) s"
        case .unreadable: "printed something that isn't lines of text"
        case .unwritable(let name): "can't keep “\(name)”, which has a line break in it"
        }
    }
}

extension Refusal.Provider.LoginFailure {
    fileprivate var verb: String {
        switch self {
        case .refused, .declined: "refuses the login"
        case .later: "can't answer now; try again later"
        case .machine: "can't be asked"
        case .broken: "failed"
        }
    }
}

extension Refusal.Written {
    fileprivate var message: String {
        switch self {
        case .mistakes(let diagnostics, _): return diagnostics.map(\.text).joined(separator: "\n")
        case .noCourses(let file, let known):
            if known.isEmpty { return "there is nothing to forget: no catalog has been synced yet" }
            let hint = "known are \(known.joined(separator: ", "))"
            return "no course belongs to \(file); \(hint)"
        }
    }
}

extension Refusal.Run {
    fileprivate var message: String {
        switch self {
        case .noProgram(let path): "--ffmpeg: \(path) is no program that can be run"
        case .fewDescriptors(let count): "this process may have only \(count) files open; raise that with: ulimit -n"
        case .notStarted(let refusal): "nothing was started: \(refusal.message)"
        case .unwritable: "the state can't be written"
        case .download(let error): error.message
        case .noRoom(let free, let floor, let library):
            """
            \(Self.size(free)) are free on the disk of \(library), --min-free-space wants \(Self.size(floor)): what \
            doesn't fit waits for room
            """
        case .noLibrary: "this state has no library yet; the first sync makes one"
        case .notMovedThere(let error): error.notMovedThere
        case .newerList(let library, isUnused: true):
            """
            the list of files in \(library) was written by a newer coursefetch; nothing of it was used. Update coursefetch
            """
        case .newerList(let library, isUnused: false):
            "the list of files in \(library) was written by a newer coursefetch, and is left alone"
        case .badClockURL: "--clock-url takes an http or https URL"
        case .badBandwidth(let text): "“\(text)” is no bandwidth"
        case .filesThere(let paths):
            "\(paths.joined(separator: " and ")) \(paths.count == 1 ? "exists" : "exist") already; nothing was written"
        case .unmadeFile(let path, let reason): "\(path) can't be made: \(reason)"
        case .unknownRequest: "the sync that is running is of another version, which doesn't know this command"
        }
    }

    /// In the largest unit that it fills, with a tenth at most: `65.9 GiB`, and `1 GiB` as it was given.
    private static func size(_ bytes: Int64) -> String {
        var value = Double(bytes)
        var unit = "B"
        for next in ["KiB", "MiB", "GiB", "TiB", "PiB"] where value >= 1024 {
            value /= 1024
            unit = next
        }
        let tenths = Int64((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) \(unit)" : "\(tenths / 10).\(tenths % 10) \(unit)"
    }
}
