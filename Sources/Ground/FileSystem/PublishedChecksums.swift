import Crypto
import TextFormats

/// MD5, SHA-1 and CRC-32 of a file, as hosts publish them; at least one of them. They tell whether a file has arrived
/// whole, not whether two files are the same.
package struct PublishedChecksums: Sendable, Hashable {
    package enum Algorithm: String, Sendable, CaseIterable {
        case md5, sha1, crc32

        /// How many bytes its value has.
        package var length: Int {
            switch self {
            case .md5: 16
            case .sha1: 20
            case .crc32: 4
            }
        }
    }

    /// `md5:… sha1:… crc32:…`, in lower-case hexadecimal digits, without those that it doesn't have. A run may have a
    /// million of these: it is one small object.
    package let text: String

    /// Nil if there is none, or one has a wrong length.
    package init?(_ values: [Algorithm: [UInt8]]) {
        guard !values.isEmpty, values.allSatisfy({ $0.key.length == $0.value.count }) else { return nil }
        text = Algorithm.allCases.compactMap { algorithm in
            values[algorithm].map { "\(algorithm):\($0.hex)" }
        }.joined(separator: " ")
    }

    /// From hexadecimal digits; those that aren't of the right number are left out. Nil if none is left.
    package init?(md5: String?, sha1: String?, crc32: String?) {
        var values: [Algorithm: [UInt8]] = [:]
        for (algorithm, text) in [(Algorithm.md5, md5), (.sha1, sha1), (.crc32, crc32)] {
            guard let bytes = text.flatMap({ [UInt8](hex: $0) }), bytes.count == algorithm.length else { continue }
            values[algorithm] = bytes
        }
        self.init(values)
    }

    /// From ``text``; nil for any other text.
    package init?(text: String) {
        guard let values = Self.values(text) else { return nil }
        self.init(values)
    }

    private static func values(_ text: String) -> [Algorithm: [UInt8]]? {
        var values: [Algorithm: [UInt8]] = [:]
        for item in text.split(separator: " ") {
            let parts = item.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let algorithm = Algorithm(rawValue: String(parts[0])),
                let bytes = [UInt8](hex: String(parts[1]))
            else { return nil }
            values[algorithm] = bytes
        }
        return values
    }

    private var values: [Algorithm: [UInt8]] { Self.values(text) ?? [:] }

    /// In the order of the algorithms.
    package var list: [(algorithm: Algorithm, hex: String)] {
        let values = values
        return Algorithm.allCases.compactMap { algorithm in values[algorithm].map { (algorithm, $0.hex) } }
    }

    /// The first value that `other` has differently; nil if all that both have are equal.
    package func contradiction(to other: PublishedChecksums) -> Algorithm? {
        let (values, others) = (values, other.values)
        return Algorithm.allCases.first { algorithm in
            guard let one = values[algorithm], let two = others[algorithm] else { return false }
            return one != two
        }
    }

    /// Whether `other` has all of these values.
    package func isContained(in other: PublishedChecksums?) -> Bool {
        let others = other?.values
        return values.allSatisfy { others?[$0.key] == $0.value }
    }

    /// Computes the same checksums of other bytes.
    package var digest: Digest { Digest(of: Set(values.keys)) }

    /// The checksums of bytes that come in pieces.
    package struct Digest {
        private var md5: Insecure.MD5?
        private var sha1: Insecure.SHA1?
        private var crc32: CRC32?

        fileprivate init(of algorithms: Set<Algorithm>) {
            md5 = algorithms.contains(.md5) ? Insecure.MD5() : nil
            sha1 = algorithms.contains(.sha1) ? Insecure.SHA1() : nil
            crc32 = algorithms.contains(.crc32) ? CRC32() : nil
        }

        package mutating func update(_ bytes: UnsafeRawBufferPointer) {
            md5?.update(bufferPointer: bytes)
            sha1?.update(bufferPointer: bytes)
            crc32?.update(bytes)
        }

        /// Of all bytes so far.
        package var checksums: PublishedChecksums? {
            var values: [Algorithm: [UInt8]] = [:]
            values[.md5] = md5.map { Array($0.finalize()) }
            values[.sha1] = sha1.map { Array($0.finalize()) }
            values[.crc32] = crc32?.bytes
            return PublishedChecksums(values)
        }
    }
}

/// The CRC of zip, gzip and PNG: reflected, polynomial 0x04C11DB7. Eight bytes are taken at a time, by eight tables.
/// Related: RFC 1952 §8
private struct CRC32 {
    private var state: UInt32 = 0xFFFF_FFFF

    var bytes: [UInt8] { withUnsafeBytes(of: (~state).bigEndian) { Array($0) } }

    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for index in 0..<256 {
            var value = UInt32(index)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
            tables[index] = value
        }
        for index in 256..<tables.count {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var crc = state
        Self.tables.withUnsafeBufferPointer { tables in
            var offset = 0
            while offset + 8 <= bytes.count {
                let low = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)) ^ crc
                let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self))
                crc = 0
                for index in 0..<4 {
                    crc ^= tables[(7 - index) * 256 + Int(low >> (8 * UInt32(index)) & 0xFF)]
                    crc ^= tables[(3 - index) * 256 + Int(high >> (8 * UInt32(index)) & 0xFF)]
                }
                offset += 8
            }
            while offset < bytes.count {
                crc = crc >> 8 ^ tables[Int((crc ^ UInt32(bytes[offset])) & 0xFF)]
                offset += 1
            }
        }
        state = crc
    }
}
