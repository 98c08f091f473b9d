import Synchronization

/// What has arrived of a file that is kept in memory: a playlist, a key, a segment.
///
/// How large it may get says ``TransferRequest/maxSize`` of the transfer that fills it.
package final class BodyBuffer: Sendable, RedactedInPrint {
    /// From here on room is made for the largest body in one go: memory that isn't written to costs nothing, and a copy of
    /// what is there does.
    private static let large = 8 << 20

    /// Room that is made in one go for what a server has announced.
    private static let mostReserved = 64 << 20

    private let bytes: Mutex<[UInt8]>
    private let most: Int
    private let admits: (@Sendable (_ count: Int) -> Bool)?
    private let refused = Atomic(false)

    /// An empty one. The room of `spare` is used again.
    ///
    /// - Parameters:
    ///   - most: how large it may get; only to make room in time.
    ///   - admits: whether it may hold so many bytes. Asked on the transfer thread, before they are taken; where it says no
    ///     the transfer ends as ``TooLong/maximum``.
    package init(
        reusing spare: consuming [UInt8] = [], most: Int = 0, admits: (@Sendable (_ count: Int) -> Bool)? = nil
    ) {
        spare.removeAll(keepingCapacity: true)
        bytes = Mutex(spare)
        self.most = most
        self.admits = admits
    }

    /// Whether it might not hold what came.
    package var isRefused: Bool { refused.load(ordering: .relaxed) }

    /// How much is there.
    package var count: Int { bytes.withLock { $0.count } }

    /// Gives away what is there, and is empty then. Only between transfers.
    package func take() -> [UInt8] {
        bytes.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
    }

    /// Makes room in one go where the size is known; false if that is too much.
    func reserve(_ count: Int) -> Bool {
        guard isAdmitted(count) else { return false }
        bytes.withLock { $0.reserveCapacity(min(count, Self.mostReserved)) }
        return true
    }

    /// Called by the one transfer that fills it; false if that is too much.
    func append(_ chunk: UnsafeRawBufferPointer) -> Bool {
        bytes.withLock { bytes in
            let count = bytes.count + chunk.count
            guard isAdmitted(count) else { return false }
            if count > bytes.capacity, count > Self.large, count < most { bytes.reserveCapacity(most) }
            bytes.append(contentsOf: chunk)
            return true
        }
    }

    private func isAdmitted(_ count: Int) -> Bool {
        guard let admits, !admits(count) else { return true }
        refused.store(true, ordering: .relaxed)
        return false
    }
}

/// Where the bytes of a transfer go.
enum TransferTarget: Sendable {
    case partial(PartialFile)
    case memory(BodyBuffer)

    /// What is there already.
    var length: Int64 {
        switch self {
        case .partial(let partial): partial.length
        case .memory(let buffer): Int64(buffer.count)
        }
    }
}
