import Checkout
import CommandOutput
import Foundation
import ProviderKit
import SystemPackage
import TestSupport
import Testing

@testable import ProviderConformance

@Suite("Fixtures that a plugin has to follow")
struct FixtureStrictnessTests {
    /// Each fault of `portal.py` with the checks that find it, and words of the finding.
    static let faults: [(fault: String, checks: [String], words: String)] = [
        (
            "typo", ["exchanges"],
            "no exchange for POST /portal/token; nearest: token.http with grant_type=refresh_token in the body"
        ),
        (
            "count", ["exchanges"],
            "no exchange for GET /portal/videos?count=15; nearest: videos-refused.http with count=100"
        ),
        ("each", ["renewal"], "4 of the requests in flight renewed the credentials"),
        ("loses", ["renewal"], "'credentials' isn't in the answer"),
        ("size", ["expected"], "'size' for the video 'v1' is 1; its fixture expects 1000"),
    ]

    private static let videos = """
        {"videos": [{"id": "v1", "title": "Waves"}, {"id": "v2"}]}
        """

    /// What the host of `portal.py` says.
    private static let exchanges: [String: String] = [
        "token.http": """
        POST /portal/token
        Content-Type: application/x-www-form-urlencoded

        grant_type=refresh_token&refresh_token=refresh-1

        HTTP/1.1 200 OK
        Content-Type: application/json

        {"access_token": "access-new", "refresh_token": "refresh-2"}
        """,
        "videos-refused.http": "GET /portal/videos?count=100\n\nHTTP/1.1 401 Unauthorized\n\n",
        "videos.http": """
        GET /portal/videos?count=100
        Authorization: Bearer access-new

        HTTP/1.1 200 OK
        Content-Type: application/json

        \(videos)
        """,
        "v1-refused.http": "GET /portal/videos/v1\n\nHTTP/1.1 401 Unauthorized\n\n",
        "v1.http": """
        GET /portal/videos/v1
        Authorization: Bearer access-new

        HTTP/1.1 200 OK
        Content-Type: application/json

        {"file": "https://cdn.example.org/v1.mp4?sig=0123", "size": 1000}
        """,
        "v2-refused.http": "GET /portal/videos/v2\n\nHTTP/1.1 401 Unauthorized\n\n",
        "v2.http": "GET /portal/videos/v2\nAuthorization: Bearer access-new\n\nHTTP/1.1 410 Gone\n\n",
    ]

    private static let description = """
        parameters: {endpoint: "https://media.example.org/portal"}
        credentials: {access: access-old, refresh: refresh-1}
        now: 2026-11-20T23:00:00Z
        videos:
          - {id: v1, expect: {url: "https://cdn.example.org/v1.mp4?sig=*", size: 1000, expires_at: null}}
          - {id: v2, expect: {error: gone}}

        """

