import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("DASH presentations", .timeLimit(.minutes(5)))
struct PresentationTests {
    /// A host that gives out a presentation at `/p/`, and a catalog of it.
    private struct Scene {
        let host: FaultHost
        let stage: Stage
        let fixture: PresentationFixture
        private let folder = TemporaryFolder()

        init(_ form: PresentationFixture.Form, _ extra: [String] = []) async throws {
            host = try await FaultHost.start()
            stage = try Stage()
            fixture = try await PresentationFixture.make(form, in: folder.path.string)
            try host.serve(presentation: fixture.folder, at: "/p/")
            try stage.catalog(CatalogText(videos: [Self.video(host.url("/p/index.mpd"), extra)]))
        }

        static func video(_ url: String, _ extra: [String] = []) -> CatalogText.Video {
            .init(id: "v", extra: ["parameters: {kind: dash, url: \(CatalogText.quoted(url))}"] + extra)
        }

        /// Another text of the presentation from now on.
        func serve(_ text: String) { host.script("/p/index.mpd", [.text(text, "application/dash+xml")]) }

        func row() throws -> [String: String]? {
            try stage.stateCopy().rows("SELECT state, error_kind, error_message FROM downloads").first
        }
    }

    @Test(
        "each form becomes one file with the source's pictures and separate sound; a second sync transfers nothing",
        arguments: PresentationFixture.Form.allCases)
    func forms(_ form: PresentationFixture.Form) async throws {
        let scene = try await Scene(form)
        let outcome = try await scene.stage.sync()
        #expect(outcome.exit == 0 && outcome.events("warning").isEmpty, "\(outcome.report)")
        var expected = try await scene.fixture.expected()
        let path = try scene.stage.path(of: "v", in: outcome)
        // The presentation gives 24 s; the last packets of sound begin after them, in a segment that it doesn't count.
        if form == .numbers {
            let found = try await FrameHashes.of(path).sounds
            #expect((expected.sounds.count - 3...expected.sounds.count).contains(found.count))
            expected.sounds.removeLast(expected.sounds.count - found.count)
        }
        try await StreamFile(path: path, name: form.rawValue).check(expected, isRemuxed: true)
        #expect(LibraryFiles(scene.stage.library).paths == ["Course/01 v.mp4"])
        #expect(try scene.stage.strays() == [])
        let requests = scene.host.requests()
        let counts = Dictionary(grouping: requests) { "\($0.path) \($0.rangeStart ?? -1)" }.mapValues(\.count)
        #expect(counts.allSatisfy { $0.value == 1 }, "\(counts.filter { $0.value > 1 })")
        #expect(!requests.contains { $0.path.contains("stream1") || $0.path.contains("low") }, "the other picture")
        let again = try await scene.stage.sync()
        #expect(again.exit == 0 && scene.host.requests().count == requests.count, "\(again.report)")
        await scene.host.stop()
    }

    @Test("quality, sound and subtitles are those that the catalog asks for")
    func choice() async throws {
        let scene = try await Scene(.timeline, ["quality: 90p", "audio: [de]", "subtitles: all"])
        let text = """
            <AdaptationSet mimeType="text/vtt" lang="en"><Representation id="s" bandwidth="100">
            <BaseURL>subtitles.vtt</BaseURL></Representation></AdaptationSet>
            <AdaptationSet mimeType="application/ttml+xml" lang="de"><Representation id="t" bandwidth="100">
            <BaseURL>subtitles.xml</BaseURL></Representation></AdaptationSet></Period>
            """
        scene.serve(try scene.fixture.text().replacing("</Period>", with: text))
        let subtitles = "WEBVTT\n\n00:01.000 --> 00:02.000\nThe first line\n"
        scene.host.script("/p/subtitles.vtt", [.text(subtitles, "text/vtt")])
        let outcome = try await scene.stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        // Text that isn't WebVTT can't be kept.
        #expect(outcome.events("warning").count == 1, "\(outcome.report)")
        let expected = try await scene.fixture.expected(picture: "low", language: "de")
        try await StreamFile(path: try scene.stage.path(of: "v", in: outcome), name: "choice").check(
            expected, isRemuxed: true)
        #expect(LibraryFiles(scene.stage.library).paths == ["Course/01 v.en.vtt", "Course/01 v.mp4"])
        let found = try StreamFile.subtitles(scene.stage.library.appending("Course/01 v.en.vtt").string)
        #expect(found.map(\.text) == ["The first line"] && found.map(\.begin) == [1])
        #expect(!scene.host.requests().contains { $0.path.hasSuffix("subtitles.xml") })
        await scene.host.stop()
    }

