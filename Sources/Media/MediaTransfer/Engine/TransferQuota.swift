import Synchronization

/// The limit on the bytes that all transfers of an engine may receive. Counts bodies, including those that aren't kept.
///
/// Once it is used up no transfer takes another chunk: each waits, without counting as stalled, until it is cancelled.
/// At most one chunk of libcurl's has arrived beyond the limit by then.
package final class TransferQuota: Sendable {
    /// Bytes that may be received.
    package let limit: Int64
    private let count = Atomic<Int64>(0)
    private let tell: @Sendable () -> Void

    /// - Parameter usedUp: called once, on the transfer thread; must not block.
    package init(limit: Int64, usedUp: @escaping @Sendable () -> Void) {
        self.limit = limit
        tell = usedUp
    }

    /// Bytes received so far.
    package var received: Int64 { count.load(ordering: .relaxed) }

    var isUsedUp: Bool { received >= limit }

    func add(_ bytes: Int) {
        let (before, after) = count.add(Int64(bytes), ordering: .relaxed)
        if before < limit, after >= limit { tell() }
    }
}
