/// A digest of 64 bits that is the same on every machine and in every version. It resists no attacker.
package enum FNV1a {
    package static let start: UInt64 = 0xcbf2_9ce4_8422_2325

    /// - Parameter digest: of the bytes before them.
    package static func digest(_ bytes: some Sequence<UInt8>, after digest: UInt64 = start) -> UInt64 {
        bytes.reduce(digest) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3 }
    }
}
