package import DownloadStore

/// What has come of a run, beside the phases of its downloads.
package struct RunTally: Sendable {
    /// The most failures that are kept for the summary.
    static let mostFailures = 1000

    /// Downloads finished.
    package var finished = 0
    /// Downloads failed.
    package var failed = 0
    /// The first of those, with what went wrong.
    package var failures: [(id: DownloadID, error: DownloadError)] = []
    /// Not there yet at their hosts: nothing of ours is left to do.
    package var notReady: Set<DownloadID> = []
    /// Downloads that the run didn't want at its start, and the person has changed: their state then, and the last one that
    /// was not of a turn.
    package var steered: [DownloadID: (first: DownloadState, last: DownloadState)] = [:]
    /// Providers that want a login.
    package var providersToLogIn: Set<String> = []
    /// Whether the run was stopped before all sidecars were there.
    package var hasSidecarsLeft = false
    /// Whether a sidecar was given up for good.
    package var hasGivenUpSidecars = false
    /// Videos beside which something failed in this run.
    package var withFailedSidecars: Set<DownloadID> = []
    /// What was wrong with the disk.
    package var disk: DiskTrouble?

    package init() {}

    mutating func noteFailure(_ id: DownloadID, _ error: DownloadError) {
        failed += 1
        if failures.count < Self.mostFailures { failures.append((id, error)) }
    }

    mutating func forgetFailure(_ id: DownloadID) {
        failed -= 1
        failures.removeAll { $0.id == id }
    }
}

/// Why the disk has ended downloads.
package enum DiskTrouble: Sendable, Equatable {
    /// So much is free, and what doesn't fit waits for room.
    case noRoom(free: Int64)
    case failed(DownloadError)
}
