import Synchronization

/// The received part of a file in memory: a playlist, a key, a segment.
///
/// Its limit is ``TransferRequest/maxSize`` of the transfer that fills it.
package final class BodyBuffer: Sendable, RedactedInPrint {
    /// From this size on, space for the largest body is reserved at once: untouched memory costs nothing, but copying
    /// does.
    private static let large = 8 << 20

    /// The most that is reserved at once for an announced size.
    private static let mostReserved = 64 << 20

    private let bytes: Mutex<[UInt8]>
    private let most: Int
    private let admits: (@Sendable (_ count: Int) -> Bool)?
    private let refused = Atomic(false)

    /// An empty one. The memory of `spare` is reused.
    ///
    /// - Parameters:
    ///   - most: its limit; only to reserve space in time.
    ///   - admits: whether it may hold so many bytes. Called on the transfer thread, before they are accepted; if false
    ///     the transfer ends as ``TooLong/maximum``.
    package init(
        reusing spare: consuming [UInt8] = [], most: Int = 0, admits: (@Sendable (_ count: Int) -> Bool)? = nil
    ) {
        spare.removeAll(keepingCapacity: true)
        bytes = Mutex(spare)
        self.most = most
        self.admits = admits
    }

    /// Whether `admits` has refused bytes.
    package var isRefused: Bool { refused.load(ordering: .relaxed) }

    /// The number of its bytes.
    package var count: Int { bytes.withLock { $0.count } }

    /// Returns its bytes, and empties it. Only between transfers.
    package func take() -> [UInt8] {
        bytes.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
    }

    /// Reserves space for a known size; false if that is too much.
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

/// The destination of a transfer's bytes.
enum TransferTarget: Sendable {
    /// The end of a partial.
    case partial(PartialFile)
    case range(FileRange)
    case memory(BodyBuffer)

    /// The offset of the first byte.
    var offset: Int64 {
        switch self {
        case .partial(let partial): partial.length
        case .range(let range): range.start
        case .memory(let buffer): Int64(buffer.count)
        }
    }

    /// The bytes that there are now.
    var length: Int64 {
        switch self {
        case .partial(let partial): partial.length
        case .range(let range): range.partial.extents.count
        case .memory(let buffer): Int64(buffer.count)
        }
    }
}
