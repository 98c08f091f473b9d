import Synchronization

/// A part of a partial that one transfer writes, from its start on. Several transfers write to one partial, each to a
/// range of its own.
///
/// The end can come nearer while bytes arrive, when another connection takes over the rest: ``split(least:)``.
package final class FileRange: Sendable, RedactedInPrint {
    /// More than a transfer writes at a time.
    private static let margin: Int64 = 64 << 10

    private struct State {
        var position: Int64
        var limit: Int64
        /// How many bytes after the end are wanted, to be compared with those that another connection has brought.
        var overlap: Int64 = 0
        var total: Int64?
        /// Those that have come.
        var repeated: [UInt8] = []

        /// How many bytes after the end are wanted.
        var after: Int64 { min(overlap, max(0, (total ?? limit) - limit)) }
    }

    package let start: Int64
    let partial: PartialFile
    let descriptor: OwnedDescriptor
    /// The start of the extent that it continues.
    let extent: Int64
    /// The end of what its transfer requests.
    private let requestedEnd: Int64
    private let state: Mutex<State>

    init(of partial: PartialFile, _ descriptor: OwnedDescriptor, _ bytes: Range<Int64>, continues extent: Int64) {
        self.partial = partial
        self.descriptor = descriptor
        self.extent = extent
        start = bytes.lowerBound
        requestedEnd = bytes.upperBound
        state = Mutex(State(position: bytes.lowerBound, limit: bytes.upperBound))
    }

    /// What it hasn't written yet.
    package var remaining: Range<Int64> { state.withLock { $0.position..<$0.limit } }

    /// The number of bytes directly before it, which can be compared with a response.
    package var continued: Int64 { start - extent }

    /// Ends it soon: what it leaves is missing again.
    package func end() {
        state.withLock { state in
            if state.total != nil { state.limit = min(state.limit, state.position + Self.margin) }
        }
    }

    func bound(to total: Int64, overlap: Int64) {
        state.withLock { state in
            state.limit = min(state.limit, total)
            state.total = total
            state.overlap = overlap
        }
    }

    /// Gives away the second half of what remains; nil if one of the halves would be smaller than `least`.
    func split(least: Int64) -> Range<Int64>? {
        state.withLock { state in
            guard state.total != nil, state.limit - state.position >= 2 * max(least, Self.margin) else { return nil }
            let middle = state.position + (state.limit - state.position) / 2
            defer { state.limit = middle }
            return middle..<state.limit
        }
    }

    /// Takes over what is missing after its end, as far as its transfer has requested it.
    func goOn(into gap: Range<Int64>) {
        state.withLock { state in
            guard state.limit == gap.lowerBound, state.position < state.limit else { return }
            state.limit = max(state.limit, min(gap.upperBound, requestedEnd))
        }
    }

    // MARK: for the transfer

    /// How many of the next bytes are its own, and how many of those after them are wanted.
    var wanted: (own: Int64, repeated: Int64) {
        state.withLock { ($0.limit - $0.position, $0.after - Int64($0.repeated.count)) }
    }

    /// The end of the last byte that is wanted.
    var wantedEnd: Int64 { state.withLock { $0.limit + $0.after } }

    /// Whether all bytes have come, the repeated ones, too.
    var isDone: Bool {
        state.withLock { $0.total != nil && $0.position == $0.limit && Int64($0.repeated.count) == $0.after }
    }

    /// The transfer has written these bytes.
    func wrote(_ bytes: UnsafeRawBufferPointer) {
        // In this order they are never missing in between.
        let offset = remaining.lowerBound
        partial.wrote(bytes, at: offset, isNew: offset == extent && offset > 0)
        state.withLock { $0.position += Int64(bytes.count) }
    }

    /// Bytes after its end have come.
    func keep(_ bytes: UnsafeRawBufferPointer) { state.withLock { $0.repeated.append(contentsOf: bytes) } }

    /// Its end, if its own bytes have come, but not all of those after it.
    var unprovenEnd: Int64? {
        state.withLock { $0.position == $0.limit && Int64($0.repeated.count) < $0.after ? $0.limit : nil }
    }

    /// Its end and the bytes after it, if it is done and there are bytes after it.
    var joint: (offset: Int64, bytes: [UInt8])? {
        state.withLock { state in
            guard let total = state.total, state.position == state.limit, state.limit < total,
                Int64(state.repeated.count) == state.after
            else { return nil }
            return (state.limit, state.repeated)
        }
    }
}
