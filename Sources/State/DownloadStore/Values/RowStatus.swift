package import Foundation

/// A row's status, and the one rule for changes between two runs: a killed run leaves rows in progress, and waits
/// end.
///
/// Related: ``StateTransition``, whose table has every step; docs/invariants.md.
package struct RowStatus: Sendable, Equatable {
    package var state: DownloadState
    /// The reason why it waits or is suspended; nil if it needs none.
    package var reason: SuspendReason?
    /// The earliest time of the next try; nil for at once, or never.
    package var retryAt: Date?
    /// Whether a rename to its file's path is in progress.
    package var isPlacing: Bool
    /// The number of consecutive runs in which it failed.
    package var failedRuns: Int

    /// The longest wait of a download that is put back, in seconds: a server or a provider gives the time, and may be
    /// wrong. Clearly less than the interval of nightly runs, which never start to the minute.
    package static let longestWait = 20.0 * 3600

    package init(
        state: DownloadState, reason: SuspendReason? = nil, retryAt: Date? = nil, isPlacing: Bool = false,
        failedRuns: Int = 0
    ) {
        self.state = state
        self.reason = reason
        self.retryAt = retryAt
        self.isPlacing = isPlacing
        self.failedRuns = failedRuns
    }

    /// The seconds until what failed in `failedRuns` runs in a row (from 1) is tried again: 1 h, 20 h, 44 h, 92 h, then
    /// 7 d less 4 h each. Never whole days: a nightly job would start a minute too early and skip a night.
    package static func rest(failedRuns: Int) -> Double {
        let hours = [1, 20, 44, 92]
        return 3600 * Double(failedRuns <= hours.count ? hours[max(failedRuns, 1) - 1] : 7 * 24 - 4)
    }

    /// Whether what failed is tried again at `now`: its time has come, or is later than any that a right clock has set.
    static func isOver(_ retryAt: Date, failedRuns: Int, at now: Date) -> Bool {
        retryAt <= now || retryAt > now + max(longestWait, rest(failedRuns: failedRuns))
    }

    /// The status to show: a row is `active` only while a process holds the user's lock, otherwise it was
    /// interrupted.
    package func seen(isHeld: Bool) -> RowStatus {
        guard state == .active, !isHeld else { return self }
        var seen = self
        seen.state = .suspended
        seen.reason = .interrupted
        return seen
    }

    /// The result of a run's start at `now` for it, with the user's lock.
    package func recovered(at now: Date) -> Recovery {
        let seen = seen(isHeld: false)
        var steps: [StateTransition] = seen == self ? [] : [.suspend]
        guard seen.isRevived(at: now) else { return Recovery(status: seen, steps: steps, isNewChance: false) }
        steps.append(.revive)
        return Recovery(
            status: RowStatus(state: .waiting, isPlacing: isPlacing), steps: steps,
            isNewChance: state == .failed)
    }

    private func isRevived(at now: Date) -> Bool {
        switch state {
        case .suspended: true
        // A row at or near its place isn't given up because of an earlier failure.
        case .failed: isPlacing || retryAt.map { Self.isOver($0, failedRuns: failedRuns, at: now) } ?? false
        // A time beyond the allowed wait was set by another clock.
        case .waiting: retryAt.map { $0 <= now || $0 > now + Self.longestWait } ?? false
        case .active, .paused, .finished, .cancelled: false
        }
    }
}

/// The result of a run's start for a row.
package struct Recovery: Sendable, Equatable {
    package var status: RowStatus
    /// The transitions that lead there; empty if the row stays as it is.
    package var steps: [StateTransition]
    /// Whether its attempts are reset: a failed row gets all of them again, an interrupted one continues counting.
    package var isNewChance: Bool
}
