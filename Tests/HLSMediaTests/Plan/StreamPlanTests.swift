import HLSMedia
import Testing

@Suite("the plan of a stream")
struct StreamPlanTests {
    static let url = "https://h/a/p.m3u8?token=1"

    static func plan(_ text: String, url: String = url, identity: String = "") throws -> StreamPlan {
        try StreamPlan.make(try ParsedPlaylist.media("#EXTM3U\n\(text)\n#EXT-X-ENDLIST"), url: url, identity: identity)
    }

    @Test("addresses, ranges, keys and maps of every segment are worked out")
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

    @Test("a package has local names, and neither keys nor ranges")
    func local() throws {
        let plan = try Self.plan(
            """
            #EXT-X-KEY:METHOD=AES-128,URI="k"
            #EXT-X-MAP:URI="m"
            #EXTINF:2.5,
            #EXT-X-BYTERANGE:10@0
            s
            #EXT-X-DISCONTINUITY
            #EXT-X-GAP
            #EXTINF:0.00001,
            t
            """)
        #expect(
            plan.text(segmentName: { "segments/#\($0) ä.m4s" }, mapName: { "map \($0)" }) == """
                #EXTM3U
                #EXT-X-VERSION:7
                #EXT-X-TARGETDURATION:3
                #EXT-X-MEDIA-SEQUENCE:0
                #EXT-X-PLAYLIST-TYPE:VOD
                #EXT-X-MAP:URI="map%200"
                #EXTINF:2.5,
                segments/%230%20%C3%A4.m4s
                #EXT-X-DISCONTINUITY
                #EXT-X-GAP
                #EXTINF:0.00001,
                segments/%231%20%C3%A4.m4s
                #EXT-X-ENDLIST

                """)
    }

    @Test("200,000 segments are planned")
    func many() throws {
        let plan = try Self.plan(String(repeating: "#EXTINF:1,\na\n", count: 200_000))
        #expect(plan.segments.count == 200_000)
        #expect(plan.seconds == 200_000)
    }
}
