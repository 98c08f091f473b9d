import DownloadStore
import Testing

@Suite("Another program's bytes")
struct ForeignBytesTests {
    private static let second: Int64 = 1_000_000_000

    @Test("are of a version that their server had before the first of them came, and of no later one")
    func version() {
        let bytes = ForeignBytes(made: 100 * Self.second, modified: 200 * Self.second + 5)
        #expect(bytes.areOf(modified: 99))
        #expect(!bytes.areOf(modified: 100), "the second isn't over")
        #expect(!bytes.areOf(modified: 150), "the first bytes may be older, the last ones newer")
        #expect(!bytes.areOf(modified: 201))
        // A file that was copied later.
        #expect(ForeignBytes(made: 900 * Self.second, modified: 100 * Self.second + 5).areOf(modified: 99))
        #expect(!ForeignBytes(made: 900 * Self.second, modified: 100 * Self.second + 5).areOf(modified: 500))
        // Where no file system keeps the time of making.
        #expect(ForeignBytes(made: nil, modified: 200 * Self.second + 5).areOf(modified: 150))
    }

    @Test("a clock of the server that is behind ours makes its version newer; one that is ahead changes nothing")
    func clock() {
        let bytes = ForeignBytes(made: 100 * Self.second, modified: 100 * Self.second + 5)
        #expect(bytes.areOf(modified: 50, lag: 49))
        #expect(!bytes.areOf(modified: 50, lag: 50))
        #expect(bytes.areOf(modified: 99, lag: -3600))
    }

    @Test("a file that has the server's date in whole seconds is of that version; a time of writing proves nothing")
    func dated() {
        #expect(ForeignBytes(made: 100 * Self.second, modified: 300 * Self.second).areOf(modified: 300))
        #expect(!ForeignBytes(made: 100 * Self.second, modified: 300 * Self.second + 1).areOf(modified: 300))
        #expect(!ForeignBytes(made: 100 * Self.second, modified: 300 * Self.second).areOf(modified: 301))
    }

    @Test("their times are kept in the position of the partial; an older row has none, and proves nothing")
    func position() throws {
        let bytes = ForeignBytes(made: 123, modified: 456)
        #expect(ForeignBytes(position: bytes.position) == bytes)
        let older = try #require(ForeignBytes(position: "elsewhere"))
        #expect(older.position == "elsewhere" && !older.areOf(modified: 1))
        #expect(ForeignBytes(position: nil) == nil && ForeignBytes(position: "3 17") == nil)
    }
}
