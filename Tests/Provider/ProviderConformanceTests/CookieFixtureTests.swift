import Checkout
import CommandOutput
import Foundation
import ProviderHost
import ProviderKit
import SystemPackage
import TestSupport
import Testing

@testable import ProviderConformance

/// A plugin with a browser's session, checked with fixtures and recorded.
@Suite("Fixtures of a browser's session")
struct CookieFixtureTests {
    private static let program = """
        import sys
        from coursefetch_provider import Provider, run, url

        class Campus(Provider):
            cookies = ["session"]

            def resolve(self, request):
                headers = {}
                if "all" in sys.argv and request.credentials:
                    lines = [line.split("\\t") for line in request.credentials["session"].splitlines()]
                    headers["Cookie"] = "; ".join("=".join(fields[5:]) for fields in lines if len(fields) == 7)
                address = url(request.parameter("endpoint"), "videos", request.video.id)
                page = request.get(address, headers=headers).json()
                return {"url": page["file"], "tokens": request.cookies.tokens(page["file"])}

        run(Campus(), concurrency=4)

        """

    private static func plugin(_ argument: String = "fair") throws -> PluginTrial {
        let trial = PluginTrial()
        try trial.write(program, to: "campus.py")
        try trial.write(
            try Checkout.text("contrib/python/coursefetch_provider.py"), to: "coursefetch_provider.py")
        try trial.write(
            """
            name: campus
            protocol: 1
            run: [python3, -B, campus.py, \(argument)]
            concurrency: 4
            credentials: [session]
            cookies: [session]
            parameters: {type: object, required: [endpoint], properties: {endpoint: {type: string}}}

            """, to: "plugin.yaml")
        return trial
    }

    private func report(_ trial: PluginTrial, _ folder: String) async throws -> ConformanceReport {
        let fixtures = try FixtureFolder(folder)
        var settings = CheckSettings()
        settings.take(fixtures.description)
        let replay = try FixtureReplay(fixtures, settings: settings)
        defer { replay.close() }
        return await PluginTrial.report(trial.folder.path, replay.settings, host: replay.watch)
    }

    @Test(
        "a session of fixtures is for their host, as a line and as a file, and a cookie that is for another one is noticed",
        arguments: [
            (#""sid=fixture-session""#, "fair", []),
            ("\"media.example.org\\tFALSE\\t/\\tTRUE\\t0\\tsid\\tfixture-session\"", "fair", []),
            (#""sid=fixture-session""#, "all", ["cookies"]),
        ])
    func replayed(session: String, argument: String, failed: [String]) async throws {
        let place = TemporaryFolder()
        try place.write(
            """
            parameters: {endpoint: "https://media.example.org/api"}
            credentials: {session: \(session)}
            videos:
              - {id: v1, expect: {url: "https://media.example.org/v1.mp4"}}

            """, to: "fixture.yaml")
        try place.write(
            """
            GET /api/videos/v1
            Cookie: \(argument == "fair" ? "sid=fixture-session" : "*")

            HTTP/1.1 200 OK
            Content-Type: application/json

            {"file": "https://media.example.org/v1.mp4"}
            """, to: "v1.http")
        let report = try await report(try Self.plugin(argument), place.path.string)
        #expect(report.failed == failed)
        let sentences = report.failures(.cookies).map { ConformanceWording.sentence($0.fault) }
        #expect(
            failed.isEmpty || sentences.contains("a cookie of elsewhere.invalid goes with GET /api/videos/v1"),
            "\(sentences)")
        let isPassed = report.results.contains { result in
            if case .passed = result.verdict { result.check == .cookies } else { false }
        }
        #expect(isPassed == failed.isEmpty)
    }

    @Test("a recording has no value of a cookie and no other site, and a plugin passes with it")
    func recorded() async throws {
        let trial = try Self.plugin()
        let host = try LoopbackServer { request in
            guard request["Cookie"] == "sid=real-session-77; seen=v", request.target.hasPrefix("/api/videos/v") else {
                return .notFound
            }
            var response = ServedResponse(status: "200 OK")
            response.fields = [MessageField(name: "Content-Type", value: "application/json")]
            response.body = Array(#"{"file": "https://cdn.example.org/v.mp4", "of": "real-session-77"}"#.utf8)
            return response
        }
        var settings = CheckSettings()
        settings.parameters = ["endpoint": .string(host.origin + "/api")]
        settings.videos = [SampleVideo(id: "v1")]
        let lines = [
            "127.0.0.1\tFALSE\t/\tFALSE\t4102444800\tsid\treal-session-77", "127.0.0.1\tFALSE\t/\tFALSE\t0\tseen\tv",
            ".other-site.example\tTRUE\t/\tFALSE\t0\tsid\tother-session-77",
        ]
        settings.credentials = ["session": lines.joined(separator: "\n")]
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
        #expect(outcome.exchanges >= 1 && outcome.unanswered == 0)
        for (name, text) in place.files() {
            for secret in ["session-77", "other-site"] { #expect(!text.contains(secret), "\(name): \(secret)") }
        }
        let description = try FixtureFolder(folder).description
        #expect(
            description.credentials["session"] == """
                # Netscape HTTP Cookie File
                127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\tfixture
                127.0.0.1\tFALSE\t/\tFALSE\t0\tseen\tfixture

                """)
        let report = try await report(trial, folder)
        #expect(report.failed == [])
    }
}
