#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The source of libyaml's bytes: a file that is read as it is parsed, or bytes in memory. Trivial, since libyaml's
/// read handler reaches it through a raw pointer.
struct YAMLInput {
    /// The reason why there are no more bytes.
    enum Failure {
        /// None so far.
        case none
        /// The limit is exceeded.
        case tooLong
        /// The text begins like UTF-16.
        case notUTF8
        /// A value is endless.
        case gap
        /// The system's error number.
        case system(Int32)
    }

    /// The input between two events beyond which a text is refused: enough for a scalar of 1 MiB written in escapes.
    static let longestGap = 16 << 20

    /// The file, or -1 for memory.
    var descriptor: Int32 = -1
    /// The bytes in memory.
    var base: UnsafeRawPointer?
    /// The number of bytes in memory.
    var count = 0
    /// Bytes taken so far.
    var offset = 0
    /// Bytes that may be taken.
    var limit = 0
    /// The offset at which the last event was delivered.
    var lastEvent = 0
    /// Bytes of a byte order mark that libyaml never saw.
    var skipped = 0
    /// The reason why there are no more bytes.
    var failure = Failure.none

    /// Fills a buffer; the number of bytes, 0 at the end, nil for a failure.
    mutating func fill(_ buffer: UnsafeMutableRawPointer, capacity: Int) -> Int? {
        guard offset - lastEvent <= Self.longestGap else { return fail(.gap) }
        let isStart = offset == 0
        var filled = 0
        while filled < capacity {
            let taken = take(into: buffer + filled, capacity: capacity - filled)
            guard taken >= 0 else { return fail(.system(errno)) }
            filled += taken
            // Only the first bytes must be read together, for the mark below.
            if taken == 0 || filled >= 3 { break }
        }
        guard offset <= limit else { return fail(.tooLong) }
        guard isStart else { return filled }
        let start = UnsafeRawBufferPointer(start: buffer, count: filled)
        if start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE]) { return fail(.notUTF8) }
        guard start.starts(with: [0xEF, 0xBB, 0xBF]) else { return filled }
        skipped = 3
        buffer.copyMemory(from: buffer + 3, byteCount: filled - 3)
        return filled == 3 ? fill(buffer, capacity: capacity) : filled - 3
    }

    private mutating func take(into buffer: UnsafeMutableRawPointer, capacity: Int) -> Int {
        let taken: Int
        if descriptor >= 0 {
            var result = 0
            repeat { result = read(descriptor, buffer, capacity) } while result < 0 && errno == EINTR
            taken = result
        } else {
            taken = min(capacity, count - offset)
            if taken > 0, let base { buffer.copyMemory(from: base + offset, byteCount: taken) }
        }
        if taken > 0 { offset += taken }
        return taken
    }

    private mutating func fail(_ failure: Failure) -> Int? {
        self.failure = failure
        return nil
    }
}
