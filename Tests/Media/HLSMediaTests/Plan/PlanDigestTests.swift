import HLSMedia
import Testing

@Suite("conditions for continuing a stream")
struct PlanDigestTests {
    static func digest(_ lines: [String], url: String = "https://h/a/p.m3u8", identity: String = "") throws -> [UInt8] {
        let text = lines.map { $0.hasPrefix("#") ? $0 : "#EXTINF:2,\n\($0)" }.joined(separator: "\n")
        return try StreamPlanTests.plan(text, url: url, identity: identity).digest
    }

    @Test(
        "tokens may change in the query, and in the folder of absolute URIs",
        arguments: [
            (["a?t=1", "b?t=1"], ["a?t=2", "b?t=3#x"]),
            (["https://h/T1/a", "https://h/T1/b"], ["https://i/T2/x/a", "//h/b/b".replacing("b/b", with: "T2/x/b")]),
            (["/T1/v/a", "/T1/v/b"], ["/T2/w/x/a", "/T2/w/x/b"]),
            (["/T1/v/1/a", "/T1/v/2/a"], ["/T2/1/a", "/T2/2/a"]),
            (["https://h/T1/only"], ["https://h/T2/T3/only"]), (["https://h/T1/"], ["https://h/T2/"]),
            (["https://h"], ["https://i/?x"]), (["/T1/a", "/T1/ab"], ["/T2/a", "/T2/ab"]),
            (["/a", "b"], ["/c/a", "b"]),
            (
                ["#EXT-X-BYTERANGE:5@0", "/T1/v", "#EXT-X-BYTERANGE:5", "/T1/v"],
                ["#EXT-X-BYTERANGE:5@0", "/T2/v", "#EXT-X-BYTERANGE:5@5", "/T2/v"]
            ),
            (["#EXT-X-MAP:URI=\"/T1/m?1\"", "/T1/v/a"], ["#EXT-X-MAP:URI=\"/T2/m?2\"", "/T2/v/a"]),
            (
                ["#EXT-X-KEY:METHOD=AES-128,URI=\"k?1\"", "a"],
                ["#EXT-X-KEY:METHOD=AES-128,URI=\"https://k/x\",IV=0", "a"]
            ),
            (["#EXTINF:2.0,\na"], ["#EXTINF:2.000,title\na"]), (["a"], ["#EXT-X-DISCONTINUITY", "a"]),
        ])
    func same(one: [String], other: [String]) throws { #expect(try Self.digest(one) == Self.digest(other)) }

    @Test(
        "any other change gives another digest",
        arguments: [
            (["a", "b"], ["a"]), (["a", "b"], ["b", "a"]), (["a"], ["x/a"]), (["a"], ["/a"]), (["x/a"], ["/x/a"]),
            (["/T/a", "/T/b"], ["/T/a", "/T/c"]), (["/T/1/a", "/T/2/a"], ["/T/1/a", "/T/3/a"]),
            (["a"], ["#EXTINF:2.001,\na"]),
            (["/T/a", "/T/b"], ["/T/a", "/U/b"]), (["a"], ["#EXT-X-MEDIA-SEQUENCE:1", "a"]),
            (["a"], ["#EXT-X-GAP", "a"]),
            (["a"], ["#EXT-X-BYTERANGE:5@0", "a"]), (["#EXT-X-BYTERANGE:5@1", "a"], ["#EXT-X-BYTERANGE:5@0", "a"]),
            (["a"], ["#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", "a"]), (["a"], ["#EXT-X-MAP:URI=\"m\"", "a"]),
            (["#EXT-X-MAP:URI=\"n\"", "a"], ["#EXT-X-MAP:URI=\"m\"", "a"]),
            (["#EXT-X-MAP:URI=\"m\",BYTERANGE=\"5@0\"", "a"], ["#EXT-X-MAP:URI=\"m\"", "a"]),
            (
                ["#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", "a", "b"],
                ["#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", "a", "#EXT-X-KEY:METHOD=AES-128,URI=\"l\"", "b"]
            ),
            (
                ["#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x1", "a"],
                ["#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0x2", "a"]
            ),
        ])
    func different(one: [String], other: [String]) throws { #expect(try Self.digest(one) != Self.digest(other)) }

    @Test("the playlist's own address doesn't count, but which stream it is does")
    func identity() throws {
        #expect(try Self.digest(["a"], url: "https://i/x/y.m3u8?t") == Self.digest(["a"]))
        #expect(try Self.digest(["a"], identity: "720p") != Self.digest(["a"], identity: "1080p"))
    }

    @Test("a stored digest is the same in the next version")
    func stored() throws {
        let hex = try Self.digest(
            ["#EXT-X-MAP:URI=\"m\"", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"", "/t/a?q", "b"], identity: "x"
        )
        .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(hex == "986ad4690f797c0af7553cb17f3bcea21e9889d58635af5d903cf0b49dfbe897")
    }
}
