import Testing

@testable import DownloadStore

@Suite("the durable ranges of a file after its first gap")
struct FileRangesTests {
    @Test("they are words of a position, and back")
    func words() {
        let ranges: [Range<Int64>] = [10..<20, 30..<50]
        #expect(FileRanges(ranges)?.position == "ranges 10-20 30-50")
        #expect(FileRanges(position: "ranges 10-20 30-50")?.ranges == ranges)
        #expect(FileRanges([Range<Int64>]()) == nil)
        #expect(FileRanges.held(5, "ranges 10-20 30-50") == 35)
        #expect(FileRanges.held(5, nil) == 5)
    }

    @Test(
        "what isn't a range is left out, and other positions say nothing of ranges",
        arguments: [
            ("ranges", []), ("ranges 5-3", []), ("ranges -1-4", []), ("ranges 1-2-3 4-9", [4..<9]),
            ("ranges 0-99999999999999999999", []), ("ranges x 1-2", [1..<2]),
        ] as [(String, [Range<Int64>])])
    func odd(position: String, ranges: [Range<Int64>]) {
        #expect(FileRanges(position: position)?.ranges == ranges)
        #expect(FileRanges(position: "elsewhere 1 2") == nil)
        #expect(FileRanges(position: "") == nil)
    }
}
