#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Splits a stream of bytes into lines at LF, and at nothing else: U+2028 or a CR may stand inside a JSON text.
struct LineSplitter {
    /// A line that is longer than it may be.
    struct LineTooLong: Error {}

    private let limit: Int
    private var beginning: [UInt8] = []

    /// Makes a splitter for lines of up to `limit` bytes, LF not counted.
    init(limit: Int) {
        self.limit = limit
    }

    /// Hands each line that `bytes` completes to `line`, without its LF. What follows the last LF is kept for the next
    /// call; a line that lies whole in `bytes` is not copied.
    ///
    /// Throws as soon as more than `limit` bytes have come without an LF, and what `line` throws.
    mutating func feed(
        _ bytes: UnsafeRawBufferPointer, line: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var rest = bytes[...]
        while let end = rest.firstLineEnd {
            let piece = UnsafeRawBufferPointer(rebasing: rest[rest.startIndex..<end])
            rest = rest[(end + 1)...]
            guard beginning.count + piece.count <= limit else { throw LineTooLong() }
            if beginning.isEmpty {
                try line(piece)
            } else {
                beginning.append(contentsOf: piece)
                defer { beginning.removeAll(keepingCapacity: beginning.count < 65_536) }
                try beginning.withUnsafeBytes { try line($0) }
            }
        }
        guard beginning.count + rest.count <= limit else { throw LineTooLong() }
        beginning.append(contentsOf: rest)
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// Where the first LF stands. The C library looks for it many bytes at a time.
    var firstLineEnd: Int? {
        guard !isEmpty, let start = base.baseAddress else { return nil }
        return memchr(start + startIndex, 0x0A, count).map { UnsafeRawPointer($0) - start }
    }
}
