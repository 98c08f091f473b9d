import HLSMedia
import Testing

@Suite("playlists that nobody meant")
struct PlaylistFuzzTests {
    static let words = [
        "#EXTM3U", "#EXTINF:", "#EXT-X-KEY:METHOD=", "AES-128", "SAMPLE-AES", "NONE", ",URI=\"", "\"", ",", "=", "{$a}",
        "{$",
        "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"", "#EXT-X-MAP:URI=\"", "#EXT-X-BYTERANGE:", "@", "9223372036854775807", "-1",
        "0x",
        "4611686018427387903", "#EXT-X-MEDIA-SEQUENCE:", "#EXT-X-STREAM-INF:", "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\"",
        "RESOLUTION=1x1", ",AUDIO=\"a\"", "\n", "\r", "\r\n", "\t", " ", "//", "../", "?", "#", "://", "%", "\u{FEFF}",
        "é", "1e999",
        "#EXT-X-ENDLIST", "#EXT-X-PLAYLIST-TYPE:VOD", "\u{0}",
    ]

    /// Whatever comes, it is a playlist or an error that points into the text; and what parses can be chosen from, or
    /// planned, and printed, or is refused.
    static func check(_ bytes: [UInt8]) -> Bool {
        let playlist: Playlist
        do { playlist = try Playlist.parse(bytes, url: "https://h/p?Define2=x", imports: ["Define3": "y"]) } catch {
            let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
            #expect(error.line >= 1 && error.line <= lines)
            #expect(error.column >= 1 && error.column <= bytes.count + 1)
            return false
        }
        switch playlist {
        case .master(let master):
            _ = master.choose(StreamWish(quality: [.height(1), .audio], audio: ["en"], subtitles: .all))
            _ = try? master.check()
        case .media(let media):
            guard let plan = try? StreamPlan.make(media, url: "https://h/a/p.m3u8") else { return true }
            guard case .media(let again)? = try? Playlist.parse(Array(plan.text().utf8)),
                let copy = try? StreamPlan.make(again, url: "https://h/")
            else {
                Issue.record("a printed plan can't be read")
                return true
            }
            #expect(copy.segments == plan.segments && copy.maps == plan.maps)
        }
        return true
    }

    static func mutate(_ bytes: inout [UInt8], _ random: inout GeneratedPlaylist) {
        for _ in 0...random.below(4) {
            let place = random.below(bytes.count + 1)
            switch random.below(6) {
            case 0: bytes.insert(contentsOf: Array(random.pick(words).utf8), at: place)
            case 1: bytes.insert(UInt8(random.below(256)), at: place)
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + random.below(20)))
            case 3 where place < bytes.count: bytes[place] = UInt8(random.below(256))
            case 4:
                let piece = Array(bytes[place..<min(bytes.count, place + random.below(60))])
                bytes.insert(contentsOf: piece, at: random.below(bytes.count + 1))
            default: bytes.removeSubrange(min(bytes.count, place + 200)...)
            }
        }
    }

    @Test("thousands of mutations are read or refused, and neither trap nor take long")
    func mutations() {
        var random = GeneratedPlaylist(seed: 0x5EED)
        var seeds = PlaylistCorpusTests.files().map(\.bytes).filter { $0.count < 2_000 }
        let tables = MalformedPlaylistTests.segments + MalformedPlaylistTests.ranges + MalformedPlaylistTests.attributes
        seeds += tables.map { Array($0.text.utf8) }
        for _ in 0..<20 { seeds.append(Array(random.text(isRelative: true).utf8)) }
        var (read, refused) = (0, 0)
        let start = ContinuousClock.now
        for round in 0..<20_000 where round < 1_000 || ContinuousClock.now - start < .seconds(2) {
            var bytes = seeds[random.below(seeds.count)]
            Self.mutate(&bytes, &random)
            if Self.check(bytes) { read += 1 } else { refused += 1 }
        }
        #expect(read > 100)
        #expect(refused > 100)
    }

    @Test(
        "lines made to be slow are read at once", .timeLimit(.minutes(1)),
        arguments: [",", "\"", " ", "\" ", "a,", "a=", "a=\",", "{$", "{$a", "=,", "x=y,z"])
    func slow(piece: String) {
        let list = String(repeating: piece, count: 60_000 / piece.utf8.count)
        for tag in ["#EXT-X-MAP:URI=", "#EXT-X-MAP:URI=\"", "#EXT-X-STREAM-INF:", "#EXTINF:"] {
            let text = "#EXTM3U\n" + String(repeating: "\(tag)\(list)\n", count: 2)
            _ = Self.check(Array(text.utf8))
        }
    }
}
