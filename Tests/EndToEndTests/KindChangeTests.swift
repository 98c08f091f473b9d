import Foundation
import TestServers
import TestSupport
import Testing

@Suite("A video that changes between file and stream", .timeLimit(.minutes(5)))
struct KindChangeTests {
    /// A stage with one video that the first night has left in the middle, as a file or as a stream.
    private func begun(_ kind: String, _ host: FaultHost, _ fixture: StreamFixture) async throws -> Stage {
        let stage = try Stage()
        try host.serve(fixture, at: "/s/")
        try stage.answeringPlugin()
        try stage.catalog(CatalogText(provider: "answering", videos: [.init(id: "v")]))
        try answer(kind, host, stage)
        // One segment after the other: two at once may both be in the middle when the quota is used up, and nothing is joined.
        let first = try await stage.sync(
            "catalog.yaml", ["--ffmpeg", "none", "--segments-per-download", "1", "--max-transfer", "100K"])
        #expect(first.exit == 75, "\(first.report)")
        let row = try #require(try stage.stateCopy().rows("SELECT kind, durable_bytes FROM downloads").first)
        #expect(row["kind"] == kind && (Int(row["durable_bytes"] ?? "") ?? 0) > 0, "\(row)")
        return stage
    }

    private let options = ["--ffmpeg", "none", "--segments-per-download", "2"]

    private func answer(_ kind: String, _ host: FaultHost, _ stage: Stage) throws {
        let stream = "{\"kind\": \"hls\", \"url\": \"\(host.url("/s/index.m3u8"))\"}"
        let file = "{\"url\": \"\(host.url("/media/7/400000.mp4"))\"}"
        try stage.answers(["v": kind == "stream" ? stream : file])
    }

    private func retries(_ outcome: Outcome) -> [String] {
        outcome.events("download_retrying").compactMap(\.error?.kind)
    }

    private func kind(_ stage: Stage) throws -> String? {
        try stage.stateCopy().rows("SELECT kind FROM downloads WHERE state = 'finished'").first?["kind"]
    }

    @Test("a file that becomes a stream the next night starts over, once, and leaves nothing of the file")
    func becomesStream() async throws {
        let host = try await FaultHost.start()
        let fixture = try await StreamFixtures.make(.transportStream)
        let stage = try await begun("file", host, fixture)
        try answer("stream", host, stage)
        let second = try await stage.sync("catalog.yaml", options)
        #expect(second.exit == 0, "\(second.report)")
        #expect(retries(second) == ["identity_changed"], "\(second.report)")
        try await StreamFile(path: try stage.path(of: "v", in: second), name: "v").check(fixture)
        #expect(try kind(stage) == "stream")
        #expect(try stage.strays() == [])
        let requests = host.requests().count
        let third = try await stage.sync("catalog.yaml", options)
        #expect(third.exit == 0 && host.requests().count == requests, "\(third.report)")
        await host.stop()
    }

    @Test("a stream that becomes a file the next night starts over, once, and leaves nothing of the stream")
    func becomesFile() async throws {
        let host = try await FaultHost.start()
        let stage = try await begun("stream", host, try await StreamFixtures.make(.transportStream))
        try answer("file", host, stage)
        let second = try await stage.sync("catalog.yaml", options)
        #expect(second.exit == 0, "\(second.report)")
        #expect(retries(second) == ["identity_changed"], "\(second.report)")
        let right = TestContent(seed: 7, size: 400_000).sha256Text
        #expect(LibraryFiles(stage.library).digests == ["Course/01 v.mp4": right], "\(second.report)")
        let row = try #require(try stage.stateCopy().rows("SELECT kind, media_seconds FROM downloads").first)
        #expect(row["kind"] == "file" && row["media_seconds"] == nil, "\(row)")
        #expect(try stage.strays() == [])
        await host.stop()
    }
}
