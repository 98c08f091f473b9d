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
            (403, "forbidden: media.example.org refuses access (403)"),
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
}
