import DownloadStore
import Foundation
import SyncFacts

/// Delays failures of providers for a moment: thirty videos of a provider that doesn't work are one sentence and a
/// number.
struct FailureGroups: Sendable {
    /// Failures with one reason.
    struct Group: Sendable {
        var reference: VideoReference
        var error: DownloadError
        var retryAt: Date?
        /// The number of videos that failed for it.
        var count: Int
        fileprivate var since: Date
    }

    /// How long it waits for others with the same reason.
    private static let patience: TimeInterval = 2

    private var groups: [Group] = []

    /// Takes a failure; true if it is delayed.
    mutating func take(_ reference: VideoReference, _ error: DownloadError, retryAt: Date?, at now: Date) -> Bool {
        guard error.kind == .providerFailed else { return false }
        if let index = groups.firstIndex(where: { $0.error == error }) {
            groups[index].count += 1
        } else {
            groups.append(Group(reference: reference, error: error, retryAt: retryAt, count: 1, since: now))
        }
        return true
    }

    /// The groups whose delay is over; all of them at the end of a run.
    mutating func due(at now: Date, isOver: Bool = false) -> [Group] {
        func isDue(_ group: Group) -> Bool { isOver || now.timeIntervalSince(group.since) >= Self.patience }
        guard groups.contains(where: isDue) else { return [] }
        defer { groups.removeAll(where: isDue) }
        return groups.filter(isDue)
    }
}
