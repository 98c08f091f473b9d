import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("streams", .timeLimit(.minutes(5)))
struct StreamTests {
    /// What a file of a stream is called that stays as it is.
    private static func end(_ kind: StreamFixture.Kind) -> String {
        switch kind {
        case .transportStream, .rangedTransportStream, .rotatingKeys, .impliedIV, .master: ".ts"
        case .fragmentedMP4, .rangedFragmentedMP4, .encryptedMP4, .twoParts: ".mp4"
        case .packedAudio: ".aac"
        }
    }

    @Test(
        "each kind becomes one file with the source's pictures and sounds; a second sync transfers nothing",
        arguments: [false, true])
    func kinds(isRemuxed: Bool) async throws {
        let nginx = try await NginxServer.start()
        let stage = try Stage()
        // What can't be one file without ffmpeg has a test of its own.
        let kinds = StreamFixture.Kind.allCases.filter { $0 != .master && (isRemuxed || $0 != .twoParts) }
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

    @Test("a master playlist gives the renditions of the catalog, in one file, with subtitles beside it")
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

    @Test("without ffmpeg separate sound is a second file, with a warning", arguments: ["en", "de"])
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

    @Test("a stream in two courses is downloaded once, and stored in both")
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
}
