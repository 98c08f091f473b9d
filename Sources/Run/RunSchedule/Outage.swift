import DownloadStore
import Foundation

/// Whether a provider is in an outage: it is unavailable to everybody, or all of its URLs are refused. Then one
/// download at a time checks whether that is over, at growing intervals.
struct Outage: Sendable, Equatable {
    enum Cause: Sendable, Equatable {
        /// The provider answers that it is unavailable.
        case unavailable
        /// Hosts refuse the URLs that it gives.
        case refusing
    }

    /// Consecutive answers that it is unavailable after which it is down.
    static let fewSilences = 2
    /// Different videos refused in a row after which it is down.
    static let fewRefusals = 5
    /// The pause before the first check; later ones are a quarter of the outage so far.
    static let shortestRest = Duration.seconds(5)

    /// Nil without an outage.
    private(set) var cause: Cause?
    /// The time at which the outage was detected.
    private(set) var since = Date.distantPast
    /// Consecutive answers that it is unavailable.
    private var silences = 0
    /// Videos that were refused since one was served.
    private(set) var refused: Set<DownloadID> = []
    /// Those of them that had failed before the outage was detected, in order.
    private(set) var affected: [DownloadID] = []
    /// The last reported pause.
    private var reportedRest = Duration.zero

    /// It was unavailable to a download. Returns the pause; nil if it isn't considered down.
    mutating func wasUnavailable(at now: Date, atLeast: Duration?) -> Duration? {
        silences += 1
        if cause == nil, silences >= Self.fewSilences { begin(.unavailable, now) }
        return cause == nil ? nil : rest(at: now, atLeast: atLeast)
    }

    /// Whether this refusal exceeds the limit.
    func isTooMany(_ id: DownloadID) -> Bool { refused.union([id]).count >= Self.fewRefusals }

    /// A download failed because its URL was refused.
    mutating func hasFailed(_ id: DownloadID) {
        if refused.insert(id).inserted { affected.append(id) }
    }

    /// A download's URL was refused during the outage. Returns the pause.
    mutating func wasRefused(_ id: DownloadID, at now: Date) -> Duration {
        refused.insert(id)
        if cause == nil { begin(.refusing, now) }
        return rest(at: now, atLeast: nil)
    }

    /// It has answered a download.
    mutating func answered() {
        silences = 0
        if cause == .unavailable { cause = nil }
    }

    /// Bytes have arrived from one of its URLs. Returns the downloads that had failed because of the outage.
    mutating func served() -> [DownloadID] {
        defer {
            refused = []
            affected = []
            if cause == .refusing { cause = nil }
        }
        return cause == .refusing ? affected : []
    }

    /// Whether a pause is reported: the first one, and each that has doubled.
    mutating func reports(_ rest: Duration) -> Bool {
        guard rest >= reportedRest * 2 else { return false }
        reportedRest = rest
        return true
    }

    private mutating func begin(_ cause: Cause, _ now: Date) {
        self.cause = cause
        since = now
        reportedRest = .zero
    }

    private func rest(at now: Date, atLeast: Duration?) -> Duration {
        let grown = Duration.seconds(now.timeIntervalSince(since) / 4)
        return max(Self.shortestRest, min(max(grown, atLeast ?? .zero), Backoff.longest))
    }
}
