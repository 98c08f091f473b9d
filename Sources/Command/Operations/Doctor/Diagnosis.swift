package import DownloadStore
package import FileSystem
package import Foundation
package import SyncFacts
package import UserState

/// The findings of `doctor` on this machine for one user.
package struct Diagnosis: Sendable, Equatable {
    /// The topic of a finding. In the order of output.
    package enum Topic: String, Sendable, CaseIterable { case state, library, plugins, network, unattended, versions }

    /// The importance of a finding.
    package enum Severity: String, Sendable, Comparable {
        /// No problem.
        case ok
        case note
        /// Tonight's sync works, but not fully, or not for long.
        case warning
        /// Tonight's sync fails, or a secret is open to others.
        case problem

        package static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }

        private var rank: Int {
            switch self {
            case .ok: 0
            case .note: 1
            case .warning: 2
            case .problem: 3
            }
        }
    }

    /// In the order of the checks.
    package var facts: [DiagnosisFact] = []
    /// The reason why `--clean` wasn't done; nil if it was, or wasn't requested.
    package var refusal: Refusal?

    package init(_ facts: [DiagnosisFact] = []) { self.facts = facts }

    /// The number of findings with a severity.
    package func count(_ severity: Severity) -> Int { facts.count { $0.severity == severity } }

    /// The conditions for the exit code.
    package var conditions: Set<SyncCondition> {
        var conditions: Set<SyncCondition> = count(.problem) > 0 ? [.problemFound] : []
        if let refusal { conditions.insert(refusal.condition) }
        return conditions
    }
}

/// A finding of `doctor`. Facts only; the commands make the text. Texts in it are safe to show.
package enum DiagnosisFact: Sendable, Equatable {
    /// The problem of a plugin that was found and can be read.
    package enum PluginDefect: Sendable, Equatable {
        case cannotStart(String)
        case ends(String)
        case breaksProtocol(String)
        case silent(String)
    }

    // The state.
    /// There is no state yet; the first sync makes it.
    case noState(path: String)
    case state(path: String, free: Int64?)
    case openToOthers(path: String, mode: UInt16, isFolder: Bool)
    case ownedByAnother(path: String, account: UInt32)
    case stateNotWritable(path: String)
    /// `kind` is the name that `mount` shows.
    case stateOnNetwork(path: String, kind: String)
    /// A file system in memory: its contents are lost at a restart.
    case stateInMemory(path: String)
    case stateDiskFull(path: String, free: Int64)
    case database(path: String, version: Int, bytes: Int64, downloads: Int)
    /// Written by an older version; the next sync brings it up to date.
    case databaseOlder(path: String)
    case databaseDamaged(path: String, [String])
    /// It can't be opened or read.
    case databaseUnusable(StoreError)
    /// The holder of the lock, or none.
    case lock(LockHolder?, isHeld: Bool)
    case lockUnusable(StateError)
    case loggedIn(user: String, isAccountsOwn: Bool)
    /// Nil if the user has never logged in.
    case loggedOut(user: String, since: Date?)
    /// A catalog file that courses belong to is no longer there, or can't be read.
    case catalogMissing(path: String, courses: Int)
    case catalogUnreadable(path: String)
    /// Another user, or another state folder, syncs the same catalogs.
    case otherState(path: String, user: String, library: String?, catalogs: [String])

    // The library.
    case noLibrary(path: String)
    case library(path: String, network: String?, free: Int64?)
    case libraryInMemory(path: String)
    case libraryUnusable(Refusal)
    case libraryNotWritable(path: String)
    case diskFull(path: String, free: Int64)
    /// Less is free than a sync leaves free. `isStandard`: nobody has chosen how much that is.
    case spaceBelowFloor(path: String, free: Int64, floor: Int64, isStandard: Bool)
    /// The remaining downloads of known size need more than what is free above the floor.
    case spaceShort(path: String, free: Int64, floor: Int64, needed: Int64, unknownSizes: Int)
    case folderUnreadable(path: String)
    case filesMissing(count: Int, example: String)
    /// Files without a record: the user's own.
    case unknownFiles(count: Int, examples: [String])
    case partials(count: Int, bytes: Int64)
    /// Partials that are no longer wanted, and incomplete copies.
    case leftovers(count: Int, bytes: Int64, areRemoved: Bool)
    /// Complete files without a record, left by an interrupted move.
    case stranded(paths: [String], bytes: Int64, areRemoved: Bool)

    // Plugins. `isUsed`: a download that is still in its catalog needs it.
    case noPlugins
    /// A folder that the settings name.
    case noPluginFolder(path: String)
    case plugin(name: String, version: String?, folder: String, isUsed: Bool)
    case pluginDefect(name: String, folder: String, PluginDefect, isUsed: Bool)
    /// It can't be used, because of its manifest, its place or its permissions.
    case pluginBroken(name: String, folder: String, reason: String, isUsed: Bool)
    /// A mistake in its manifest that doesn't keep it from being used.
    case pluginWarned(name: String, warning: String)
    case pluginHidden(name: String, folder: String)
    /// Downloads need it, and no plugin has that name.
    case providerMissing(name: String)

    // The network.
    case authorities(path: String)
    /// The places that libcurl searches; nil if none was compiled in.
    case noAuthorities(file: String?, folder: String?)
    case clock(host: String, skew: Double)
    /// Nil: it answers without a date.
    case clockUnknown(host: String, reason: String?)
    /// No server was named for the comparison.
    case clockUnchecked

    // Unattended syncs: what is installed for them.
    /// The path of the timer, and whether this account's systemd starts it.
    case units(path: String, isEnabled: Bool)
    /// Lines for `crontab -e`.
    case crontab(path: String)
    /// The program that checks JSON, and the folder of its schemas.
    case jsonCheck(path: String, schemas: String)

    // Programs.
    /// `version` is the first line of its version output; nil if there is none.
    case ffmpeg(path: String, version: String?)
    case noFFmpeg

    // Versions, as each library reports its own.
    case versions(coursefetch: String, libcurl: String, tls: String?, sqlite: String, libyaml: String, schema: Int)
}

