import CPlatform
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A file that says which bytes were written to partials since their last flush. It is written and never flushed: after
/// a kill the kernel still has it, and these bytes; after a power loss its boot id isn't that of the computer.
///
/// One slot of 4 KiB for each partial, so that the kernel writes it in one step: see ``UnflushedBytes``.
package final class UnflushedRecord: Sendable {
    /// Partials beyond these go back to their last flush.
    private static let most = 64

    private let descriptor: OwnedDescriptor
    private let boot: BootID
    private let isTaken = Mutex([Bool](repeating: false, count: most))

    /// Begins an empty one in the place of a former one; nil where that can't be, or where the computer doesn't tell
    /// its boot id. It is a new file: what has the name may be another one's, too.
    package init?(path: String) {
        guard let boot = BootID.current else { return nil }
        _ = unlink(path)
        let raw = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard raw >= 0 else { return nil }
        descriptor = OwnedDescriptor(raw)
        self.boot = boot
    }

    /// What one in this place says of this boot, slot by slot; what isn't whole is left out.
    package static func bytes(at path: String) -> [UnflushedBytes] {
        guard let boot = BootID.current else { return [] }
        // Nobody may write to a pipe.
        let raw = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
        guard raw >= 0 else { return [] }
        let descriptor = OwnedDescriptor(raw)
        var facts = stat()
        guard fstat(raw, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return [] }
        return withUnsafeTemporaryAllocation(byteCount: UnflushedBytes.slot, alignment: 8) { slot in
            (0..<most).compactMap { index in
                let count = pread(descriptor.raw, slot.baseAddress, slot.count, off_t(index * slot.count))
                return UnflushedBytes(UnsafeRawBufferPointer(rebasing: slot[..<max(0, count)]), boot: boot)
            }
        }
    }

    fileprivate func takeSlot() -> Int? {
        isTaken.withLock { isTaken in
            guard let index = isTaken.firstIndex(of: false) else { return nil }
            isTaken[index] = true
            return index
        }
    }

    fileprivate func write(_ bytes: UnflushedBytes, to slot: Int) {
        withUnsafeTemporaryAllocation(byteCount: UnflushedBytes.slot, alignment: 8) { buffer in
            let count = bytes.encode(into: buffer, boot: boot)
            _ = pwrite(descriptor.raw, buffer.baseAddress, count, off_t(slot * UnflushedBytes.slot))
        }
    }

    fileprivate func free(_ slot: Int) {
        var nothing: UInt64 = 0
        _ = pwrite(descriptor.raw, &nothing, 8, off_t(slot * UnflushedBytes.slot))
        isTaken.withLock { $0[slot] = false }
    }
}

