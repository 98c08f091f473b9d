import HLSMedia
import Testing

@Suite("playlists made to be slow")
struct PlaylistCostTests {
    @Test(
        "lines made to be slow are read at once", .timeLimit(.minutes(1)),
        arguments: [",", "\"", " ", "\" ", "a,", "a=", "a=\",", "{$", "{$a", "=,", "x=y,z"])
    func slow(piece: String) {
        let list = String(repeating: piece, count: 60_000 / piece.utf8.count)
        for tag in ["#EXT-X-MAP:URI=", "#EXT-X-MAP:URI=\"", "#EXT-X-STREAM-INF:", "#EXTINF:"] {
            let text = "#EXTM3U\n" + String(repeating: "\(tag)\(list)\n", count: 2)
            _ = try? Playlist.parse(Array(text.utf8), url: "https://h/p")
        }
    }
}
