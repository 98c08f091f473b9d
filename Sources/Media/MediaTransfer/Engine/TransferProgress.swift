package import NetworkAddresses
import Synchronization

/// The progress of a transfer, readable from any thread. One for each call of
/// ``TransferEngine/fetch(_:into:progress:)``.
package final class TransferProgress: Sendable, RedactedInPrint {
    private let accepted = Mutex<ResponseHead?>(nil)
    private let count = Atomic<Int64>(0)

    /// Nothing has arrived yet.
    package init() {}

    /// The header of the response, once it has been accepted: the first bytes follow it.
    package var head: ResponseHead? { accepted.withLock { $0 } }

    /// Bytes of this transfer that have been written.
    package var received: Int64 { count.load(ordering: .relaxed) }

    func accept(_ head: ResponseHead) { accepted.withLock { $0 = head } }

    func set(received: Int64) { count.store(received, ordering: .relaxed) }
}

/// The result of a transfer. Its description omits the URL.
package struct TransferReport: Sendable, RedactedInPrint {
    /// The last response that wasn't a redirect, accepted or not; nil if there was none.
    package var head: ResponseHead?
    /// The URL of that response, after redirects; may be a secret. Nil if there was none.
    package var url: String?
    /// The common network of all hops' addresses, ``NetworkScope/world`` if they have none in common. Nil if no request
    /// was sent.
    package var scope: NetworkScope?
    /// Bytes that this transfer wrote.
    package var received: Int64
    /// Bytes that the partial has now.
    package var length: Int64
    /// Nil if the file is complete.
    package var failure: TransferFailure?
    /// From the call to the end, including the wait for a connection.
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
