package import DownloadStore

/// The results of a run, apart from the phases of its downloads.
package struct RunTally: Sendable {
    /// The limit on failures kept for the summary.
    static let mostFailures = 1000

    package var finished = 0
    /// Answers of providers with a location.
    package var answers = 0
    /// Those that expired before they were used.
    package var expiredAnswers = 0
    package var failed = 0
    /// The first failed downloads, at most ``mostFailures``, with their errors.
    package var failures: [(id: DownloadID, error: DownloadError)] = []
    /// How many failed at each host, as scheme, host and port; at its provider's server, or its provider, if it had
    /// none.
    package private(set) var failedAt: [String: Int] = [:]
    private var places: [DownloadID: String] = [:]
    /// Not available yet at their hosts: no work of ours remains.
    package var notReady: Set<DownloadID> = []
    /// Downloads changed by the user that the run didn't want at its start: their state then, and the last one outside
    /// of a turn.
    package var steered: [DownloadID: (first: DownloadState, last: DownloadState)] = [:]
    /// The servers of providers that require a login.
    package var loginsNeeded: Set<ProviderServer> = []
    /// Downloads that are suspended until there is a login.
    package var awaitingLogin: Set<DownloadID> = []
    /// Downloads with sidecars that wait for a login.
    package var sidecarsAwaitingLogin: Set<DownloadID> = []
    /// Whether the run was stopped before all sidecars were stored.
    package var hasSidecarsLeft = false
    /// Whether a sidecar was given up permanently.
    package var hasGivenUpSidecars = false
    /// Videos with a sidecar that failed in this run.
    package var withFailedSidecars: Set<DownloadID> = []
    package var disk: DiskProblem?

    /// Providers that require a login.
    package var providersToLogIn: Set<String> { Set(loginsNeeded.map(\.provider)) }

    package init() {}

    mutating func noteFailure(_ id: DownloadID, _ error: DownloadError, at place: String) {
        failed += 1
        if failures.count < Self.mostFailures { failures.append((id, error)) }
        places[id] = place
        failedAt[place, default: 0] += 1
    }

    mutating func forgetFailure(_ id: DownloadID) {
        failed -= 1
        failures.removeAll { $0.id == id }
        guard let place = places.removeValue(forKey: id), let count = failedAt[place] else { return }
        failedAt[place] = count > 1 ? count - 1 : nil
    }
}

/// The reason why the disk has ended downloads.
package enum DiskProblem: Sendable, Equatable {
    /// This much is free, and downloads that don't fit wait for space.
    case noSpace(free: Int64)
    case failed(DownloadError)
}
