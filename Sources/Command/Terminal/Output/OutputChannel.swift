import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Writes text to standard output and standard error without ever blocking the caller.
///
/// One queue writes both, in the order of the calls. While a reader is slow, droppable text is dropped and all other
/// text is kept; after a reader has closed, nothing more is written to it. ``failure(of:)`` returns the error.
package final class OutputChannel: Sendable {
    private struct State {
        var pending: [(descriptor: Int32, bytes: [UInt8])] = []
        var pendingBytes = 0
        var isWriting = false
        var gone: [Int32: Int32] = [:]
    }

    /// If more than this is waiting for the reader, droppable text is dropped.
    private static let backlog = 256 * 1024

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "output")

    package init() {}

    /// Queues bytes for a descriptor.
    package func send(_ bytes: [UInt8], to descriptor: Int32, isDroppable: Bool = false) {
        guard !bytes.isEmpty else { return }
        let startsWriting = state.withLock { state in
            guard state.gone[descriptor] == nil else { return false }
            if isDroppable, state.pendingBytes > Self.backlog { return false }
            state.pendingBytes += bytes.count
            if let last = state.pending.indices.last, state.pending[last].descriptor == descriptor {
                state.pending[last].bytes += bytes
            } else {
                state.pending.append((descriptor, bytes))
            }
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if startsWriting { queue.async { self.drain() } }
    }

    /// Queues a line of text.
    package func line(_ text: String, to descriptor: Int32) { send(Array((text + "\n").utf8), to: descriptor) }

    /// Waits until everything is written or its reader has closed.
    package func flush() async {
        await withCheckedContinuation { done in queue.async { done.resume() } }
    }

    /// The errno that prevented writing to a descriptor, valid after ``flush()``; nil if there was none, or its reader
    /// closed.
    package func failure(of descriptor: Int32) -> Int32? {
        state.withLock { $0.gone[descriptor] }.flatMap { $0 == EPIPE ? nil : $0 }
    }

    private func drain() {
        while true {
            let batch = state.withLock { state in
                defer {
                    state.pending = []
                    if state.pendingBytes == 0 { state.isWriting = false }
                }
                return state.pending
            }
            guard !batch.isEmpty else { return }
            for (descriptor, bytes) in batch {
                let isGone = state.withLock { $0.gone[descriptor] != nil }
                if !isGone, let code = DescriptorWriter.failure(writing: bytes, to: descriptor) {
                    state.withLock { $0.gone[descriptor] = code }
                }
                // Counts as pending until it is written.
                state.withLock { $0.pendingBytes -= bytes.count }
            }
        }
    }
}
