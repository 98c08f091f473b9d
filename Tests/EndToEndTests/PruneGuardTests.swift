import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("pruning")
struct PruneGuardTests {
    private typealias Video = CatalogText.Video

    private func start(_ courses: [CatalogText.Course]) async throws -> (Stage, FaultHost, CatalogText) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let catalog = CatalogText(url: host.url("/media/{id}/20000.mp4"), courses: courses)
        try stage.catalog(catalog)
        return (stage, host, catalog)
    }

    private let all = ["--prune", "--max-delete", "100%"]

    @Test("a file that can't be deleted is reported and stays; the others are removed, and the run has its summary")
    func undeletable() async throws {
        var (stage, host, catalog) = try await start([
            .init(id: "c", title: "Course", videos: (1...4).map { .init(id: "\($0)", title: "T\($0)") })
        ])
        #expect(try await stage.sync().exit == 0)
        // Something that no file can be removed from: a folder at its place.
        try stage.folder.remove("library/Course/02 T2.mp4")
        try stage.folder.make("library/Course/02 T2.mp4")
        catalog.courses[0].videos = [.init(id: "4", title: "T4")]
        try stage.catalog(catalog)
        let pruned = try await stage.sync("catalog.yaml", all)
        #expect(pruned.exit == 1, "\(pruned.report)")
        #expect(Set(pruned.events("download_removed").map(\.video)) == ["1", "3"], "\(pruned.report)")
        #expect(
            pruned.events("warning").contains { $0.video == "2" && $0.message?.contains("02 T2.mp4") == true },
            "\(pruned.report)")
        #expect(pruned.summary?.downloads?["finished"] == 1)
        #expect(try stage.stateCopy().states().keys.sorted() == ["2", "4"])
        // Once it can be, the next run goes on.
        try stage.folder.remove("library/Course/02 T2.mp4")
        #expect(try await stage.sync("catalog.yaml", all).exit == 0)
        #expect(try stage.stateCopy().states().keys.sorted() == ["4"])
        await host.stop()
    }

    @Test("covers, folders and names of courses and chapters that are gone are removed with their videos")
    func foldersAndNames() async throws {
        var (stage, host, catalog) = try await start([])
        let cover = "cover: \"\(host.url("/media/7/3000.jpg"))\""
        catalog.courses = [
            .init(id: "c", title: "Kept", videos: [.init(id: "1")], chapters: [("x", "Chapter", [.init(id: "2")])]),
            .init(id: "d", title: "Gone", videos: [.init(id: "3")], extra: [cover]),
        ]
        try stage.catalog(catalog)
        #expect(try await stage.sync().exit == 0)
        #expect(stage.folder.has("library/Gone/cover.jpg"), "\(stage.folder.names())")
        catalog.courses[0].chapters = []
        catalog.courses.remove(at: 1)
        try stage.catalog(catalog)
        let pruned = try await stage.sync("catalog.yaml", all)
        #expect(pruned.exit == 0, "\(pruned.report)")
        #expect(LibraryFiles(stage.library).paths == ["Kept/01 1.mp4"], "\(LibraryFiles(stage.library).paths)")
        #expect(!stage.folder.has("library/Gone") && !stage.folder.has("library/Kept/01 Chapter"))
        #expect(try stage.stateCopy().rows("SELECT id FROM courses").compactMap { $0["id"] } == ["c"])
        #expect(try stage.stateCopy().rows("SELECT id FROM chapters").isEmpty)
        // The name is anybody's.
        catalog.courses.append(.init(id: "e", title: "Gone", videos: [.init(id: "5")]))
        try stage.catalog(catalog)
        #expect(try await stage.sync().exit == 0)
        #expect(stage.folder.has("library/Gone/01 5.mp4"), "\(LibraryFiles(stage.library).paths)")
        await host.stop()
    }

    @Test("a file stays while its replacement has failed, this night and the next; afterwards it is removed")
    func failedReplacement() async throws {
        var (stage, host, catalog) = try await start([
            .init(id: "c", title: "Course", videos: [.init(id: "1", title: "One"), .init(id: "2", title: "Two")])
        ])
        #expect(try await stage.sync().exit == 0)
        // Another id, for which the host has nothing.
        catalog.courses[0].videos[0] = .init(
            id: "new", title: "One", extra: ["parameters: {url: \"\(host.url("/media/1/20000.mp4?status=404"))\"}"])
        try stage.catalog(catalog)
        for _ in 1...2 {
            let failed = try await stage.sync("catalog.yaml", all)
            #expect(failed.exit == 1, "\(failed.report)")
            #expect(failed.events("download_removed").isEmpty)
            #expect(failed.events("warning").contains { $0.message?.contains("removed nothing") == true })
            #expect(stage.folder.has("library/Course/01 One.mp4"))
            let dry = try await stage.sync("catalog.yaml", all + ["--dry-run"])
            #expect(dry.events("would_remove").isEmpty, "\(dry.output)")
            // The same words, and the same exit code.
            #expect(dry.exit == 1, "\(dry.report)")
            #expect(dry.events("warning").map(\.message) == failed.events("warning").map(\.message), "\(dry.output)")
            let left = try #require(dry.events("would_keep", of: "new").first)
            #expect(left.reason == "failed" && left.why?.hasPrefix("failed: ") == true, "\(left.text)")
            #expect(left.error?.status == 404 && left.retryAt != nil, "\(left.text)")
        }
        #expect(try await stage.command(["cancel", "c/*/new"]).exit == 0)
        let pruned = try await stage.sync("catalog.yaml", all)
        #expect(pruned.exit == 0, "\(pruned.report)")
        #expect(pruned.events("download_removed").map(\.video) == ["1"])
        // Its place is the second one, after the replacement's: the first number was that of the removed file.
        #expect(LibraryFiles(stage.library).paths == ["Course/03 Two.mp4"])
        #expect(try await stage.sync().exit == 0)
        #expect(LibraryFiles(stage.library).paths == ["Course/02 Two.mp4"])
        await host.stop()
    }

    @Test("a dry run reports what --max-delete prevents, with 1, as the sync does")
    func heldDryRun() async throws {
        let videos = (1...8).map { CatalogText.Video(id: "\($0)") }
        var (stage, host, catalog) = try await start([.init(id: "c", title: "Course", videos: videos)])
        #expect(try await stage.sync().exit == 0)
        catalog.courses[0].videos = Array(videos.prefix(2))
        try stage.catalog(catalog)
        let dry = try await stage.sync("catalog.yaml", ["--prune", "--dry-run"])
        let told = try await stage.run(["sync", stage.folder.at("catalog.yaml").string, "--prune", "--dry-run"])
        let real = try await stage.sync("catalog.yaml", ["--prune"])
        #expect(dry.exit == 1 && real.exit == 1 && told.exit == 1, "\(dry.report)\(real.report)")
        let warning = try #require(real.events("warning").first?.message)
        #expect(dry.events("warning").map(\.message) == [warning], "\(dry.output)")
        #expect(dry.events("would_keep").map(\.reason) == Array(repeating: "gone_held", count: 6))
        #expect(
            told.output.split(separator: "\n").last == "nothing to do: 2 videos up to date; left alone: 6 gone",
            "\(told.output)")
        #expect(
            told.error.split(separator: "\n").map(String.init) == [
                "warning: \(warning)", "1 warning above", "exit code 1: --prune removed nothing",
            ], "\(told.error)")
        // It is the reason for the 1 of a quiet run, too.
        let quiet = try await stage.run(["sync", stage.folder.at("catalog.yaml").string, "--prune", "--quiet"])
        #expect(quiet.exit == 1 && quiet.error.contains("warning: \(warning)"), "\(quiet.report)")
        #expect(LibraryFiles(stage.library).paths.count == 8)
        await host.stop()
    }

    @Test(
        "a dry run reports what has left its catalog; no command promises to download that; retry --now finds the catalog"
    )
    func goneVideos() async throws {
        let videos = ["1", "2", "3"].map { CatalogText.Video(id: $0) }
        var (stage, host, catalog) = try await start([.init(id: "c", title: "Course", videos: videos)])
        #expect(try await stage.sync().exit == 0)
        catalog.courses[0].videos = [
            videos[0], videos[1], .init(id: "none", extra: ["parameters: {url: '\(host.url("/none"))'}"]),
        ]
        try stage.catalog(catalog)
        let dry = try await stage.run(["sync", stage.folder.at("catalog.yaml").string, "--dry-run"])
        #expect(dry.output.contains("keep      'c/*/3' (no longer listed)\n"), "\(dry.report)")
        let sync = try await stage.sync()
        #expect(sync.exit == 1 && sync.events("download_gone").map(\.video) == ["3"], "\(sync.report)")
        let later = try await stage.run(["sync", stage.folder.at("catalog.yaml").string, "--dry-run"])
        #expect(!later.output.contains("c/*/3"), "\(later.report)")
        for command in ["retry", "pause", "resume"] {
            let refused = try await stage.command([command, "c/*/3"])
            #expect(refused.exit == 1, "\(refused.report)")
            #expect(refused.error == "error: 'c/*/3' is no longer listed, so no sync downloads it\n")
        }
        let before = host.requests(path: "/none").count
        let now = try await stage.command(["retry", "--now"])
        #expect(now.exit == 1 && host.requests(path: "/none").count > before, "\(now.report)")
        await host.stop()
    }
}
