import CommandOutput
import Foundation
import ProviderHost
import ProviderKit
import SystemPackage
import TestSupport
import Testing

@testable import ProviderConformance

@Suite("Fixtures")
struct FixtureTests {
    private static func exchange(_ request: String, _ response: String) throws -> RecordedExchange {
        try RecordedExchange(Array((request + "\n\n" + response).utf8))
    }

    private static func request(_ line: String, _ fields: String...) throws -> ReceivedRequest {
        try #require(ReceivedRequest(head: ([line + " HTTP/1.1"] + fields).joined(separator: "\r\n")))
    }

    @Test("an exchange is read from its file's bytes and written as them, whatever the line ends")
    func reading() throws {
        let text = "GET /feed.xml?a=1\nDepth: 1\n\nHTTP/1.1 200 OK\nContent-Type: text/xml\n\n<a>\n\n</a>"
        let exchange = try RecordedExchange(Array(text.utf8))
        #expect(exchange.bytes == Array(text.utf8))
        #expect(exchange.response.status == "200 OK")
        #expect(exchange.response.body == Array("<a>\n\n</a>".utf8))
        let head = text.prefix { $0 != "<" }.replacing("\n", with: "\r\n")
        #expect(try RecordedExchange(Array((head + "<a>").utf8)).target == "/feed.xml?a=1")
    }

    @Test(
        "what isn't an exchange is told with its line",
        arguments: [
            ("", 1), ("GET feed\n", 1), ("GET /a\nno header\n", 2), ("GET /a\n\n200 OK\n", 3), ("GET /a\n\n", 3),
        ])
    func mistakes(text: String, line: Int) {
        #expect(throws: RecordedExchange.Mistake(line: line)) { try RecordedExchange(Array(text.utf8)) }
    }

    @Test("a request fits by method, path, query in any order and headers; stars match any value")
    func matching() throws {
        let plain = try Self.exchange("GET /a?x=1&sig=*", "HTTP/1.1 200 OK\n\n")
        #expect(try plain.score(Self.request("GET /a?sig=abc&x=1")) == 0)
        #expect(try plain.score(Self.request("GET /a?sig=abc&x=2")) == nil)
        #expect(try plain.score(Self.request("GET /a?x=1")) == nil)
        #expect(try plain.score(Self.request("HEAD /a?sig=abc&x=1")) == nil)
        let headers = try Self.exchange("GET /a\nauthorization: *\nDepth: 1", "HTTP/1.1 200 OK\n\n")
        #expect(try headers.score(Self.request("GET /a", "Authorization: Basic x", "depth: 1")) == 3)
        #expect(try headers.score(Self.request("GET /a", "Authorization: Basic x", "depth: 0")) == nil)
        #expect(try headers.score(Self.request("GET /a", "depth: 1")) == nil)
    }

