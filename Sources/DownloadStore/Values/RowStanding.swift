package import Foundation

/// Where a row is, and the one rule for what becomes of it between two runs: a killed one leaves rows that nobody works on
/// any more, and waits come to their end.
///
/// Related: ``StateTransition``, whose table has every step; docs/invariants.md.
package struct RowStanding: Sendable, Equatable {
    /// The row's state.
    package var state: DownloadState
    /// Why it waits or is suspended; nil where nothing needs a reason.
    package var reason: SuspendReason?
    /// Not before then; nil if it may at once, or never.
    package var retryAt: Date?
    /// Whether a rename to its file's path is under way.
    package var isPlacing: Bool

    /// The most that a download that is put back may wait, in seconds: a server or a provider said so, and may be wrong.
    /// Clearly less than the time from one nightly run to the next, which never comes to the minute.
    package static let longestWait = 20.0 * 3600

    package init(
        state: DownloadState, reason: SuspendReason? = nil, retryAt: Date? = nil, isPlacing: Bool = false
    ) {
        self.state = state
        self.reason = reason
        self.retryAt = retryAt
        self.isPlacing = isPlacing
    }

    /// As it is to be told: a row is `active` only while a process holds the user's lock, else it was interrupted.
    package func seen(isHeld: Bool) -> RowStanding {
        guard state == .active, !isHeld else { return self }
        var seen = self
        seen.state = .suspended
        seen.reason = .interrupted
        return seen
    }

    /// What a run that begins at `now` makes of it, once it has the user's lock.
    package func recovered(at now: Date) -> Recovery {
        let seen = seen(isHeld: false)
        var steps: [StateTransition] = seen == self ? [] : [.suspend]
        guard seen.isRevived(at: now) else { return Recovery(standing: seen, steps: steps, isNewChance: false) }
        steps.append(.revive)
        return Recovery(
            standing: RowStanding(state: .waiting, isPlacing: isPlacing), steps: steps,
            isNewChance: state == .failed)
    }

    private func isRevived(at now: Date) -> Bool {
        switch state {
        case .suspended: true
        // What is at its place or close to it isn't given up for what went wrong before.
        case .failed: isPlacing || retryAt.map { $0 <= now } ?? false
        // A time beyond what anybody may ask for was set by another clock.
        case .waiting: retryAt.map { $0 <= now || $0 > now + Self.longestWait } ?? false
        case .active, .paused, .finished, .cancelled: false
        }
    }
}

/// What the start of a run makes of a row.
package struct Recovery: Sendable, Equatable {
    /// What it is then.
    package var standing: RowStanding
    /// How the state table leads there; none if the row stays as it is.
    package var steps: [StateTransition]
    /// Whether its attempts count from zero: what has failed gets all of them again, what was only interrupted continues
    /// counting.
    package var isNewChance: Bool
}
