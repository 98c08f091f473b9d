/// A digest that knows what it is of: the compiler refuses to compare those of different things, or to keep one for another.
///
/// At most 32 bytes, which lie in the value itself. One without bytes is of nothing.
package struct DigestOf<Subject>: Sendable, Hashable {
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64
    private let length: UInt8

    /// The first 32 of these bytes.
    package init(_ bytes: some Sequence<UInt8>) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        var count: UInt8 = 0
        Swift.withUnsafeMutableBytes(of: &words) { room in
            for byte in bytes.prefix(room.count) {
                room[Int(count)] = byte
                count += 1
            }
        }
        (first, second, third, fourth) = words
        length = count
    }

    /// What hex digits of at most 32 bytes mean, in either case; nil for any other text.
    package init?(hex: String) {
        guard let bytes = [UInt8](hex: hex), bytes.count <= 32 else { return nil }
        self.init(bytes)
    }

    /// How many bytes it has.
    package var count: Int { Int(length) }

    /// Lower-case hex digits.
    package var hex: String { withUnsafeBytes { $0.hex } }

    /// Calls `body` with the bytes.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try Swift.withUnsafeBytes(of: (first, second, third, fourth)) {
            try body(UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
    }
}

extension DigestOf: ExpressibleByArrayLiteral {
    package init(arrayLiteral bytes: UInt8...) { self.init(bytes) }
}

extension DigestOf: CustomStringConvertible {
    package var description: String { hex }
}

/// What a ``Checksum`` is of.
package enum FileBytes {}

/// The SHA-256 of a file's bytes.
package typealias Checksum = DigestOf<FileBytes>
