import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("streams that ffmpeg can't process", .timeLimit(.minutes(5)))
struct StreamRemuxTests {
    @Test("an ffmpeg that fails: the joined stream is kept, with a warning")
    func brokenFFmpeg() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.transportStream)
        try host.serve(fixture, at: "/s/")
        let script = """
            #!/bin/sh
            case "$*" in *-version*) exec ffmpeg "$@" ;; esac
            echo "it's not my day" >&2
            exit 1
            """
        try stage.folder.write(script, to: "broken-ffmpeg")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: stage.folder.at("broken-ffmpeg").string)
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        let outcome = try await stage.sync("catalog.yaml", ["--ffmpeg", stage.folder.at("broken-ffmpeg").string])
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("warning").count == 1, "\(outcome.report)")
        #expect(LibraryFiles(stage.library).paths == ["Course/01 v.ts"])
        try await StreamFile(path: try stage.path(of: "v", in: outcome), name: "v").check(fixture)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("size and sha256 of the catalog apply to the joined stream, and only without ffmpeg")
    func sizes() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.transportStream)
        try host.serve(fixture, at: "/s/")
        let joined = Data(try fixture.joined())
        let digest = StreamFile.digest(joined)
        let url = host.url("/s/index.m3u8")
        let wrong = String(repeating: "5", count: 64)
        try stage.catalog(
            CatalogText(videos: [
                CatalogText.stream("right", url, extra: ["size: \(joined.count)", "sha256: \(digest)"]),
                CatalogText.stream("size", url, extra: ["size: \(joined.count - 1)"]),
                CatalogText.stream("sum", url, extra: ["sha256: \(wrong)"]),
            ]))
        let outcome = try await stage.sync("catalog.yaml", ["--ffmpeg", "none", "--retries", "2"])
        #expect(outcome.exit == 1, "\(outcome.report)")
        #expect(outcome.events("download_finished").map(\.video) == ["right"])
        #expect(outcome.events("download_finished").first?.sha256 == digest)
        #expect(outcome.events("download_failed", of: "size").map(\.error?.kind) == ["size_mismatch"])
        #expect(outcome.events("download_failed", of: "sum").map(\.error?.kind) == ["checksum_mismatch"])

        try stage.catalog(
            CatalogText(videos: [CatalogText.stream("other", url, extra: ["size: 7", "sha256: \(wrong)"])]))
        let remuxed = try await stage.sync()
        #expect(remuxed.events("download_finished").map(\.video) == ["other"], "\(remuxed.report)")
        #expect(remuxed.events("warning").count == 1, "\(remuxed.report)")
        let requests = host.requests().count
        let again = try await stage.sync()
        #expect(again.exit == 0 && host.requests().count == requests, "\(again.report)")
        await host.stop()
    }

    @Test("ffmpeg's output of a broken fragment is far too short: the joined stream is kept, with a warning")
    func brokenFragment() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.fragmentedMP4)
        try host.serve(fixture, at: "/s/")
        var broken = try fixture.answer("f005.m4s").body
        // It begins as media do, and one of its boxes claims everything that follows.
        let box = try #require(broken.firstRange(of: "moof".utf8)?.lowerBound)
        broken.replaceSubrange(box - 4..<box, with: [0x00, 0xFF, 0xFF, 0xFF])
        host.script("/s/f005.m4s", [.bytes(broken, "video/mp4")])
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("warning").contains { $0.text.contains("instead of 24 s") }, "\(outcome.report)")
        #expect(LibraryFiles(stage.library).paths == ["Course/01 v.mp4"])
        let joined = try fixture.joined().count
        #expect(FileManager.default.contents(atPath: try stage.path(of: "v", in: outcome))?.count == joined)
        #expect(try stage.strays() == [])
        await host.stop()
    }
}
