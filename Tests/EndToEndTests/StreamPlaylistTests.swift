import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("variants of providers and playlists", .timeLimit(.minutes(5)))
struct StreamPlaylistTests {
    @Test("a provider changes from a stream to a file and back between runs: the last form arrives")
    func streamToFile() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.transportStream)
        let file = TestContent(seed: 5, size: 900_000)
        for folder in ["/a/", "/b/"] {
            try host.serve(fixture, at: folder)
            host.script(folder + "s008.ts", [try fixture.answer("s008.ts").held])
        }
        try stage.answeringPlugin()
        func stream(_ folder: String) -> String {
            "{\"kind\": \"hls\", \"url\": \"\(host.url(folder + "index.m3u8"))\"}"
        }
        let stalling = "{\"url\": \"\(host.url(file, "stall=400000&times=1"))\"}"
        try stage.catalog(CatalogText(provider: "answering", videos: [.init(id: "ends"), .init(id: "begins")]))

        try stage.answers(["ends": stream("/a/"), "begins": stalling])
        let first = try await stage.sync { running in
            try await stage.waitForStream("ends", next: 8)
            try await running.wait { $0.event == "progress" && $0.video == "begins" && $0.bytes == 400_000 }
            try await running.signal(SIGTERM)
        }
        #expect(first.exit == 75, "\(first.report)")
        try stage.answers(["ends": stalling.replacing("times=1", with: "times=2"), "begins": stream("/b/")])
        let second = try await stage.sync { running in
            try await stage.waitForStream("begins", next: 8)
            try await running.wait { $0.event == "progress" && $0.video == "ends" && $0.bytes == 400_000 }
            try await running.signal(SIGTERM)
        }
        #expect(second.exit == 75, "\(second.report)")
        #expect(try stage.stateCopy().streams().keys.sorted() == ["begins"])
        try stage.answers(["ends": stream("/a/"), "begins": stalling])
        host.release("/a/s008.ts")
        let last = try await stage.sync()
        #expect(last.exit == 0, "\(last.report)")
        try await StreamFile(path: try stage.path(of: "ends", in: last), name: "ends").check(fixture, isRemuxed: true)
        #expect(last.events("download_finished", of: "begins").first?.sha256 == file.sha256Text)
        #expect(LibraryFiles(stage.library).digests["Course/02 begins.mp4"] == file.sha256Text)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a live lecture waits without being a failure, and arrives when its playlist ends")
    func live() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.fragmentedMP4)
        try host.serve(fixture, at: "/s/")
        let whole = try fixture.text()
        let growing = whole[..<(whole.firstRange(of: "#EXTINF:1.000000,\nf012.m4s")?.lowerBound ?? whole.endIndex)]
            .replacing("#EXT-X-PLAYLIST-TYPE:VOD\n", with: "")
        host.script("/s/index.m3u8", [.text(String(growing), StreamFixture.playlistType)])
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        for _ in 0..<2 {
            let outcome = try await stage.sync()
            #expect(outcome.exit == 0, "\(outcome.report)")
            #expect(outcome.events("download_failed").isEmpty)
            let row = try stage.stateCopy().rows("SELECT state, error_kind FROM downloads").first
            #expect(row == ["state": "waiting", "error_kind": "not_ready"])
            #expect(host.requests().allSatisfy { $0.path == "/s/index.m3u8" }, "nothing but the playlist")
        }
        host.script("/s/index.m3u8", [try fixture.answer("index.m3u8")])
        let last = try await stage.sync()
        #expect(last.exit == 0, "\(last.report)")
        try await StreamFile(path: try stage.path(of: "v", in: last), name: "ended").check(fixture, isRemuxed: true)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("DRM fails as such before any segment is requested")
    func protected() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let segment = "#EXTINF:1,\nsegment.ts\n#EXT-X-ENDLIST\n"
        let begin = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n"
        let widevine = "KEYFORMAT=\"urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed\""
        let playlists = [
            "fairplay": "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://key\",KEYFORMAT=\"com.apple.streamingkeydelivery\"\n",
            "sample": "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"key.bin\"\n",
            "widevine": "#EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI=\"data:text/plain;base64,AAAA\",\(widevine)\n",
            "playready": "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"data:,x\",KEYFORMAT=\"com.microsoft.playready\"\n",
            "later": "#EXTINF:1,\nclear.ts\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://key\"\n",
        ]
        for (name, key) in playlists {
            host.script("/\(name).m3u8", [.text(begin + key + segment, StreamFixture.playlistType)])
        }
        let session = "#EXTM3U\n#EXT-X-SESSION-KEY:METHOD=SAMPLE-AES-CTR,URI=\"data:,x\",\(widevine)\n"
        host.script(
            "/session.m3u8",
            [.text(session + "#EXT-X-STREAM-INF:BANDWIDTH=1000\nvariant.m3u8\n", StreamFixture.playlistType)])
        let names = playlists.keys.sorted() + ["session"]
        try stage.catalog(CatalogText(videos: names.map { CatalogText.stream($0, host.url("/\($0).m3u8")) }))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 1, "\(outcome.report)")
        for name in names {
            let failed = outcome.events("download_failed", of: name)
            #expect(failed.map(\.error?.kind) == ["drm"], "\(name): \(failed.first?.text ?? "")")
            #expect(failed.first?.retryAt == nil, "\(name): for good")
        }
        #expect(host.requests().count == names.count, "\(host.requests().map(\.path))")
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("another initialization section in the middle needs ffmpeg; the same one under another name doesn't")
    func severalMaps() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.fragmentedMP4)
        try host.serve(fixture, at: "/s/")
        for (name, section) in [("same", "init.mp4?again"), ("other", "other.mp4")] {
            let text = try fixture.text().replacing(
                "#EXTINF:1.000000,\nf012",
                with: """
                    #EXT-X-DISCONTINUITY
                    #EXT-X-MAP:URI="\(section)"
                    #EXTINF:1.000000,
                    f012
                    """)
            host.script("/s/\(name).m3u8", [.text(text, StreamFixture.playlistType)])
        }
        var other = try fixture.answer("init.mp4").body
        // Another number of the next track: nothing that anybody reads.
        other[other.count - 1] ^= 1
        host.script("/s/other.mp4", [.bytes(other, "video/mp4")])
        try stage.catalog(
            CatalogText(videos: ["same", "other"].map { CatalogText.stream($0, host.url("/s/\($0).m3u8")) }))
        let outcome = try await stage.sync("catalog.yaml", ["--ffmpeg", "none"])
        #expect(outcome.exit == 1, "\(outcome.report)")
        try await StreamFile(path: try stage.path(of: "same", in: outcome), name: "same").check(fixture)
        #expect(
            outcome.events("download_failed", of: "other").map(\.error?.kind) == ["needs_ffmpeg"], "\(outcome.report)")
        #expect(LibraryFiles(stage.library).paths == ["Course/01 same.mp4"])
        await host.stop()
    }

    @Test("a stream that isn't media after decryption was encrypted twice: the host's own DRM")
    func encryptedTwice() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.rotatingKeys)
        try host.serve(fixture, at: "/s/")
        let key = try fixture.answer("key0.bin").body.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let iv = try #require(try fixture.text().firstMatch(of: #/IV=0X([0-9A-F]{32})/#)).1
        let made = try await Tool(name: "openssl", package: "openssl").run([
            "enc", "-aes-128-cbc", "-K", key, "-iv", String(iv), "-in", fixture.folder + "/e000.ts", "-out",
            stage.folder.at("twice.ts").string,
        ])
        #expect(made.isSuccess, "\(made.output)")
        let twice = [UInt8](try Data(contentsOf: URL(filePath: stage.folder.at("twice.ts").string)))
        host.script("/s/e000.ts", [.bytes(twice, "video/mp2t")])
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 1, "\(outcome.report)")
        #expect(outcome.events("download_failed").map(\.error?.kind) == ["drm"], "\(outcome.report)")
        #expect(LibraryFiles(stage.library).paths == [])
        await host.stop()
    }

    @Test("a segment that the playlist marks as missing is left out, with a warning")
    func gap() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.transportStream)
        try host.serve(fixture, at: "/s/")
        let text = try fixture.text().replacing("s005.ts", with: "#EXT-X-GAP\nmissing.ts")
        host.script("/s/index.m3u8", [.text(text, StreamFixture.playlistType)])
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        let outcome = try await stage.sync("catalog.yaml", ["--ffmpeg", "none"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        let warnings = outcome.events("warning").compactMap(\.message)
        #expect(warnings.count == 1 && warnings[0].contains("1 gap"), "\(warnings)")
        let joined = try fixture.segments.filter { $0 != "s005.ts" }.flatMap { try fixture.answer($0).body }
        #expect(FileManager.default.contents(atPath: try stage.path(of: "v", in: outcome)) == Data(joined))
        #expect(host.requests(path: "/s/missing.ts").isEmpty)
        await host.stop()
    }
}
