/// Tells when a server delivers less than it is asked for.
///
/// A stall is a period of the timeout's length in which fewer than ``minimum`` bytes a second arrived. It begins when
/// the request has been sent, and anew as soon as that much has arrived. Only time in which we listened to the server
/// counts: not the time in which our own rate limits held the transfer back, not long stays in a write, and not that in
/// which the machine slept.
package struct StallClock: Sendable {
    /// Bytes a second. What is slower is no download that anybody waits for.
    package static let minimum: Int64 = 128

    private let timeout: Duration
    private let demanded: Int64
    private var since: Duration
    private var received: Int64
    private var heldSince: Duration?

    /// - Parameters:
    ///   - listened: the listening time of the whole engine at this moment; so in all functions.
    ///   - received: bytes so far; so in all functions.
    package init(timeout: Duration, listened: Duration, received: Int64) {
        self.timeout = timeout
        demanded = max(1, Int64(timeout / .seconds(1) * Double(Self.minimum)))
        since = listened
        self.received = received
    }

    /// From now on we hold the transfer back.
    package mutating func hold(_ listened: Duration) {
        heldSince = heldSince ?? listened
    }

    /// No longer.
    package mutating func release(_ listened: Duration) {
        if let heldSince { since += listened - heldSince }
        heldSince = nil
    }

    /// Whether the transfer has stalled.
    package mutating func isStalled(_ listened: Duration, received: Int64) -> Bool {
        if received - self.received >= demanded {
            self.received = received
            since = heldSince ?? listened
        }
        return (heldSince ?? listened) - since >= timeout
    }
}
