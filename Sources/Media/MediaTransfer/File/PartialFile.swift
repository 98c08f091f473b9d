import CPlatform
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The received part of one file: the bytes on disk, their number, and their SHA-256 so far.
///
/// It lives over all transfers of the file. Between them it can be closed, so that a download that waits for minutes
/// holds no descriptor; the state of the digest stays, and nothing is read twice for it.
///
/// ``length`` counts written bytes, not durable ones: only those that ``flush()`` returns survive a power loss.
package final class PartialFile: Sendable {
    struct State {
        var descriptor: OwnedDescriptor?
        var extents: PartialExtents
        /// The parts that transfers write to now.
        var taken: [FileRange] = []
        /// Where two ranges touch or will touch, and the bytes after it that another connection has brought.
        var joints: [Int64: [UInt8]] = [:]
        var conflict: JointConflict?
        /// The size of the file, and how many bytes are compared where two ranges meet; nil until it is known.
        var whole: (total: Int64, overlap: Int64)?
        var flushFailure: FileError?
        /// The end of the last ``startWriteback()``.
        var hinted: Int64
    }

    let state: Mutex<State>
    let written: Atomic<Int64>
    private let device: UInt64
    private let inode: UInt64
    /// Nil if no checksum is wanted.
    let digest: PartialDigest?
    /// Nil if only flushed bytes survive a kill.
    let unflushed: UnflushedWriter?

    /// Takes over an open file whose first `length` bytes are valid, and those of `beyond`, and truncates it to these.
    /// A digest starts to read the first ones at once, in the background.
    ///
    /// - Parameters:
    ///   - descriptor: open for reading and writing; closed by this object, even if this throws.
    ///   - beyond: valid ranges after the first `length` bytes, which the file has.
    ///   - hashes: whether a SHA-256 is computed.
    ///   - unflushed: where written bytes are recorded, so that they survive a kill.
    /// - Throws: ``FileError/shorter(than:size:)`` if the file has fewer bytes than `length`.
    package init(
        descriptor: Int32, length: Int64, beyond: [Range<Int64>] = [], hashes: Bool, unflushed: Unflushed? = nil
    ) throws(FileError) {
        let descriptor = OwnedDescriptor(descriptor)
        let extents = PartialExtents(length: length, beyond: beyond)
        let facts = try Self.check(descriptor, length: extents.end)
        (device, inode) = (facts.device, facts.inode)
        state = Mutex(State(descriptor: descriptor, extents: extents, hinted: length))
        written = Atomic(length)
        digest = hashes ? PartialDigest() : nil
        let inode = inode
        self.unflushed = unflushed.map {
            UnflushedWriter($0.record, download: $0.download, inode: inode, from: length, identity: $0.identity)
        }
        if length > 0 { digest?.announce(length, in: descriptor) }
    }

    /// Where written bytes are recorded, for which download, and with what the server said of them: see
    /// ``UnflushedRecord``.
    package struct Unflushed: Sendable {
        var record: UnflushedRecord
        var download: Int64
        var identity: @Sendable () -> [UInt8]?

        /// - Parameter identity: nil as long as it isn't known. Called on the thread that writes.
        package init(
            _ record: UnflushedRecord, download: Int64, identity: @escaping @Sendable () -> [UInt8]?
        ) {
            self.record = record
            self.download = download
            self.identity = identity
        }
    }

    /// The number of written bytes from the first one on, which is the offset of the next one.
    package var length: Int64 { written.load(ordering: .acquiring) }

    /// All written bytes, also those after a gap.
    package var extents: PartialExtents { state.withLock { $0.extents } }

    /// Whether it holds a descriptor.
    package var isOpen: Bool { state.withLock { $0.descriptor != nil } }

    /// Makes the written bytes durable, and returns their number. Blocks; may run during a transfer.
    ///
    /// A failure is final: after a failed fdatasync the state of the disk is unknown, and a second one may succeed
    /// without having written anything. The partial has to be dropped then.
    package func flush() throws(FileError) -> Int64 {
        let descriptor = try open()
        if let failure = state.withLock({ $0.flushFailure }) { throw failure }
        let length = self.length
        let mark = unflushed?.mark()
        while cf_flush_data(descriptor.raw) != 0 {
            guard errno != EINTR else { continue }
            let failure = FileError.system(operation: "fdatasync", errno: errno)
            state.withLock { $0.flushFailure = failure }
            unflushed?.forget()
            throw failure
        }
        if let mark { unflushed?.flushed(mark) }
        return length
    }

    /// Lets the kernel start writing new data to disk, without waiting for it: a later ``flush()`` has less to wait
    /// for. Does nothing on a closed partial.
    ///
    /// - Parameter step: fewer new bytes than this wait for the next call.
    package func startWriteback(step: Int64 = 1) {
        let length = self.length
        let new = state.withLock { state -> (descriptor: OwnedDescriptor, from: Int64)? in
            guard let descriptor = state.descriptor, length - state.hinted >= step else { return nil }
            defer { state.hinted = length }
            return (descriptor, state.hinted)
        }
        guard let new else { return }
        cf_start_writeback(new.descriptor.raw, off_t(new.from), off_t(length - new.from))
    }

    /// Appends `head` and then `bytes`, all or none. Blocks. Not during a transfer, and by one writer at a time.
    package func append(
        _ bytes: UnsafeRawBufferPointer, after head: UnsafeRawBufferPointer = .init(start: nil, count: 0)
    ) throws(FileError) {
        let descriptor = try open()
        let start = length
        try Self.write(head, at: start, to: descriptor)
        try Self.write(bytes, at: start + Int64(head.count), to: descriptor)
        appended(head)
        appended(bytes)
        digest?.announce(length, in: descriptor)
    }

    private static func write(
        _ bytes: UnsafeRawBufferPointer, at start: Int64, to descriptor: OwnedDescriptor
    ) throws(FileError) {
        var written = 0
        while written < bytes.count, let base = bytes.baseAddress {
            let step = pwrite(descriptor.raw, base + written, bytes.count - written, off_t(start) + off_t(written))
            if step > 0 {
                written += step
            } else if step == 0 || errno != EINTR {
                throw .system(operation: "pwrite", errno: step == 0 ? EIO : errno)
            }
        }
    }

    /// Sets the next write to the end of the first `length` bytes. Only between transfers, and without a checksum: a
    /// digest can't be rewound. Does nothing to a shorter one.
    package func rewind(to length: Int64) {
        guard digest == nil, length < self.length else { return }
        state.withLock { $0.extents = PartialExtents(length: length) }
        written.store(length, ordering: .releasing)
    }

    /// The first written bytes, at most `count`.
    package func prefix(_ count: Int) throws(FileError) -> [UInt8] { try bytes(at: 0, count: count) }

    /// Written bytes, at most `count`.
    package func bytes(at offset: Int64, count: Int) throws(FileError) -> [UInt8] {
        try bytes(at: offset, count: count, within: length)
    }

    func bytes(at offset: Int64, count: Int, within end: Int64) throws(FileError) -> [UInt8] {
        let descriptor = try open()
        let count = Int(min(Int64(count), max(0, end - offset)))
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count, let base = buffer.baseAddress {
                let step = pread(descriptor.raw, base + filled, count - filled, off_t(offset) + off_t(filled))
                if step > 0 {
                    filled += step
                } else if step == 0 || errno != EINTR {
                    failure = .system(operation: "pread", errno: step == 0 ? EIO : errno)
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Drops every byte and the digest. Only between transfers.
    package func startOver() throws(FileError) {
        unflushed?.forget()
        try open().truncate(to: 0)
        unflushed?.reset(to: 0)
        state.withLock { state in
            state.hinted = 0
            state.extents = PartialExtents(length: 0)
            state.joints = [:]
            state.conflict = nil
            state.whole = nil
        }
        written.store(0, ordering: .releasing)
        digest?.reset()
    }

    /// The SHA-256 of the written bytes, once the digest has caught up; nil if none is computed. Only between
    /// transfers. The partial may be closed.
    ///
    /// - Throws: the error that prevented reading a byte back.
    package func sha256() async throws(FileError) -> [UInt8]? {
        guard let digest else { return nil }
        let descriptor = state.withLock { $0.descriptor }
        return try await digest.value(upTo: length, in: descriptor)
    }

    /// Closes the descriptor. The digest keeps its state, and continues until it has caught up. Does nothing the second
    /// time.
    package func close() {
        guard let descriptor = state.withLock({ $0.descriptor.take() }) else { return }
        digest?.announce(length, in: descriptor)
    }

    /// Reopens the same file, truncated to what is written.
    ///
    /// - Parameter descriptor: open for reading and writing; closed by this object, even if this throws.
    /// - Throws: ``FileError/replaced`` if it is another file, ``FileError/shorter(than:size:)`` if bytes are missing.
    package func reopen(descriptor: Int32) throws(FileError) {
        let descriptor = OwnedDescriptor(descriptor)
        let facts = try descriptor.facts()
        guard facts.device == device, facts.inode == inode else { throw .replaced }
        _ = try Self.check(descriptor, length: extents.end)
        state.withLock { $0.descriptor = descriptor }
    }

    // MARK: for transfers

    /// A transfer has written these bytes.
    ///
    /// - Parameter isNew: whether nothing is known of the bytes before them.
    func wrote(_ bytes: UnsafeRawBufferPointer, at offset: Int64, isNew: Bool) {
        guard !bytes.isEmpty else { return }
        unflushed?.wrote(bytes)
        let length = state.withLock { state in
            state.extents.add(Int64(bytes.count), at: offset, isNew: isNew)
            return state.extents.length
        }
        written.store(length, ordering: .releasing)
    }

    private func appended(_ bytes: UnsafeRawBufferPointer) { wrote(bytes, at: length, isNew: false) }

    func open() throws(FileError) -> OwnedDescriptor {
        guard let descriptor = state.withLock({ $0.descriptor }) else { throw .closed }
        return descriptor
    }

    private static func check(
        _ descriptor: OwnedDescriptor, length: Int64
    ) throws(FileError) -> (device: UInt64, inode: UInt64, size: Int64) {
        let facts = try descriptor.facts()
        guard facts.size >= length, length >= 0 else { throw .shorter(than: length, size: facts.size) }
        if facts.size > length { try descriptor.truncate(to: length) }
        return facts
    }
}
