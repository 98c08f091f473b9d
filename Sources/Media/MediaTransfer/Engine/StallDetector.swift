/// Detects servers that deliver less than requested.
///
/// A stall is a period of the timeout's length in which fewer than ``minimum`` bytes a second arrived. It begins when
/// the request has been sent, and again whenever that much has arrived. Only time spent listening to the server counts:
/// not the time in which our own rate limits throttled the transfer, not slow writes, and not the machine's sleep.
package struct StallDetector: Sendable {
    /// Bytes per second. A slower download is of no use.
    package static let minimum: Int64 = 128

    private let timeout: Duration
    private let demanded: Int64
    private var since: Duration
    private var received: Int64
    private var heldSince: Duration?

    /// - Parameters:
    ///   - listened: the current listening time of the whole engine; the same in all functions.
    ///   - received: bytes so far; the same in all functions.
    package init(timeout: Duration, listened: Duration, received: Int64) {
        self.timeout = timeout
        demanded = max(1, Int64(timeout / .seconds(1) * Double(Self.minimum)))
        since = listened
        self.received = received
    }

    /// The transfer is throttled from now on.
    package mutating func hold(_ listened: Duration) {
        heldSince = heldSince ?? listened
    }

    /// The transfer is no longer throttled.
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
