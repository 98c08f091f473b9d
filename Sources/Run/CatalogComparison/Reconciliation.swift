package import DownloadStore
import Foundation
import MediaLibrary
package import RunSchedule
package import SyncFacts

/// The changes that make catalogs, state and library agree. A value: nothing has been changed yet.
package struct Reconciliation: Sendable {
    /// A download that is no longer in its catalog.
    package struct Gone: Sendable {
        package var id: DownloadID
        package var reference: VideoReference
        package var state: DownloadState
        package var file: StoredFile?
        /// Whether some of its bytes have arrived.
        package var hasPartial = false
        /// Whether it was gone before this run.
        package var isKnown: Bool
    }

    /// A download of the catalogs that this run doesn't touch: it has failed, or the user paused or cancelled it.
    package struct Untouched: Sendable {
        package var id: DownloadID
        package var reference: VideoReference
        package var state: DownloadState
    }

    /// A file of ours with a new path.
    package struct Move: Sendable {
        package var owner: RecordedMove.Owner
        /// For the event; nil for sidecars and covers.
        package var reference: VideoReference?
        package var from: String
        package var to: String
    }

    /// The selectors that limit the run, settled among its videos.
    package var only: [Selector] = []
    /// For downloads that the user resumes or retries during the run.
    package var revivedDownloads: RevivedDownloads?
    package var changes = ReconcileChanges()
    /// The downloads that wait for their turn in this run.
    package var wanted: [WantedDownload] = []
    package var followers = Followers()
    /// Finished videos whose providers are to be asked for missing sidecars.
    package var asked: [WantedDownload] = []
    /// Covers, and missing sidecars of finished videos.
    package var sidecars: [WantedSidecar] = []
    /// Digests to record when all sidecars of a finished video are stored.
    package var sidecarGroups: [(wanted: WantedDownload, digest: ExtrasDigest)] = []
    package var moves: [Move] = []
    package var leftAlone: [Untouched] = []
    package var gone: [Gone] = []
    /// References of `changes.lost`.
    package var lost: [VideoReference] = []
    package var refetched: [VideoReference] = []
    /// Downloads in the catalogs, by state, before the first turn.
    package var counts: [DownloadState: Int] = [:]
    /// Downloads of the compared courses that the user would miss, for the limit on pruning.
    package var valuedInJudged = 0
    /// Courses and chapters that are no longer listed; none if a selector limits the comparison.
    package var unlisted = UnlistedFolders()
    /// The same of a register.
    package var unlistedInRegister = UnlistedFolders()
    /// Videos that were moved during the turns.
    package var movedLater = 0
    /// Files that couldn't be moved.
    package var unmoved = 0
    /// Finished files from another source than the catalog now names.
    package var fromOtherSource = 0
    /// Finished and missing files of all courses of the run, by their ids; those of its first comparison.
    package var tallies: [String: LossGuard.Tally] = [:]
    /// Courses that aren't touched because of a problem with their folders.
    package var held: [HeldCourse] = []
    /// Notices: a course has moved to another file.
    package var notices: [SyncWarning] = []
    /// A course that belongs to another file which still exists.
    package var errors: [SyncProblem] = []
    /// Whether there is no file to place.
    package var isIdle: Bool { wanted.isEmpty && asked.isEmpty && sidecars.isEmpty && sidecarGroups.isEmpty }
    /// Whether each selector matched anything, by index.
    package var selectorMatched: [Bool] = []
    /// All entries, for suggestions, if a selector matched nothing.
    package var references: [VideoReference] = []
}

extension Reconciliation {
    /// A plan without any work.
    package init(counts: [DownloadState: Int], fromOtherSource: Int) {
        self.init()
        self.counts = counts
        self.fromOtherSource = fromOtherSource
    }

    /// The moves as the state records them, in one plan.
    package func recordedMoves() throws -> [RecordedMove] {
        guard !moves.isEmpty else { return [] }
        // Of two moves to one place the first is made, the other omitted.
        var targets: Set<String> = []
        let moves = moves.filter { targets.insert(LibraryName.key($0.to)).inserted }
        guard let plan = try MovePlan.plan(moves.map { (from: $0.from, to: $0.to) }) else { return [] }
        let owners = Dictionary(moves.map { ($0.from, $0.owner) }, uniquingKeysWith: { first, _ in first })
        return plan.moves.compactMap { move in
            owners[move.from].map { RecordedMove(id: move.id, from: move.from, to: move.to, owner: $0) }
        }
    }
}

extension Reconciliation {
    /// Lets downloads of this plan follow those of an earlier one that may have the same bytes, and the user resume
    /// downloads of both.
    package mutating func follow(_ earlier: Reconciliation) {
        revivedDownloads?.follow(earlier.revivedDownloads)
        SharedBytes.findFollowers(in: &self, after: earlier.wanted)
    }

    /// Leaves what gives entries and files other names, and drops the rest.
    package mutating func keepOnlyNames() {
        (changes.new, changes.gone, changes.lost, changes.refetched) = ([], [], [], [])
        changes.finished = []
        (changes.revived, changes.retried) = ([], [])
        (wanted, asked, lost, refetched, gone, notices) = ([], [], [], [], [], [])
    }

    /// Adds the plan of other courses, which the run began later: for the summary, and for what follows the downloads.
    package mutating func add(_ other: Reconciliation) {
        revivedDownloads = other.revivedDownloads ?? revivedDownloads
        wanted += other.wanted
        asked += other.asked
        moves += other.moves
        leftAlone += other.leftAlone
        gone += other.gone
        counts.merge(other.counts, uniquingKeysWith: +)
        valuedInJudged += other.valuedInJudged
        unlisted.add(other.unlisted)
        unlistedInRegister.add(other.unlistedInRegister)
        fromOtherSource += other.fromOtherSource
        held += other.held
        notices += other.notices
        errors += other.errors
    }
}
