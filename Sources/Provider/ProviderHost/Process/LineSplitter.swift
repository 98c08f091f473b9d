#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Splits a stream of bytes into lines at LF only: U+2028 or a CR may occur inside a JSON text.
package struct LineSplitter {
    /// A line is longer than the limit.
    package struct LineTooLong: Error {}

    private let limit: Int
    private var beginning: [UInt8] = []

    /// Makes a splitter for lines of up to `limit` bytes, LF not counted.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Passes each line completed by `bytes` to `line`, without its LF. The rest after the last LF is kept for the next
    /// call; a line that is completely in `bytes` is not copied.
    ///
    /// Throws as soon as more than `limit` bytes have come without an LF, and errors of `line`.
    package mutating func feed(
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
    /// The position of the first LF, found by the C library many bytes at a time.
    var firstLineEnd: Int? {
        guard !isEmpty, let start = base.baseAddress else { return nil }
        return memchr(start + startIndex, 0x0A, count).map { UnsafeRawPointer($0) - start }
    }
}
