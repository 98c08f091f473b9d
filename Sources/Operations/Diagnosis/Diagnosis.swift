package import DownloadStore
package import FileSystem
package import Foundation
package import SyncFacts
package import UserState

/// What `doctor` found on this machine for one user.
package struct Diagnosis: Sendable, Equatable {
    /// What a finding is about. In the order in which they are told.
    package enum Topic: String, Sendable, CaseIterable { case state, library, plugins, network, versions }

    /// How much a finding matters.
    package enum Severity: String, Sendable, Comparable {
        /// As it should be.
        case ok
        /// Good to know.
        case note
        /// Tonight's sync works, but not as it could, or not for long.
        case warning
        /// Tonight's sync fails, or something secret is open to others.
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

    /// In the order in which they were made.
    package var facts: [DiagnosisFact] = []
    /// Why `--clean` could not be done; nil if it was, or wasn't asked for.
    package var refusal: Refusal?

    package init(_ facts: [DiagnosisFact] = []) { self.facts = facts }

    /// How many findings there are of a severity.
    package func count(_ severity: Severity) -> Int { facts.count { $0.severity == severity } }

    /// What the exit code tells.
    package var conditions: Set<SyncCondition> {
        var conditions: Set<SyncCondition> = count(.problem) > 0 ? [.problemFound] : []
        if let refusal { conditions.insert(refusal.condition) }
        return conditions
    }
}

/// One thing that `doctor` found. Facts only; the commands make the text. Texts in it are fit to be shown.
package enum DiagnosisFact: Sendable, Equatable {
    /// What is wrong with a plugin that was found and can be read.
    package enum PluginTrouble: Sendable, Equatable {
        case cannotStart(String)
        case ends(String)
        case breaksProtocol(String)
        case silent(String)
    }

    // The state.
    /// There is none yet; the first sync makes it.
    case noState(path: String)
    case state(path: String, free: Int64?)
    case openToOthers(path: String, mode: UInt16, isFolder: Bool)
    case ownedByAnother(path: String, account: UInt32)
    case stateNotWritable(path: String)
    /// The name that `mount` shows.
    case stateOnNetwork(path: String, kind: String)
    /// A file system in memory: gone after a restart.
    case stateInMemory(path: String)
    case stateDiskFull(path: String, free: Int64)
    case database(path: String, version: Int, bytes: Int64, downloads: Int)
    /// Written by an older version; the next sync brings it up to date.
    case databaseOlder(path: String)
    case databaseDamaged(path: String, [String])
    /// It can't be opened or read.
    case databaseUnusable(StoreError)
    /// Who is at work, or nobody.
    case lock(LockHolder?, isHeld: Bool)
    case lockUnusable(StateError)
    case loggedIn(user: String, isAccountsOwn: Bool)
    /// Nil if the user has never logged in.
    case loggedOut(user: String, since: Date?)
    /// A catalog file that courses belong to is no longer there, or can't be read.
    case catalogMissing(path: String, courses: Int)
    case catalogUnreadable(path: String)
    /// The same catalogs are synced by another user or into another state folder.
    case otherState(path: String, user: String, library: String?, catalogs: [String])

    // The library.
    case noLibrary(path: String)
    case library(path: String, network: String?, free: Int64?)
    case libraryInMemory(path: String)
    case libraryUnusable(Refusal)
    case libraryNotWritable(path: String)
    case diskFull(path: String, free: Int64)
    /// What is still to come, as far as sizes are known, is more than fits.
    case spaceShort(path: String, free: Int64, needed: Int64, unknownSizes: Int)
    case folderUnreadable(path: String)
    case filesMissing(count: Int, example: String)
    /// Files that nobody recorded: the person's own.
    case unknownFiles(count: Int, examples: [String])
    case partials(count: Int, bytes: Int64)
    /// Partials that nothing wants any more, and copies that were cut short.
    case leftovers(count: Int, bytes: Int64, areRemoved: Bool)
    /// Whole files that an interrupted move left and nobody recorded.
    case stranded(paths: [String], bytes: Int64, areRemoved: Bool)

    // Plugins. `isUsed`: a download that is still in its catalog needs it.
    case noPlugins
    case plugin(name: String, version: String?, folder: String, isUsed: Bool)
    case pluginTrouble(name: String, folder: String, PluginTrouble, isUsed: Bool)
    /// It can't be used: its manifest, its place, its permissions.
    case pluginBroken(name: String, folder: String, reason: String, isUsed: Bool)
    case pluginHidden(name: String, folder: String)
    /// Downloads need it, and there is none of that name.
    case providerMissing(name: String)

    // The network.
    case authorities(path: String)
    /// Where libcurl looks; nil where nothing was compiled in.
    case noAuthorities(file: String?, folder: String?)
    case clock(host: String, skew: Double)
    /// Nil: it answers, and says no time.
    case clockUnknown(host: String, reason: String?)
    /// No server was named to compare with.
    case clockUnchecked

    // Programs.
    /// `version` is the first line of what it says of itself; nil if it says nothing.
    case ffmpeg(path: String, version: String?)
    case noFFmpeg

    // Versions, each as it says itself.
    case versions(coursefetch: String, libcurl: String, tls: String?, sqlite: String, libyaml: String, schema: Int)
}

extension DiagnosisFact {
    /// What it is about.
    package var topic: Diagnosis.Topic {
        switch self {
        case .noState, .state, .openToOthers, .ownedByAnother, .stateNotWritable, .stateOnNetwork, .stateInMemory,
            .stateDiskFull, .database, .databaseOlder, .databaseDamaged, .databaseUnusable, .lock, .lockUnusable,
            .loggedIn, .loggedOut, .catalogMissing, .catalogUnreadable, .otherState:
            .state
        case .noLibrary, .library, .libraryInMemory, .libraryUnusable, .libraryNotWritable, .diskFull, .spaceShort,
            .folderUnreadable, .filesMissing, .unknownFiles, .partials, .leftovers, .stranded:
            .library
        case .noPlugins, .plugin, .pluginTrouble, .pluginBroken, .pluginHidden, .providerMissing: .plugins
        case .authorities, .noAuthorities, .clock, .clockUnknown, .clockUnchecked: .network
        case .ffmpeg, .noFFmpeg, .versions: .versions
        }
    }

    /// How much it matters.
    package var severity: Diagnosis.Severity {
        switch self {
        case .state, .database, .lock, .loggedIn, .library, .plugin, .authorities, .versions,
            .ffmpeg(_, .some):
            .ok
        case .noState, .databaseOlder, .noLibrary, .unknownFiles, .partials, .pluginHidden, .clockUnchecked, .noFFmpeg:
            .note
        case .stateOnNetwork, .stateInMemory, .loggedOut, .catalogMissing, .catalogUnreadable, .otherState,
            .libraryInMemory, .spaceShort, .folderUnreadable, .filesMissing, .noPlugins, .clockUnknown, .ffmpeg(_, nil):
            .warning
        case .openToOthers, .ownedByAnother, .stateNotWritable, .stateDiskFull, .databaseDamaged, .databaseUnusable,
            .lockUnusable, .libraryUnusable, .libraryNotWritable, .diskFull, .providerMissing, .noAuthorities:
            .problem
        case .leftovers(_, _, let areRemoved), .stranded(_, _, let areRemoved): areRemoved ? .ok : .warning
        // One that dislikes an unknown method may still do its work.
        case .pluginTrouble(_, _, .silent, _): .warning
        case .pluginTrouble(_, _, _, let isUsed), .pluginBroken(_, _, _, let isUsed): isUsed ? .problem : .warning
        case .clock(_, let skew):
            switch abs(skew) {
            case ...5: .ok
            case ...600: .warning
            default: .problem
            }
        }
    }
}
