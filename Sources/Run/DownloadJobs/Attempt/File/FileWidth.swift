import MediaTransfer
import SyncFacts

/// How many connections a file should have besides its own.
///
/// If nobody has said it, a file has one for a second. If it would take some seconds more, as many as there are free
/// slots are tried; they stay if that makes it faster by a quarter. Otherwise one connection fills the link, and more
/// would only take from others.
struct FileWidth {
    private enum Phase {
        case fixed(Int)
        /// With one connection, since then and with so many bytes by then; nil before the first look.
        case alone(since: ContinuousClock.Instant, received: Int64?)
        /// With more, granted at that time; bytes per second before, and the bytes once the new ones had settled.
        case trying(since: ContinuousClock.Instant, before: Double, settled: (ContinuousClock.Instant, Int64)?)
        case wide
        /// With one, until then.
        case resting(until: ContinuousClock.Instant)
    }

    private static let most = 15
    /// When one more is tried after a connection that broke, and after one that the server refused.
    private static let (afterBreak, afterRefusal) = (Duration.seconds(10), Duration.seconds(300))
    /// What a trial costs, and is worth.
    private static let (alone, settling, measuring) = (Duration.seconds(1), Duration.seconds(1), Duration.seconds(2))
    private static let gain = 1.25
    /// Fewer bytes, or a shorter time, aren't worth it.
    private static let (fewBytes, shortTime) = (Int64(8 << 20), 3.0)

    private var phase: Phase
    private var rest = Duration.seconds(20)
    private let most: Int
    /// Fewer, since others have failed, and when one more is tried.
    private var cap: Int
    private var moreAt: ContinuousClock.Instant?

    let isAutomatic: Bool

    init(_ count: ConnectionCount, at now: ContinuousClock.Instant) {
        switch count {
        case .fixed(let number):
            phase = .fixed(number - 1)
            most = number - 1
            isAutomatic = false
        case .automatic:
            phase = .alone(since: now, received: nil)
            most = Self.most
            isAutomatic = true
        }
        cap = most
    }

    /// Whether it will ever be more than none.
    var mayGrow: Bool { most > 0 }
    /// Whether the server answers others in another way, so that they are of no use for this file.
    private(set) var isInVain = false

    /// Another connection has failed, and so many others are left.
    mutating func failed(_ failure: TransferFailure, others: Int, at now: ContinuousClock.Instant) {
        switch failure.verdict {
        case .retry: (cap, moreAt) = (min(cap, others), now + Self.afterBreak)
        case .retryHost: (cap, moreAt) = (min(cap, others), now + Self.afterRefusal)
        // Others would get the same answer until there is another address.
        case .resolveAgain, .stopped, .disk: (cap, moreAt) = (0, nil)
        default:
            (cap, moreAt) = (0, nil)
            isInVain = true
        }
    }

    /// - Parameters:
    ///   - others: those that it has.
    ///   - received: bytes that are there.
    ///   - remaining: missing bytes.
    mutating func wanted(
        others: Int, received: Int64, remaining: Int64, at now: ContinuousClock.Instant
    ) -> Int {
        if let time = moreAt, now >= time {
            cap += 1
            moreAt = cap < most ? now + Self.afterBreak : nil
        }
        switch phase {
        case .fixed(let number): return min(number, cap)
        case .alone(_, received: nil): phase = .alone(since: now, received: received)
        case .alone(let since, let before?):
            guard now >= since + Self.alone else { break }
            let rate = Double(received - before) / ((now - since) / .seconds(1))
            if remaining >= Self.fewBytes, Double(remaining) > rate * Self.shortTime, rate > 0 {
                phase = .trying(since: now, before: rate, settled: nil)
                return cap
            }
            phase = .alone(since: now, received: received)
        case .trying(_, let before, _) where others == 0:
            // No slot is free yet.
            phase = .trying(since: now, before: before, settled: nil)
            return cap
        case .trying(let since, let before, nil):
            if now >= since + Self.settling { phase = .trying(since: since, before: before, settled: (now, received)) }
            return cap
        case .trying(_, let before, let settled?):
            guard now >= settled.0 + Self.measuring else { return cap }
            let rate = Double(received - settled.1) / ((now - settled.0) / .seconds(1))
            if rate >= before * Self.gain {
                phase = .wide
                return cap
            }
            phase = .resting(until: now + rest)
            rest *= 2
        case .wide: return cap
        case .resting(let until): if now >= until { phase = .alone(since: now, received: received) }
        }
        return 0
    }
}
