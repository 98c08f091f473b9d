import HLSMedia
import Testing

@Suite("playlist errors")
struct PlaylistErrorTests {
    @Test("an error begins at the first column unless it says where")
    func column() { #expect(PlaylistError(line: 3, message: "x").column == 1) }
}
