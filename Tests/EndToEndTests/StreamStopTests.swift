import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("streams that are stopped and continued", .timeLimit(.minutes(5)))
struct StreamStopTests {
    /// A stream with a segment that its host holds back, so that it can be stopped there.
    private struct Held {
        let host: FaultHost
        let stage: Stage
        let fixture: StreamFixture
        static let index = 10
        let options = ["--segments-per-download", "4"]

        init() async throws {
            host = try await FaultHost.start()
            stage = try Stage()
            fixture = try await StreamFixtures.make(.rotatingKeys)
            try host.serve(fixture, at: "/s/")
            let name = fixture.segments[Self.index]
            host.script("/s/" + name, [try fixture.answer(name).held])
            try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        }

        func sync(
            _ more: String..., while direct: @Sendable (RunningProgram) async throws -> Void = { _ in }
        ) async throws -> Outcome {
            try await stage.sync("catalog.yaml", options + more, while: direct)
        }

        func waitUntilHeld() async throws { try await stage.waitForStream("v", next: Self.index) }

        /// The rest arrives, and nothing that was there is asked for again.
        func finish() async throws {
            #expect(try stage.stateCopy().streams()["v"]?.tracks.map(\.next) == [Self.index])
            host.release("/s/" + fixture.segments[Self.index])
            let last = try await sync()
            #expect(last.exit == 0, "\(last.report)")
            #expect((last.events("download_started").first?.resumeFrom ?? 0) > 0, "\(last.output)")
            try await StreamFile(path: try stage.path(of: "v", in: last), name: "resumed").check(
                fixture, isRemuxed: true)
            // The one that is held back is asked for again whenever its silence has lasted too long.
            for (index, name) in fixture.segments.enumerated() where index != Self.index {
                let count = host.requests(path: "/s/" + name).count
                // Those behind it may have been on their way, or waited for their turn.
                let most = index < Self.index || index >= Self.index + 8 ? 1 : 2
                #expect((1...most).contains(count), "segment \(index): \(count) requests")
            }
            #expect(try stage.strays() == [])
            await host.stop()
        }
    }

    @Test("after pause and resume from another terminal, it continues at the same segment")
    func pauseAndResume() async throws {
        let held = try await Held()
        let outcome = try await held.sync("--max-wait", "1s") { _ in
            try await held.waitUntilHeld()
            #expect(try await held.stage.command(["pause", "c"]).output == "1 video paused\n")
        }
        #expect(outcome.exit == 0 && outcome.events("download_paused").count == 1, "\(outcome.report)")
        #expect(try await held.stage.command(["resume", "--paused"]).exit == 0)
        try await held.finish()
    }

    @Test("after a logout while its separate sound arrives, it continues at the same segment, and the picture follows")
    func logoutInSound() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.master)
        try host.serve(fixture, at: "/s/")
        let sounds = fixture.tracks[1].segments
        host.script("/s/" + sounds[10], [try fixture.answer(sounds[10]).held])
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/" + fixture.playlist))]))
        let options = ["--segments-per-download", "4"]
        let outcome = try await stage.sync("catalog.yaml", options) { _ in
            for _ in 0..<600 where (try? stage.stateCopy().streams()["v"]?.tracks.last?.next) != 10 {
                try await Task.sleep(for: .milliseconds(25))
            }
            #expect(try await stage.command(["logout"]).exit == 0)
        }
        #expect(outcome.exit == 75, "\(outcome.report)")
        #expect(try stage.stateCopy().streams()["v"]?.tracks.map(\.next) == [0, 10])
        #expect(host.requests(path: "/s/" + fixture.segments[0]).isEmpty)
        host.release("/s/" + sounds[10])
        #expect(try await stage.command(["login"]).exit == 0)
        let last = try await stage.sync("catalog.yaml", options)
        #expect(last.exit == 0, "\(last.report)")
        try await StreamFile(path: try stage.path(of: "v", in: last), name: "v").check(fixture, isRemuxed: true)
        // The one that is held back is asked for again whenever its silence has lasted too long.
        for (index, name) in sounds.enumerated() where index != 10 {
            #expect((1...(index < 10 ? 1 : 2)).contains(host.requests(path: "/s/" + name).count), "\(name)")
        }
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("after a logout in the middle and a login, it continues at the same segment")
    func logoutAndLogin() async throws {
        let held = try await Held()
        let outcome = try await held.sync { _ in
            try await held.waitUntilHeld()
            #expect(try await held.stage.command(["logout"]).exit == 0)
        }
        #expect(outcome.exit == 75, "\(outcome.report)")
        #expect(outcome.events("download_suspended").map(\.reason) == ["logout"])
        #expect(try await held.sync().exit == 77)
        #expect(try await held.stage.command(["login"]).exit == 0)
        try await held.finish()
    }

    @Test("after a signal in the middle, and another one after continuing, it continues at the same segment")
    func signals() async throws {
        let held = try await Held()
        for _ in 0..<2 {
            let outcome = try await held.sync { running in
                try await held.waitUntilHeld()
                try await running.wait { $0.event == "download_started" }
                try await running.signal(SIGTERM)
            }
            #expect(outcome.exit == 75, "\(outcome.report)")
        }
        // Only what was behind has been asked for three times.
        let name = held.fixture.segments[Held.index - 1]
        #expect(held.host.requests(path: "/s/" + name).count == 1)
        #expect(held.host.requests(path: "/s/" + held.fixture.segments[0]).count == 1)
        await held.host.stop()
    }
}