extension DiagnosisFact {
    package var topic: Diagnosis.Topic {
        switch self {
        case .noState, .state, .openToOthers, .ownedByAnother, .stateNotWritable, .stateOnNetwork, .stateInMemory,
            .stateDiskFull, .database, .databaseOlder, .databaseDamaged, .databaseUnusable, .lock, .lockUnusable,
            .loggedIn, .loggedOut, .catalogMissing, .catalogUnreadable, .otherState:
            .state
        case .noLibrary, .library, .libraryInMemory, .libraryUnusable, .libraryNotWritable, .diskFull, .spaceShort,
            .spaceBelowFloor, .folderUnreadable, .filesMissing, .unknownFiles, .partials, .leftovers, .stranded:
            .library
        case .noPlugins, .noPluginFolder, .plugin, .pluginDefect, .pluginBroken, .pluginWarned, .pluginHidden,
            .providerMissing:
            .plugins
        case .authorities, .noAuthorities, .clock, .clockUnknown, .clockUnchecked: .network
        case .units, .crontab, .jsonCheck: .unattended
        case .ffmpeg, .noFFmpeg, .versions: .versions
        }
    }

    package var severity: Diagnosis.Severity {
        switch self {
        case .state, .database, .lock, .loggedIn, .library, .plugin, .authorities, .versions,
            .ffmpeg(_, .some), .units(_, isEnabled: true):
            .ok
        case .noState, .databaseOlder, .noLibrary, .unknownFiles, .partials, .pluginHidden, .clockUnchecked, .noFFmpeg,
            .units(_, isEnabled: false), .crontab, .jsonCheck:
            .note
        case .stateOnNetwork, .stateInMemory, .loggedOut, .catalogMissing, .catalogUnreadable, .otherState,
            .libraryInMemory, .spaceShort, .spaceBelowFloor, .folderUnreadable, .filesMissing, .noPlugins,
            .pluginWarned,
            .clockUnknown, .ffmpeg(_, nil):
            .warning
        case .openToOthers, .ownedByAnother, .stateNotWritable, .stateDiskFull, .databaseDamaged, .databaseUnusable,
            .lockUnusable, .libraryUnusable, .libraryNotWritable, .diskFull, .providerMissing, .noPluginFolder,
            .noAuthorities:
            .problem
        case .leftovers(_, _, let areRemoved), .stranded(_, _, let areRemoved): areRemoved ? .ok : .warning
        // A plugin that rejects an unknown method may still work.
        case .pluginDefect(_, _, .silent, _): .warning
        case .pluginDefect(_, _, _, let isUsed), .pluginBroken(_, _, _, let isUsed): isUsed ? .problem : .warning
        case .clock(_, let skew):
            switch abs(skew) {
            case ...5: .ok
            case ...600: .warning
            default: .problem
            }
        }
    }
}
