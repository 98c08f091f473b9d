/// A digest of 64 bits that is the same on every machine and in every version. It resists no attacker.
package enum FNV1a {
    package static let start: UInt64 = 0xcbf2_9ce4_8422_2325

    /// - Parameter digest: of the bytes before them.
    package static func digest(_ bytes: some Sequence<UInt8>, after digest: UInt64 = start) -> UInt64 {
        // Each byte of a sequence that other modules pass would be a call.
        bytes.withContiguousStorageIfAvailable { $0.reduce(digest, step) } ?? bytes.reduce(digest, step)
    }

    private static func step(_ digest: UInt64, _ byte: UInt8) -> UInt64 {
        (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
}
