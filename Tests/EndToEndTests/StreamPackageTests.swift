import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("packages of streams", .timeLimit(.minutes(5)))
struct StreamPackageTests {
    private static let options = ["--container", "package"]

    private static func end(_ kind: StreamFixture.Kind) -> String {
        switch kind {
        case .fragmentedMP4, .rangedFragmentedMP4, .encryptedMP4, .twoParts: "mp4"
        case .packedAudio: "aac"
        default: "ts"
        }
    }

    @Test("each kind becomes a folder that plays as it is; a second sync transfers nothing")
    func kinds() async throws {
        let nginx = try await NginxServer.start()
        let stage = try Stage()
        let kinds = StreamFixture.Kind.allCases
        var videos: [CatalogText.Video] = []
        for kind in kinds {
            let fixture = try await StreamFixtures.make(kind)
            try nginx.add(folder: fixture.folder, as: kind.rawValue)
            videos.append(CatalogText.stream(kind.rawValue, nginx.url("/plain/\(kind.rawValue)/\(fixture.playlist)")))
        }
        try stage.catalog(CatalogText(videos: videos))
        let outcome = try await stage.sync("catalog.yaml", Self.options)
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("warning").isEmpty, "\(outcome.report)")
        var files: [String] = []
        for kind in kinds {
            let fixture = try await StreamFixtures.make(kind)
            guard let file = outcome.events("download_finished", of: kind.rawValue).first?.path else { continue }
            let folder = FilePath(file).removingLastComponent().string
            #expect(folder.hasSuffix(" \(kind.rawValue).hls"))
            files += ["index.m3u8", "video.\(Self.end(kind))"].map { "\(folder)/\($0)" }
            if kind == .master { files += ["audio.m3u8", "audio.m4a", "video.m3u8"].map { "\(folder)/\($0)" } }
            let index = stage.library.appending(folder + "/index.m3u8").string
            if kind == .twoParts {
                // ffmpeg's own player keeps to the first initialization section, so its parts are looked at.
                #expect(
                    FileManager.default.contents(atPath: stage.library.appending(file).string)
                        == Data(try fixture.joined()))
                let text = try String(contentsOfFile: index, encoding: .utf8)
                #expect(text.matches(of: #/#EXT-X-MAP:URI="video.mp4",BYTERANGE=/#).count == 2, "\(text)")
                #expect(text.matches(of: #/#EXT-X-DISCONTINUITY/#).count == 1, "\(text)")
            } else {
                try await StreamFile(path: index, name: kind.rawValue).check(fixture.expected(), isRemuxed: false)
            }
        }
        #expect(LibraryFiles(stage.library).paths == files.sorted())
        #expect(try stage.strays() == [])
        let requests = try nginx.log()
        let again = try await stage.sync("catalog.yaml", Self.options)
        #expect(again.exit == 0 && again.summary?.bytes == 0, "\(again.report)")
        #expect(try nginx.log() == requests)
        #expect(try await stage.command(["verify"]).exit == 0)
        await nginx.stop()
    }

    @Test("a package is moved, repaired and removed as one; somebody else's folder of its name isn't touched")
    func life() async throws {
        let nginx = try await NginxServer.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.master)
        try nginx.add(folder: fixture.folder, as: "m")
        func catalog(_ extra: [String]) throws {
            try stage.catalog(
                CatalogText(videos: [CatalogText.stream("v", nginx.url("/plain/m/master.m3u8"), extra: extra)]))
        }
        func plays(_ folder: String) async throws {
            try await StreamFile(path: stage.library.appending("\(folder)/index.m3u8").string, name: folder).check(
                fixture, isRemuxed: false)
        }
        let names = ["audio.m3u8", "audio.m4a", "index.m3u8", "video.m3u8", "video.ts"]
        let foreign = stage.library.appending("Course/01 v.hls")
        try FileManager.default.createDirectory(atPath: foreign.string, withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(filePath: foreign.appending("index.m3u8").string))
        try catalog([])
        let outcome = try await stage.sync("catalog.yaml", Self.options)
        #expect(outcome.exit == 0, "\(outcome.report)")
        let mine = ["Course/01 v.hls/index.m3u8"]
        #expect(LibraryFiles(stage.library).paths == names.map { "Course/01 v [v].hls/\($0)" } + mine)
        try await plays("Course/01 v [v].hls")

        try catalog(["title: Another"])
        #expect(try await stage.sync("catalog.yaml", Self.options).exit == 0)
        #expect(LibraryFiles(stage.library).paths == names.map { "Course/01 Another.hls/\($0)" } + mine)
        try await plays("Course/01 Another.hls")

        // A part that is gone makes all of it come again, in the same place.
        let index = stage.library.appending("Course/01 Another.hls/index.m3u8")
        try FileManager.default.removeItem(atPath: index.string)
        #expect(try await stage.command(["verify"]).exit == 1)
        let repaired = try await stage.sync("catalog.yaml", Self.options)
        #expect(repaired.exit == 0, "\(repaired.report)")
        #expect(LibraryFiles(stage.library).paths == names.map { "Course/01 Another.hls/\($0)" } + mine)
        try await plays("Course/01 Another.hls")

        // Fetched again as a file, it is one.
        let video = stage.library.appending("Course/01 Another.hls/video.ts")
        try Data("damaged".utf8).write(to: URL(filePath: video.string))
        #expect(try await stage.command(["verify", "--repair"]).exit == 1)
        let file = try await stage.sync()
        #expect(file.exit == 0, "\(file.report)")
        #expect(LibraryFiles(stage.library).paths == ["Course/01 Another.mp4"] + mine)
        #expect(try await stage.command(["remove", "c", "--yes"]).exit == 0)
        #expect(LibraryFiles(stage.library).paths == mine)
        await nginx.stop()
    }
}
