import Synchronization

/// What has arrived of a file that is kept in memory: a playlist, a key, a segment.
///
/// How large it may get says ``TransferRequest/maxSize`` of the transfer that fills it.
package final class BodyBuffer: Sendable, RedactedInPrint {
    private let bytes: Mutex<[UInt8]>

    /// An empty one. The room of `spare` is used again.
    package init(reusing spare: consuming [UInt8] = []) {
        spare.removeAll(keepingCapacity: true)
        bytes = Mutex(spare)
    }

    /// How much is there.
    package var count: Int { bytes.withLock { $0.count } }

    /// Gives away what is there, and is empty then. Only between transfers.
    package func take() -> [UInt8] {
        bytes.withLock { bytes in
            defer { bytes = [] }
            return bytes
        }
    }

    /// Makes room in one go where the size is known.
    func reserve(_ count: Int) { bytes.withLock { $0.reserveCapacity(count) } }

    /// Called by the one transfer that fills it.
    func append(_ chunk: UnsafeRawBufferPointer) { bytes.withLock { $0.append(contentsOf: chunk) } }
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
