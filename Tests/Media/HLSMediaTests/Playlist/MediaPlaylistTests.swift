import HLSMedia
import Testing

@Suite("media playlists")
struct MediaPlaylistTests {
    @Test("every attribute of a stream and its segments is read")
    func all() throws {
        let playlist = try ParsedPlaylist.media(
            """
            #EXTM3U
            #EXT-X-VERSION:7
            #EXT-X-TARGETDURATION:6
            #EXT-X-MEDIA-SEQUENCE:42
            #EXT-X-DISCONTINUITY-SEQUENCE:3
            #EXT-X-PLAYLIST-TYPE:EVENT
            #EXT-X-MAP:URI="init.mp4",BYTERANGE="100@20"
            #EXT-X-KEY:METHOD=AES-128,URI="k1",IV=0x0A
            #EXT-X-PROGRAM-DATE-TIME:2025-01-01T00:00:00Z
            #EXTINF:6.006,a title, with a comma
            a.m4s?t=1
            #EXT-X-DISCONTINUITY
            #EXT-X-GAP
            #EXT-X-SOMETHING-NEW:1
            #EXTINF:5
            b.m4s
            #EXT-X-KEY:METHOD=NONE
            #EXTINF:.5,
            c.m4s
            #EXT-X-ENDLIST
            """)
        var expected = MediaPlaylist()
        expected.version = 7
        expected.targetDuration = 6
        expected.mediaSequence = 42
        expected.discontinuitySequence = 3
        expected.kind = .event
        expected.hasEnd = true
        expected.endsWithMark = true
        expected.maps = [MediaMap(uri: "init.mp4", byteRange: 20..<120, keys: [], sequence: 42, line: 7)]
        let key = PlaylistKey(method: .aes128, uri: "k1", iv: [UInt8](repeating: 0, count: 15) + [10])
        var first = MediaSegment(uri: "a.m4s?t=1", duration: 6.006, sequence: 42, line: 11)
        first.keys = [key]
        first.programDateTime = "2025-01-01T00:00:00Z"
        var second = MediaSegment(uri: "b.m4s", duration: 5, sequence: 43, line: 16)
        second.keys = [key]
        second.isDiscontinuity = true
        second.isGap = true
        let third = MediaSegment(uri: "c.m4s", duration: 0.5, sequence: 44, line: 19)
        expected.segments = [first, second, third]
        for index in expected.segments.indices { expected.segments[index].map = 0 }
        #expect(playlist == expected)
    }

    @Test(
        "any line end is accepted, and surrounding blanks are ignored",
        arguments: [
            "#EXTM3U\n#EXTINF:1,\na.ts\n#EXTINF:2,\nb.ts", "#EXTM3U\r\n#EXTINF:1,\r\na.ts\r\n#EXTINF:2,\r\nb.ts\r\n",
            "#EXTM3U\r#EXTINF:1,\ra.ts\r#EXTINF:2,\rb.ts\r", "\u{FEFF}#EXTM3U\n#EXTINF:1,\r\na.ts\r#EXTINF:2,\nb.ts",
            "\n \t\n#EXTM3U  \n\n#EXTINF: 1 ,\n  a.ts \t\n\n#EXTINF:2\n\r\n\rb.ts\n\n",
            "  #EXTM3U\n#EXTINF:1,\na.ts\n#EXTINF:2,x\nb.ts",
            "# a comment\n#EXTM3U url-tvg=\"x\"\n# another\n#EXTINF:1.0,\n#x\na.ts\n#EXTINF:2.,\nb.ts",
        ])
    func lines(text: String) throws {
        let segments = try ParsedPlaylist.media(text).segments
        #expect(segments.map(\.uri) == ["a.ts", "b.ts"])
        #expect(segments.map(\.duration) == [1, 2])
    }

    @Test("omitted offsets are computed, from segment to segment of one resource")
    func ranges() throws {
        let playlist = try ParsedPlaylist.media(
            lines: "#EXTINF:1,\n#EXT-X-BYTERANGE:10@5\nv.ts", "#EXT-X-BYTERANGE:20\n#EXTINF:1,\nv.ts",
            "#EXTINF:1,\n#EXT-X-BYTERANGE: 7 \nv.ts", "#EXTINF:1,\nw.ts", "#EXTINF:1,\n#EXT-X-BYTERANGE:1@0\nw.ts",
            "#EXTINF:1,\n#EXT-X-BYTERANGE:2\nw.ts")
        #expect(playlist.segments.map(\.byteRange) == [5..<15, 15..<35, 35..<42, nil, 0..<1, 1..<3])
    }

    @Test("keys of several formats apply together, each until the next of its format or NONE")
    func keys() throws {
        let playlist = try ParsedPlaylist.media(
            lines: "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://x\",KEYFORMAT=\"com.apple.streamingkeydelivery\"",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k1\",KEYFORMAT=\"identity\"", "#EXTINF:1,\na",
            "#EXT-X-KEY:METHOD=AES-128,URI=\"k2\"", "#EXTINF:1,\nb", "#EXT-X-KEY:METHOD=NONE", "#EXTINF:1,\nc")
        #expect(playlist.segments.map { $0.keys.map(\.uri) } == [["skd://x", "k1"], ["skd://x", "k2"], []])
        #expect(playlist.segments[0].keys.map(\.method) == [.sampleAES, .aes128])
    }

    @Test(
        "an IV is read as a number of 128 bits",
        arguments: [
            ("0x1", [1]), ("0X0102", [1, 2]), ("ff", [255]), ("\"0xAbC\"", [10, 188]),
            ("0x000102030405060708090a0b0c0d0e0f", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
        ] as [(String, [UInt8])])
    func vectors(text: String, tail: [UInt8]) throws {
        let playlist = try ParsedPlaylist.media(
            lines: "#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=\(text)", "#EXTINF:1,\na")
        let expected = [UInt8](repeating: 0, count: 16 - tail.count) + tail
        #expect(playlist.segments[0].keys[0].iv == expected)
    }

    @Test("each segment has the map before it; before the first there is none")
    func maps() throws {
        let playlist = try ParsedPlaylist.media(
            lines: "#EXTINF:1,\na", "#EXT-X-MAP:URI=\"m\"", "#EXTINF:1,\nb", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"",
            "#EXT-X-MAP:URI=\"n\",BYTERANGE=\"5\"", "#EXTINF:1,\nc")
        #expect(playlist.segments.map(\.map) == [nil, 0, 1])
        #expect(playlist.maps.map(\.byteRange) == [nil, 0..<5])
        #expect(playlist.maps.map { $0.keys.count } == [0, 1])
        #expect(playlist.maps.map(\.sequence) == [1, 2])
    }

    @Test("partial segments of live streams are left out")
    func parts() throws {
        let playlist = try ParsedPlaylist.media(
            lines: "#EXT-X-PART-INF:PART-TARGET=1", "#EXT-X-PART:DURATION=1,URI=\"p\"", "#EXTINF:4,\na",
            "#EXT-X-PART:DURATION=1,URI=\"q\"", "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"r\"")
        #expect(playlist.segments.map(\.uri) == ["a"])
    }

    @Test("100,000 segments are read, one more is refused")
    func many() throws {
        let one = "#EXTINF:1,\na\n"
        let text = "#EXTM3U\n" + String(repeating: one, count: 100_000)
        #expect(try ParsedPlaylist.media(text).segments.last?.sequence == 99_999)
        #expect(throws: PlaylistError(line: 200_003, message: "more than 100,000 segments")) {
            try ParsedPlaylist.media(text + one)
        }
    }
}
