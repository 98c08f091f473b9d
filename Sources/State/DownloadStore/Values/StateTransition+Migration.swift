/// The transitions by which a migration prepares a row.
extension DownloadState {
    /// Lets the row be finished with another downloader's file; nil if it can be as it is, or is finished.
    package var beforeAdoption: StateTransition? {
        switch self {
        case .suspended, .failed: .revive
        case .paused: .resume
        case .cancelled: .retry
        case .waiting, .active, .finished: nil
        }
    }

    /// Lets the next sync download it, at the user's wish; nil if it does so anyway, or the row is finished.
    package var beforeRequeueing: StateTransition? {
        switch self {
        case .suspended: .revive
        case .paused, .failed, .cancelled: .retry
        case .waiting, .active, .finished: nil
        }
    }

    /// Whether a row that an earlier migration queued is as another one would leave it.
    package func isAsMigrated(requeues: Bool, pauses: Bool) -> Bool {
        switch self {
        case .waiting, .active, .suspended: !pauses
        case .paused: !requeues || pauses
        case .finished, .failed, .cancelled: false
        }
    }
}
