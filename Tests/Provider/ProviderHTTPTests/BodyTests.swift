import ProviderKit
import Testing

@testable import ProviderHTTP

/// Bodies that are read, and what is said of those that can't be.
@Suite struct BodyTests {
    private static func response(_ body: String, _ mediaType: String? = nil, status: Int = 200) throws -> HTTPResponse {
        HTTPResponse(
            status: status, headers: mediaType.map { ["content-type": $0] } ?? [:], body: Array(body.utf8),
            address: try #require(WebAddress("https://media.example.org/feed?token=canary")), hadLogin: false)
    }

    private static func message(_ read: () throws(ProviderError) -> Void) -> String {
        do {
            try read()
            return "nothing"
        } catch {
            return error.description
        }
    }

    struct Item: Decodable {
        var title: String
        var length: Int
    }

    @Test(
        "a mistake in JSON has its place, and nothing of the values",
        arguments: [
            (
                #"[{"title": "a", "length": 1}, {"title": 7, "length": 1}]"#,
                "none that is known: [1].title is a number, not a string"
            ),
            (#"[{"title": "canary"}]"#, "none that is known: [0].length isn't there"),
            (#"{"canary": 1}"#, "none that is known: it is an object, not an array"),
            ("[{\"title\": \"a\",\n \"length\": 1}", "isn't JSON, it ends in the middle"),
            ("[{\"title\": \"a\",\n length: 1}", "isn't JSON, line 2, byte 18"),
            ("", "isn't JSON, it ends in the middle"),
        ])
    func json(_ body: String, _ said: String) throws {
        let response = try Self.response(body, "application/json")
        let message = Self.message { () throws(ProviderError) in _ = try response.json(as: [Item].self) }
        #expect(message.hasPrefix("unavailable: the answer of media.example.org is"))
        #expect(message.contains(said), "\(message)")
        #expect(!message.contains("canary"))
    }

    @Test("a web page in place of JSON or XML is called one", arguments: ["text/html; charset=utf-8", nil])
    func page(_ mediaType: String?) throws {
        let response = try Self.response("\n<!DOCTYPE html><html><body>Log in &nbsp;</body></html>", mediaType)
        for (message, wanted) in [
            (Self.message { () throws(ProviderError) in _ = try response.json() }, "JSON"),
            (Self.message { () throws(ProviderError) in _ = try response.xml() }, "XML"),
        ] {
            #expect(message == "unavailable: media.example.org answers with a web page where \(wanted) was expected")
        }
    }

    @Test(
        "a mistake in XML has its line",
        arguments: [
            ("<a>\n<b></a>", "mismatched tag, line 2"), ("<a>\n<b>", "no element found, line 2"), ("", "it is empty"),
            ("<a>\n&nbsp;</a>", "undefined entity, line 2"), ("<a><b/>", "no element found, line 1"),
            ("<?xml version='1.0' encoding='klingon'?><a/>", "unknown encoding, line 1"),
        ])
    func xml(_ body: String, _ said: String) throws {
        let response = try Self.response(body)
        #expect(
            Self.message { () throws(ProviderError) in _ = try response.xml() }
                == "unavailable: the answer of media.example.org isn't XML: \(said)")
    }

    @Test("elements have their namespaces, and prefixes that nobody has declared stay in the name")
    func namespaces() throws {
        let root = try Self.response(
            """
            <r xmlns:m="urn:media" xmlns="urn:r" a="1"> x <m:c m:u="2">&lt;<![CDATA[<&>]]></m:c><b xmlns=""/><n:o/>
            <c/></r>
            """
        ).xml()
        #expect(root.name == "r" && root.namespace == "urn:r" && root.attributes == ["a": "1"] && root.words == "x")
        #expect(root.first("c", in: "urn:media")?.text == "<<&>")
        #expect(root.first("c", in: "urn:media")?.attributes == ["m:u": "2"])
        #expect(root.first("b")?.name == "b" && root.first("n:o")?.line == 1 && root.first("c", in: "urn:r")?.line == 2)
    }

    @Test(
        "each status has its kind",
        arguments: [
            (400, "unavailable: media.example.org answers 400"),
            (401, "auth_required: media.example.org asks for a login (401)"),
            (402, "forbidden: media.example.org refuses access (402)"),
            (403, "forbidden: media.example.org refuses access (403)"),
            (414, "not_found: media.example.org has nothing at this address (414)"),
            (422, "not_found: media.example.org has nothing at this address (422)"),
            (404, "not_found: media.example.org has nothing at this address (404)"),
            (410, "gone: media.example.org has removed what was at this address (410)"),
            (429, "rate_limited: media.example.org asks for fewer requests (429)"),
            (451, "geo_blocked: media.example.org doesn't offer this here (451)"),
            (503, "unavailable: media.example.org answers 503"), (304, "unavailable: media.example.org answers 304"),
        ])
    func statuses(_ status: Int, _ said: String) throws {
        let response = try Self.response("", status: status)
        #expect(Self.message { () throws(ProviderError) in try response.checked() } == said)
    }

    @Test("a refused grant is a refused login")
    func grant() throws {
        let response = try Self.response(#"{"error":"invalid_grant"}"#, "application/json", status: 400)
        #expect(
            Self.message { () throws(ProviderError) in try response.checked() }
                == "auth_required: media.example.org refuses this login (400)")
    }

    @Test(
        "JSON as the argument of a function is read",
        arguments: [
            (#"{"a": 1}"#, 1), (#"jsonp_7({"a": 1});"#, 1), ("\u{FEFF}/* 1 */ a.b[0] ( {\"a\": 1} ) ; \n", 1),
            (#"{"b": "x(1)"}"#, nil),
        ] as [(String, Int64?)])
    func jsonp(_ body: String, _ value: Int64?) throws {
        #expect(try Self.response(body, "text/javascript").jsonp()["a"]?.int == value)
    }

    @Test(
        "what isn't JSON in the function is no answer", arguments: ["f({)", "f(1", "f(1) + 2", "<script>f(1)</script>"])
    func noJSONP(_ body: String) throws {
        let response = try Self.response(body, "text/javascript")
        #expect(Self.message { () throws(ProviderError) in _ = try response.jsonp() }.hasPrefix("unavailable"))
    }

    @Test(
        "the next page is that of a Link field",
        arguments: [
            (#"<https://h/2>; rel="next""#, "https://h/2"),
            (#"</a?p=2>; rel=next"#, "https://media.example.org/a?p=2"),
            (#"<1>; rel="prev", <3>; rel="last next"; title="x""#, "https://media.example.org/3"),
            (#"<https://h/2>; rel="nextish""#, nil), ("", nil),
        ] as [(String, String?)])
    func next(_ link: String, _ next: String?) throws {
        let response = HTTPResponse(
            status: 200, headers: ["link": link], body: [],
            address: try #require(WebAddress("https://media.example.org/feed")))
        #expect(try response.next?.text == next)
    }

    @Test(
        "a list whose next page can't be requested doesn't end",
        arguments: ["ftp://h/2", "https://a@b/2", "https://"])
    func brokenNext(_ link: String) throws {
        let response = HTTPResponse(
            status: 200, headers: ["link": "<\(link)>; rel=next"], body: [],
            address: try #require(WebAddress("https://media.example.org/feed")))
        #expect(throws: ProviderError.self) { _ = try response.next }
    }

    @Test(
        "a page to log in at, in place of JSON, needs a login at the server that was asked",
        arguments: [
            ("<!DOCTYPE html><form><input name=p type='password'></form>", "https://media.example.org/feed", true),
            ("<!DOCTYPE html><html>Moment", "https://idp.example.net/start", true),
            ("<!DOCTYPE html><html>Moment", "https://media.example.org/login/index.php", true),
            ("<!DOCTYPE html><html>Moment", "https://media.example.org/logins", false),
        ])
    func login(_ body: String, _ address: String, _ isLogin: Bool) throws {
        var response = HTTPResponse(
            status: 200, headers: [:], body: Array(body.utf8), address: try #require(WebAddress(address)))
        response.asked = try #require(WebAddress("https://media.example.org/feed"))
        let message = Self.message { () throws(ProviderError) in _ = try response.json() }
        #expect(message.hasPrefix(isLogin ? "auth_required: media.example.org answers" : "unavailable: "), "\(message)")
    }
}