    private func report(
        _ fault: String?, description: String = description, more: [String: String] = [:]
    ) async throws -> ConformanceReport {
        let trial = PluginTrial()
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "portal.py")
        try trial.write(try String(contentsOf: source, encoding: .utf8), to: "portal.py")
        try trial.write(
            try Checkout.text("contrib/python/coursefetch_provider.py"), to: "coursefetch_provider.py")
        try trial.write(
            """
            name: portal
            protocol: 1
            run: [python3, -B, portal.py\(fault.map { ", \($0)" } ?? "")]
            methods: [resolve, list]
            concurrency: \(fault == "loses" ? 1 : 4)
            credentials: [access, refresh]
            parameters: {type: object, required: [endpoint], properties: {endpoint: {type: string}}}

            """, to: "plugin.yaml")
        let place = TemporaryFolder()
        try place.write(description, to: "fixture.yaml")
        for (name, text) in Self.exchanges.merging(more, uniquingKeysWith: { $1 }) { try place.write(text, to: name) }
        let fixtures = try FixtureFolder(place.path.string)
        var settings = CheckSettings()
        settings.take(fixtures.description)
        let replay = try FixtureReplay(fixtures, settings: settings)
        defer { replay.close() }
        return await PluginTrial.report(trial.folder.path, replay.settings, host: replay.watch)
    }

    @Test("a plugin that follows its fixtures passes, and renews its login once")
    func right() async throws {
        let report = try await report(nil)
        #expect(report.failed == [])
        #expect(report.unused == [])
        let passed = report.results.filter { if case .passed = $0.verdict { true } else { false } }.map(\.check)
        for check in [ConformanceCheck.exchanges, .expected, .renewal, .resolution, .list] {
            #expect(passed.contains(check), "\(check)")
        }
    }

    @Test("a plugin that doesn't is told by the one check that is about it", arguments: faults)
    func fault(fault: String, checks: [String], words: String) async throws {
        let report = try await report(fault)
        #expect(report.failed == checks)
        let check = try #require(ConformanceCheck(rawValue: checks[0]))
        let sentences = report.failures(check).map { ConformanceWording.sentence($0.fault) }
        #expect(sentences.contains { $0.contains(words) }, "\(sentences)")
    }

    @Test("exchanges that nothing asked for are told")
    func unused() async throws {
        let report = try await report(nil, more: ["old.http": "GET /portal/v0/videos\n\nHTTP/1.1 200 OK\n\n"])
        #expect(report.failed == [])
        #expect(report.unused == ["old.http"])
    }

    @Test("an error for a video that the fixtures name fails, unless it is expected")
    func refused() async throws {
        let plain = Self.description.replacing(", expect: {error: gone}", with: "")
        let report = try await report(nil, description: plain)
        #expect(report.failed == ["resolution"])
        let other = Self.description.replacing("error: gone", with: "error: not_found")
        #expect(try await self.report(nil, description: other).failed == ["expected"])
    }

    @Test(
        "a body fits by its form: fields in any order, members of JSON, bytes; a star is any value",
        arguments: [
            ("a=1&b=x+y", "b=x%20y&a=1", []), ("a=*&b=2", "a=9&b=2", []), ("*", "anything", []), ("", "a=1", []),
            ("a=1", "a=2", [.init(.field("a"), recorded: "1", sent: "2")]),
            ("a=1", "a=1&b=2", [.init(.field("b"), recorded: nil, sent: "2")]),
            (#"{"a": {"b": 1, "c": "*"}}"#, #"{"a": {"c": "x", "b": 1.0}}"#, []),
            (#"{"a": {"b": 1}}"#, #"{"a": {"b": 2}}"#, [.init(.field("a.b"), recorded: "1", sent: "2")]),
            (#"{"a": [1, 2]}"#, #"{"a": [1, 3]}"#, [.init(.field("a[1]"), recorded: "2", sent: "3")]),
            ("<a/>", "<b/>", [.init(.body, recorded: "<a/>", sent: "<b/>")]), ("<a/>", "<a/>", []),
            ("a=1", "", [.init(.body, recorded: "a=1", sent: nil)]),
        ] as [(String, String, [ExchangeDifference])])
    func bodies(recorded: String, sent: String, differences: [ExchangeDifference]) {
        #expect(RequestBody(Array(recorded.utf8)).differences(from: Array(sent.utf8)) == differences)
    }

    @Test("a request's body is read from its file and written as it was")
    func bodyInFile() throws {
        let text = "POST /a\nDepth: 1\n\n{\"a\": 1,\n\n \"b\": 2}\n\nHTTP/1.1 200 OK\n\nok"
        let exchange = try RecordedExchange(Array(text.utf8))
        #expect(String(decoding: exchange.body, as: UTF8.self) == "{\"a\": 1,\n\n \"b\": 2}")
        #expect(exchange.bytes == Array(text.utf8))
        #expect(exchange.response.body == Array("ok".utf8))
    }

    @Test(
        "what is expected may have stars, and an object may have more members",
        arguments: [
            ("https://h/*.mp4?s=*", "https://h/a/b.mp4?s=", true), ("a*b*c", "abc", true), ("a*b*c", "acb", false),
            ("*", "", true), ("ab*ba", "aba", false), ("a", "a", true), ("a", "ab", false),
        ])
    func patterns(pattern: String, text: String, fits: Bool) {
        #expect(Expectation.matches(pattern[...], text[...]) == fits)
        #expect(Expectation.matches(["x": .string(pattern)], ["x": .string(text), "y": 1]) == fits)
        #expect(Expectation.matches(.null, .null) && !Expectation.matches("*", .null) && Expectation.matches(1, 1.0))
    }

    @Test("a real host is asked five times a second at most, however many are asked for together")
    func pace() {
        let start = ContinuousClock.now
        var pace = CheckPace()
        let turns = [1, 1, 3, 5, 1].map { pace.turn(of: $0, now: start) - start }
        #expect(turns == [0, 200, 400, 1_000, 2_000].map { .milliseconds($0) })
        #expect(pace.turn(of: 1, now: start + .seconds(9)) == start + .seconds(9))
    }
}
