import HLSMedia
import Testing

@Suite("malformed playlists")
struct MalformedPlaylistTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let line: Int
        let column: Int
        let message: String
        var testDescription: String { message }

        init(_ text: String, _ line: Int, _ column: Int, _ message: String) {
            self.text = text
            self.line = line
            self.column = column
            self.message = message
        }
    }

    static let openings = [
        Case("", 1, 1, "the playlist is empty"),
        Case("\u{FEFF}\r\n \n", 1, 1, "the playlist is empty"),
        Case("\n <!DOCTYPE html>", 2, 2, "a web page or other markup, not a playlist"),
        Case("{\"error\": 1}", 1, 1, "JSON, not a playlist"),
        Case("[]", 1, 1, "JSON, not a playlist"),
        Case("a.ts", 1, 1, "not a playlist: the first line has to be #EXTM3U"),
        Case("#EXTM3U8\na.ts", 1, 1, "not a playlist: the first line has to be #EXTM3U"),
        Case("#EXTINF:1,\na.ts", 1, 1, "not a playlist: the first line has to be #EXTM3U"),
        Case("#EXTM3U", 1, 1, "the playlist names neither streams nor segments"),
        Case("#EXTM3U\n#EXT-X-VERSION:3\n# nothing", 1, 1, "the playlist names neither streams nor segments"),
        Case("#EXTM3U\n#EXT\u{0}INF", 2, 5, "a control character"),
        Case("#EXTM3U\n#\u{7F}", 2, 2, "a control character"),
    ]

    static let segments = [
        Case("#EXTM3U\n\na.ts", 3, 1, "the segment has no EXTINF"),
        Case("#EXTM3U\n#EXTINF:1,\na\n  b", 4, 3, "the segment has no EXTINF"),
        Case("#EXTM3U\n#EXTINF:1,\n#EXT-X-ENDLIST", 2, 1, "the segment has no URI"),
        Case("#EXTM3U\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:1,\n", 3, 1, "the segment has no URI"),
        Case("#EXTM3U\n#EXTINF:1,\n#EXTINF:1,\na", 2, 1, "the segment has no URI"),
        Case("#EXTM3U\n#EXTINF:-1,\na", 2, 9, "the duration isn't a number of seconds"),
        Case("#EXTM3U\n#EXTINF:,\na", 2, 9, "the duration isn't a number of seconds"),
        Case("#EXTM3U\n#EXTINF\na", 2, 8, "the duration isn't a number of seconds"),
        Case("#EXTM3U\n#EXTINF: 1e3,\na", 2, 10, "the duration isn't a number of seconds"),
        Case("#EXTM3U\n#EXTINF:1.2.3,\na", 2, 9, "the duration isn't a number of seconds"),
        Case("#EXTM3U\n#EXTINF:.,\na", 2, 9, "the duration isn't a number of seconds"),
        Case("#EXTM3U\n#EXTINF:nan,\na", 2, 9, "the duration isn't a number of seconds"),
        Case("#EXTM3U\n#EXTINF:10000001,\na", 2, 9, "the duration isn't a number of seconds"),
        Case("#EXTM3U\n#EXT-X-TARGETDURATION:ten", 2, 23, "the target duration isn't a number of seconds"),
        Case(
            "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:4611686018427387904", 2, 23,
            "the media sequence isn't a whole number below 2^62"),
        Case(
            "#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:99999999999999999999999999", 2, 23,
            "the media sequence isn't a whole number below 2^62"),
        Case("#EXTM3U\n#EXTINF:1,\na\n#EXT-X-MEDIA-SEQUENCE:1", 4, 1, "the media sequence comes after a segment"),
        Case(
            "#EXTM3U\n#EXT-X-DISCONTINUITY-SEQUENCE:", 2, 31,
            "the discontinuity sequence isn't a whole number below 2^62"),
    ]

    static let ranges = [
        Case("#EXTM3U\n#EXT-X-BYTERANGE:x", 2, 18, "the byte range isn't a length and offset"),
        Case("#EXTM3U\n#EXT-X-BYTERANGE:0@5", 2, 18, "the byte range isn't a length and offset"),
        Case("#EXTM3U\n#EXT-X-BYTERANGE:5@", 2, 18, "the byte range isn't a length and offset"),
        Case("#EXTM3U\n#EXT-X-BYTERANGE:5@-1", 2, 18, "the byte range isn't a length and offset"),
        Case(
            "#EXTM3U\n#EXTINF:1,\n#EXT-X-BYTERANGE:5\na", 3, 18,
            "the byte range has no offset, and the segment before isn't of the same resource"),
        Case(
            "#EXTM3U\n#EXTINF:1,\na\n#EXTINF:1,\n#EXT-X-BYTERANGE:5\na", 5, 18,
            "the byte range has no offset, and the segment before isn't of the same resource"),
        Case(
            "#EXTM3U\n#EXTINF:1,\n#EXT-X-BYTERANGE:5@0\na\n#EXTINF:1,\n#EXT-X-BYTERANGE:5\nb", 6, 18,
            "the byte range has no offset, and the segment before isn't of the same resource"),
        Case(
            "#EXTM3U\n#EXTINF:1,\n#EXT-X-BYTERANGE:9007199254740992@1\na", 3, 18, "the byte range ends past 2^53"),
        Case("#EXTM3U\n#EXT-X-MAP:URI=\"m\",BYTERANGE=\"9007199254740992@1\"", 2, 31, "the byte range ends past 2^53"),
        Case(
            "#EXTM3U\n#EXT-X-MAP:URI=\"m\",BYTERANGE=\"4611686018427387903@4611686018427387903\"", 2, 31,
            "the byte range ends past 2^53"),
        Case("#EXTM3U\n#EXT-X-MAP:BYTERANGE=\"1@0\"", 2, 1, "the map has no URI"),
        Case("#EXTM3U\n#EXT-X-MAP:URI=\"m\",BYTERANGE=\"1@x\"", 2, 31, "the byte range isn't a length and offset"),
    ]

    static let attributes = [
        Case("#EXTM3U\n#EXT-X-KEY:URI=\"k\"", 2, 1, "the key has no METHOD"),
        Case("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128", 2, 1, "the key has no URI"),
        Case("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"\"", 2, 1, "the key has no URI"),
        Case("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k", 2, 31, "a quote that isn't closed"),
        Case("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x", 2, 38, "the key's IV isn't a number of 128 bits"),
        Case("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0xfg", 2, 38, "the key's IV isn't a number of 128 bits"),
        Case(
            "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x" + String(repeating: "0", count: 33), 2, 38,
            "the key's IV isn't a number of 128 bits"),
        Case("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n#EXT-X-STREAM-INF:BANDWIDTH=2\na", 2, 1, "the stream has no URI"),
        Case("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1", 2, 1, "the stream has no URI"),
        Case("#EXTM3U\n#EXT-X-MEDIA:GROUP-ID=\"a\"", 2, 1, "the rendition has no TYPE"),
        Case("#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO", 2, 1, "the rendition has no GROUP-ID"),
        Case("#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\"", 1, 1, "the playlist has no streams"),
        Case("#EXTM3U\n#EXT-X-STREAM-INF:\na\n#EXTINF:1,", 4, 1, "a tag of segments in a master playlist"),
        Case("#EXTM3U\n#EXTINF:1,\na\n#EXT-X-MEDIA:TYPE=AUDIO", 4, 1, "a tag of streams in a media playlist"),
        Case("#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\"", 2, 1, "EXT-X-DEFINE has no VALUE"),
        Case("#EXTM3U\n#EXT-X-DEFINE:VALUE=\"a\"", 2, 1, "EXT-X-DEFINE has neither NAME nor IMPORT nor QUERYPARAM"),
        Case("#EXTM3U\n#EXT-X-DEFINE:NAME=\"a b\",VALUE=\"\"", 2, 1, "no name for a variable"),
        Case(
            "#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"\"\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"\"", 3, 1,
            "the variable is already defined"),
        Case("#EXTM3U\n#EXT-X-DEFINE:IMPORT=\"a\"", 2, 23, "there is no such variable to import"),
        Case("#EXTM3U\n#EXT-X-DEFINE:QUERYPARAM=\"a\"", 2, 27, "the playlist's URL has no such query parameter"),
        Case("#EXTM3U\n#EXTINF:1,\na/{$b}/c", 3, 3, "a variable that isn't defined"),
    ]

    @Test("every error has a message and a position", arguments: openings + segments + ranges + attributes)
    func errors(example: Case) {
        let expected = PlaylistError(line: example.line, column: example.column, message: example.message)
        #expect(throws: expected) { try Playlist.parse(Array(example.text.utf8)) }
    }

    @Test("text that isn't UTF-8 is accepted in comments and titles, not in a URI")
    func encoding() throws {
        let start = Array("#EXTM3U\n# ".utf8) + [0xFF] + Array("\n#EXTINF:1,".utf8) + [0xE4] + Array("\na".utf8)
        #expect(throws: Never.self) { try Playlist.parse(start) }
        #expect(throws: PlaylistError(line: 4, column: 1, message: "the text isn't UTF-8")) {
            try Playlist.parse(start + [0xE4])
        }
        #expect(throws: PlaylistError(line: 1, message: "the playlist is UTF-16, not UTF-8")) {
            try Playlist.parse([0xFF, 0xFE] + Array("#EXTM3U".utf8))
        }
    }

    @Test("playlists beyond the limits are refused")
    func bounds() {
        let long = String(repeating: "a", count: PlaylistLimit.line + 1)
        #expect(throws: PlaylistError(line: 2, column: 65_537, message: "the line is longer than 64 KiB")) {
            try ParsedPlaylist.media("#EXTM3U\n\(long)\n")
        }
        #expect(throws: PlaylistError(line: 1, message: "the playlist is larger than 16 MiB")) {
            try Playlist.parse([UInt8](repeating: 0x20, count: PlaylistLimit.bytes + 1))
        }
        let attributes = String(repeating: "A=1,", count: 1_001)
        #expect(throws: PlaylistError(line: 2, column: 12 + 4_000, message: "more than 1,000 attributes")) {
            try ParsedPlaylist.media("#EXTM3U\n#EXT-X-MAP:\(attributes)")
        }
        let stream = "#EXT-X-STREAM-INF:BANDWIDTH=1\na\n"
        #expect(throws: PlaylistError(line: 10_002, message: "more than 5,000 streams")) {
            try ParsedPlaylist.master("#EXTM3U\n" + String(repeating: stream, count: 5_001))
        }
        let rendition = "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=a\n"
        #expect(throws: PlaylistError(line: 20_002, message: "more than 20,000 renditions")) {
            try ParsedPlaylist.master("#EXTM3U\n" + String(repeating: rendition, count: 20_001))
        }
        let keys = (0...32).map { "#EXT-X-KEY:METHOD=SAMPLE-AES,KEYFORMAT=\"\($0)\"\n" }.joined()
        #expect(throws: PlaylistError(line: 34, message: "more than 32 keys at once")) {
            try ParsedPlaylist.media("#EXTM3U\n" + keys)
        }
    }
}
