import HLSMedia
import Testing

@Suite("streams that aren't downloaded")
struct StreamRefusalTests {
    static let url = "https://h/a/p.m3u8"
    static let segment = "\n#EXTINF:1,\na.ts\n"

    static func refusal(_ text: String, url: String = url) throws -> StreamRefusal? {
        let playlist = try ParsedPlaylist.media("#EXTM3U\n" + text)
        do {
            _ = try StreamPlan.make(playlist, url: url)
            return nil
        } catch { return error }
    }

    @Test(
        "protected streams are refused by name, unless a key that can be fetched is given as well",
        arguments: [
            ("METHOD=SAMPLE-AES,URI=\"k\"", .drm(system: "SAMPLE-AES")),
            ("METHOD=SAMPLE-AES-CTR,URI=\"k\"", .drm(system: "SAMPLE-AES-CTR")),
            (
                "METHOD=SAMPLE-AES,URI=\"skd://k\",KEYFORMAT=\"com.apple.streamingkeydelivery\"",
                .drm(system: "FairPlay")
            ),
            ("METHOD=AES-128,URI=\"skd://k\"", .drm(system: "FairPlay")),
            ("method=sample-aes", .drm(system: "SAMPLE-AES")),
            (
                "METHOD=SAMPLE-AES-CTR,KEYFORMAT=\"urn:uuid:EDEF8BA9-79d6-4ace-a3c8-27dcd51d21ed\"",
                .drm(system: "Widevine")
            ),
            ("METHOD=SAMPLE-AES,KEYFORMAT=\"com.microsoft.playready\"", .drm(system: "PlayReady")),
            (
                "METHOD=AES-128,URI=\"k\",KEYFORMAT=\"com.vendor\"",
                .drm(system: "keys in a proprietary format")
            ),
            ("METHOD=AES-512,URI=\"k\"", .drm(system: "a non-standard encryption method")),
            (
                "METHOD=AES-512,URI=\"k\"\n#EXT-X-KEY:METHOD=SAMPLE-AES,KEYFORMAT=\"com.microsoft.playready\"",
                .drm(system: "PlayReady")
            ),
            ("METHOD=SAMPLE-AES,KEYFORMAT=\"com.microsoft.playready\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", nil),
            ("METHOD=SAMPLE-AES,URI=\"k\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", nil),
            ("METHOD=SAMPLE-AES,URI=\"k\"\n#EXT-X-KEY:METHOD=NONE", nil), ("METHOD=AES-128,URI=\"k\"", nil),
            ("METHOD=AES-128,URI=\"k\",KEYFORMAT=\"identity\",KEYFORMATVERSIONS=\"1\"", nil),
        ] as [(String, StreamRefusal?)])
    func protection(key: String, refusal: StreamRefusal?) throws {
        let tail = Self.segment + "#EXT-X-ENDLIST"
        #expect(try Self.refusal("#EXT-X-KEY:\(key)\(tail)") == refusal)
        #expect(try Self.refusal("#EXTINF:1,\na\n#EXT-X-KEY:\(key)\(tail)") == refusal)
        #expect(
            try Self.refusal("#EXT-X-KEY:\(key)\n#EXT-X-MAP:URI=\"m\"\n#EXT-X-KEY:METHOD=NONE\(tail)") == refusal)
        let master = try ParsedPlaylist.master(
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv\n#EXT-X-KEY:\(key)".replacing("-KEY:", with: "-SESSION-KEY:"))
        if !key.contains("NONE"), !key.contains("SAMPLE-AES,URI=\"k\"\n") {
            if let refusal {
                #expect(throws: refusal) { try master.check() }
            } else {
                #expect(throws: Never.self) { try master.check() }
            }
        }
    }

    @Test("a key that no segment and no map uses doesn't count")
    func unused() throws {
        let text = "#EXT-X-KEY:METHOD=SAMPLE-AES\n#EXT-X-MAP:URI=\"m\"\n#EXT-X-KEY:METHOD=NONE\n#EXT-X-MAP:URI=\"n\""
        #expect(try Self.refusal(text + Self.segment + "#EXT-X-KEY:METHOD=SAMPLE-AES\n#EXT-X-ENDLIST") == nil)
    }

    @Test(
        "live streams wait, others are refused permanently",
        arguments: [
            (segment, .notReady), ("#EXT-X-PLAYLIST-TYPE:EVENT" + segment, .notReady),
            ("#EXT-X-TARGETDURATION:1", .notReady),
            ("#EXT-X-PLAYLIST-TYPE:EVENT" + segment + "#EXT-X-ENDLIST", nil),
            ("#EXT-X-PLAYLIST-TYPE:VOD" + segment, nil),
            (segment + "#EXT-X-ENDLIST", nil), ("#EXT-X-ENDLIST", .empty), ("#EXT-X-PLAYLIST-TYPE:VOD", .empty),
            ("#EXT-X-I-FRAMES-ONLY" + segment, .unsupported(reason: "the playlist has only single pictures")),
            ("#EXT-X-SKIP:SKIPPED-SEGMENTS=3" + segment, .unsupported(reason: "the playlist leaves segments out")),
            ("#EXT-X-KEY:METHOD=SAMPLE-AES" + segment, .drm(system: "SAMPLE-AES")),
            (
                segment + "#EXTINF:1,\nfile:///x?token\n#EXT-X-ENDLIST",
                .unsupported(reason: "an address that is neither http nor https, for line 6 of the playlist")
            ),
            (
                "#EXT-X-KEY:METHOD=AES-128,URI=\"data:,x\"" + segment + "#EXT-X-ENDLIST",
                .unsupported(reason: "an address that is neither http nor https, for line 4 of the playlist")
            ),
        ] as [(String, StreamRefusal?)])
    func others(text: String, refusal: StreamRefusal?) throws { #expect(try Self.refusal(text) == refusal) }

    @Test("a playlist that didn't come from the web, and addresses whose total length is too large")
    func addresses() throws {
        let complete = Self.segment + "#EXT-X-ENDLIST"
        #expect(
            try Self.refusal(complete, url: "file:///p.m3u8")
                == .unsupported(reason: "the playlist's address is neither http nor https"))
        let deep = "https://h/" + String(repeating: "d", count: 15_000) + "/p.m3u8"
        let many = String(repeating: "#EXTINF:1,\na\n", count: 10_000) + "#EXT-X-ENDLIST"
        #expect(
            try Self.refusal(many, url: deep)
                == .unsupported(reason: "the addresses of the segments take too much memory"))
    }
}
