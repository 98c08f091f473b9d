import MediaTransfer

/// The durable bytes of a file after its first gap, as the position of its partial: `ranges 4096-8192 12288-16384`.
struct FileExtents: Equatable {
    private static let word = "ranges"

    private var ranges: [Range<Int64>]

    /// Nil if nothing is there after a gap.
    init?(_ extents: PartialExtents) {
        guard !extents.beyond.isEmpty else { return nil }
        ranges = Array(extents.beyond)
    }

    /// Nil unless a partial's position says that there are some.
    init?(position: String?) {
        guard let words = position?.split(separator: " "), words.first == Self.word[...] else { return nil }
        ranges = words.dropFirst().compactMap { word in
            let ends = word.split(separator: "-").compactMap { Int64($0) }
            return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
        }
    }

    /// The position of its partial.
    var position: String {
        ([Self.word] + ranges.map { "\($0.lowerBound)-\($0.upperBound)" }).joined(separator: " ")
    }

    /// Whether they can all be ranges after the first `length` bytes of a file of `total`.
    func mayFollow(_ length: Int64, of total: Int64?) -> Bool {
        guard let total, let first = ranges.first, let last = ranges.last else { return false }
        return first.lowerBound >= length && last.upperBound <= total
    }

    /// Those that can be continued, of a file of `size` bytes whose first `length` are there.
    func extents(after length: Int64, of size: Int64) -> [Range<Int64>] {
        Array(PartialExtents(length: length, beyond: ranges).settled(fileSize: size).beyond)
    }
}
