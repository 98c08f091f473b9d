import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("streams", .timeLimit(.minutes(2)))
struct StreamTests {
    /// What a file of a stream is called that stays as it is.
    private static func end(_ kind: StreamFixture.Kind) -> String {
        switch kind {
        case .transportStream, .rangedTransportStream, .rotatingKeys, .impliedIV, .master: ".ts"
        case .fragmentedMP4, .rangedFragmentedMP4, .encryptedMP4: ".mp4"
        case .packedAudio: ".aac"
        }
    }

    @Test(
        "each kind becomes one file with the source's pictures and sounds; a second sync transfers nothing",
        arguments: [false, true])
    func kinds(isRemuxed: Bool) async throws {
        let nginx = try await NginxServer.start()
        let stage = try Stage()
        let kinds = StreamFixture.Kind.allCases.filter { $0 != .master }
        var videos: [CatalogText.Video] = []
        for kind in kinds {
            let fixture = try await StreamFixtures.make(kind)
            try nginx.add(folder: fixture.folder, as: kind.rawValue)
            videos.append(CatalogText.stream(kind.rawValue, nginx.url("/plain/\(kind.rawValue)/\(fixture.playlist)")))
        }
        try stage.catalog(CatalogText(videos: videos))
        let options = isRemuxed ? [] : ["--ffmpeg", "none"]
        let outcome = try await stage.sync("catalog.yaml", options)
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("warning").isEmpty, "\(outcome.report)")
        for kind in kinds {
            let fixture = try await StreamFixtures.make(kind)
            guard let file = outcome.events("download_finished", of: kind.rawValue).first?.path else { continue }
            #expect(file.hasSuffix(kind.rawValue + (isRemuxed ? ".mp4" : Self.end(kind))), "\(file)")
            let path = stage.library.appending(file).string
            try await StreamFile(path: path, name: kind.rawValue).check(fixture, isRemuxed: isRemuxed)
            if !isRemuxed, !fixture.tracks[0].parts.isEmpty {
                let joined = try fixture.joined()
                #expect(FileManager.default.contents(atPath: path) == Data(joined), "\(kind.rawValue): other bytes")
            }
        }
        #expect(LibraryFiles(stage.library).paths.count == kinds.count)
        #expect(try stage.strays() == [])
        let seconds = try stage.stateCopy().rows("SELECT video, media_seconds FROM downloads")
        #expect(seconds.allSatisfy { abs((Double($0["media_seconds"] ?? "") ?? 0) - 24) < 0.2 }, "\(seconds)")
        let requests = try nginx.log()
        for (name, count) in Dictionary(grouping: requests, by: { "\($0.path) \($0.rangeStart ?? -1)" }).mapValues(
            \.count)
        {
            #expect(count == 1, "\(name)")
        }
        let again = try await stage.sync("catalog.yaml", options)
        #expect(again.exit == 0 && again.summary?.bytes == 0, "\(again.report)")
        #expect(try nginx.log() == requests)
        let verified = try await stage.command(["verify"])
        #expect(verified.exit == 0, "\(verified.report)")
        await nginx.stop()
    }

    @Test("of a master playlist comes what the catalog asks for, in one file, subtitles beside it")
    func renditions() async throws {
        let (nginx, stage, fixture) = try await master(["quality: 144p", "audio: [fr, de]", "subtitles: [de]"])
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0 && outcome.events("warning").isEmpty, "\(outcome.report)")
        let path = try stage.path(of: "v", in: outcome)
        try await StreamFile(path: path, name: "master").check(
            fixture, picture: "middle", language: "de", isRemuxed: true)
        let sound = try await MediaFacts.of(path).streams("audio").first
        #expect(["de", "deu", "ger"].contains(sound?.tags?["language"]), "\(String(describing: sound))")
        #expect(LibraryFiles(stage.library).paths == ["Course/01 v.de.vtt", "Course/01 v.mp4"])
        try checkSubtitles(stage, "de")
        #expect(try stage.strays() == [])
        let names = Set(try nginx.log().compactMap { $0.path.split(separator: "/").last.map(String.init) })
        #expect(
            !names.contains { $0.hasPrefix("high") || $0.hasPrefix("low") || $0.hasPrefix("en") }, "\(names.sorted())")
        await nginx.stop()
    }

    @Test("without ffmpeg separate sound is a second file, and a warning says so", arguments: ["en", "de"])
    func separateSound(_ language: String) async throws {
        let extra = ["audio: [\(language)]", "subtitles: all"]
        let (nginx, stage, fixture) = try await master(extra)
        let outcome = try await stage.sync("catalog.yaml", ["--ffmpeg", "none"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("warning").count == 1, "\(outcome.report)")
        let end = language == "en" ? "m4a" : "aac"
        #expect(
            LibraryFiles(stage.library).paths
                == [
                    "Course/01 v.de.vtt", "Course/01 v.\(language).\(end)", "Course/01 v.en.vtt", "Course/01 v.ts",
                ].sorted())
        var expected = try await fixture.expected(language: language)
        let sounds = expected.sounds
        expected.sounds = []
        let folder = stage.library.appending("Course")
        try await StreamFile(path: folder.appending("01 v.ts").string, name: "picture").check(
            expected, isRemuxed: false)
        expected = FrameHashes()
        expected.sounds = sounds
        try await StreamFile(path: folder.appending("01 v.\(language).\(end)").string, name: "sound").check(
            expected, isRemuxed: false)
        for language in ["en", "de"] { try checkSubtitles(stage, language) }
        #expect(try stage.strays() == [])
        let requests = try nginx.log()
        let again = try await stage.sync("catalog.yaml", ["--ffmpeg", "none"])
        #expect(again.exit == 0, "\(again.report)")
        #expect(try nginx.log() == requests)
        #expect(try await stage.command(["verify"]).exit == 0)

        // With another title all of it moves; when it is removed all of it goes.
        let old = LibraryFiles(stage.library).digests
        try stage.catalog(catalog(nginx, extra + ["title: Another"]))
        let moved = try await stage.sync("catalog.yaml", ["--ffmpeg", "none"])
        #expect(moved.exit == 0, "\(moved.report)")
        let new = Dictionary(uniqueKeysWithValues: old.map { ($0.key.replacing("01 v", with: "01 Another"), $0.value) })
        #expect(LibraryFiles(stage.library).digests == new)
        #expect(try nginx.log() == requests)
        #expect(try await stage.command(["remove", "c", "--yes"]).exit == 0)
        #expect(LibraryFiles(stage.library).paths == [])
        await nginx.stop()
    }

    private func master(_ extra: [String]) async throws -> (NginxServer, Stage, StreamFixture) {
        let nginx = try await NginxServer.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.master)
        try nginx.add(folder: fixture.folder, as: "m")
        try stage.catalog(catalog(nginx, extra))
        return (nginx, stage, fixture)
    }

    private func catalog(_ nginx: NginxServer, _ extra: [String]) -> CatalogText {
        CatalogText(videos: [CatalogText.stream("v", nginx.url("/plain/m/master.m3u8"), extra: extra)])
    }

    private func checkSubtitles(_ stage: Stage, _ language: String) throws {
        let found = try StreamFile.subtitles(stage.library.appending("Course/01 v.\(language).vtt").string)
        let expected = StreamSubtitles(language: language).lines
        #expect(found.map(\.text) == expected.map(\.text), "each line once")
        for (one, other) in zip(found, expected) {
            #expect(abs(one.begin - other.begin) < 0.1 && abs(one.end - other.end) < 0.1, "\(one) \(other)")
        }
    }

    // MARK: stopping and going on

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

        func sync(while direct: @Sendable (RunningProgram) async throws -> Void = { _ in }) async throws -> Outcome {
            try await stage.sync("catalog.yaml", options, while: direct)
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
            for (index, name) in fixture.segments.enumerated() {
                let count = host.requests(path: "/s/" + name).count
                // Those behind the one that is held may have been on their way, or waited for their turn.
                let most = index < Self.index || index >= Self.index + 8 ? 1 : 2
                #expect((1...most).contains(count), "segment \(index): \(count) requests")
            }
            #expect(try stage.strays() == [])
            await host.stop()
        }
    }

    @Test("paused and resumed from another terminal, it goes on at the very segment")
    func pauseAndResume() async throws {
        let held = try await Held()
        let outcome = try await held.sync { _ in
            try await held.waitUntilHeld()
            #expect(try await held.stage.command(["pause", "c"]).output == "1 video paused\n")
        }
        #expect(outcome.exit == 0 && outcome.events("download_paused").count == 1, "\(outcome.report)")
        #expect(try await held.stage.command(["resume", "--paused"]).exit == 0)
        try await held.finish()
    }

    @Test("logged out in the middle and in again, it goes on at the very segment")
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

    @Test("a signal in the middle, and another one while it goes on: at the very segment")
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

    // MARK: what a provider or a playlist says

    @Test("a provider changes from a stream to a file and back between runs: what arrives is what it has last")
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

    @Test("a lecture that is still on waits without being a failure, and arrives when its playlist ends")
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

    @Test("what is protected by DRM fails as such before any segment is asked for")
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

    @Test("a stream in two courses is fetched once, and stands in both")
    func twoCourses() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.transportStream)
        try host.serve(fixture, at: "/s/")
        let video = CatalogText.stream("v", host.url("/s/index.m3u8"))
        try stage.catalog(
            CatalogText(courses: [
                .init(id: "c", title: "Course", videos: [video]), .init(id: "d", title: "Other", videos: [video]),
            ]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(LibraryFiles(stage.library).paths == ["Course/01 v.mp4", "Other/01 v.mp4"])
        #expect(Set(LibraryFiles(stage.library).digests.values).count == 1)
        for name in fixture.segments { #expect(host.requests(path: "/s/" + name).count == 1, "\(name)") }
        try await StreamFile(path: stage.library.appending("Other/01 v.mp4").string, name: "v").check(
            fixture, isRemuxed: true)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("another initialization section on the way needs ffmpeg; the same one by another name doesn't")
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

    @Test("what is no media once it is decrypted has been encrypted twice: that is DRM of the host's own")
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

    @Test("a segment that the playlist marks as missing is left out, and a warning says so")
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