    @Test("without ffmpeg picture and sound are two files of exactly the segments")
    func joined() async throws {
        let scene = try await Scene(.timeline)
        let outcome = try await scene.stage.sync("catalog.yaml", ["--ffmpeg", "none"])
        #expect(outcome.exit == 0 && outcome.events("warning").count == 1, "\(outcome.report)")
        #expect(LibraryFiles(scene.stage.library).paths == ["Course/01 v.en.m4a", "Course/01 v.mp4"])
        func segments(_ stream: Int, _ count: Int) -> [String] {
            ["init-stream\(stream).m4s"] + (1...count).map { "chunk-stream\(stream)-\(String(format: "%05d", $0)).m4s" }
        }
        let digests = LibraryFiles(scene.stage.library).digests
        let picture = try scene.fixture.joined(segments(0, 24))
        #expect(digests["Course/01 v.mp4"] == StreamFile.digest(Data(picture)))
        let sounds = segments(2, 25).filter { FileManager.default.fileExists(atPath: "\(scene.fixture.folder)/\($0)") }
        #expect(digests["Course/01 v.en.m4a"] == StreamFile.digest(Data(try scene.fixture.joined(sounds))))
        #expect(try await scene.stage.command(["verify"]).exit == 0)
        await scene.host.stop()
    }

    @Test("as a package it plays like the source", arguments: [PresentationFixture.Form.timeline, .index])
    func package(_ form: PresentationFixture.Form) async throws {
        let scene = try await Scene(form)
        let outcome = try await scene.stage.sync("catalog.yaml", ["--container", "package"])
        #expect(outcome.exit == 0 && outcome.events("warning").isEmpty, "\(outcome.report)")
        let index = scene.stage.library.appending("Course/01 v.hls/index.m3u8").string
        try await StreamFile(path: index, name: form.rawValue).check(
            try await scene.fixture.expected(), isRemuxed: false)
        #expect(try scene.stage.strays() == [])
        await scene.host.stop()
    }

    @Test("killed in the middle, the next run asks for no segment that was there")
    func killed() async throws {
        let scene = try await Scene(.timeline)
        let held = "/p/chunk-stream0-00011.m4s"
        let bytes = try scene.fixture.joined(["chunk-stream0-00011.m4s"])
        scene.host.script(held, [ScriptedAnswer.bytes(bytes, "video/mp4").held])
        let options = ["--segments-per-download", "2"]
        let first = try await scene.stage.sync("catalog.yaml", options) { running in
            try await scene.stage.waitForStream("v", next: 8)
            try await running.signal(SIGKILL)
        }
        #expect(first.exit == 137, "\(first.report)")
        let next = try #require(try scene.stage.stateCopy().streams()["v"]?.tracks.map(\.next))
        #expect(next[0] >= 8 && next[1] >= 24, "\(next)")
        let before = scene.host.requests().count
        scene.host.release(held)
        let last = try await scene.stage.sync("catalog.yaml", options)
        #expect(last.exit == 0, "\(last.report)")
        #expect((last.events("download_started").first?.resumeFrom ?? 0) > 0, "\(last.output)")
        try await StreamFile(path: try scene.stage.path(of: "v", in: last), name: "resumed").check(
            try await scene.fixture.expected(), isRemuxed: true)
        let again = scene.host.requests().dropFirst(before)
        let numbers = again.compactMap {
            $0.path.wholeMatch(of: #/.*chunk-stream0-0*(\d+)\.m4s/#).flatMap { Int($0.1) }
        }
        #expect(numbers.min() == next[0] + 1, "\(numbers)")
        #expect(!again.contains { $0.path.contains("chunk-stream2-") }, "the sound was there")
        #expect(try scene.stage.strays() == [])
        await scene.host.stop()
    }

    @Test("several periods follow each other in one file")
    func periods() async throws {
        let scene = try await Scene(.timeline)
        let text = try scene.fixture.text()
        let start = try #require(text.firstRange(of: "<Period")), end = try #require(text.firstRange(of: "</Period>"))
        let period = text[start.lowerBound..<end.upperBound].replacing(" start=\"PT0.0S\"", with: " duration=\"PT24S\"")
        scene.serve(text[..<start.lowerBound] + period + period.replacing("id=\"0\" d", with: "id=\"1\" d") + "</MPD>")
        let outcome = try await scene.stage.sync()
        #expect(outcome.exit == 0 && outcome.events("warning").isEmpty, "\(outcome.report)")
        let expected = try await scene.fixture.expected()
        let found = try await FrameHashes.of(try scene.stage.path(of: "v", in: outcome))
        #expect(found.pictures == expected.pictures + expected.pictures)
        #expect(abs(found.sounds.count - 2 * expected.sounds.count) <= 2)
        #expect(try scene.stage.strays() == [])
        await scene.host.stop()
    }

    @Test("WebM becomes an MP4 of the same codecs; without ffmpeg it stays what it is")
    func webM() async throws {
        let (host, stage, folder) = (try await FaultHost.start(), try Stage(), TemporaryFolder())
        try await PresentationFixture.makeWebM(in: folder.path.string)
        try host.serve(presentation: folder.path.string, at: "/p/")
        try stage.catalog(CatalogText(videos: [Scene.video(host.url("/p/index.mpd"))]))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0 && outcome.events("warning").isEmpty, "\(outcome.report)")
        let facts = try await MediaFacts.of(try stage.path(of: "v", in: outcome))
        #expect(facts.streams.map(\.codec_name) == ["vp9", "opus"] && abs(facts.format.seconds - 4) < 0.1)
        #expect(LibraryFiles(stage.library).paths == ["Course/01 v.mp4"])
        #expect(try stage.strays() == [])
        let other = try Stage()
        try other.catalog(CatalogText(videos: [Scene.video(host.url("/p/index.mpd"))]))
        #expect(try await other.sync("catalog.yaml", ["--ffmpeg", "none"]).exit == 0)
        let video = try await MediaFacts.of(other.library.appending("Course/01 v.webm").string)
        #expect(video.streams.map(\.codec_name) == ["vp9"])
        await host.stop()
    }

