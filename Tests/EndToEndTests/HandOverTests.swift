import DownloadStore
import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("A listing that hands videos over")
struct HandOverTests {
    private let world: ListingStage

    init() async throws {
        world = try await ListingStage()
        try world.stage.plugin(
            "other", concurrency: 4, manifest: ["credentials: [password]"],
            parameters: """
                {type: object, required: [path], additionalProperties: false,
                  properties: {path: {type: string}, endpoint: {type: string}}}
                """,
            script: #"""
                #!/usr/bin/env python3
                import json, os, sys
                for line in sys.stdin:
                    request = json.loads(line)
                    with open("requests", "a") as log: log.write(line)
                    path = request["params"]["video"]["parameters"]["path"]
                    url = os.path.join(open("base").read(), path, "4000.mp4")
                    print(json.dumps({"id": request["id"], "result": {"url": url}}), flush=True)
                """#)
        try world.stage.folder.write(world.host.url("/media"), to: "plugins/other/base")
    }

    private func handed(_ id: String, _ parameters: [String: Any], to provider: String = "other") -> [String: Any] {
        ["id": id, "provider": provider, "parameters": parameters]
    }

    private func asked() throws -> [[String: Any]] {
        try (world.stage.folder.read("plugins/other/requests") ?? "").split(separator: "\n").compactMap { line in
            let request = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return request?["params"] as? [String: Any]
        }
    }

    @Test("a video goes to the other provider, with its listed parameters alone and without the list's credentials")
    func taken() async throws {
        try world.catalog(
            """
              - id: c
                parameters: {channel: secret-channel}
                discover: {hand_over: [other]}
                videos: [{id: written, quality: 720p}, bare]
            """)
        try world.list([
            "c": ListingStage.page([
                "1", handed("a", ["path": "7"]), handed("written", ["path": "8"]), handed("bare", ["path": "9"]),
                handed("same", ["path": "5"], to: "lister"),
            ])
        ])
        try world.stage.folder.write("password: of-the-list\n", to: "secrets.yaml")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: world.stage.folder.at("secrets.yaml").string)
        let login = try await world.stage.run([
            "login", "--provider", "lister", "--secrets-from", world.stage.folder.at("secrets.yaml").string,
        ])
        #expect(login.exit == 0, "\(login.report)")
        let outcome = try await world.stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(Set(outcome.events("download_finished").map(\.video)) == ["1", "a", "written", "bare", "same"])
        let requests = try asked()
        let parameters = requests.compactMap { $0["video"] as? [String: Any] }
            .map { "\($0["id"] ?? "") \(($0["parameters"] as? [String: String]) ?? [:])" }
        #expect(
            Set(parameters) == [#"a ["path": "7"]"#, #"written ["path": "8"]"#, #"bare ["path": "9"]"#], "\(requests)")
        #expect(requests.allSatisfy { $0["credentials"] is NSNull? }, "\(requests)")
        #expect(!"\(requests)".contains("secret-channel"))
        #expect(Set(try world.requests().filter { $0.hasPrefix("resolve") }) == ["resolve 1", "resolve same"])
        // From the listing in the state, too, and nothing again.
        let rows = try StateCopy(world.stage.state).rows("SELECT video, provider FROM downloads ORDER BY video")
        #expect("\(rows)".contains("other"), "\(rows)")
        let again = try await world.stage.sync("catalog.yaml", ["--no-discover"])
        #expect(again.exit == 0 && again.events("download_started").isEmpty, "\(again.report)")
        #expect(try await world.stage.sync().exit == 0)
        #expect(try asked().count == 3)
        await world.host.stop()
    }

    @Test("without hand_over it is left out, and the warning says what to write; then it comes")
    func notAllowed() async throws {
        try world.catalog("  - {id: c, discover: true}")
        try world.list(["c": ListingStage.page(["1", handed("a", ["path": "7"]), handed("b", ["path": "8"])])])
        let outcome = try await world.stage.sync()
        #expect(outcome.exit == 0 && outcome.events("download_finished").map(\.video) == ["1"], "\(outcome.report)")
        #expect(
            outcome.report.contains(
                "the listing of c has 2 videos that are other's, left out; to download from there too, write under "
                    + "'discover': hand_over: [other]"), "\(outcome.report)")
        let list = try await world.stage.run(["list", world.stage.folder.at("catalog.yaml").string, "c"])
        #expect(list.output.contains("hand_over: [other]"), "\(list.output)")
        try world.catalog("  - {id: c, discover: {hand_over: other}}")
        let later = try await world.stage.sync()
        #expect(Set(later.events("download_finished").map(\.video)) == ["a", "b"], "\(later.report)")
        await world.host.stop()
    }

    @Test("parameters that the other provider doesn't take cost their video only")
    func wrongParameters() async throws {
        try world.catalog("  - {id: c, discover: {hand_over: [other]}}")
        try world.list(["c": ListingStage.page([handed("a", ["path": "7"]), handed("b", ["pth": "8"])])])
        let outcome = try await world.stage.sync()
        #expect(outcome.exit == 0 && outcome.events("download_finished").map(\.video) == ["a"], "\(outcome.report)")
        #expect(outcome.report.contains("1 video for other with parameters that it doesn't take"), "\(outcome.report)")
        #expect(try asked().count == 1)
        await world.host.stop()
    }

    @Test("a provider in hand_over that isn't there is a mistake in the catalog")
    func unknown() async throws {
        try world.catalog("  - {id: c, discover: {hand_over: [othr]}}")
        try world.list(["c": ListingStage.page(["1"])])
        let outcome = try await world.stage.sync()
        #expect(outcome.exit == 65, "\(outcome.report)")
        #expect(outcome.report.contains("there is no provider 'othr'"), "\(outcome.report)")
        #expect(outcome.report.contains("did you mean 'other'?"), "\(outcome.report)")
        await world.host.stop()
    }

    @Test(
        "a list from the public network can't send another provider to this machine; one on this machine can",
        arguments: [true, false])
    func reach(isPublic: Bool) async throws {
        let manifest = try #require(world.stage.folder.read("plugins/lister/plugin.yaml"))
        try world.stage.folder.write(
            manifest.replacing(
                "parameters: {type: object}",
                with: "parameters: {type: object, properties: {endpoint: {type: string}}}\nconfined_to: endpoint"),
            to: "plugins/lister/plugin.yaml")
        // An address for documentation (RFC 5737) would count as private.
        let endpoint = isPublic ? "http://8.8.8.8/" : world.host.url("/")
        try world.catalog(
            "  - {id: c, parameters: {endpoint: '\(endpoint)'}, discover: {hand_over: [other]}}")
        try world.list(["c": ListingStage.page([handed("a", ["path": "7", "endpoint": world.host.url("/")])])])
        let outcome = try await world.stage.sync()
        #expect(try asked().count == (isPublic ? 0 : 1), "\(outcome.report)")
        #expect(outcome.exit == (isPublic ? 1 : 0), "\(outcome.report)")
        if isPublic {
            #expect(outcome.report.contains("names a server in a network that isn't the list's own"))
            let probe = try await world.stage.run(["resolve", world.stage.folder.at("catalog.yaml").string, "c/a"])
            #expect(probe.exit != 0)
            #expect(try asked().isEmpty)
        }
        await world.host.stop()
    }
}
