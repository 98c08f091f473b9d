import TextFormats

/// A digest with its subject as a type: the compiler refuses to compare digests of different subjects, or to store one
/// for another.
///
/// At most 32 bytes. An empty one is of nothing. The bytes are outside of the value, where copies share them: a run has
/// most of its digests once for each setting, and several copies of its facts about a video.
package struct DigestOf<Subject>: Sendable, Hashable {
    private let bytes: [UInt8]

    /// The first 32 of these bytes.
    package init(_ bytes: [UInt8]) { self.bytes = bytes.count > 32 ? Array(bytes[..<32]) : bytes }

    /// The first 32 of these bytes.
    package init(_ bytes: UnsafeRawBufferPointer) { self.init(Array(bytes.prefix(32))) }

    /// The first 32 of these bytes.
    package init(_ bytes: some Sequence<UInt8>) { self.init(Array(bytes)) }

    /// From hex digits of at most 32 bytes, in either case; nil for any other text.
    package init?(hex: String) {
        guard let bytes = [UInt8](hex: hex), bytes.count <= 32 else { return nil }
        self.init(bytes)
    }

    /// How many bytes it has.
    package var count: Int { bytes.count }

    /// Lower-case hex digits.
    package var hex: String { bytes.hex }

    /// Calls `body` with the bytes.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }
}

extension DigestOf: ExpressibleByArrayLiteral {
    package init(arrayLiteral bytes: UInt8...) { self.init(bytes) }
}

extension DigestOf: CustomStringConvertible {
    package var description: String { hex }
}

/// The subject of a ``Checksum``.
package enum FileBytes {}

/// The SHA-256 of a file's bytes.
package typealias Checksum = DigestOf<FileBytes>
