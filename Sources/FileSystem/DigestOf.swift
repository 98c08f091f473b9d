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
    package init(_ bytes: UnsafeRawBufferPointer) {
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        let count = min(bytes.count, 32)
        Swift.withUnsafeMutableBytes(of: &words) {
            $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
        (first, second, third, fourth) = words
        length = UInt8(count)
    }

    /// The first 32 of these bytes.
    package init(_ bytes: [UInt8]) { self = bytes.withUnsafeBytes { Self($0) } }

    /// The first 32 of these bytes. In another module a generic loop costs a call for each byte: they are copied at once.
    package init(_ bytes: some Sequence<UInt8>) { self.init(Array(bytes)) }

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
