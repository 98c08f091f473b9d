/// The events that change a download's state. The table in ``DownloadState/after(_:)`` is the only definition of the
/// results; every statement that writes `state` goes through it.
package enum StateTransition: String, Sendable, CaseIterable, Codable {
    // Changes by a sync.
    case begin, putBack, suspend, finish, fail, lose, refetch
    /// At the start of a run: a suspended download, or a failed one whose time has come, waits again.
    case revive
    // Changes by the user.
    case pause, resume, cancel, retry, remove
}

extension DownloadState {
    /// The state after `transition`, or nil if the table refuses it.
    ///
    /// Related: the state table in docs/invariants.md.
    package func after(_ transition: StateTransition) -> DownloadState? {
        switch (transition, self) {
        case (.begin, .waiting): .active
        case (.putBack, .active), (.putBack, .waiting): .waiting
        case (.suspend, .active), (.suspend, .waiting): .suspended
        case (.finish, .active), (.finish, .waiting): .finished
        case (.fail, .active), (.fail, .waiting), (.fail, .failed): .failed
        case (.lose, .finished): .waiting
        case (.refetch, .finished): .waiting
        case (.revive, .suspended), (.revive, .failed), (.revive, .waiting): .waiting

        case (.pause, .waiting), (.pause, .active), (.pause, .paused), (.pause, .suspended), (.pause, .failed): .paused
        case (.resume, .waiting): .waiting
        case (.resume, .active): .active
        case (.resume, .paused), (.resume, .suspended): .waiting
        case (.cancel, .finished): nil
        case (.cancel, _): .cancelled
        case (.retry, .active): nil
        case (.retry, _): .waiting
        case (.remove, _): .cancelled
        default: nil
        }
    }

    /// Whether the purpose of `transition` is fulfilled already, although the table refuses it: a finished download
    /// needs no pause.
    package func isBeyond(_ transition: StateTransition) -> Bool {
        switch (transition, self) {
        case (.pause, .finished), (.pause, .cancelled), (.resume, .finished), (.retry, .active): true
        default: false
        }
    }

    /// The states from which `transition` is allowed.
    package static func sources(of transition: StateTransition) -> [DownloadState] {
        allCases.filter { $0.after(transition) != nil }
    }
}

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
