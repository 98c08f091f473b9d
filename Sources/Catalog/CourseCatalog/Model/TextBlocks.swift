/// The texts of a file's videos one behind the other, in blocks that stay where they are: while it grows nothing is
/// copied. A text is in one block as a whole.
struct TextBlocks: Sendable {
    /// Bytes of a full block.
    private static let shift = 20
    private static let size = 1 << shift

    private var blocks: [[UInt8]] = []
    /// The index of the block that is being filled.
    private var open: Int?
    /// Bytes of memory that the texts take. Long ones count twice: between them, what their reader has freed stays
    /// free.
    private(set) var cost = 0

    /// Adds a text. Returns its place.
    mutating func keep(_ bytes: UnsafeRawBufferPointer) -> TextRange {
        guard bytes.count > 0 else { return TextRange() }
        cost += bytes.count
        // A long text has its own block, so that the open one is filled.
        guard bytes.count <= Self.size / 4 else {
            cost += bytes.count
            blocks.append(Array(bytes))
            return TextRange(offset: UInt32((blocks.count - 1) << Self.shift), count: UInt32(bytes.count))
        }
        let block = blockWithRoom(for: bytes.count)
        let place = UInt32(block << Self.shift | blocks[block].count)
        blocks[block].append(contentsOf: bytes)
        return TextRange(offset: place, count: UInt32(bytes.count))
    }

    /// What there is at a moment.
    struct Extent {
        fileprivate var blocks: Int
        fileprivate var open: (block: Int, count: Int)?
        fileprivate var cost: Int
    }

    /// What there is now.
    var extent: Extent {
        Extent(blocks: blocks.count, open: open.map { ($0, blocks[$0].count) }, cost: cost)
    }

    /// Leaves what there was at an earlier moment.
    mutating func truncate(to extent: Extent) {
        blocks.removeLast(blocks.count - extent.blocks)
        open = extent.open?.block
        if let open = extent.open { blocks[open.block].removeLast(blocks[open.block].count - open.count) }
        cost = extent.cost
    }

    private mutating func blockWithRoom(for count: Int) -> Int {
        if let open, blocks[open].count + count <= Self.size { return open }
        var block: [UInt8] = []
        // Most files have few videos.
        if open != nil { block.reserveCapacity(Self.size) }
        blocks.append(block)
        open = blocks.count - 1
        return blocks.count - 1
    }

    mutating func keep(_ text: String) -> TextRange {
        var text = text
        return text.withUTF8 { keep(UnsafeRawBufferPointer($0)) }
    }

    func string(_ place: TextRange) -> String { withBytes(of: place) { String(decoding: $0, as: UTF8.self) } }

    /// Calls `body` with the bytes of a text, without copying them.
    func withBytes<Result>(
        of place: TextRange, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        guard place.count > 0 else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        let first = Int(place.offset) & (Self.size - 1)
        return try blocks[Int(place.offset) >> Self.shift].withUnsafeBytes { bytes in
            try body(UnsafeRawBufferPointer(rebasing: bytes[first..<first + Int(place.count)]))
        }
    }
}

/// The place of a text.
struct TextRange {
    /// Its block and the bytes before it there.
    var offset: UInt32 = 0
    /// The length in bytes.
    var count: UInt32 = 0
}
