package import DownloadStore
import MigrationSources
package import SyncFacts

/// The result of a migration.
package struct MigrationSummary: Sendable {
    /// What became of the source at the end.
    package enum Removal: Sendable, Equatable {
        /// It wasn't asked for.
        case notAsked
        /// These many files were removed; these many that no record knows are still there.
        case removed(files: Int, left: Int)
        /// Everything stays, or from a change on the rest.
        case kept(KeptReason)
        /// A file couldn't be removed.
        case failed(path: String, errno: Int32)
    }

    /// Why a source isn't removed; with the name of the first record that is the reason.
    package enum KeptReason: Sendable, Equatable {
        /// Not all of it is in.
        case incomplete
        /// The library doesn't have its video, or not as it was recorded.
        case missing(String)
        /// The library has other bytes of it.
        case differs(String)
        /// Its file is the library's own.
        case librarys(String)
        /// This file, or the library's, has changed since they were compared.
        case changed(String)
    }

    /// The number of records with each code.
    package var counts: [MigrationCode: Int] = [:]
    /// Of these, the ones that an earlier run had decided in the same way.
    package var earlier = 0
    /// Videos that this run has queued.
    package var queued = 0
    /// Bytes that came into the library.
    package var bytes: Int64 = 0
    /// Entries of the map that no record used.
    package var unusedMapEntries: [String] = []
    /// A catalog that was written, or in a dry run would be, with its number of videos.
    package var writtenCatalog: (path: String, videos: Int)?
    package var removal = Removal.notAsked
    /// Whether it was stopped early.
    package var isStopped = false
    /// Whether the disk of the library is full, which ended the run.
    package var isDiskFull = false
    package var isDryRun = false
    /// Whether names in the source were left out because they aren't UTF-8 or lie too deep.
    package var hasUnreadNames = false
    /// Why it ended before the first record, or in the middle; nil if it didn't.
    package var problem: MigrationProblem?
    /// The mistakes of invalid catalogs.
    package var mistakes: [SyncProblem] = []
    package var conditions: Set<SyncCondition> = []

    package init() {}

    /// Records that aren't in the library, nor queued at the user's wish.
    package var left: Int { counts.reduce(0) { $0 + ($1.key.isIn ? 0 : $1.value) } }

    /// What the result means for the exit code.
    var resultConditions: Set<SyncCondition> {
        switch problem {
        case .source(let problem), .map(let problem):
            switch problem {
            case .missing, .unreadable: return [.unreadableCatalog]
            default: return [.invalidCatalog]
            }
        case .overlapping: return [.usage]
        case .refused(let refusal): return [refusal.condition]
        case nil: break
        }
        var conditions: Set<SyncCondition> = []
        if isDiskFull { conditions.insert(.stateUnusable) }
        if left > 0 || isStopped { conditions.insert(.workLeft) }
        switch removal {
        case .kept where left == 0 && !isStopped: conditions.insert(.workLeft)
        case .failed: conditions.insert(.stateUnusable)
        default: break
        }
        return conditions
    }
}
