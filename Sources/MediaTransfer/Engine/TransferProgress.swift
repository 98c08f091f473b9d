import Synchronization

/// How a transfer is doing, readable from any thread while it goes on. One for each call of
/// ``TransferEngine/fetch(_:into:progress:)``.
package final class TransferProgress: Sendable, RedactedInPrint {
    private let accepted = Mutex<ResponseHead?>(nil)
    private let count = Atomic<Int64>(0)

    /// Nothing has arrived yet.
    package init() {}

    /// The head of the answer, once it has been found good: the first bytes follow it.
    package var head: ResponseHead? { accepted.withLock { $0 } }

    /// Bytes of this transfer that have been written.
    package var received: Int64 { count.load(ordering: .relaxed) }

    func accept(_ head: ResponseHead) { accepted.withLock { $0 = head } }

    func set(received: Int64) { count.store(received, ordering: .relaxed) }
}

/// How a transfer ended. Its description leaves the URL out.
package struct TransferReport: Sendable, RedactedInPrint {
    /// The last answer that was no redirect, whether it was accepted or not; nil if there was none.
    package var head: ResponseHead?
    /// Where that answer came from, after redirects; may be a secret. Nil if there was none.
    package var url: String?
    /// Where it came from: what the addresses of all hops have in common, ``NetworkScope/world`` if that is nothing. Nil if
    /// nobody was asked.
    package var scope: NetworkScope?
    /// Bytes that this transfer wrote.
    package var received: Int64
    /// Bytes that the partial has now.
    package var length: Int64
    /// Nil if the file is whole.
    package var failure: TransferFailure?
    /// From the call to the end, waiting for a connection included.
    package var seconds: Double

    package init(
        head: ResponseHead?, url: String? = nil, scope: NetworkScope? = nil, received: Int64, length: Int64,
        failure: TransferFailure?, seconds: Double
    ) {
        self.head = head
        self.url = url
        self.scope = scope
        self.received = received
        self.length = length
        self.failure = failure
        self.seconds = seconds
    }

    package var description: String {
        "TransferReport(status: \(head.map { "\($0.status)" } ?? "none"), received: \(received), length: \(length), "
            + "failure: \(failure.map { "\($0)" } ?? "none"))"
    }
}
