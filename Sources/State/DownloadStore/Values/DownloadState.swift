/// The seven states of a download.
package enum DownloadState: String, Sendable, Hashable, CaseIterable, Codable {
    /// It waits for its turn; with a retry time it is backing off or not ready at its host.
    case waiting
    /// Being resolved, transferred or placed by the sync that holds the user's lock.
    case active
    /// Paused by the user; only the user resumes it.
    case paused
    /// Stopped from outside; resumes by itself.
    case suspended
    /// Its file is in the library, durable and verified.
    case finished
    /// With a retry time a later run tries again; without, it is final.
    case failed
    case cancelled
}

extension DownloadState {
    /// Whether a sync has work left for it.
    package var isOpen: Bool {
        switch self {
        case .waiting, .active, .suspended: true
        case .paused, .finished, .failed, .cancelled: false
        }
    }

    /// Whether its partial is kept.
    package var keepsPartial: Bool {
        switch self {
        case .waiting, .active, .suspended, .paused, .failed: true
        case .finished, .cancelled: false
        }
    }
}

/// The reason why a download waits or is suspended.
package enum SuspendReason: String, Sendable, Hashable {
    case logout, signal, window, quota, disk, auth, interrupted, lost
    /// This machine has no file descriptors, processes or memory left.
    case descriptors
}
