import DownloadStore
import Foundation

/// Whether a provider serves nobody: it is unavailable to whoever asks, or what its answers lead to is refused to all. Then
/// one download at a time finds out whether that is over, at growing distances.
struct Outage: Sendable, Equatable {
    /// What serves nobody.
    enum Cause: Sendable, Equatable {
        /// The provider answers that it is unavailable.
        case unavailable
        /// Hosts refuse the URLs that it gives.
        case refusing
    }

    /// Answers in a row that it is unavailable after which it is down.
    static let fewSilences = 2
    /// Different videos in a row that were refused after which it is down.
    static let fewRefusals = 5
    /// Before it is asked for the first time; after that a quarter of the time for which it has been down.
    static let shortestRest = Duration.seconds(5)

    /// Nil while it serves.
    private(set) var cause: Cause?
    /// When it was known to be down.
    private(set) var since = Date.distantPast
    /// Answers in a row that it is unavailable.
    private var silences = 0
    /// Videos that were refused since one was served.
    private(set) var refused: Set<DownloadID> = []
    /// Those of them that had failed before it was known to be down, in order.
    private(set) var victims: [DownloadID] = []
    /// The rest that was told last.
    private var toldRest = Duration.zero

    /// It was unavailable to somebody who asked. Returns for how long it is left alone; nil if it isn't known to be down.
    mutating func wasUnavailable(at now: Date, atLeast: Duration?) -> Duration? {
        silences += 1
        if cause == nil, silences >= Self.fewSilences { begin(.unavailable, now) }
        return cause == nil ? nil : rest(at: now, atLeast: atLeast)
    }

    /// Whether this refusal is one of too many.
    func isTooMany(_ id: DownloadID) -> Bool { refused.union([id]).count >= Self.fewRefusals }

    /// What it gave a download was refused, which fails of it.
    mutating func hasFailed(_ id: DownloadID) {
        if refused.insert(id).inserted { victims.append(id) }
    }

    /// What it gave a download was refused, as it is to all. Returns for how long it is left alone.
    mutating func wasRefused(_ id: DownloadID, at now: Date) -> Duration {
        refused.insert(id)
        if cause == nil { begin(.refusing, now) }
        return rest(at: now, atLeast: nil)
    }

    /// It has answered somebody.
    mutating func answered() {
        silences = 0
        if cause == .unavailable { cause = nil }
    }

    /// Bytes have come from where one of its answers leads to. Returns those that had failed of its being down.
    mutating func served() -> [DownloadID] {
        defer {
            refused = []
            victims = []
            if cause == .refusing { cause = nil }
        }
        return cause == .refusing ? victims : []
    }

    /// Whether a rest is worth telling: the first one, and when it has doubled.
    mutating func tells(_ rest: Duration) -> Bool {
        guard rest >= toldRest * 2 else { return false }
        toldRest = rest
        return true
    }

    private mutating func begin(_ cause: Cause, _ now: Date) {
        self.cause = cause
        since = now
        toldRest = .zero
    }

    private func rest(at now: Date, atLeast: Duration?) -> Duration {
        let grown = Duration.seconds(now.timeIntervalSince(since) / 4)
        return max(Self.shortestRest, min(max(grown, atLeast ?? .zero), Backoff.longest))
    }
}
