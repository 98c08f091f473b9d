import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A numeric address, or a block of them: `10.0.0.0/8`, `::1`.
package struct AddressBlock: Sendable, Equatable {
    private var bytes: [UInt8]
    private var bits: Int

    /// Nil for anything else, a name, too.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let bytes = Self.bytes(String(parts[0])) else { return nil }
        self.bytes = bytes
        bits = bytes.count * 8
        if parts.count > 1 {
            guard let length = Int(parts[1]), (0...bits).contains(length) else { return nil }
            bits = length
        }
    }

    package func contains(_ address: String) -> Bool {
        guard let other = Self.bytes(address), other.count == bytes.count else { return false }
        return (0..<bits).allSatisfy { bit in
            (bytes[bit / 8] ^ other[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
        }
    }

    /// An IPv4 address in the form of IPv6 counts as IPv4.
    private static func bytes(_ text: String) -> [UInt8]? {
        var (four, six) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &four) == 1 { return withUnsafeBytes(of: &four) { Array($0) } }
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: &six) { Array($0) }
        return bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] ? Array(bytes[12...]) : bytes
    }
}
