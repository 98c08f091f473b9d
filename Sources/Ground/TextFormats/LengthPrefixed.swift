/// Texts and numbers as one run of bytes, each text after its length in bytes: different lists have different bytes, so
/// that a digest of the bytes is one of the list.
///
/// Rows and files of users hold digests of each form: no form may change.
package struct LengthPrefixed: Sendable {
    /// How numbers are written, lengths included.
    package enum Numbers: Sendable {
        /// In 64 bits.
        case littleEndian, bigEndian
        /// In decimal digits, with this character after them.
        case decimal(UInt8)
    }

    /// What was added since the last ``take()``.
    package private(set) var bytes: [UInt8] = []
    private let numbers: Numbers

    package init(_ numbers: Numbers) { self.numbers = numbers }

    package mutating func add(_ number: Int64) {
        switch numbers {
        case .littleEndian: withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        case .bigEndian: withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
        case .decimal(let end):
            bytes.append(contentsOf: String(number).utf8)
            bytes.append(end)
        }
    }

    package mutating func add(_ text: String) { add(text.utf8) }

    /// A missing text is another one than an empty text: its length is -1.
    package mutating func add(_ text: String?) {
        if let text { add(text) } else { add(-1) }
    }

    package mutating func add(_ texts: [String]) {
        for text in texts { add(text) }
    }

    package mutating func add(_ text: some Collection<UInt8>) {
        add(Int64(text.count))
        bytes.append(contentsOf: text)
    }

    /// Both bounds; those of no range are -1.
    package mutating func add(_ range: Range<Int64>?) {
        add(range?.lowerBound ?? -1)
        add(range?.upperBound ?? -1)
    }

    /// Bytes of which everybody knows how many they are.
    package mutating func add(withoutLength bytes: some Sequence<UInt8>) { self.bytes.append(contentsOf: bytes) }

    /// Returns the bytes and forgets them: a long list is hashed in pieces.
    package mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}
