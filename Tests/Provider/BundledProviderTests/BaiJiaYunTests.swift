import ProviderHTTP
import ProviderKit
import Testing

@testable import BundledProviders

@Suite("signatures and ids of BaijiaYun")
struct BaiJiaYunTests {
    /// The package `baijiayun` 1.0.1 of PyPI makes the same one of these fields.
    @Test("a signature is that of another client, in whatever order the fields are")
    func signature() {
        let fields = [
            ("video_id", "12343768"), ("expires_in", "0"), ("timestamp", "1534155197"), ("partner_id", "70969736"),
        ].map { (name: $0.0, value: $0.1) }
        for fields in [fields, fields.reversed()] {
            #expect(BaiJiaYunAPI.sign(fields, with: "demo") == "9c57e2665a9373140ac137ba64e6ce9b")
        }
    }

    @Test(
        "an id is a video's, a room's, or that of a room and its session; the parameters say what it doesn't",
        arguments: [
            ("123", [:], "vid 123"), ("77_9", [:], "class 77_9"), ("77_0", [:], "class 77"),
            ("123", ["vid": "123", "classId": "77"], "vid 123"), ("77", ["classId": "77"], "class 77"),
            ("77", ["vid": "5", "classId": "77"], "class 77"), ("77", ["classId": 77, "sessionId": 9], "class 77_9"),
            ("77_9", ["vid": "5"], "class 77_9"), ("mine", ["vid": 123], "vid 123"),
            ("mine", ["classId": "77", "sessionId": "0"], "class 77"), ("mine", [:], nil), ("0", [:], nil),
            ("1_2_3", [:], nil), ("１２", [:], nil), ("", ["vid": "x"], nil), ("1\n", [:], nil),
        ] as [(String, [String: JSONValue], String?)])
    func ids(id: String, parameters: [String: JSONValue], expected: String?) {
        let found = BaiJiaYunID(id, parameters)
        #expect(found.map { "\($0.isPlayback ? "class" : "vid") \($0.text)" } == expected)
    }

    @Test(
        "the address of a page has an id and a token",
        arguments: [
            ("/web/video/player?vid=123&token=a_b-c&player=bplayer", "123", "a_b-c"),
            ("/m/video/player?token=a%2Bb&vid=123", "123", "a+b"),
            ("/web/playback/index?classid=77&session_id=9&token=a", "77_9", "a"),
            ("/web/playback/index?classid=77&session_id=0", "77", nil),
            ("/web/video/player?vid=x&token=a", nil, nil), ("/web/video/player", nil, nil), ("/other?vid=1", nil, nil),
        ] as [(String, String?, String?)])
    func pages(path: String, id: String?, token: String?) throws {
        let address = try #require(WebAddress("https://school.at.baijiayun.com" + path))
        let found = BaiJiaYunID.read(address)
        #expect(found?.id.text == id && found?.token == token)
    }
}
