import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("files written beside the media")
struct MetadataTests {
    private static let all = ["--write-nfo", "--write-info-json", "--write-playlist", "--write-index"]

    private static let written: Set<String> = [
        "index.html", "Course/tvshow.nfo", "Course/index.html", "Course/playlist.m3u8", "Course/01 One.nfo",
        "Course/01 One.info.json",
        "Course/02 Rays/season.nfo", "Course/02 Rays/playlist.m3u8",
        "Course/02 Rays/01 Two <&>.nfo".replacing("<", with: "_")
            .replacing(">", with: "_"), "Course/02 Rays/01 Two _&_.info.json",
    ]

    private func start(title: String = "Course") async throws -> (Stage, FaultHost, CatalogText) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        var catalog = CatalogText(
            url: host.url("/media/{id}/2000.mp4"), videos: [.init(id: "1", title: "One", extra: ["date: 2026-10-05"])])
        catalog.courses[0].chapters = [("ch", "Rays", [.init(id: "2", title: "Two <&>")])]
        try stage.catalog(catalog)
        return (stage, host, catalog)
    }

    private func others(_ stage: Stage) -> Set<String> {
        Set(LibraryFiles(stage.library).paths.filter { !$0.hasSuffix(".mp4") })
    }

    private func facts(_ stage: Stage) -> [String] {
        others(stage).sorted().map { "\($0) \(inode(stage.library.appending($0)) ?? 0)" }
    }

    @Test("each is written where it is wanted, and left alone by a sync that changes nothing")
    func unchanged() async throws {
        let (stage, host, _) = try await start()
        #expect(try await stage.sync().exit == 0)
        #expect(others(stage).isEmpty)
        let first = try await stage.sync("catalog.yaml", Self.all)
        #expect(first.exit == 0 && first.summary?.errors?.isEmpty != false, "\(first.report)")
        #expect(others(stage) == Self.written)
        let before = facts(stage)
        let state = try stage.stateCopy().rows("SELECT * FROM metadata ORDER BY path").map { "\($0["modified"] ?? "")" }
        #expect(state.count == Self.written.count && !state.contains(""))
        let again = try await stage.sync("catalog.yaml", Self.all)
        #expect(again.exit == 0 && again.events.map(\.event) == ["sync_started", "sync_finished"], "\(again.report)")
        #expect(facts(stage) == before)
        let doctor = try await stage.command(["doctor"])
        #expect(!doctor.output.contains("index.html"), "\(doctor.report)")
        // What is missing comes back, and nothing else is written.
        try FileManager.default.removeItem(atPath: stage.library.appending("Course/index.html").string)
        #expect(try await stage.sync("catalog.yaml", Self.all).exit == 0)
        #expect(others(stage) == Self.written)
        #expect(facts(stage).filter { !$0.contains("index") } == before.filter { !$0.contains("index") })
        await host.stop()
    }

    @Test("they follow titles, order and layout, cause no download, and are removed when they aren't wanted")
    func changes() async throws {
        var (stage, host, catalog) = try await start()
        #expect(try await stage.sync("catalog.yaml", Self.all).exit == 0)
        let requests = host.requests().count
        catalog.courses[0].title = "Optics"
        catalog.courses[0].videos[0].title = "First"
        try stage.catalog(catalog)
        #expect(try await stage.sync("catalog.yaml", Self.all).exit == 0)
        #expect(!stage.folder.has("library/Course"))
        #expect(stage.folder.read("library/Optics/01 First.nfo")?.contains("<title>First</title>") == true)
        #expect(stage.folder.read("library/Optics/playlist.m3u8")?.contains("\n01 First.mp4\n") == true)
        #expect(stage.folder.read("library/Optics/index.html")?.contains("<title>Optics</title>") == true)

        let moved = try await stage.sync("catalog.yaml", Self.all + ["--layout", "podcast"])
        #expect(moved.exit == 0, "\(moved.report)")
        #expect(
            others(stage) == [
                "index.html", "Optics/tvshow.nfo", "Optics/index.html", "Optics/playlist.m3u8",
                "Optics/playlist 2 Rays.m3u8",
                "Optics/001 2026-10-05 First.nfo", "Optics/001 2026-10-05 First.info.json", "Optics/002 Two _&_.nfo",
                "Optics/002 Two _&_.info.json",
            ])
        #expect(try await stage.sync("catalog.yaml", ["--layout", "podcast", "--write-playlist"]).exit == 0)
        #expect(others(stage) == ["Optics/playlist.m3u8", "Optics/playlist 2 Rays.m3u8"])
        #expect(try await stage.sync("catalog.yaml", ["--layout", "podcast"]).exit == 0)
        #expect(others(stage).isEmpty)
        #expect(host.requests().count == requests)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test(
        "a file that isn't ours, or was changed by somebody, stays, with a warning; after a kill our files are still known as ours"
    )
    func foreign() async throws {
        var (stage, host, catalog) = try await start()
        #expect(try await stage.sync("catalog.yaml", ["--write-nfo"]).exit == 0)
        try stage.folder.write("my own page", to: "library/Course/index.html")
        try stage.folder.write("edited", to: "library/Course/01 One.nfo")
        catalog.courses[0].videos[0].extra = ["date: 2026-10-06"]
        try stage.catalog(catalog)
        let outcome = try await stage.sync("catalog.yaml", ["--write-nfo", "--write-index"])
        #expect(outcome.exit == 0)
        #expect(
            outcome.events("warning").compactMap(\.message) == [
                "2 files of Course, such as Course/01 One.nfo, aren't as coursefetch wrote them and stay as they are; delete "
                    + "them to have them written anew"
            ], "\(outcome.report)")
        #expect(stage.folder.read("library/Course/index.html") == "my own page")
        #expect(stage.folder.read("library/Course/01 One.nfo") == "edited")
        try FileManager.default.removeItem(atPath: stage.library.appending("Course/index.html").string)
        try FileManager.default.removeItem(atPath: stage.library.appending("Course/01 One.nfo").string)
        #expect(try await stage.sync("catalog.yaml", ["--write-nfo", "--write-index"]).exit == 0)
        #expect(stage.folder.read("library/Course/01 One.nfo")?.contains("2026-10-06") == true)

        // As a kill leaves it between the row and the file.
        try StateCopy.edit(
            stage.state,
            """
            UPDATE metadata SET old_sha256 = sha256, old_size = size, sha256 = x'00', size = 1, modified = NULL;
            UPDATE metadata_courses SET stamp = ''
            """)
        let after = try await stage.sync("catalog.yaml", ["--write-nfo", "--write-index"])
        #expect(after.exit == 0 && after.events("warning").isEmpty, "\(after.report)")
        #expect(try stage.stateCopy().rows("SELECT * FROM metadata WHERE modified IS NULL OR old_size > 0").isEmpty)
        await host.stop()
    }

    @Test("a video that is gone keeps its own as they are, and its place on page and playlist")
    func gone() async throws {
        var (stage, host, catalog) = try await start()
        catalog.courses[0].videos += [.init(id: "3", title: "Three"), .init(id: "4", title: "Four")]
        try stage.catalog(catalog)
        #expect(try await stage.sync("catalog.yaml", Self.all).exit == 0)
        let own = ["Course/01 One.nfo", "Course/01 One.info.json", "Course/04 Rays/01 Two _&_.nfo"]
        let before = own.map { "\(inode(stage.library.appending($0)) ?? 0)" }
        let page = stage.folder.read("library/Course/index.html")
        catalog.courses[0].videos.removeFirst()
        catalog.courses[0].chapters = []
        catalog.courses[0].videos.append(.init(id: "5", title: "Five"))
        try stage.catalog(catalog)
        let outcome = try await stage.sync("catalog.yaml", Self.all)
        #expect(outcome.exit == 0 && outcome.events("download_moved").isEmpty, "\(outcome.report)")
        #expect(own.map { "\(inode(stage.library.appending($0)) ?? 0)" } == before)
        #expect(stage.folder.read("library/\(own[0])")?.contains("<aired>2026-10-05</aired>") == true)
        let playlist = stage.folder.read("library/Course/playlist.m3u8") ?? ""
        #expect(
            playlist.split(separator: "\n").filter { !$0.hasPrefix("#") } == [
                "01 One.mp4", "02 Three.mp4", "03 Four.mp4", "04 Five.mp4", "04 Rays/01 Two _&_.mp4",
            ])
        for title in ["One", "Two &lt;&amp;&gt;", "Rays"] {
            #expect(stage.folder.read("library/Course/index.html")?.contains(title) == true)
            #expect(page?.contains(title) == true)
        }
        let again = try await stage.sync("catalog.yaml", Self.all)
        #expect(again.events.map(\.event) == ["sync_started", "sync_finished"], "\(again.report)")
        await host.stop()
    }

    @Test("they are removed with their course, and with a video that is removed")
    func prune() async throws {
        var (stage, host, catalog) = try await start()
        catalog.courses.append(.init(id: "d", title: "Other", videos: [.init(id: "3", title: "Three")]))
        try stage.catalog(catalog)
        #expect(try await stage.sync("catalog.yaml", Self.all).exit == 0)
        #expect(stage.folder.has("library/Other/index.html"))
        #expect(stage.folder.read("library/index.html")?.contains("\"Other/index.html\"") == true)
        #expect(try await stage.command(["remove", "--yes", "c/ch/2"]).exit == 0)
        catalog.courses.removeLast()
        try stage.catalog(catalog)
        let outcome = try await stage.sync("catalog.yaml", Self.all + ["--prune", "--max-delete", "1"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(!stage.folder.has("library/Other"))
        #expect(!stage.folder.has("library/Course/02 Rays"))
        #expect(stage.folder.read("library/Course/index.html")?.contains("Two") == false)
        let page = stage.folder.read("library/index.html") ?? ""
        #expect(page.contains("\"Course/index.html\"") && !page.contains("Other") && !page.contains("Two"), "\(page)")
        await host.stop()
    }
}
