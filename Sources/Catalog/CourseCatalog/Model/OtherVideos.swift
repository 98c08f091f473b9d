import TextFormats

/// Which videos other shards may have as well: the ids and checksums of the videos in their courses, as a Bloom filter
/// of 2 MiB. With a million videos about one in fifty seems to be there although it isn't; none is missing.
///
/// Related: B. H. Bloom, "Space/time trade-offs in hash coding with allowable errors", 1970
package struct OtherVideos: Sendable {
    private static let bits = 24
    /// Empty as long as there is nothing.
    private var words: [UInt64] = []

    /// Nothing.
    package init() {}

    /// Adds an id, in its one spelling, or the bytes of a SHA-256.
    mutating func insert(_ bytes: UnsafeRawBufferPointer) {
        if words.isEmpty { words = [UInt64](repeating: 0, count: 1 << (Self.bits - 6)) }
        for place in Self.places(bytes) { words[place >> 6] |= 1 << UInt64(place & 63) }
    }

    /// Adds those of another file.
    mutating func formUnion(_ other: OtherVideos) {
        if words.isEmpty {
            words = other.words
        } else {
            for index in other.words.indices { words[index] |= other.words[index] }
        }
    }

    /// Whether a course of another shard may have a video with this id, in its one spelling.
    package func mayHave(id: String) -> Bool {
        var id = id
        return id.withUTF8 { mayHave(UnsafeRawBufferPointer($0)) }
    }

    /// Whether a course of another shard may have a video with this SHA-256, as 32 bytes.
    package func mayHave(sha256: [UInt8]) -> Bool { sha256.withUnsafeBytes { mayHave($0) } }

    private func mayHave(_ bytes: UnsafeRawBufferPointer) -> Bool {
        !words.isEmpty && Self.places(bytes).allSatisfy { words[$0 >> 6] & (1 << UInt64($0 & 63)) != 0 }
    }

    /// Four places, by FNV-1a and the mixing of SplitMix64.
    private static func places(_ bytes: UnsafeRawBufferPointer) -> [Int] {
        var value = FNV1a.digest(bytes)
        return (0..<4).map { _ in
            value = value &+ 0x9e37_79b9_7f4a_7c15
            value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
            return Int((value ^ (value >> 31)) >> UInt64(64 - bits))
        }
    }
}
