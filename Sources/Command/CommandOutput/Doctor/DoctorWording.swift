import FileSystem
package import Foundation
package import Operations
import SyncFacts

/// The words for the findings of `doctor`.
package enum DoctorWording {
    /// The fact in one sentence without its full stop; messages from elsewhere may have several lines.
    package static func text(_ fact: DiagnosisFact, now: Date, zone: TimeZone) -> String {
        switch fact {
        case .noState(let path): "no state yet; the first sync creates \(path)"
        case .state(let path, let free): path + (free.map { " (\(Wording.size($0)) free)" } ?? "")
        case .openToOthers(let path, let mode, let isFolder): openToOthers(path, mode, isFolder: isFolder)
        case .ownedByAnother(let path, let account): "\(path) belongs to another account (uid \(account))"
        case .stateOnNetwork(let path, let kind):
            "\(path) is on a network file system (\(kind)), whose locks and flushes aren't reliable"
        case .stateInMemory(let path), .libraryInMemory(let path):
            "\(path) is on a file system in memory and is lost at a restart"
        case .stateNotWritable(let path), .libraryNotWritable(let path): "\(path) can't be written"
        case .stateDiskFull(let path, let free), .diskFull(let path, let free):
            "the disk of \(path) is full (\(Wording.size(free)) free)"
        case .database(_, let version, let bytes, let downloads): database(version, bytes: bytes, downloads)
        case .databaseOlder(let path): "\(path) was written by another version; the next sync updates it"
        case .databaseDamaged(let path, let details): "\(path) is damaged: \(details.prefix(3).joined(separator: "; "))"
        case .databaseUnusable(let error): error.sentence
        case .lockUnusable(let error): error.sentence
        case .libraryUnusable(let refusal): refusal.message
        case .lock(_, isHeld: false): "no sync is running"
        case .lock(let holder, isHeld: true): running(holder, now: now, zone: zone)
        case .loggedIn(let user, let isOwn): "\(user) is logged in\(isOwn ? "" : " (not the account's own user)")"
        case .loggedOut(let user, let since): loggedOut(user, since, now: now, zone: zone)
        case .catalogMissing(let path, let courses): missing(catalog: path, courses: courses)
        case .catalogUnreadable(let path): "the catalog \(path) can't be read"
        case .otherState(let path, let user, let library, let catalogs): other(path, user, library, catalogs: catalogs)
        case .noLibrary(let path): "no library yet; the first sync creates \(path)"
        case .library(let path, let network, let free): library(path, network: network, free: free)
        case .spaceBelowFloor(let path, let free, let floor, let isStandard):
            belowFloor(path, free: free, floor: floor, isStandard: isStandard)
        case .spaceShort(_, let free, let floor, let needed, let unknown):
            short(free: free, floor: floor, needed: needed, unknown: unknown)
        case .folderUnreadable(let path): "the folder \(path) in the library can't be read"
        case .filesMissing(let count, let example): missing(count, example)
        case .unknownFiles(let count, let examples): unknown(count, examples)
        case .partials(let count, let bytes):
            "\(Wording.count(count, "unfinished file")), \(Wording.size(bytes)), to be continued"
        case .leftovers(let count, let bytes, let areRemoved): leftovers(count, bytes: bytes, areRemoved: areRemoved)
        case .stranded(let paths, let bytes, let areRemoved): stranded(paths, bytes: bytes, areRemoved: areRemoved)
        case .noPlugins: "there are no plugins"
        case .noPluginFolder(let path): "there is no folder \(path), which the settings name for plugins"
        case .plugin(let name, let version, let folder, _): answers(name, version, in: folder)
        case .pluginDefect(let name, _, let trouble, _): "\(name) \(text(trouble))"
        case .pluginBroken(let name, _, let reason, _): "\(name) can't be used: \(reason)"
        case .pluginWarned(let name, let warning): "\(name): \(warning)"
        case .pluginHidden(let name, let folder): "\(folder) isn't used: another plugin named \(name) comes first"
        case .providerMissing(let name): "downloads need provider '\(name)', which isn't installed"
        case .authorities(let path): "certificate authorities: \(path)"
        case .noAuthorities(let file, let folder): noAuthorities(file: file, folder: folder)
        case .clock(let host, let skew): clock(host, skew: skew)
        case .clockUnknown(let host, let reason): clockUnknown(host, reason)
        case .clockUnchecked: "the clock wasn't compared with a server"
        case .units(let path, let isEnabled): units(path, isEnabled: isEnabled)
        case .crontab(let path): "lines for cron: \(path)"
        case .jsonCheck(let path, let schemas): "check for JSON: \(path), with the schemas in \(schemas)"
        case .ffmpeg(let path, let version): version.map { "\($0) (\(path))" } ?? "\(path) doesn't seem to be ffmpeg"
        case .noFFmpeg: "no ffmpeg: streams are stored as .ts, .mp4 or .aac, with separate sound in its own file"
        case .versions(let coursefetch, let libcurl, let tls, let sqlite, let libyaml, let schema):
            "coursefetch \(coursefetch) (state \(schema)), libcurl \(libcurl)\(tls.map { " (\($0))" } ?? ""), "
                + "SQLite \(sqlite), libyaml \(libyaml)"
        }
    }

    private static func units(_ path: String, isEnabled: Bool) -> String {
        "systemd \(isEnabled ? "starts" : "can start") a sync every night: \(path)"
    }

    private static func missing(catalog path: String, courses: Int) -> String {
        "the catalog \(path) no longer exists; \(Wording.count(courses, "course")) came from it"
    }

    private static func answers(_ name: String, _ version: String?, in folder: String) -> String {
        "\(name)\(version.map { " \($0)" } ?? "") starts and answers (\(folder))"
    }

    private static func clockUnknown(_ host: String, _ reason: String?) -> String {
        "can't get the time of \(host): \(reason ?? "its response has no Date")"
    }

    private static func missing(_ count: Int, _ example: String) -> String {
        "\(Wording.count(count, "finished file")) \(count == 1 ? "is" : "are") missing, such as \(example)"
    }

    private static func openToOthers(_ path: String, _ mode: UInt16, isFolder: Bool) -> String {
        "\(path) is accessible to other accounts (mode \(octal(mode)), should be \(isFolder ? "0700" : "0600"))"
    }

    private static func database(_ version: Int, bytes: Int64, _ downloads: Int) -> String {
        let videos = Wording.count(downloads, "video")
        return "state.sqlite: no damage found, version \(version), \(videos), \(Wording.size(bytes))"
    }

    private static func running(_ holder: LockHolder?, now: Date, zone: TimeZone) -> String {
        guard let holder else { return "a sync is running" }
        let since = ClockFormat.local(holder.since, now: now, zone: zone)
        let catalogs = holder.catalogs.isEmpty ? "" : " with \(Wording.list(holder.catalogs))"
        return "a sync has been running since \(since): process \(holder.pid) on \(holder.host)\(catalogs)"
    }

    private static func loggedOut(_ user: String, _ since: Date?, now: Date, zone: TimeZone) -> String {
        guard let since else { return "\(user) has never logged in: no sync starts" }
        return "\(user) has been logged out since \(ClockFormat.local(since, now: now, zone: zone)): no sync starts"
    }

    private static func other(_ path: String, _ user: String, _ library: String?, catalogs: [String]) -> String {
        let place = library.map { "the library \($0)" } ?? "no library yet"
        return "\(Wording.list(catalogs)): also synced by the user \(user), into \(place) (state \(path))"
    }

    private static func library(_ path: String, network: String?, free: Int64?) -> String {
        let facts = [network.map { "on \($0)" }, free.map { "\(Wording.size($0)) free" }].compactMap(\.self)
        return path + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")
    }

    private static func belowFloor(_ path: String, free: Int64, floor: Int64, isStandard: Bool) -> String {
        let left = isStandard ? "by default" : "(--min-free-space)"
        return """
            the disk of \(path) has \(Wording.size(free)) free, and a sync leaves \(Wording.size(floor)) free \
            \(left): no video is downloaded
            """
    }

    private static func short(free: Int64, floor: Int64, needed: Int64, unknown: Int) -> String {
        let more = unknown > 0 ? ", and \(Wording.count(unknown, "video")) of unknown size" : ""
        let kept = floor > 0 ? ", of which a sync leaves \(Wording.size(floor))" : ""
        return "\(Wording.size(needed)) are left to download\(more), but only \(Wording.size(free)) are free\(kept)"
    }

    private static func unknown(_ count: Int, _ examples: [String]) -> String {
        let are = count == 1 ? "file is" : "files are"
        return """
            \(Wording.grouped(count)) other \(are) in the library, such as \(examples.first ?? ""); \
            coursefetch doesn't touch them
            """
    }

    private static func leftovers(_ count: Int, bytes: Int64, areRemoved: Bool) -> String {
        let what = "\(Wording.count(count, "partial")) no longer needed, \(Wording.size(bytes))"
        return areRemoved ? "removed \(what)" : what
    }

    private static func stranded(_ paths: [String], bytes: Int64, areRemoved: Bool) -> String {
        let files = Wording.count(paths.count, "file")
        let what = "\(files) left by an interrupted move (\(paths.first ?? "")), \(Wording.size(bytes))"
        return areRemoved ? "removed \(what)" : what
    }

    private static func text(_ trouble: DiagnosisFact.PluginDefect) -> String {
        switch trouble {
        case .cannotStart(let reason): "can't be started: \(reason)"
        case .ends(let reason): "ends before it gets a request: \(reason)"
        case .breaksProtocol(let reason): "violates the protocol: \(reason)"
        case .silent(let reason): "starts, but doesn't answer an unknown method: \(reason)"
        }
    }

    private static func noAuthorities(file: String?, folder: String?) -> String {
        if let file, folder == nil { return "there is no readable file \(file) with certificate authorities" }
        let places = [file, folder].compactMap(\.self)
        return "no certificate authorities"
            + (places.isEmpty ? ": libcurl was built without any" : " in \(Wording.list(places, "or"))")
    }

    private static func clock(_ host: String, skew: Double) -> String {
        guard abs(skew) > 1 else { return "the clock matches that of \(host)" }
        let seconds = Wording.duration(abs(skew))
        return "the clock is \(seconds) \(skew > 0 ? "behind" : "ahead of") that of \(host)"
    }

    /// The remedy, one line per step; empty if none is needed.
    package static func advice(_ fact: DiagnosisFact) -> [String] {
        switch fact {
        case .openToOthers(let path, _, let isFolder): ["chmod \(isFolder ? 700 : 600) \(ShellWord.quoted(path))"]
        case .ownedByAnother(let path, _): ["run chown, or use another folder with --state (\(path))"]
        case .stateNotWritable, .libraryNotWritable: ["give this account write permission"]
        case .stateOnNetwork, .stateInMemory:
            ["keep it on a local disk: --state DIR, or state: in the settings"]
        case .stateDiskFull: ["make room"]
        case .diskFull:
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
        case .pluginDefect(_, let folder, .silent, _):
            ["see docs/protocol.md: answer an unknown method with error -32601 (\(folder))"]
        case .pluginDefect(_, let folder, _, _):
            [SuggestedCommand.text("plugins check \(ShellWord.quoted(folder))")]
        case .pluginBroken(_, let folder, _, _): ["see \(folder); \(SuggestedCommand.text("plugins list"))"]
        case .providerMissing, .noPlugins:
            ["for the folders that are searched: \(SuggestedCommand.text("plugins list"))"]
        case .noPluginFolder: ["correct 'plugins' in the settings, or --plugins"]
        case .noAuthorities: ["install ca-certificates, or name a PEM file with 'ca-file'"]
        case .clock(_, let skew) where abs(skew) > 5: ["correct it: servers may refuse signed links"]
        case .units(_, isEnabled: false): ["systemctl --user enable --now coursefetch.timer"]
        case .clockUnchecked: [SuggestedCommand.text("doctor --clock-url https://YOUR-HOST/")]
        case .noState, .state, .database, .databaseOlder, .databaseUnusable, .lock, .lockUnusable, .loggedIn,
            .catalogUnreadable, .noLibrary, .library, .libraryInMemory, .libraryUnusable, .folderUnreadable,
            .unknownFiles, .partials, .leftovers, .stranded, .plugin, .pluginWarned, .pluginHidden, .authorities,
            .clock,
            .clockUnknown, .units, .crontab, .jsonCheck, .ffmpeg,
            .noFFmpeg, .versions:
            []
        }
    }

    private static func octal(_ mode: UInt16) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
