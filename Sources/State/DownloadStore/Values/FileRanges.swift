/// The durable bytes of a file after its first gap, as the position of its partial: `ranges 4096-8192 12288-16384`.
package struct FileRanges: Sendable, Equatable {
    private static let word = "ranges"

    package let ranges: [Range<Int64>]

    /// Nil if nothing is there after a gap.
    package init?(_ ranges: some Collection<Range<Int64>>) {
        guard !ranges.isEmpty else { return nil }
        self.ranges = Array(ranges)
    }

    /// Nil unless a partial's position says that there are some. What isn't a range is left out.
    package init?(position: String?) {
        guard let words = position?.split(separator: " "), words.first == Self.word[...] else { return nil }
        ranges = words.dropFirst().compactMap { word in
            let ends = word.split(separator: "-", omittingEmptySubsequences: false)
            guard ends.count == 2, let start = Int64(ends[0]), let end = Int64(ends[1]), start < end else { return nil }
            return start..<end
        }
    }

    /// The position of their partial.
    package var position: String {
        ([Self.word] + ranges.map { "\($0.lowerBound)-\($0.upperBound)" }).joined(separator: " ")
    }

    /// The bytes up to the first gap, and those after it.
    package static func held(_ durableBytes: Int64, _ position: String?) -> Int64 {
        guard let ranges = FileRanges(position: position)?.ranges else { return durableBytes }
        return (ByteCount(durableBytes) + ranges.byteCount { Int64($0.count) }).value
    }
}
