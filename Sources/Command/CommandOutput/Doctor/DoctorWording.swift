import FileSystem
package import Foundation
package import Operations
import SyncFacts

/// The words for the findings of `doctor`.
package enum DoctorWording {
    /// The fact in one sentence without its full stop; messages from elsewhere may have several lines.
    package static func text(_ fact: DiagnosisFact, now: Date, zone: TimeZone) -> String {
        switch fact {
        case .noState(let path): return "no state yet; the first sync creates \(path)"
        case .state(let path, let free): return path + (free.map { " (\(Wording.size($0)) free)" } ?? "")
        case .openToOthers(let path, let mode, let isFolder):
            return
                "\(path) is accessible to other accounts (mode \(octal(mode)), should be \(isFolder ? "0700" : "0600"))"
        case .ownedByAnother(let path, let account): return "\(path) belongs to another account (uid \(account))"
        case .stateNotWritable(let path): return "\(path) can't be written"
        case .stateOnNetwork(let path, let kind):
            return "\(path) is on a network file system (\(kind)), whose locks and flushes aren't reliable"
        case .stateInMemory(let path): return "\(path) is on a file system in memory and is lost at a restart"
        case .stateDiskFull(let path, let free): return "the disk of \(path) is full (\(Wording.size(free)) free)"
        case .database(_, let version, let bytes, let downloads):
            let videos = Wording.count(downloads, "video")
            return "state.sqlite: no damage found, version \(version), \(videos), \(Wording.size(bytes))"
        case .databaseOlder(let path): return "\(path) was written by another version; the next sync updates it"
        case .databaseDamaged(let path, let details):
            return "\(path) is damaged: \(details.prefix(3).joined(separator: "; "))"
        case .databaseUnusable(let error): return error.sentence
        case .lockUnusable(let error): return error.sentence
        case .libraryUnusable(let refusal): return refusal.message
        case .lock(_, isHeld: false): return "no sync is running"
        case .lock(nil, isHeld: true): return "a sync is running"
        case .lock(let holder?, isHeld: true):
            let since = ClockText.local(holder.since, now: now, zone: zone)
            let catalogs = holder.catalogs.isEmpty ? "" : " with \(Wording.list(holder.catalogs))"
            return "a sync has been running since \(since): process \(holder.pid) on \(holder.host)\(catalogs)"
        case .loggedIn(let user, let isOwn):
            return "\(user) is logged in\(isOwn ? "" : " (not the account's own user)")"
        case .loggedOut(let user, let since?):
            return "\(user) has been logged out since \(ClockText.local(since, now: now, zone: zone)): no sync starts"
        case .loggedOut(let user, nil): return "\(user) has never logged in: no sync starts"
        case .catalogMissing(let path, let courses):
            return "the catalog \(path) no longer exists; \(Wording.count(courses, "course")) came from it"
        case .catalogUnreadable(let path): return "the catalog \(path) can't be read"
        case .otherState(let path, let user, let library, let catalogs):
            let place = library.map { "the library \($0)" } ?? "no library yet"
            return "\(Wording.list(catalogs)): also synced by the user \(user), into \(place) (state \(path))"
        case .noLibrary(let path): return "no library yet; the first sync creates \(path)"
        case .library(let path, let network, let free):
            let facts = [network.map { "on \($0)" }, free.map { "\(Wording.size($0)) free" }].compactMap(\.self)
            return path + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")
        case .libraryInMemory(let path): return "\(path) is on a file system in memory and is lost at a restart"
        case .libraryNotWritable(let path): return "\(path) can't be written"
        case .diskFull(let path, let free): return "the disk of \(path) is full (\(Wording.size(free)) free)"
        case .spaceBelowFloor(let path, let free, let floor, let isStandard):
            let left = isStandard ? "by default" : "(--min-free-space)"
            return """
                the disk of \(path) has \(Wording.size(free)) free, and a sync leaves \(Wording.size(floor)) free \
                \(left): no video is downloaded
                """
        case .spaceShort(_, let free, let floor, let needed, let unknown):
            let more = unknown > 0 ? ", and \(Wording.count(unknown, "video")) of unknown size" : ""
            let kept = floor > 0 ? ", of which a sync leaves \(Wording.size(floor))" : ""
            return
                "\(Wording.size(needed)) are left to download\(more), but only \(Wording.size(free)) are free\(kept)"
        case .folderUnreadable(let path): return "the folder \(path) in the library can't be read"
        case .filesMissing(let count, let example):
            return "\(Wording.count(count, "finished file")) \(count == 1 ? "is" : "are") missing, such as \(example)"
        case .unknownFiles(let count, let examples):
            let are = count == 1 ? "file is" : "files are"
            return
                "\(Wording.grouped(count)) other \(are) in the library, such as \(examples.first ?? ""); coursefetch doesn't touch them"
        case .partials(let count, let bytes):
            return "\(Wording.count(count, "unfinished file")), \(Wording.size(bytes)), to be continued"
        case .leftovers(let count, let bytes, let areRemoved):
            let files = Wording.count(count, "partial")
            let what = "\(files) no longer needed, \(Wording.size(bytes))"
            return areRemoved ? "removed \(what)" : what
        case .stranded(let paths, let bytes, let areRemoved):
            let files = Wording.count(paths.count, "file")
            let what =
                "\(files) left by an interrupted move (\(paths.first ?? "")), \(Wording.size(bytes))"
            return areRemoved ? "removed \(what)" : what
        case .noPlugins: return "there are no plugins"
        case .noPluginFolder(let path): return "there is no folder \(path), which the settings name for plugins"
        case .plugin(let name, let version, let folder, _):
            return "\(name)\(version.map { " \($0)" } ?? "") starts and answers (\(folder))"
        case .pluginTrouble(let name, _, let trouble, _):
            switch trouble {
            case .cannotStart(let reason): return "\(name) can't be started: \(reason)"
            case .ends(let reason): return "\(name) ends before it gets a request: \(reason)"
            case .breaksProtocol(let reason): return "\(name) violates the protocol: \(reason)"
            case .silent(let reason): return "\(name) starts, but doesn't answer an unknown method: \(reason)"
            }
        case .pluginBroken(let name, _, let reason, _): return "\(name) can't be used: \(reason)"
        case .pluginHidden(let name, let folder):
            return "\(folder) isn't used: another plugin named \(name) comes first"
        case .providerMissing(let name): return "downloads need provider '\(name)', which isn't installed"
        case .authorities(let path): return "certificate authorities: \(path)"
        case .noAuthorities(let file, let folder):
            if let file, folder == nil { return "there is no readable file \(file) with certificate authorities" }
            let places = [file, folder].compactMap(\.self)
            return "no certificate authorities"
                + (places.isEmpty ? ": libcurl was built without any" : " in \(Wording.list(places, "or"))")
        case .clock(let host, let skew):
            guard abs(skew) > 1 else { return "the clock matches that of \(host)" }
            let seconds = Wording.duration(abs(skew))
            return "the clock is \(seconds) \(skew > 0 ? "behind" : "ahead of") that of \(host)"
        case .clockUnknown(let host, let reason):
            return "can't get the time of \(host): \(reason ?? "its response has no Date")"
        case .clockUnchecked: return "the clock wasn't compared with a server"
        case .ffmpeg(let path, let version?): return "\(version) (\(path))"
        case .ffmpeg(let path, nil): return "\(path) doesn't seem to be ffmpeg"
        case .noFFmpeg: return "no ffmpeg: streams are stored as .ts, .mp4 or .aac, with separate sound in its own file"
        case .versions(let coursefetch, let libcurl, let tls, let sqlite, let libyaml, let schema):
            return """
                coursefetch \(coursefetch) (state \(schema)), libcurl \(libcurl)\(tls.map { " (\($0))" } ?? ""), \
                SQLite \(sqlite), libyaml \(libyaml)
                """
        }
    }

    /// The remedy, one line per step; empty if none is needed.
    package static func advice(_ fact: DiagnosisFact) -> [String] {
        switch fact {
        case .openToOthers(let path, _, let isFolder): ["chmod \(isFolder ? 700 : 600) \(ShellWord.quoted(path))"]
        case .ownedByAnother(let path, _): ["run chown, or use another folder with --state (\(path))"]
        case .stateNotWritable, .libraryNotWritable: ["give this account write permission"]
        case .stateOnNetwork, .stateInMemory:
            ["keep it on a local disk: --state DIR, or state: in the settings"]
        case .stateDiskFull, .diskFull:
            ["make room, or move the library: \(SuggestedCommand.text("library move NEW"))"]
        case .spaceBelowFloor, .spaceShort:
            [
                """
                make room, move the library: \(SuggestedCommand.text("library move NEW")), or choose what stays free: \
                --min-free-space
                """
            ]
        case .databaseDamaged:
            [
                """
                restore a backup, or move it away and run \(SuggestedCommand.text("library adopt --rebuild")), which \
                rebuilds the state from the library
                """
            ]
        case .loggedOut(let user, _): [SuggestedCommand.text("login --user \(ShellWord.quoted(user))")]
        case .catalogMissing(let path, _):
            ["restore it, or: \(SuggestedCommand.text("forget \(ShellWord.quoted(path))"))"]
        case .otherState: ["sync a catalog as one user only, or everything is downloaded twice"]
        case .filesMissing: ["the next sync downloads them again; to check all: \(SuggestedCommand.text("verify"))"]
        case .leftovers(_, _, areRemoved: false), .stranded(_, _, areRemoved: false):
            [SuggestedCommand.text("doctor --clean")]
        case .pluginTrouble(_, let folder, .silent, _):
            ["see docs/protocol.md: answer an unknown method with error -32601 (\(folder))"]
        case .pluginTrouble(_, let folder, _, _): ["run it yourself; it is in \(folder)"]
        case .pluginBroken(_, let folder, _, _): ["see \(folder); \(SuggestedCommand.text("plugins list"))"]
        case .providerMissing, .noPlugins:
            ["for the folders that are searched: \(SuggestedCommand.text("plugins list"))"]
        case .noPluginFolder: ["correct 'plugins' in the settings, or --plugins"]
        case .noAuthorities: ["install ca-certificates, or name a PEM file with 'ca-file'"]
        case .clock(_, let skew) where abs(skew) > 5: ["correct it: servers may refuse signed links"]
        case .clockUnchecked: [SuggestedCommand.text("doctor --clock-url https://YOUR-HOST/")]
        case .noState, .state, .database, .databaseOlder, .databaseUnusable, .lock, .lockUnusable, .loggedIn,
            .catalogUnreadable, .noLibrary, .library, .libraryInMemory, .libraryUnusable, .folderUnreadable,
            .unknownFiles,
            .partials, .leftovers, .stranded, .plugin, .pluginHidden, .authorities, .clock, .clockUnknown, .ffmpeg,
            .noFFmpeg, .versions:
            []
        }
    }

    private static func octal(_ mode: UInt16) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