/// The written bytes of one partial.
///
/// In a slot, in the computer's byte order: the CRC-32C of what follows it (4 bytes), the size of the identity (4), the
/// boot id (16), the download's id (8), the partial's inode (8), the start (8), the sum at the start (4), the sum at
/// the end (4), the end (8), the identity.
package struct UnflushedBytes: Sendable, Equatable {
    static let slot = 4096
    private static let head = 64
    /// A longer identity isn't recorded.
    static let longestIdentity = 2048

    package var download: Int64
    /// That of the partial.
    package var inode: UInt64
    /// Bytes before it are durable.
    package fileprivate(set) var start: Int64
    /// The number of written bytes.
    package fileprivate(set) var end: Int64
    /// What the server said of these bytes, in the form of the download.
    package internal(set) var identity: [UInt8] = []
    fileprivate var startSum: UInt32 = 0
    fileprivate var endSum: UInt32 = 0

    init(download: Int64, inode: UInt64, from start: Int64) {
        self.download = download
        self.inode = inode
        (self.start, end) = (start, start)
    }

    /// Nil unless it is whole and of this boot.
    init?(_ slot: UnsafeRawBufferPointer, boot: BootID) {
        guard slot.count >= Self.head else { return nil }
        let size = Int(slot.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        guard size <= Self.longestIdentity, slot.count >= Self.head + size,
            slot.loadUnaligned(as: UInt32.self) == Self.sum(slot, size),
            slot.loadUnaligned(fromByteOffset: 8, as: BootID.self) == boot
        else { return nil }
        download = slot.loadUnaligned(fromByteOffset: 24, as: Int64.self)
        inode = slot.loadUnaligned(fromByteOffset: 32, as: UInt64.self)
        start = slot.loadUnaligned(fromByteOffset: 40, as: Int64.self)
        startSum = slot.loadUnaligned(fromByteOffset: 48, as: UInt32.self)
        endSum = slot.loadUnaligned(fromByteOffset: 52, as: UInt32.self)
        end = slot.loadUnaligned(fromByteOffset: 56, as: Int64.self)
        identity = Array(slot[Self.head..<Self.head + size])
        guard start >= 0, end >= start else { return nil }
    }

    private static func sum(_ slot: UnsafeRawBufferPointer, _ size: Int) -> UInt32 {
        cf_crc32c(0, slot.baseAddress.map { $0 + 4 }, head - 4 + size)
    }

    /// Returns the number of its bytes.
    func encode(into slot: UnsafeMutableRawBufferPointer, boot: BootID) -> Int {
        slot.storeBytes(of: UInt32(identity.count), toByteOffset: 4, as: UInt32.self)
        slot.storeBytes(of: boot, toByteOffset: 8, as: BootID.self)
        slot.storeBytes(of: download, toByteOffset: 24, as: Int64.self)
        slot.storeBytes(of: inode, toByteOffset: 32, as: UInt64.self)
        slot.storeBytes(of: start, toByteOffset: 40, as: Int64.self)
        slot.storeBytes(of: startSum, toByteOffset: 48, as: UInt32.self)
        slot.storeBytes(of: endSum, toByteOffset: 52, as: UInt32.self)
        slot.storeBytes(of: end, toByteOffset: 56, as: Int64.self)
        UnsafeMutableRawBufferPointer(rebasing: slot[Self.head...]).copyBytes(from: identity)
        slot.storeBytes(of: Self.sum(UnsafeRawBufferPointer(slot), identity.count), as: UInt32.self)
        return Self.head + identity.count
    }

    /// Whether the file has exactly the bytes that were written. Reads them; blocks.
    package func isProven(by descriptor: Int32) -> Bool {
        var (sum, position) = (startSum, start)
        return withUnsafeTemporaryAllocation(byteCount: 256 << 10, alignment: 8) { buffer in
            while position < end {
                let wanted = min(buffer.count, Int(end - position))
                let count = pread(descriptor, buffer.baseAddress, wanted, off_t(position))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                sum = cf_crc32c(sum, buffer.baseAddress, count)
                position += Int64(count)
            }
            return sum == endSum
        }
    }
}

/// Keeps a partial's place in an ``UnflushedRecord`` up to date.
final class UnflushedWriter: Sendable {
    private struct State {
        var bytes: UnflushedBytes
        var slot: Int?
        /// Whether nothing is recorded any more.
        var isOver = false
    }

    /// So many bytes aren't worth a slot.
    private static let few: Int64 = 64 << 10

    private let record: UnflushedRecord
    private let identity: @Sendable () -> [UInt8]?
    private let state: Mutex<State>

    /// - Parameter identity: what the server said of the bytes that are being written; nil as long as that isn't known.
    init(
        _ record: UnflushedRecord, download: Int64, inode: UInt64, from start: Int64,
        identity: @escaping @Sendable () -> [UInt8]?
    ) {
        self.record = record
        self.identity = identity
        state = Mutex(State(bytes: UnflushedBytes(download: download, inode: inode, from: start)))
    }

    deinit { forget() }

    /// These bytes were written at the end. Called by one thread at a time.
    func wrote(_ bytes: UnsafeRawBufferPointer) {
        let needsIdentity = state.withLock { state in
            guard !state.isOver else { return false }
            state.bytes.endSum = cf_crc32c(state.bytes.endSum, bytes.baseAddress, bytes.count)
            state.bytes.end += Int64(bytes.count)
            return state.slot == nil && state.bytes.end - state.bytes.start > Self.few
        }
        if needsIdentity {
            guard let said = identity(), !said.isEmpty, said.count <= UnflushedBytes.longestIdentity else { return }
            state.withLock { state in
                guard !state.isOver else { return }
                state.bytes.identity = said
                state.slot = record.takeSlot()
                state.isOver = state.slot == nil
            }
        }
        // With the lock, although it writes: after a failed flush, which is another thread's, nothing may be said of
        // these bytes any more.
        state.withLock { state in
            if let slot = state.slot { record.write(state.bytes, to: slot) }
        }
    }

    /// The present end, for ``flushed(_:)``.
    func mark() -> UnflushedBytes { state.withLock { $0.bytes } }

    /// All bytes up to a former end are durable: a kill needs no proof of them.
    func flushed(_ mark: UnflushedBytes) {
        state.withLock { state in
            guard mark.end >= state.bytes.start, mark.end <= state.bytes.end else { return }
            (state.bytes.start, state.bytes.startSum) = (mark.end, mark.endSum)
        }
    }

    /// The partial has only these bytes again, which are durable. Not during a transfer.
    func reset(to length: Int64) {
        forget()
        state.withLock { state in
            state = State(
                bytes: UnflushedBytes(download: state.bytes.download, inode: state.bytes.inode, from: length))
        }
    }

    /// Nothing is said of the partial any more.
    func forget() {
        state.withLock { state in
            state.isOver = true
            if let slot = state.slot.take() { record.free(slot) }
        }
    }
}

/// Names the time since the computer was started.
struct BootID: Equatable, BitwiseCopyable {
    private var high: UInt64
    private var low: UInt64

    /// Nil where the computer doesn't tell it.
    static let current: BootID? = {
        #if canImport(Darwin)
        var text = [CChar](repeating: 0, count: 64)
        var count = text.count
        guard sysctlbyname("kern.bootsessionuuid", &text, &count, nil, 0) == 0 else { return nil }
        return BootID(text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
        #else
        let raw = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard raw >= 0 else { return nil }
        let descriptor = OwnedDescriptor(raw)
        var text = [UInt8](repeating: 0, count: 64)
        let count = read(descriptor.raw, &text, text.count)
        return BootID(text.prefix(max(0, count)))
        #endif
    }()

    /// From a UUID as text.
    init?(_ text: some Sequence<UInt8>) {
        let digits = text.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 32 else { return nil }
        func number(_ digits: ArraySlice<Int>) -> UInt64 { digits.reduce(0) { $0 << 4 | UInt64($1) } }
        (high, low) = (number(digits[..<16]), number(digits[16...]))
    }
}
