import DownloadStore
import FileSystem
import Foundation
import MediaLibrary
package import SyncFacts
import YAMLSource

/// The sentences for refused commands.
extension Refusal {
    /// Whole sentences for the user, remedies included.
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
            """
            \(holder?.name ?? "the running process") is still working on it; for its progress: \
            \(SuggestedCommand.text("status"))
            """
        case .silent(let holder):
            "\(holder.name) is running for this user and doesn't respond; nothing was changed. Try again in a moment"
        case .answered(let text, _), .input(let text): text
        case .user(let refusal): refusal.message
        case .provider(let refusal): refusal.message
        case .selection(.nothingYet): "there are no videos yet; begin with: \(SuggestedCommand.text("sync CATALOG"))"
        case .selection(.gone(let selector)):
            "\(ShellWord.quoted(selector.description)) is no longer listed, so no sync downloads it"
        case .selection(.unmatched(let selectors)): selectors.map(\.message).joined(separator: "\n")
        case .selection(.ambiguous(let selector)): selector.message
        case .catalog(let refusal): refusal.message
        case .run(let refusal): refusal.message
        case .copy(let refusal): refusal.message
        }
    }

    private static func beside(_ holder: LockHolder?) -> String {
        guard let holder else { return "another sync of this user is running; try again later" }
        return """
            another sync of this user has been running since \(holder.sinceWhen): \(holder.who); try again later
            """
    }
}

