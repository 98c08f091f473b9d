public import ProviderKit
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// At most so many requests to a server in any span of time, all tasks together.
public final class Pace: Sendable {
    /// At least one.
    public let requests: Int
    public let span: Duration
    /// By server: when the last requests began, or will.
    private let turns = Mutex<[String: [ContinuousClock.Instant]]>([:])

    public init(requests: Int, in span: Duration) {
        self.requests = max(1, requests)
        self.span = span
    }

    /// Waits until it is this request's turn; throws `rate_limited` at once if that is more than `longest` away.
    public func wait(for server: String, within longest: Duration = .seconds(10)) async throws(ProviderError) {
        let now = ContinuousClock.now
        let turn = self.turn(for: server, at: now, within: longest)
        guard turn - now <= longest else {
            throw ProviderError(
                .rateLimited, "more requests than the pace of this provider allows", retryAfter: turn - now,
                server: server)
        }
        if turn > now { try? await Task.sleep(until: turn, clock: .continuous) }
    }

    /// When it is; taken if it is near enough.
    func turn(
        for server: String, at now: ContinuousClock.Instant, within longest: Duration
    ) -> ContinuousClock.Instant {
        turns.withLock { turns in
            if turns.count > 100 { turns = turns.filter { $0.value.last.map { $0 > now - span } ?? false } }
            let last = turns[server] ?? []
            let turn = last.count == requests ? max(now, last[0] + span) : now
            if turn - now <= longest { turns[server] = Array((last + [turn]).suffix(requests)) }
            return turn
        }
    }
}
