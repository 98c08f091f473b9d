import Crypto
import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("what a provider says besides the address", .timeLimit(.minutes(5)))
struct AnswerTests {
    private let content = TestContent(seed: 4, size: 60_000)

    private var md5: String { Insecure.MD5.hash(data: content.all).map { String(format: "%02x", $0) }.joined() }

    private func stage(_ host: FaultHost, _ query: String = "", answer: String, extra: [String] = []) throws -> Stage {
        let stage = try Stage()
        try stage.recordingPlugin()
        let parameters = "{url: \(CatalogText.quoted(host.url(content, query))), answer: \(answer)}"
        try stage.catalog(
            CatalogText(provider: "recorder", videos: [.init(id: "v", extra: ["parameters: \(parameters)"] + extra)]))
        return stage
    }

    @Test("a file with the right MD5 is finished, and verify tells it")
    func rightChecksum() async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host, answer: "{checksums: {md5: '\(md5)'}}")
        let outcome = try await stage.sync("catalog.yaml", ["--no-checksum"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        let verified = try await stage.command(["verify", "--json"])
        #expect(verified.output.contains(#""checksums":{"md5":"\#(md5)"}"#), "\(verified.output)")
        #expect(verified.output.contains(#""result":"intact""#), "\(verified.output)")
        // It proves what has no SHA-256.
        try stage.folder.write(String(repeating: "x", count: content.size), to: "library/Course/01 v.mp4")
        let damaged = try await stage.command(["verify", "--json"])
        #expect(damaged.output.contains(#""result":"changed""#), "\(damaged.output)")
        await host.stop()
    }

    @Test("a file with a wrong checksum is fetched once more, then fails by its name, and nothing of it stays")
    func wrongChecksum() async throws {
        let host = try await FaultHost.start()
        let stage = try stage(
            host, answer: "{checksums: {sha1: '\(String(repeating: "0", count: 40))', md5: '\(md5)'}}")
        let outcome = try await stage.sync()
        #expect(outcome.exit == 1, "\(outcome.report)")
        let error = outcome.events("download_failed").first?.error
        #expect(error?.kind == "checksum_mismatch" && error?.message.contains("SHA-1") == true, "\(outcome.report)")
        #expect(host.requests().count == 2)
        #expect(LibraryFiles(stage.library).digests.isEmpty)
        #expect(
            stage.folder.names().allSatisfy { !$0.hasPrefix("library/.coursefetch/partial/") },
            "\(stage.folder.names())")
        await host.stop()
    }

    @Test("a checksum in the catalog goes before the provider's, and another one means another file")
    func catalogChecksum() async throws {
        let host = try await FaultHost.start()
        let other = String(repeating: "1", count: 32)
        let stage = try stage(host, answer: "{checksums: {md5: '\(other)'}}", extra: ["checksums: {md5: '\(md5)'}"])
        #expect(try await stage.sync().exit == 0)
        #expect(try await stage.sync().exit == 0)
        #expect(host.requests().count == 1)
        let text = try #require(stage.folder.read("catalog.yaml"))
        try stage.folder.write(
            text.replacing("checksums: {md5: '\(md5)'}", with: "checksums: {md5: '\(other)'}"), to: "catalog.yaml")
        let wrong = try await stage.sync()
        #expect(
            wrong.exit == 1 && wrong.events("download_failed").first?.error?.kind == "checksum_mismatch",
            "\(wrong.report)")
        // The file of before stays until its successor is complete.
        #expect(LibraryFiles(stage.library).digests["Course/01 v.mp4"] == content.sha256Text)
        await host.stop()
    }

    @Test("several tokens go to their places: cookies as one field, below their prefix only")
    func tokens() async throws {
        let host = try await FaultHost.start()
        let answer = """
            {tokens: [{value: a1, in: cookie, name: A, url_prefix: '\(host.baseURL)/media/4'}, \
            {value: b2, in: cookie, name: B}, {value: q3, in: query, name: q, origins: ['\(host.baseURL)']}, \
            {value: no, in: header, name: X-No, url_prefix: '\(host.baseURL)/media/40'}]}
            """
        let stage = try stage(host, answer: answer)
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        let request = try #require(host.requests().first)
        #expect(request.fields["cookie"] == "A=a1; B=b2" && request.query["q"] == "q3" && request.fields["x-no"] == nil)
        let shown = try await stage.run(["resolve", stage.folder.at("catalog.yaml").string, "c/*/v", "--json"])
        #expect(!shown.output.contains("a1") && shown.output.contains(#""place":"cookie A""#), "\(shown.output)")
        await host.stop()
    }

    @Test("'token' with 'tokens' is a plugin error that says so")
    func bothTokens() async throws {
        let host = try await FaultHost.start()
        let token = "{value: a, in: header, name: X}"
        let stage = try stage(host, answer: "{token: \(token), tokens: [\(token)]}")
        let outcome = try await stage.sync()
        #expect(outcome.events("download_failed").first?.error?.message.contains("'token' and 'tokens'") == true)
        await host.stop()
    }

    @Test(
        "subtitles that come as text are named by what they are",
        arguments: [
            ("WEBVTT\n\n", "vtt"), ("1\n00:00:01,000 --> 00:00:02,000\nHi\n", "srt"), ("<tt xmlns='x'/>", "ttml"),
        ])
    func text(_ text: String, _ end: String) async throws {
        let host = try await FaultHost.start()
        let stage = try stage(
            host, answer: "{subtitles: [{lang: en, text: \(CatalogText.quoted(text))}]}", extra: ["subtitles: [en]"])
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(stage.folder.read("library/Course/01 v.en.\(end)") == text, "\(stage.folder.names())")
        #expect(host.requests().count == 1)
        await host.stop()
    }

    @Test("a title names what the catalog calls by its id only, at once and ever after; the catalog's own wins")
    func title() async throws {
        let host = try await FaultHost.start()
        let stage = try stage(
            host, answer: "{title: 'Moment of Inertia', subtitles: [{lang: en, text: WEBVTT}]}",
            extra: ["subtitles: [en]"])
        let first = try await stage.sync()
        #expect(first.exit == 0, "\(first.report)")
        #expect(
            Set(LibraryFiles(stage.library).digests.keys) == [
                "Course/01 Moment of Inertia.mp4", "Course/01 Moment of Inertia.en.vtt",
            ])
        let second = try await stage.sync()
        #expect(second.exit == 0 && second.events("download_moved").isEmpty, "\(second.report)")
        let status = try await stage.command(["status", "--json"])
        #expect(status.output.contains("Moment of Inertia"), "\(status.output)")
        let text = try #require(stage.folder.read("catalog.yaml"))
        try stage.folder.write(
            text.replacing("- id: \"v\"", with: "- id: \"v\"\n        title: Own"), to: "catalog.yaml")
        let third = try await stage.sync()
        #expect(
            third.exit == 0 && LibraryFiles(stage.library).digests["Course/01 Own.mp4"] != nil,
            "\(third.report) \(stage.folder.names())")
        #expect(host.requests().count == 1)
        await host.stop()
    }

    @Test(
        "a body that has no length and doesn't end is bounded, fails with a sentence, and its partial goes",
        arguments: ["none", "chunked"])
    func endless(_ length: String) async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host, "length=\(length)", answer: "{}")
        let outcome = try await stage.sync("catalog.yaml", ["--max-size", "50K"])
        #expect(outcome.exit == 1, "\(outcome.report)")
        #expect(outcome.events("download_failed").first?.error?.kind == "too_large", "\(outcome.report)")
        #expect(
            stage.folder.names().allSatisfy { !$0.hasPrefix("library/.coursefetch/partial/") },
            "\(stage.folder.names())")
        let told = try await stage.command(["status", "--failed"])
        #expect(told.output.contains("--max-size"), "\(told.output)")
        await host.stop()
    }

    @Test("max_size of the catalog goes before --max-size, for a file of a known size, too")
    func catalogLimit() async throws {
        let host = try await FaultHost.start()
        let stage = try stage(host, answer: "{}", extra: ["max_size: 70000"])
        let outcome = try await stage.sync("catalog.yaml", ["--max-size", "50K"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        let small = try self.stage(host, answer: "{}", extra: ["max_size: 59999"])
        let refused = try await small.sync()
        #expect(refused.events("download_failed").first?.error?.kind == "too_large", "\(refused.report)")
        await host.stop()
    }
}

@Suite("the server that a manifest names", .timeLimit(.minutes(5)))
struct NamedServerTests {
    @Test("a login that one server wants stops its videos only, and the command names it by the manifest's parameter")
    func login() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.plugin(
            "named", concurrency: 1,
            manifest: ["methods: [resolve, login]", "credentials: [password]", "server: host"],
            script: #"""
                #!/bin/sh
                while read -r line; do
                    printf '%s' "$line" | jq -c 'if .params.video.parameters.host == "closed.example.org"
                        then {id, error: {code: -1, message: "log in", data: {kind: "auth_required"}}}
                        else {id, result: {url: .params.video.parameters.url}} end'
                done
                """#)
        let manifest = try #require(stage.folder.read("plugins/named/plugin.yaml"))
        let described = "{type: object, properties: {host: {type: string}, url: {type: string}}}"
        try stage.folder.write(
            manifest.replacing("parameters: {type: object}", with: "parameters: \(described)"),
            to: "plugins/named/plugin.yaml")
        let videos = (1...6).map { number in
            let place = number % 2 == 0 ? "closed.example.org" : "https://open.example.org"
            let url = CatalogText.quoted(host.url("/media/\(number)/3000.mp4"))
            return CatalogText.Video(id: "v\(number)", extra: ["parameters: {url: \(url), host: '\(place)'}"])
        }
        try stage.catalog(CatalogText(provider: "named", videos: videos))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 77, "\(outcome.report)")
        #expect(Set(outcome.events("download_finished").map(\.video)) == ["v1", "v3", "v5"], "\(outcome.report)")
        let told = try await stage.run(["sync", stage.folder.at("catalog.yaml").string])
        #expect(told.error.contains("--set 'host=https://closed.example.org'"), "\(told.error)")
        await host.stop()
    }
}

@Suite("what a listing says besides the videos", .timeLimit(.minutes(5)))
struct ListedAnswerTests {
    @Test(
        "an answer that came with the listing is used without a question, unless it is stale, or another quality is wanted"
    )
    func resolved() async throws {
        let world = try await ListingStage()
        let past = "2020-01-01T00:00:00Z"
        func video(_ id: String, _ more: [String: Any] = [:]) -> [String: Any] {
            ["id": id, "resolved": ["url": world.host.url("/media/9/3000.mp4?listed=\(id)")].merging(more) { $1 }]
        }
        try world.catalog(
            "  - {id: c, discover: true, videos: [{id: '3', quality: 720p}, {id: '4', parameters: {path: '4'}}]}")
        try world.list(["c": ListingStage.page([video("1"), video("2", ["expires_at": past]), video("3"), video("4")])])
        let outcome = try await world.stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        let asked = try world.requests().filter { $0.hasPrefix("resolve") }
        #expect(Set(asked) == ["resolve 2", "resolve 3", "resolve 4"], "\(asked)")
        #expect(world.host.requests().filter { $0.query["listed"] != nil }.map { $0.query["listed"] } == ["1"])
        // It isn't stored.
        let rows = try StateCopy(world.stage.state).rows("SELECT * FROM listed_videos")
        #expect(!"\(rows)".contains("listed="))
        await world.host.stop()
    }

    @Test("one that doesn't work any more costs a question")
    func refused() async throws {
        let world = try await ListingStage()
        try world.catalog("  - {id: c, discover: true}")
        let url = world.host.url("/media/9/3000.mp4?status=410")
        try world.list(["c": ListingStage.page([["id": "1", "resolved": ["url": url]]])])
        let outcome = try await world.stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(try world.requests().filter { $0.hasPrefix("resolve") } == ["resolve 1"])
        await world.host.stop()
    }

    @Test("nobody is asked before a video is available, status says from when on, and then it is fetched")
    func available() async throws {
        let world = try await ListingStage()
        try world.catalog("  - {id: c, discover: true}")
        let checksums = ["crc32": "00000000"]
        try world.list([
            "c": ListingStage.page(["1", ["id": "2", "available_at": "2099-05-06T07:08:09Z", "checksums": checksums]])
        ])
        let outcome = try await world.stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(try world.requests().filter { $0.hasPrefix("resolve") } == ["resolve 1"])
        let status = try await world.stage.command(["status", "--json"])
        #expect(status.output.contains("its provider has it from 2099-05-06T07:08:09"), "\(status.output)")
        let plan = try await world.stage.run(["sync", world.stage.folder.at("catalog.yaml").string, "--dry-run"])
        #expect(plan.exit == 0 && plan.output.contains("2099-05-06"), "\(plan.output)")
        // Without a new listing the stored one says it.
        #expect(try await world.stage.sync("catalog.yaml", ["--no-discover"]).exit == 0)
        #expect(try world.requests().filter { $0.hasPrefix("resolve") }.isEmpty)
        try world.list(["c": ListingStage.page(["1", ["id": "2", "available_at": "2020-05-06T07:08:09Z"]])])
        let later = try await world.stage.sync()
        #expect(later.exit == 0 && later.events("download_finished").map(\.video) == ["2"], "\(later.report)")
        await world.host.stop()
    }
}