extension UnmatchedSelector {
    /// One sentence without its full stop.
    package var message: String {
        let isFile = [".yaml", ".yml"].contains { selector.description.hasSuffix($0) }
        let kind =
            isFile ? "; a selector names courses, chapters or videos, such as phys101 or phys101/*, not a catalog" : nil
        let meant = suggestion.map { "; did you mean \(ShellWord.quoted($0.description))?" } ?? kind
        return "no video matches \(selector)\(meant ?? "")"
    }
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
            '\(name)' isn't a user name: use 1 to 64 letters, digits, '.', '_', '-' and '@', and don't begin with '.' \
            or '-'
            """
        case .unknown(let user, let others):
            """
            there is no user '\(user)'\(Self.known(others)); to create it: \
            \(SuggestedCommand.text("login --user \(ShellWord.quoted(user))"))
            """
        case .loggedOut(let user, let isAccountsOwn):
            """
            the user '\(user)' is logged out; to log in: \
            \(SuggestedCommand.text("login\(isAccountsOwn ? "" : " --user \(ShellWord.quoted(user))")"))
            """
        case .overtaken(let provider):
            """
            somebody logged out or logged in at '\(provider)' in the meantime; nothing was stored. To log in, try again
            """
        case .onlyWiped(let refusal): "\(refusal.message). The credentials were deleted, but the session is still open"
        case .stillTransferring(let holder):
            """
            logged out, but \(holder.name)\(holder?.work ?? "") didn't confirm within 5 s that it stopped; see: \
            \(SuggestedCommand.text("status"))
            """
        case .stillSyncing(let shard, let holder, let others):
            """
            logged out, but the shard \(shard)\(others > 0 ? " and \(Wording.count(others, "other"))" : "") didn't end \
            within 30 s: \(holder.name)\(holder?.work ?? ""). A machine with a state folder of its own has its own \
            session: log out there, too
            """
        case .noSync(let user):
            """
            no sync of the user '\(user)' is running; use these options with the next one: \
            \(SuggestedCommand.text("sync"))
            """
        }
    }

    private static func known(_ others: [String]) -> String {
        others.isEmpty ? "" : " (known: \(others.map { "'\($0)'" }.joined(separator: ", ")))"
    }
}

extension Refusal.Provider {
    private static func options(_ set: [String]) -> String { set.map { " --set \(ShellWord.quoted($0))" }.joined() }

    fileprivate var message: String {
        switch self {
        case .unknown(let name, let suggestion):
            "there is no provider '\(name)'\(suggestion.map { "; did you mean '\($0)'?" } ?? ";") to list providers: "
                + SuggestedCommand.text("plugins list")
        case .unusable(let name, let reason): "provider '\(name)' can't be used: \(reason)"
        case .broken(let name, let reason): "provider '\(name)' doesn't work: \(reason)"
        case .needsNoLogin(let name): "provider '\(name)' needs no login"
        case .parameters(let name, let problems):
            "the parameters don't fit provider '\(name)': \(problems.joined(separator: "; "))"
        case .takesNoParameters(let name):
            "provider '\(name)' has no login method, so leave out --set"
        case .listsNoCourses(let name): "the provider '\(name)' can't list the courses that you have there"
        case .recognisesNothing(let name):
            """
            provider '\(name)' can't tell what is at an address; to write its course, see: \
            \(SuggestedCommand.text("plugins list"))
            """
        case .wantsLogin(let login, let said):
            "\(said); to log in: \(Explainer.login(at: login.provider, server: login.server, as: login.parameter))"
        case .login(let name, let failure, let said):
            "provider '\(name)' \(failure.verb): \(said); nothing was changed"
        case .needsPerson(let name, let set, let wanted):
            """
            the login at '\(name)' needs a person at a terminal\(wanted.map { ": it asks for '\($0)'" } ?? ""); run in \
            one: \(SuggestedCommand.text("login --provider \(name)\(Self.options(set))"))\
            \(wanted.map { ", or give '\($0)' in the file of --secrets-from" } ?? ""); nothing was changed
            """
        case .unfinishedLogin(let name): "the login at '\(name)' took too long; nothing was changed"
        case .noPort(let name):
            "the login at '\(name)' needs a port of this machine, and none can be opened; nothing was changed"
        case .helper(let name, let trouble):
            """
            the credential helper for provider '\(name)' \(trouble.message); to try it: echo host=\(name) | COMMAND \
            get
            """
        case .cookies(let name, let secret, let mistake):
            "'\(secret)' of provider '\(name)': \(mistake.sentence); nothing was changed"
        case .unsaved(let name, let refusal):
            "can't store the new credentials of provider '\(name)': \(refusal.message)"
        }
    }
}

extension CredentialHelperProblem {
    /// A sentence's end.
    fileprivate var message: String {
        switch self {
        case .notStarted: "can't be started"
        case .exited(let code): "ended with exit code \(code)"
        case .signaled(let signal): "was ended by signal \(signal)"
        case .tooSlow(let seconds): "took longer than \(seconds) s"
        case .cancelled: "was stopped"
        case .unreadable: "printed something that isn't lines of text"
        case .unwritable(let name): "can't keep '\(name)', which has a line break in it"
        }
    }
}

extension Refusal.Provider.LoginFailure {
    fileprivate var verb: String {
        switch self {
        case .refused, .declined: "refused the login"
        case .later: "isn't available now; try again later"
        case .machine: "can't be asked"
        case .broken: "failed"
        }
    }
}

extension Refusal.Written {
    private static func notListed(_ id: String, _ known: [String], isThere: Bool) -> String {
        let selector = Selector(course: id)
        let problem =
            isThere
            ? "the course \(selector) isn't listed by its provider; add 'discover: true' to it"
            : "there is no course \(selector)"
        guard !known.isEmpty else { return problem }
        return "\(problem); courses with discover: \(Wording.list(known.map { Selector(course: $0).description }))"
    }

    fileprivate var message: String {
        switch self {
        case .mistakes(let diagnostics, _): return diagnostics.map(\.text).joined(separator: "\n")
        case .notListed(let id, let known, let isThere): return Self.notListed(id, known, isThere: isThere)
        case .noCourses(let file, let known):
            if known.isEmpty { return "there is nothing to forget: no catalog has been synced yet" }
            return "no course comes from \(file); known catalogs: \(known.joined(separator: ", "))"
        case .unrecognised(let address, let asked, let problems):
            let who = asked.isEmpty ? "no provider is installed that can tell" : "asked: \(Wording.list(asked))"
            let next = "; to see which there are: \(SuggestedCommand.text("plugins list"))"
            return (["no provider knows what is at \(address) (\(who))\(next)"] + problems).joined(separator: "\n  ")
        case .courseThere(let id, let file): return "\(file) has a course with the id '\(id)'; choose another: --id"
        case .unfitting(let file, let reasons, let course):
            let mistakes = reasons.joined(separator: "; ")
            let why = reasons.isEmpty ? "as its list is written" : "without mistakes (\(mistakes))"
            return "the course can't be added to \(file) \(why); nothing was written. By hand, it is:\n\(course)"
        case .changedMeanwhile(let file):
            return "\(file) was changed in the meantime; nothing was written. To add the course, try again"
        }
    }
}

extension Refusal.Run {
    fileprivate var message: String {
        switch self {
        case .noProgram(let path): "--ffmpeg: \(path) isn't an executable program"
        case .outsideHours(let hours, let opens, let zone):
            """
            it isn't between \(hours.from) and \(hours.to) (--between), so nothing was started; a sync can begin at \
            \(ClockFormat.local(opens, now: Date(), zone: zone))
            """
        case .fewDescriptors(let count): "this process may open only \(count) files; raise the limit: ulimit -n"
        case .notStarted(let refusal): "nothing was started: \(refusal.message)"
        case .unwritable: "the state can't be written"
        case .download(let error): error.message
        case .noSpace(let free, let floor, isStandard: false, let library):
            """
            the disk of \(library) has \(Self.size(free)) free, and --min-free-space is \(Self.size(floor)): videos \
            that don't fit wait for room
            """
        case .noSpace(let free, let floor, isStandard: true, let library):
            """
            the disk of \(library) has \(Self.size(free)) free, and a sync leaves \(Self.size(floor)) free by default: \
            videos that don't fit wait for room. Another amount: --min-free-space SIZE; 0 leaves nothing free, off \
            doesn't check
            """
        case .overtaken(let part, let host):
            "the shard \(part) was synced on \(host) in the meantime; run it again to go on with the state of that sync"
        case .stateOnNetwork(let path, let kind):
            """
            the state of the shard would be in \(path), which is on a network file system (\(kind)): slow, and \
            without locks that hold. Name a folder on a disk of this machine with --local-state, or this one if you \
            want it
            """
        case .shardLeftOut(let shard, let refusal):
            "the shard \(shard) is left out: \(SuggestedCommand.about(shard: shard) { refusal.message })"
        case .noShards(let library): "\(library) isn't the library of shards; name theirs with --library"
        case .severalLibraries(let user):
            "\(user) has a library without shards and one with shards; name the one to divide with --library"
        case .unsettled(let error):
            "a file couldn't be put in its place (\(error.sentence)); nothing was divided. Run the sync again first"
        case .stranded(let path):
            "\(path) is left of an interrupted move, and nothing was divided; doctor says what to do with it"
        case .sameCount(let count):
            "what the shards divide can only change with their number; give another one than \(count)"
        case .shardsUnknown(let library):
            "there is no library in \(library) yet; say how many shards it shall have: --shards N"
        case .noLibrary: "there is no library yet; the first sync creates it"
        case .notMovedThere(let error): error.notMovedThere
        case .libraryOfUser(let library, let marker, let adopter):
            """
            \(library) is the library of the user '\(marker.user)' on \(marker.host), not of '\(adopter)'; nothing was \
            changed. To take it over from '\(marker.user)' all the same, add --from-user \
            \(ShellWord.quoted(marker.user)). To adopt it as '\(marker.user)', run: \
            \(Self.adopt(library, marker.user))
            """
        case .newerList(let library, isUnused: true):
            """
            the list of files in \(library) was written by a newer coursefetch and wasn't used. Update coursefetch
            """
        case .newerList(let library, isUnused: false):
            "the list of files in \(library) was written by a newer coursefetch and was left unchanged"
        case .badClockURL: "--clock-url takes an http or https URL"
        case .badBandwidth(let text): "'\(text)' isn't a bandwidth"
        case .filesThere(let paths):
            """
            \(paths.joined(separator: " and ")) \(paths.count == 1 ? "exists" : "exist") already; nothing was written. \
            Edit \(paths.count == 1 ? "it" : "them"), or move \(paths.count == 1 ? "it" : "them") away
            """
        case .unmadeFile(let path, let reason): "can't make \(path): \(reason)"
        case .unknownRequest: "the running sync is another version of coursefetch and doesn't know this command"
        }
    }

    private static func adopt(_ library: String, _ user: String) -> String {
        SuggestedCommand.text(
            "library adopt --user \(ShellWord.quoted(user)) --library \(ShellWord.quoted(library))")
    }

    /// In the largest fitting unit, with at most one decimal: `65.9 GiB`, and `1 GiB` as given.
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
