import DownloadJobs
package import DownloadStore
import Foundation
package import RunSchedule
package import SyncFacts

/// What a sync has to do to make catalogs, state and library agree. A value: nothing has happened yet.
package struct Reconciliation: Sendable {
    /// A download that is no longer in its catalog.
    package struct Gone: Sendable {
        var id: DownloadID
        package var reference: VideoReference
        var state: DownloadState
        package var file: StoredFile?
        /// Bytes of it have arrived.
        var hasPartial = false
        /// Was so before this run.
        var isKnown: Bool
    }

    /// A file of ours that has to be somewhere else.
    package struct Move: Sendable {
        var owner: RecordedMove.Owner
        /// For the event; nil for what comes along with a video, a chapter or a course.
        package var reference: VideoReference?
        package var from: String
        package var to: String
    }

    /// For what the person resumes or retries while the run goes on.
    var wantedAgain: WantedAgain?
    package var changes = ReconcileChanges()
    /// What waits for its turn in this run.
    package var wanted: [WantedDownload] = []
    package var followers = Followers()
    /// Videos that are there, whose providers are to be asked for what isn't there beside them.
    package var asked: [WantedDownload] = []
    /// Covers, and what is missing beside videos that are finished.
    var sidecars: [WantedSidecar] = []
    /// Digests that are recorded when all sidecars of a finished video are there.
    var sidecarGroups: [(wanted: WantedDownload, digest: ExtrasDigest)] = []
    package var moves: [Move] = []
    package var gone: [Gone] = []
    /// References of `changes.lost`.
    var lost: [VideoReference] = []
    var refetched: [VideoReference] = []
    /// Downloads that the catalogs want, by state, before the first turn.
    package var counts: [DownloadState: Int] = [:]
    /// Downloads of the courses judged that a person would miss, for the guard on pruning.
    var valuedInJudged = 0
    /// Courses and chapters that are no longer written; none if a selector limits the judging.
    var unwritten = UnwrittenFolders()
    /// Finished files that come from another source than the catalog names now.
    package var fromOtherSource = 0
    /// Courses that are left as they are, since something is wrong with their folders.
    package var held: [HeldCourse] = []
    /// Notices: a course has moved to another file.
    var notices: [SyncWarning] = []
    /// A course that belongs to another file which still exists.
    var errors: [SyncProblem] = []
    /// Whether no file is to be placed.
    package var isIdle: Bool { wanted.isEmpty && asked.isEmpty && sidecars.isEmpty && sidecarGroups.isEmpty }
    /// Whether a selector matched anything; by index.
    var selectorMatched: [Bool] = []
    /// All entries, for suggestions, if a selector matched nothing.
    var references: [VideoReference] = []
}