    @Test("an origin is replaced with its port and without a user, also where JSON escapes it")
    func origins() throws {
        let origin = try #require(EndpointOrigin("https://anna:pw@media.example.org:8443/dav/x?y"))
        #expect(origin.text == "https://media.example.org:8443")
        #expect(
            origin.replaced(
                in: #"https://media.example.org:8443/a "https:\/\/media.example.org:8443\/b""#, by: "http://h:1")
                == #"http://h:1/a "http:\/\/h:1\/b""#)
        #expect(EndpointOrigin("ftp://media.example.org/") == nil)
        #expect(EndpointOrigin("media.example.org") == nil)
    }

    @Test("secrets and personal data are taken out and counted; cursors and text stay")
    func scrubbing() throws {
        var scrubber = FixtureScrubber(secrets: ["correct horse"])
        let clean = scrubber.clean(
            try Self.exchange(
                "GET /a?user=anna&token=t0ps3cret\nAuthorization: Bearer abc\nDepth: 1",
                """
                HTTP/1.1 200 OK
                Set-Cookie: sid=abc123; Path=/
                Content-Type: application/json

                {"access_token": "abcdef", "nextPageToken": "p2", "owner": "anna.b@uni.example.edu", "url": \
                "https://h/v.mp4?e=5&sig=0f0f", "note": "correct horse", "jwt_of": "eyJhbGciOiJI.eyJzdWIiOiIx.c2ln"}
                """))
        let text = String(decoding: clean.bytes, as: UTF8.self)
        for secret in ["t0ps3cret", "Bearer abc", "abc123", "abcdef", "anna.b@", "0f0f", "correct horse", "eyJhbGc"] {
            #expect(!text.contains(secret), "\(secret)")
        }
        #expect(clean.target == "/a?user=anna&token=*")
        #expect(clean.fields.map(\.value) == ["*", "1"])
        #expect(text.contains("sid=fixture; Path=/"))
        #expect(text.contains(#""nextPageToken": "p2""#))
        #expect(text.contains("https://h/v.mp4?e=5&sig=fixture"))
        #expect(scrubber.taken[.field("Authorization")] == 1)
        #expect(scrubber.taken[.field("Set-Cookie")] == 1)
        #expect(scrubber.taken[.query("token")] == 1)
        #expect(scrubber.taken[.mail] == 1)
        #expect(scrubber.taken[.credential] == 1)
    }

    @Test("codes of errors stay, those of logins don't; secrets in a request's body match any")
    func codes() throws {
        var exchange = try Self.exchange(
            "POST /token",
            """
            HTTP/1.1 400 Bad Request
            Content-Type: application/json

            {"error": "invalid_grant", "error_code": "token_expired", "errorcode": "invalidToken", "code": "INVALID_KS", \
            "user_code": "WDJBMJHT", "access_code": "abcd", "auth_token": "invalid"}
            """)
        exchange.body = Array("grant_type=password&username=anna.b&password=pa%20ss&code=SplxlOBe".utf8)
        var scrubber = FixtureScrubber(secrets: ["anna.b", "pa ss"])
        let clean = scrubber.clean(exchange)
        #expect(String(decoding: clean.body, as: UTF8.self) == "grant_type=password&username=*&password=*&code=*")
        let text = String(decoding: clean.response.body, as: UTF8.self)
        for kept in ["invalid_grant", "token_expired", "invalidToken", "INVALID_KS"] {
            #expect(text.contains(kept), "\(kept)")
        }
        for taken in ["WDJBMJHT", "abcd", "\"invalid\""] { #expect(!text.contains(taken), "\(taken)") }
        exchange.body = Array(#"{"user": {"password": "pa ss", "kind": "staff"}, "remember": true}"#.utf8)
        let body = try JSONReader.value(of: scrubber.clean(exchange).body)
        #expect(body == ["user": ["password": "*", "kind": "staff"], "remember": true])
    }

    @Test("passwords among parameters are taken out by their names, and a user out of an address")
    func parameters() {
        let given: JSONValue = ["endpoint": "https://anna:pw@h/x", "video_password": "abc", "lang": "en"]
        var scrubber = FixtureScrubber(secrets: [])
        scrubber.learn(given)
        #expect(
            scrubber.clean(given) == ["endpoint": "https://h/x", "video_password": "fixture", "lang": "en"])
    }

    private static func cleaned(
        _ body: [UInt8], type: String, request: String = "GET /a", response: String = ""
    ) throws -> (exchange: RecordedExchange, scrubber: FixtureScrubber) {
        var exchange = try exchange(request, "HTTP/1.1 200 OK\nContent-Type: \(type)\n\(response)\n")
        exchange.response.body = body
        var scrubber = FixtureScrubber(secrets: ["correct horse", "pässwörd"])
        scrubber.learn([exchange])
        return (scrubber.clean(exchange), scrubber)
    }

    @Test("secrets are taken out of XML and HTML, by the names of elements and attributes; keys of objects stay")
    func markup() throws {
        let text = """
            <d:user xmlns:d="u" session="abc-1"><d:password x="1">s3cr3t</d:password><Key>p/1.mp4</Key><Code>NoSuchKey</Code>
            <input name="csrf" data-token='t0k3n'><a>correct horse</a><NextContinuationToken>n1</NextContinuationToken></d:user>
            """
        let (exchange, scrubber) = try Self.cleaned(Array(text.utf8), type: "application/xml")
        let clean = String(decoding: exchange.response.body, as: UTF8.self)
        for secret in ["abc-1", "s3cr3t", "t0k3n", "correct horse"] { #expect(!clean.contains(secret), "\(secret)") }
        for kept in ["<Key>p/1.mp4</Key>", "NoSuchKey", ">n1<", "name=\"csrf\""] {
            #expect(clean.contains(kept), "\(kept)")
        }
        #expect(scrubber.taken[.member("password")] == 1)
    }

    @Test("secrets are taken out of text that isn't UTF-8, which stays as it was otherwise")
    func otherEncodings() throws {
        let body: [UInt8] = [0xFC] + Array(" {\"token\": \"t0k3n\"} correct horse pässwörd".utf8) + [0xE4]
        let clean = try Self.cleaned(body, type: "text/plain; charset=iso-8859-1").exchange.response.body
        #expect(clean == [0xFC] + Array(" {\"token\": \"fixture\"} fixture fixture".utf8) + [0xE4])
    }

    @Test("what can't be read isn't kept; pictures are, without what is known to be secret")
    func bodies() throws {
        for body in [[0x1F, 0x8B, 8, 1], Array("PK\u{3}\u{4}x".utf8), [0, 1, 2], [0xFF, 0xFE, 0x61, 0]] as [[UInt8]] {
            let (exchange, scrubber) = try Self.cleaned(body, type: "application/octet-stream")
            #expect(exchange.response.body.isEmpty && scrubber.taken[.body] == 1)
        }
        let picture = [0xFF, 0xD8, 0, 1] + Array("correct horse".utf8) + [0]
        let clean = try Self.cleaned(picture, type: "image/jpeg").exchange.response.body
        #expect(clean == [0xFF, 0xD8, 0, 1] + Array("fixture".utf8) + [0])
    }

    @Test("of cookies only names and places stay, and their values are known elsewhere")
    func cookies() throws {
        let (exchange, _) = try Self.cleaned(
            Array("id 0123456789 and abcdefghij".utf8), type: "text/plain", request: "GET /a\nCookie: sid=0123456789",
            response: "Set-Cookie: abcdefghij\nSet-Cookie2: x=canary\nSet-Cookie: a=b1; Path=/; c=canary, d=canary\n")
        let text = String(decoding: exchange.bytes, as: UTF8.self)
        for secret in ["0123456789", "abcdefghij", "canary", "b1"] { #expect(!text.contains(secret), "\(secret)") }
        #expect(text.contains("Set-Cookie: cookie=fixture\n") && text.contains("Set-Cookie: a=fixture; Path=/\n"))
        #expect(text.contains("id fixture and fixture"))
    }

    /// The host of `asking.py`.
    private static func host() throws -> LoopbackServer {
        try LoopbackServer { request in
            let json = MessageField(name: "Content-Type", value: "application/json")
            func answer(_ text: String, _ more: MessageField...) -> ServedResponse {
                ServedResponse(status: "200 OK", fields: [json] + more, body: Array(text.utf8))
            }
            if request.target == "/api/login?user=anna&password=pass-12345" {
                return answer(#"{"access_token": "real-token-77", "mail": "anna@uni.example.edu"}"#)
            }
            guard request["Authorization"] == "Bearer real-token-77" else { return ServedResponse(status: "401 No") }
            if request.target == "/api/videos" {
                if request["If-None-Match"] == "\"v1\"" { return ServedResponse(status: "304 Not Modified") }
                return answer(
                    #"{"title": "Optics", "videos": [{"id": "v 1"}, {"id": "v2"}]}"#,
                    MessageField(name: "ETag", value: "\"v1\""))
            }
            guard ["/api/videos/v%201", "/api/videos/v2"].contains(request.target) else { return .notFound }
            return answer(#"{"url": "https://cdn.example.org/v.mp4?e=1900000000&sig=abcdef0123"}"#)
        }
    }

    private static func plugin() throws -> PluginTrial {
        let trial = PluginTrial()
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "asking.py")
        try trial.write(try String(contentsOf: source, encoding: .utf8), to: "asking.py")
        try trial.write(
            """
            name: asking
            protocol: 1
            run: [python3, asking.py]
            methods: [resolve, list, login]
            credentials: [username, password]
            parameters: {type: object, required: [endpoint], properties: {endpoint: {type: string}}}

            """, to: "plugin.yaml")
        return trial
    }

    @Test("what is recorded of a host has no secret of it, and a plugin passes with it and without the host")
    func recording() async throws {
        let trial = try Self.plugin()
        let host = try Self.host()
        var settings = CheckSettings()
        settings.parameters = ["endpoint": .string(host.origin + "/api")]
        settings.credentials = ["username": "anna", "password": "pass-12345"]
        let place = TemporaryFolder()
        let folder = place.at("recorded").string
        let found = PluginRegistry.plugin(
            in: trial.folder.path, environment: ProcessInfo.processInfo.environment,
            executable: Built.executable("coursefetch"))
        guard case .success(let plugin) = found else {
            Issue.record("\(String(describing: found))")
            return
        }
        let outcome = try await FixtureRecording(folder: folder, settings: settings).run(plugin)
        host.close()
        #expect(outcome.exchanges >= 5)
        #expect(outcome.unanswered == 0)
        #expect(outcome.taken[.member("access_token")] == 1)
        let files = place.files()
        for (name, text) in files {
            for secret in ["pass-12345", "real-token-77", "abcdef0123", "anna@uni"] {
                #expect(!text.contains(secret), "\(name): \(secret)")
            }
        }

        let fixtures = try FixtureFolder(folder)
        var replayed = CheckSettings()
        replayed.take(fixtures.description)
        let replay = try FixtureReplay(fixtures, settings: replayed)
        defer { replay.close() }
        let report = await PluginTrial.report(
            trial.folder.path, replay.settings, host: replay.watch)
        #expect(report.failed == [])
        #expect(replay.watch.requests() > 10)
        let passed = report.results.filter { if case .passed = $0.verdict { true } else { false } }.map(\.check)
        for check in [ConformanceCheck.login, .list, .listKnown, .resolution] {
            #expect(passed.contains(check), "\(check)")
        }
    }

    @Test("a folder with something in it isn't recorded into")
    func full() throws {
        let place = TemporaryFolder()
        try place.write("x", to: "a")
        #expect(throws: FixtureProblem.notEmpty(place.path.string)) {
            try FixtureRecording(folder: place.path.string, settings: CheckSettings())
        }
    }

    @Test(
        "mistakes in fixture.yaml are told by key and place",
        arguments: [
            "parameters: 3\n", "video: []\n", "videos: [3]\n", "now: yesterday\n", "credentials: [a]\n", "[]\n",
        ])
    func description(text: String) throws {
        #expect(throws: FixtureProblem.self) { try FixtureDescription.read(Array(text.utf8), file: "fixture.yaml") }
    }
}
