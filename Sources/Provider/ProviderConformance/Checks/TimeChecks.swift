import Foundation
import ProviderKit

/// The clock of requests, and what expires.
struct TimeChecks {
    /// Two times that are farther apart than anything expires.
    private static let farApart = 6.0 * 365 * 86_400
    /// After it another second has begun for every clock.
    private static let wait = Duration.milliseconds(1_100)

    let context: CheckContext

    /// Whether the plugin reckons with the request's `now`.
    func now() async -> CheckVerdict {
        guard let request = context.resolved.first?.request else { return .skipped(context.nothingResolved) }
        if context.asksLiveHost { return .skipped(.liveHost) }
        let early = context.now.addingTimeInterval(-Self.farApart / 2)
        var first = await context.ask(request.at(early))
        var isConstant = false
        // Two requests may lie on both sides of a second.
        for _ in 0..<3 where !isConstant {
            let second = await context.ask(request.at(early))
            isConstant = first.signature == second.signature
            if !isConstant { first = second }
        }
        let late = await context.ask(request.at(early.addingTimeInterval(Self.farApart)))
        for answered in [first, late] {
            if let failure = answered.failure { return .failed([failure]) }
        }
        try? await Task.sleep(for: Self.wait)
        let again = await context.ask(request.at(early))
        if isConstant, again.signature != first.signature { return .failed(.ownClock, again.exchange) }
        guard let expiry = first.resolution?.expiresAt, let other = again.resolution?.expiresAt else { return .passed }
        if abs(other.timeIntervalSince(expiry)) >= 0.5 { return .failed(.ownClock, again.exchange) }
        return .passed
    }

    /// Whether answers are good for a time after `now`.
    func expiry() -> CheckVerdict {
        guard !context.resolved.isEmpty else { return .skipped(context.nothingResolved) }
        let dated = context.resolved.compactMap { entry in
            entry.answered.resolution?.expiresAt.map { (expiry: $0, exchange: entry.answered.exchange) }
        }
        guard !dated.isEmpty else { return .skipped(.noExpiry) }
        return CheckVerdict(
            dated.filter { $0.expiry <= context.now }.map {
                CheckFailure(.expired(Timestamp.text($0.expiry), now: Timestamp.text(context.now)), $0.exchange)
            })
    }

    /// Whether an answer that was rejected isn't given again.
    func rejected() async -> CheckVerdict {
        guard let request = context.resolved.first?.request else { return .skipped(context.nothingResolved) }
        let before = await context.ask(request)
        let asked = context.host?.requests()
        let previous: JSONValue = ["reason": "rejected", "status": 403, "bytes": 1_048_576]
        let after = await context.ask(request.at(context.now.addingTimeInterval(60)).with("previous", previous))
        if let failure = after.failure { return .failed([failure]) }
        guard let old = before.resolution, let new = after.resolution, before.signature == after.signature else {
            return .passed
        }
        // The host was asked again, and has nothing else: it isn't the plugin's cache.
        if let asked, let now = context.host?.requests(), now > asked { return .passed }
        // The user's own password or token is all that there is until another login.
        var own = SecretWatch()
        own.learn(credentials: context.credentials ?? .null)
        let carried = old.headers.map(\.value) + old.allTokens.map(\.value)
        let isPerishable = old.expiresAt != nil || old.singleUse || carried.contains { own.leak(in: $0) == nil }
        return isPerishable && !new.extendable ? .failed(.sameAfterRejected, after.exchange) : .passed
    }
}
