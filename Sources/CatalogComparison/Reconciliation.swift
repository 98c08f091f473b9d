package import DownloadJobs
package import DownloadStore
import Foundation
import MediaLibrary
package import RunSchedule
package import SyncFacts

/// What a sync has to do to make catalogs, state and library agree. A value: nothing has happened yet.
package struct Reconciliation: Sendable {
    /// A download that is no longer in its catalog.
    package struct Gone: Sendable {
        package var id: DownloadID
        package var reference: VideoReference
        package var state: DownloadState
        package var file: StoredFile?
        /// Bytes of it have arrived.
        package var hasPartial = false
        /// Was so before this run.
        package var isKnown: Bool
    }

    /// A download of the catalogs that this run doesn't touch: it failed, or the person paused or cancelled it.
    package struct LeftAlone: Sendable {
        package var id: DownloadID
        package var reference: VideoReference
        package var state: DownloadState
    }

    /// A file of ours that has to be somewhere else.
    package struct Move: Sendable {
        package var owner: RecordedMove.Owner
        /// For the event; nil for what comes along with a video, a chapter or a course.
        package var reference: VideoReference?
        package var from: String
        package var to: String
    }

    /// The selectors that limit the run, as they are meant among its videos.
    package var only: [Selector] = []
    /// For what the person resumes or retries while the run goes on.
    package var wantedAgain: WantedAgain?
    package var changes = ReconcileChanges()
    /// What waits for its turn in this run.
    package var wanted: [WantedDownload] = []
    package var followers = Followers()
    /// Videos that are there, whose providers are to be asked for what isn't there beside them.
    package var asked: [WantedDownload] = []
    /// Covers, and what is missing beside videos that are finished.
    package var sidecars: [WantedSidecar] = []
    /// Digests that are recorded when all sidecars of a finished video are there.
    package var sidecarGroups: [(wanted: WantedDownload, digest: ExtrasDigest)] = []
    package var moves: [Move] = []
    package var leftAlone: [LeftAlone] = []
    package var gone: [Gone] = []
    /// References of `changes.lost`.
    package var lost: [VideoReference] = []
    package var refetched: [VideoReference] = []
    /// Downloads that the catalogs want, by state, before the first turn.
    package var counts: [DownloadState: Int] = [:]
    /// Downloads of the courses judged that a person would miss, for the guard on pruning.
    package var valuedInJudged = 0
    /// Courses and chapters that are no longer written; none if a selector limits the judging.
    package var unwritten = UnwrittenFolders()
    /// Finished files that come from another source than the catalog names now.
    package var fromOtherSource = 0
    /// Courses that are left as they are, since something is wrong with their folders.
    package var held: [HeldCourse] = []
    /// Notices: a course has moved to another file.
    package var notices: [SyncWarning] = []
    /// A course that belongs to another file which still exists.
    package var errors: [SyncProblem] = []
    /// Whether no file is to be placed.
    package var isIdle: Bool { wanted.isEmpty && asked.isEmpty && sidecars.isEmpty && sidecarGroups.isEmpty }
    /// Whether a selector matched anything; by index.
    package var selectorMatched: [Bool] = []
    /// All entries, for suggestions, if a selector matched nothing.
    package var references: [VideoReference] = []
}

extension Reconciliation {
    /// The moves as the state records them, in one plan.
    package func recordedMoves() throws -> [RecordedMove] {
        guard !moves.isEmpty else { return [] }
        // Two that would be at one place: the first one goes, the other stays where it is.
        var targets: Set<String> = []
        let moves = moves.filter { targets.insert(LibraryName.key($0.to)).inserted }
        guard let plan = try MovePlan.plan(moves.map { (from: $0.from, to: $0.to) }) else { return [] }
        let owners = Dictionary(moves.map { ($0.from, $0.owner) }, uniquingKeysWith: { first, _ in first })
        return plan.moves.compactMap { move in
            owners[move.from].map { RecordedMove(id: move.id, from: move.from, to: move.to, owner: $0) }
        }
    }
}
