import HLSMedia
import Testing

@Suite("the plan of a stream")
struct StreamPlanTests {
    static let url = "https://h/a/p.m3u8?token=1"

    static func plan(_ text: String, url: String = url, identity: String = "") throws -> StreamPlan {
        try StreamPlan.make(try ParsedPlaylist.media("#EXTM3U\n\(text)\n#EXT-X-ENDLIST"), url: url, identity: identity)
    }

    @Test("addresses, ranges, keys and maps of every segment are resolved")
    func all() throws {
        let plan = try Self.plan(
            """
            #EXT-X-TARGETDURATION:5
            #EXT-X-MEDIA-SEQUENCE:258
            #EXT-X-KEY:METHOD=AES-128,URI="/k?t=1"
            #EXT-X-MAP:URI="m.mp4",BYTERANGE="9@1"
            #EXTINF:4,
            #EXT-X-BYTERANGE:10@0
            s.mp4
            #EXT-X-KEY:METHOD=AES-128,URI="../k2",IV=0x7
            #EXT-X-GAP
            #EXTINF:2.5,
            #EXT-X-BYTERANGE:10
            s.mp4
            #EXT-X-KEY:METHOD=NONE
            #EXT-X-DISCONTINUITY
            #EXT-X-MAP:URI="https://h/a/n.mp4"
            #EXTINF:1,
            t.mp4
            #EXT-X-MAP:URI="n.mp4"
            #EXTINF:1,
            u.mp4
            """)
        let zeros = [UInt8](repeating: 0, count: 14)
        let first = PlannedKey(url: "https://h/k?t=1", iv: zeros + [1, 2])
        #expect(
            plan.maps == [
                PlannedMap(url: "https://h/a/m.mp4", range: 1..<10, key: first), PlannedMap(url: "https://h/a/n.mp4"),
            ])
        #expect(plan.segments.map(\.url) == ["s", "s", "t", "u"].map { "https://h/a/\($0).mp4" })
        #expect(plan.segments.map(\.range) == [0..<10, 10..<20, nil, nil])
        #expect(plan.segments.map(\.key) == [first, PlannedKey(url: "https://h/k2", iv: zeros + [0, 7]), nil, nil])
        #expect(plan.segments.map(\.map) == [0, 0, 1, 1])
        #expect(plan.segments.map(\.sequence) == [258, 259, 260, 261])
        #expect(plan.segments.map(\.isGap) == [false, true, false, false])
        #expect(plan.segments.map(\.startsDiscontinuity) == [false, false, true, false])
        #expect(plan.seconds == 8.5)
        #expect(plan.gaps == 1)
        #expect(plan.gapSeconds == 2.5)
        #expect(plan.targetDuration == 5)
        #expect(plan.digest.count == 32)
    }

    @Test("a package's playlist has ranges of one local file, and neither keys nor gaps")
    func local() throws {
        let plan = try Self.plan(
            """
            #EXT-X-KEY:METHOD=AES-128,URI="k"
            #EXT-X-MAP:URI="m"
            #EXTINF:2.5,
            #EXT-X-BYTERANGE:10@0
            s
            #EXT-X-GAP
            #EXTINF:0.00001,
            t
            #EXTINF:2,
            u
            #EXT-X-DISCONTINUITY
            #EXT-X-MAP:URI="n"
            #EXTINF:1,
            v
            """)
        let pieces = [
            JoinedPiece(initialization: 7, media: 10), JoinedPiece(media: 0), JoinedPiece(media: 20),
            JoinedPiece(initialization: 8, media: 30),
        ]
        #expect(
            plan.text(file: "01 #ä.mp4", pieces: pieces) == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-TARGETDURATION:3
                #EXT-X-MEDIA-SEQUENCE:0
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXT-X-MAP:URI="01%20%23%C3%A4.mp4",BYTERANGE="7@0"
                #EXTINF:2.5,
                #EXT-X-BYTERANGE:10@7
                01%20%23%C3%A4.mp4
                #EXT-X-DISCONTINUITY
                #EXTINF:2.0,
                #EXT-X-BYTERANGE:20@17
                01%20%23%C3%A4.mp4
                #EXT-X-MAP:URI="01%20%23%C3%A4.mp4",BYTERANGE="8@37"
                #EXT-X-DISCONTINUITY
                #EXTINF:1.0,
                #EXT-X-BYTERANGE:30@45
                01%20%23%C3%A4.mp4
                #EXT-X-ENDLIST

                """)
    }

    @Test("100,000 segments are planned")
    func many() throws {
        let plan = try Self.plan(String(repeating: "#EXTINF:1,\na\n", count: 100_000))
        #expect(plan.segments.count == 100_000)
        #expect(plan.seconds == 100_000)
    }
}
