import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("files that a provider names beside a video", .timeLimit(.minutes(5)))
struct SidecarTests {
    private let video = "/media/1/9000.mp4"
    private let subtitle = "/media/11/700.bin"
    private let path = "Course/01 One.en.vtt"

    /// A course of one video with an English subtitle, at whose address `faults` happen.
    private func start(_ faults: String) async throws -> (Stage, FaultHost) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        try stage.catalog(CatalogText(provider: "recorder", videos: [entry(host, faults)]))
        return (stage, host)
    }

    private func entry(_ host: FaultHost, _ faults: String, extra: [String] = []) -> CatalogText.Video {
        let url = CatalogText.quoted(host.url(subtitle + "?type=text/vtt&" + faults))
        let parameters =
            "{url: \(CatalogText.quoted(host.url(video))), answer: {subtitles: [{lang: en, url: \(url)}]}}"
        return .init(id: "v", title: "One", extra: ["subtitles: [en]", "parameters: \(parameters)"] + extra)
    }

    /// Whether everything is there, the video was downloaded once, and its provider was asked this often.
    private func isWhole(_ stage: Stage, _ host: FaultHost, asked: Int, _ outcome: Outcome) throws {
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(LibraryFiles(stage.library).digests[path] == TestContent(seed: 11, size: 700).sha256Text)
        #expect(host.requests(path: video).count == 1, "the video itself is fetched once")
        #expect(try stage.requests().count == asked)
        #expect(outcome.summary?.text.contains("sidecars_") == false, "\(outcome.report)")
        #expect(try stage.strays() == [])
    }

    private func rows(_ stage: Stage) throws -> [[String: String]] {
        try stage.stateCopy().rows(
            "SELECT name, state, retry_at IS NOT NULL AS again FROM sidecars WHERE state <> 'stored'")
    }

    @Test(
        "a kill between the video's end and its subtitle: the next sync asks the provider, and downloads only the subtitle"
    )
    func killed() async throws {
        let (stage, host) = try await start("stall=100&times=1")
        let killed = try await stage.sync { running in
            try await running.wait { $0.event == "download_finished" }
            while host.requests(path: subtitle).isEmpty { try await Task.sleep(for: .milliseconds(20)) }
            try await running.signal(SIGKILL)
        }
        #expect(killed.exit == 137, "\(killed.report)")
        #expect(try rows(stage) == [["name": "en", "state": "wanted", "again": "0"]])
        let plan = try await stage.run(["sync", stage.folder.at("catalog.yaml").string, "--dry-run"])
        #expect(plan.output.contains("ask       'c/*/v'"), "\(plan.output)")
        try isWhole(stage, host, asked: 2, try await stage.sync())
        let again = try await stage.sync()
        try isWhole(stage, host, asked: 2, again)
        #expect(host.requests(path: subtitle).count == 2)
        await host.stop()
    }

    @Test(
        "a window that closes before the subtitle arrives ends with 75; so does a signal; the next sync downloads only that"
    )
    func windowCloses() async throws {
        let (stage, host) = try await start("stall=100&times=2")
        let bounded = try await stage.sync("catalog.yaml", ["--max-duration", "12s"])
        #expect(bounded.summary?.text.contains(#""sidecars_wanted":1"#) == true, "\(bounded.report)")
        #expect(bounded.exit == 75 && bounded.summary?.stopReason == "window", "\(bounded.report)")
        #expect(try rows(stage) == [["name": "en", "state": "wanted", "again": "0"]])
        let stopped = try await stage.sync { running in
            while host.requests(path: subtitle).count < 2 { try await Task.sleep(for: .milliseconds(20)) }
            try await running.signal(SIGTERM)
        }
        #expect(stopped.exit == 75, "\(stopped.report)")
        try isWhole(stage, host, asked: 3, try await stage.sync())
        await host.stop()
    }

    @Test("503 with Retry-After: the run waits for a short time, and leaves a long one to a later run")
    func retryAfter() async throws {
        let (short, host) = try await start("status=503&retry-after=2&times=1")
        let waited = try await short.sync()
        try isWhole(short, host, asked: 1, waited)
        #expect(host.requests(path: subtitle).count == 2 && waited.seconds >= 2, "\(waited.report)")
        await host.stop()

        let (long, other) = try await start("status=503&retry-after=3600&times=1")
        let left = try await long.sync()
        #expect(left.exit == 75 && left.events("host_waiting").count == 1, "\(left.report)")
        #expect(try rows(long) == [["name": "en", "state": "wanted", "again": "1"]])
        let early = try await long.sync()
        #expect(early.exit == 75, "\(early.report)")
        #expect(other.requests(path: subtitle).count == 1, "nobody is asked")
        #expect(try long.requests().count == 1)
        try StateCopy.edit(long.state, "UPDATE sidecars SET retry_at = 1")
        try isWhole(long, other, asked: 2, try await long.sync())
        await other.stop()
    }

    @Test("503 without a time: 75, status names it with reason, host and path, and the next sync tries it at once")
    func serverError() async throws {
        let (stage, host) = try await start("status=503&times=3")
        let left = try await stage.sync()
        #expect(left.exit == 75, "\(left.report)")
        #expect(try rows(stage) == [["name": "en", "state": "wanted", "again": "0"]])
        let status = try await stage.command(["status", "--all"])
        #expect(
            status.output.contains("subtitle en: server error (503) at") && status.output.contains(subtitle),
            "\(status.output)")
        try isWhole(stage, host, asked: 2, try await stage.sync())
        await host.stop()
    }

    @Test("--retry-failed tries one that failed before its time")
    func retryFailed() async throws {
        let (stage, host) = try await start("status=403&times=2")
        #expect(try await stage.sync().exit == 1)
        #expect(try await stage.sync().exit == 1, "its time hasn't come")
        #expect(host.requests(path: subtitle).count == 2)
        try isWhole(stage, host, asked: 3, try await stage.sync("catalog.yaml", ["--retry-failed"]))
        await host.stop()
    }

    @Test("a refused address is resolved once more, in the same run")
    func refused() async throws {
        let (stage, host) = try await start("status=403&times=1")
        try isWhole(stage, host, asked: 2, try await stage.sync())
        #expect(try stage.requests().map(\.params.previous?.status) == [nil, 403])
        await host.stop()
    }

    @Test("a missing one is given up after three runs: 1, then 0; status shows it, and retry downloads it alone")
    func givenUp() async throws {
        let (stage, host) = try await start("status=404&times=4")
        let failed = try await stage.sync()
        #expect(failed.exit == 1, "\(failed.report)")
        #expect(failed.events("warning").count == 1, "\(failed.report)")
        // A host that is lost for an hour answers so, too: it isn't for good yet.
        #expect(try rows(stage) == [["name": "en", "state": "failed", "again": "1"]])
        try StateCopy.edit(stage.state, "UPDATE sidecars SET retry_at = 1, failed_runs = 2")
        let last = try await stage.sync()
        #expect(last.exit == 1 && last.events("warning").count == 1, "\(last.report)")
        #expect(try rows(stage) == [["name": "en", "state": "failed", "again": "0"]])
        let quiet = try await stage.sync()
        #expect(quiet.exit == 0 && quiet.events("warning").isEmpty, "\(quiet.report)")
        #expect(host.requests(path: subtitle).count == 4)
        #expect(try stage.requests().count == 4)
        let status = try await stage.command(["status", "--failed"])
        #expect(status.output.contains("1 cover, subtitle or attachment failed"), "\(status.output)")
        let json = try await stage.command(["status", "--json"])
        #expect(json.output.contains(#""sidecars_failed":1"#), "\(json.output)")
        let retried = try await stage.command(["retry", "--failed"])
        #expect(retried.exit == 0, "\(retried.report)")
        #expect(try rows(stage) == [["name": "en", "state": "wanted", "again": "0"]])
        try isWhole(stage, host, asked: 5, try await stage.sync())
        await host.stop()
    }

    @Test("a subtitle whose file is missing or changed is downloaded again after verify --repair, without the video")
    func repaired() async throws {
        let (stage, host) = try await start("x=1")
        try isWhole(stage, host, asked: 1, try await stage.sync())
        try stage.folder.remove("library/" + path)
        let found = try await stage.command(["verify", "--repair"])
        #expect(found.exit == 1 && found.output.contains(path), "\(found.report)")
        try isWhole(stage, host, asked: 2, try await stage.sync())
        try stage.folder.write("short", to: "library/" + path)
        #expect(try await stage.command(["verify", "--repair"]).exit == 1)
        try isWhole(stage, host, asked: 3, try await stage.sync())
        #expect(try await stage.command(["verify"]).exit == 0)
        await host.stop()
    }

    @Test("a duplicate that is linked without asking the provider gets its own subtitles, in the same run")
    func duplicates() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        let sha256 = "sha256: \(TestContent(seed: 1, size: 9000).sha256Text)"
        let videos = [entry(host, "x=1", extra: [sha256])]
        try stage.catalog(
            CatalogText(
                provider: "recorder",
                courses: [
                    .init(id: "c", title: "Course", videos: videos), .init(id: "d", title: "Other", videos: videos),
                ]))
        try isWhole(stage, host, asked: 2, try await stage.sync())
        #expect(LibraryFiles(stage.library).digests["Other/01 One.en.vtt"] != nil)
        await host.stop()
    }

    @Test("a file that the provider no longer names isn't wanted any more")
    func renamed() async throws {
        let (stage, host) = try await start("status=503&retry-after=3600")
        #expect(try await stage.sync().exit == 75)
        let url = CatalogText.quoted(host.url(video))
        try stage.catalog(
            CatalogText(
                provider: "recorder",
                videos: [
                    .init(id: "v", title: "One", extra: ["subtitles: [en]", "parameters: {url: \(url), answer: {}}"])
                ]))
        try StateCopy.edit(stage.state, "UPDATE sidecars SET retry_at = NULL")
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(try rows(stage).isEmpty)
        #expect(host.requests(path: video).count == 1)
        await host.stop()
    }
}
