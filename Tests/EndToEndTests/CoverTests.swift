import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("covers and subtitles from outside", .timeLimit(.minutes(5)))
struct CoverTests {
    @Test("a cover that is a link, or lies behind one, is not copied, with a warning; a regular file is")
    func links() async throws {
        let stage = try Stage()
        try stage.folder.write("secret", to: "secret")
        try stage.folder.write("picture", to: "covers/a.jpg")
        try stage.folder.make("home")
        for (link, target) in [("link.jpg", "secret"), ("behind", "home/..")] {
            try FileManager.default.createSymbolicLink(
                atPath: stage.folder.at(link).string, withDestinationPath: target)
        }
        let host = try await FaultHost.start()
        let video = CatalogText.Video(id: "v")
        var catalog = CatalogText(
            url: host.url("/media/1/700.mp4"),
            courses: ["link.jpg", "behind/secret", "covers/a.jpg"].enumerated().map { number, path in
                .init(id: "c\(number)", title: "C\(number)", videos: [video], extra: ["cover: \(path)"])
            })
        catalog.courses[0].chapters = [("k", "K", [.init(id: "w", extra: ["cover: link.jpg"])])]
        try stage.catalog(catalog)
        let outcome = try await stage.sync()
        let files = LibraryFiles(stage.library)
        #expect(files.paths.filter { !$0.hasSuffix(".mp4") } == ["C2/cover.jpg"], "\(outcome.report)")
        let picture = stage.library.appending("C2/cover.jpg").string
        #expect(FileManager.default.contents(atPath: picture) == Data("picture".utf8))
        let warnings = outcome.events("warning").compactMap(\.message)
        #expect(warnings.count == 3 && warnings.allSatisfy { $0.contains("link") }, "\(outcome.report)")
        await host.stop()
    }

    @Test("subtitles in TTML are accepted with that extension; a web page is refused")
    func timedText() async throws {
        let stage = try Stage()
        let host = try await FaultHost.start()
        let ttml = "<?xml version=\"1.0\"?><tt xmlns=\"http://www.w3.org/ns/ttml\"/>"
        host.script("/en", [.text(ttml, "application/ttml+xml;charset=utf-8")])
        host.script("/de", [.text("<html></html>", "text/html")])
        host.script("/fr", [.text("WEBVTT\n", "text/vtt")])
        try stage.catalog(
            CatalogText(
                url: host.url("/media/1/700.mp4"),
                videos: [
                    .init(
                        id: "v",
                        extra: [
                            "subtitle_files: ["
                                + ["en", "de", "fr"].map {
                                    "{lang: \($0), url: \(CatalogText.quoted(host.url("/" + $0)))}"
                                }
                                .joined(separator: ", ") + "]"
                        ])
                ]))
        // The page is asked for again by the next sync; nothing becomes two files by that.
        for _ in 0..<2 {
            let outcome = try await stage.sync()
            #expect(
                LibraryFiles(stage.library).paths == ["Course/01 v.en.ttml", "Course/01 v.fr.vtt", "Course/01 v.mp4"],
                "\(outcome.report)")
            #expect(outcome.events("warning").count == 1, "\(outcome.report)")
        }
        await host.stop()
    }
}
