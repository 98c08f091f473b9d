import Foundation
import TestServers
import TestSupport
import Testing

@Suite("streams and their connections", .timeLimit(.minutes(5)))
struct StreamDiskSpaceTests {
    @Test(
        "as many segments are in transfer as the options allow",
        arguments: [
            ([], 8), (["--segments-per-download", "3"], 3), (["--max-connections-per-host", "4"], 4),
            (["--segments-per-download", "12"], 12), (["--limit-rate", "900M"], 1),
        ] as [([String], Int)])
    func width(_ options: [String], _ expected: Int) async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.transportStream)
        try host.serve(fixture, at: "/s/")
        // The first ones tell how large segments are.
        let held = fixture.segments.dropFirst(2)
        for name in held { host.script("/s/" + name, [try fixture.answer(name).held]) }
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        @Sendable func asked() -> Int { held.count { !host.requests(path: "/s/" + $0).isEmpty } }
        let outcome = try await stage.sync("catalog.yaml", options) { _ in
            for _ in 0..<3000 where asked() < expected { try await Task.sleep(for: .milliseconds(10)) }
            // Time for one that is too many.
            try await Task.sleep(for: .milliseconds(300))
            #expect(asked() == expected)
            for name in held { host.release("/s/" + name) }
        }
        #expect(outcome.exit == 0, "\(outcome.report)")
        try await StreamFile(path: try stage.path(of: "v", in: outcome), name: "v").check(fixture, isRemuxed: true)
        await host.stop()
    }

    @Test("segments at another host than the playlist: two streams share it, and no playlist is read needlessly")
    func twoHosts() async throws {
        let site = try await FaultHost.start()
        let media = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.transportStream)
        let names = ["a", "b", "c"]
        for name in names {
            try media.serve(fixture, at: "/\(name)/")
            let text = try fixture.text().replacing(#/(?m)^(s\d+\.ts)$/#) {
                media.url("/\(name)/\($0.1)").replacing("127.0.0.1", with: "localhost")
            }
            site.script("/\(name).m3u8", [.text(text, StreamFixture.playlistType)])
        }
        try stage.catalog(CatalogText(videos: names.map { CatalogText.stream($0, site.url("/\($0).m3u8")) }))
        let outcome = try await stage.sync("catalog.yaml", ["--ffmpeg", "none"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        for name in names {
            try await StreamFile(path: try stage.path(of: name, in: outcome), name: name).check(fixture)
            #expect(site.requests(path: "/\(name).m3u8").count == 1, "\(name)")
            for segment in fixture.segments {
                #expect(media.requests(path: "/\(name)/\(segment)").count == 1, "\(name): \(segment)")
            }
        }
        await site.stop()
        await media.stop()
    }

    @Test("progress counts playing time, and estimates the size from it")
    func progress() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.transportStream)
        try host.serve(fixture, at: "/s/")
        let held = fixture.segments[12]
        host.script("/s/" + held, [try fixture.answer(held).held])
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        let size = try fixture.joined().count
        let outcome = try await stage.sync("catalog.yaml", ["--ffmpeg", "none"]) { running in
            try await running.wait { $0.event == "progress" && abs(($0.mediaSeconds ?? 0) - 12) < 0.5 }
            host.release("/s/" + held)
        }
        #expect(outcome.exit == 0, "\(outcome.report)")
        let half = outcome.events("progress").first { abs(($0.mediaSeconds ?? 0) - 12) < 0.5 }
        #expect(abs((half?.mediaSecondsTotal ?? 0) - 24) < 0.5)
        #expect(abs(Double(half?.size ?? 0) / Double(size) - 1) < 0.3, "\(half?.text ?? "")")
        await host.stop()
    }
}
