/// The records of a file, in blocks that stay where they are. While it grows nothing is copied: an `Array` is in memory
/// twice for a moment, and takes twice what it needs afterwards.
struct RecordBlocks: Sendable {
    /// Records of a full block: 1 MiB.
    private static let shift = 14
    private static let size = 1 << shift

    private var blocks: [[VideoRecord]] = []
    private(set) var count = 0

    /// A record by its index in the order of the file.
    subscript(index: Int) -> VideoRecord {
        get { blocks[index >> Self.shift][index & (Self.size - 1)] }
        _modify { yield &blocks[index >> Self.shift][index & (Self.size - 1)] }
    }

    mutating func append(_ record: VideoRecord) {
        if count & (Self.size - 1) == 0 {
            var block: [VideoRecord] = []
            // Most files have few videos.
            if count > 0 { block.reserveCapacity(Self.size) }
            blocks.append(block)
        }
        blocks[blocks.count - 1].append(record)
        count += 1
    }

    /// Leaves the first ones.
    mutating func truncate(to count: Int) {
        blocks.removeLast(blocks.count - (count + Self.size - 1) >> Self.shift)
        if let last = blocks.indices.last { blocks[last].removeLast(blocks[last].count - (count - last << Self.shift)) }
        self.count = count
    }
}
