import Testing

@testable import HLSMedia

@Suite("indexes of segments within a file")
struct SegmentIndexTests {
    @Test("ranges count from the end of the box, in both versions, behind other boxes", arguments: [0, 1] as [UInt8])
    func ranges(version: UInt8) throws {
        let other: [UInt8] = [0, 0, 0, 12] + Array("free".utf8) + [0, 0, 0, 0]
        let box = IndexBytes.box(timescale: 4, first: 8, gap: 6, [(100, 4), (50, 2)], version: version)
        let start = Int64(1000 + 12 + box.count + 6)
        #expect(
            try SegmentIndex.read(other + box, at: 1000).entries == [
                .init(range: start..<start + 100, start: 2, duration: 1),
                .init(range: start + 100..<start + 150, start: 3, duration: 0.5),
            ])
    }

    @Test(
        "what can't be an index, or names further ones, is refused",
        arguments: [
            ([], .missing), (Array("moof".utf8), .missing),
            (IndexBytes.box([(0x8000_0064, 1)]), .hierarchical), (IndexBytes.box([(0, 1)]), .invalid),
            (IndexBytes.box([]), .invalid), (IndexBytes.box(timescale: 0, [(1, 1)]), .invalid),
            (IndexBytes.box([(1, .max)]), .invalid), (Array(IndexBytes.box([(1, 1)]).dropLast()), .missing),
            (IndexBytes.box([(1, 1)], version: 2), .invalid),
            ([0, 0, 0, 9] + Array("sidx".utf8) + [0], .invalid),
        ] as [([UInt8], SegmentIndexError)])
    func refused(bytes: [UInt8], error: SegmentIndexError) {
        #expect(throws: error) { try SegmentIndex.read(bytes, at: 0) }
    }

    @Test("one at the end of the largest file has no segments behind it")
    func offset() {
        #expect(throws: SegmentIndexError.invalid) { try SegmentIndex.read(IndexBytes.box([(1, 1)]), at: .max - 8) }
        #expect(throws: SegmentIndexError.invalid) {
            try SegmentIndex.read(IndexBytes.box([(1, 1)]), at: PlaylistLimit.size)
        }
    }
}