    @Test("one that is still live waits without being a failure")
    func dynamic() async throws {
        let scene = try await Scene(.numbers)
        scene.serve(try scene.fixture.text().replacing("type=\"static\"", with: "type=\"dynamic\""))
        let outcome = try await scene.stage.sync()
        #expect(outcome.exit == 0 && outcome.events("download_failed").isEmpty, "\(outcome.report)")
        let row = try scene.row()
        #expect(row?["state"] == "waiting" && row?["error_kind"] == "not_ready", "\(String(describing: row))")
        #expect(scene.host.requests().allSatisfy { $0.path == "/p/index.mpd" }, "nothing but the presentation")
        await scene.host.stop()
    }

    @Test(
        "what can't be downloaded fails with its reason before any segment is requested",
        arguments: [
            (
                "<Representation id=\"0\"",
                "<ContentProtection schemeIdUri=\"urn:mpeg:dash:mp4protection:2011\" value=\"cenc\"/>"
                    + "<ContentProtection schemeIdUri=\"urn:uuid:EDEF8BA9-79D6-4ACE-A3C8-27DCD51D21ED\"/>"
                    + "<Representation id=\"0\"",
                "drm", "the stream is protected by Widevine"
            ),
            ("<Period ", "<Period xlink:href=\"https://ads.example/period.xml\" ", "not_media", "xlink:href"),
            ("d=\"12800\" r=\"23\"", "d=\"1\" r=\"1000000000\"", "not_media", "more than 100,000 segments"),
            ("</MPD>", "", "not_media", "the presentation can't be read"),
        ])
    func refused(_ old: String, _ new: String, _ kind: String, _ message: String) async throws {
        let scene = try await Scene(.timeline)
        let text = try scene.fixture.text()
        #expect(text.contains(old))
        scene.serve(text.replacing(old, with: new))
        let outcome = try await scene.stage.sync()
        #expect(outcome.exit != 0, "\(outcome.report)")
        let row = try scene.row()
        #expect(row?["state"] == "failed" && row?["error_kind"] == kind, "\(String(describing: row))")
        #expect(row?["error_message"]?.contains(message) == true, "\(String(describing: row))")
        #expect(scene.host.requests().allSatisfy { $0.path == "/p/index.mpd" }, "nothing but the presentation")
        await scene.host.stop()
    }
}
