import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("a catalog that changes from night to night")
struct CatalogLifeTests {
    private typealias Video = CatalogText.Video

    /// Videos whose id is the seed of their content, 20 kB each.
    private func videos(_ ids: ClosedRange<Int>, title: (Int) -> String = { "Title \($0)" }) -> [CatalogText.Video] {
        ids.map { CatalogText.Video(id: "\($0)", title: title($0)) }
    }

    private func digest(_ seed: Int) -> String { TestContent(seed: UInt64(seed), size: 20_000).sha256Text }

    @Test("a second run of a finished catalog sends no requests")
    func nothingToDo() async throws {
        let (stage, host, catalog) = try await start(videos(1...5))
        #expect(try await stage.sync().exit == 0)
        #expect(stage.starts() == 1)
        let requests = host.requests().count
        let before = try facts(stage)
        let again = try await stage.sync()
        #expect(again.exit == 0, "\(again.report)")
        #expect(again.events.map(\.event) == ["sync_started", "sync_finished"])
        #expect(host.requests().count == requests)
        #expect(stage.starts() == 1, "no plugin was started")
        #expect(try facts(stage) == before)
        _ = catalog
        await host.stop()
    }

    @Test("renaming, reordering and swapping titles moves files and fetches nothing")
    func moves() async throws {
        var (stage, host, catalog) = try await start(videos(1...6))
        #expect(try await stage.sync().exit == 0)
        let requests = host.requests().count
        let inodes = (1...6).map { inode(stage.library.appending("Course/0\($0) Title \($0).mp4")) }
        // 1 and 2 swap their titles and places, 3 gets a new title, 4 goes into a chapter, the course a new name.
        var list = videos(1...6)
        (list[0].title, list[1].title) = (list[1].title, list[0].title)
        list.swapAt(0, 1)
        list[2].title = "Brand new"
        let four = list.remove(at: 3)
        catalog.courses[0].title = "Renamed course"
        catalog.courses[0].videos = list
        catalog.courses[0].chapters = [("ch", "Chapter", [four])]
        try stage.catalog(catalog)

        let dry = try await stage.sync("catalog.yaml", ["--dry-run"])
        #expect(dry.exit == 0, "\(dry.report)")
        #expect(dry.events("would_move").count == 6, "\(dry.output)")
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("download_moved").count == 6)
        #expect(host.requests().count == requests)
        let expected = [
            "Renamed course/01 Title 1.mp4": 2, "Renamed course/02 Title 2.mp4": 1,
            "Renamed course/03 Brand new.mp4": 3,
            "Renamed course/04 Title 5.mp4": 5, "Renamed course/05 Title 6.mp4": 6,
        ]
        var files = LibraryFiles(stage.library).digests
        for (path, seed) in expected {
            #expect(files.removeValue(forKey: path) == digest(seed), "\(path)")
            #expect(inode(stage.library.appending(path)) == inodes[seed - 1], "\(path)")
        }
        #expect(files.count == 1 && files.first?.key.hasSuffix("Chapter/01 Title 4.mp4") == true, "\(files.keys)")
        #expect(!stage.folder.has("library/Course"), "an empty folder is left")
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a video that is gone stays, is pruned only on request, and not beyond --max-delete")
    func prune() async throws {
        var (stage, host, catalog) = try await start(videos(1...20))
        #expect(try await stage.sync("catalog.yaml", ["--jobs", "8"]).exit == 0)
        catalog.courses[0].videos = videos(1...15)
        try stage.catalog(catalog)

        let kept = try await stage.sync()
        #expect(kept.exit == 0, "\(kept.report)")
        #expect(kept.events("download_gone").count == 5)
        #expect(LibraryFiles(stage.library).paths.count == 20)

        let held = try await stage.sync("catalog.yaml", ["--prune"])
        #expect(held.exit == 1, "\(held.report)")
        #expect(held.events("warning").contains { $0.message?.contains("--max-delete 5") == true }, "\(held.output)")
        #expect(LibraryFiles(stage.library).paths.count == 20, "none goes when not all may go")

        let pruned = try await stage.sync("catalog.yaml", ["--prune", "--max-delete", "5"])
        #expect(pruned.exit == 0, "\(pruned.report)")
        #expect(pruned.events("download_removed").count == 5)
        #expect(Set(LibraryFiles(stage.library).digests.values) == Set((1...15).map(digest)))

        // One may always go; and a catalog that was cut short can't take everything with it.
        catalog.courses[0].videos = videos(1...14)
        try stage.catalog(catalog)
        #expect(try await stage.sync("catalog.yaml", ["--prune", "--max-delete", "1%"]).exit == 0)
        #expect(LibraryFiles(stage.library).paths.count == 14)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("the same video in two courses is fetched once and linked, also under another course's id later")
    func twoCourses() async throws {
        var (stage, host, catalog) = try await start(videos(1...2))
        catalog.courses.append(.init(id: "d", title: "Other", videos: videos(2...3) { "Else \($0)" }))
        try stage.catalog(catalog)
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("download_finished").count == 4)
        #expect(host.requests(path: "/media/2/20000.mp4").count == 1)
        let shared = inode(stage.library.appending("Course/02 Title 2.mp4"))
        #expect(shared != nil && shared == inode(stage.library.appending("Other/01 Else 2.mp4")))

        // The course under a new id: what is gone but kept gives its files.
        catalog.courses[1].id = "e"
        try stage.catalog(catalog)
        let requests = host.requests().count
        let renamed = try await stage.sync()
        #expect(renamed.exit == 0, "\(renamed.report)")
        // What it had is asked about, a piece of each, and not fetched again.
        #expect(host.requests().count == requests + 2, "\(renamed.report)")
        #expect(renamed.events("download_finished").count == 2)
        // Removing one never touches the other.
        let pruned = try await stage.sync("catalog.yaml", ["--prune", "--max-delete", "2"])
        #expect(pruned.exit == 0, "\(pruned.report)")
        let digests = LibraryFiles(stage.library).digests.values.sorted()
        #expect(digests == [1, 2, 2, 3].map(digest).sorted(), "\(LibraryFiles(stage.library).paths)")
        await host.stop()
    }

    @Test("a file about to be replaced elsewhere is not adopted, whatever its bytes")
    func sharedName() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        func catalog(_ videos: [(id: String, seed: Int)]) throws {
            let videos = videos.map { id, seed in
                CatalogText.Video(
                    id: id, title: id == "1" && seed != 7 ? "Moved" : "Title",
                    extra: [
                        "sha256: \(digest(seed))",
                        "parameters: {url: \"\(host.url("/media/\(seed)/20000.mp4?\(id)"))\"}",
                    ])
            }
            try stage.catalog(
                CatalogText(
                    url: host.url("/unused"), courses: [.init(id: "c", title: "Course", videos: videos)]))
        }
        try catalog([("1", 7)])
        #expect(try await stage.sync().exit == 0)
        // Another video is what the first one was, which is another file now, under another name.
        try catalog([("2", 7), ("1", 8)])
        let outcome = try await stage.sync("catalog.yaml", ["--jobs", "1"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        let digests = LibraryFiles(stage.library).digests
        #expect(digests.values.sorted() == [digest(7), digest(8)].sorted(), "\(digests.keys)")
        let verified = try await stage.run(["verify"])
        #expect(verified.exit == 0, "\(verified.report)")
        #expect(try await stage.sync().exit == 0)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a lost file is downloaded again")
    func lost() async throws {
        let (stage, host, _) = try await start(videos(1...3))
        #expect(try await stage.sync().exit == 0)
        try stage.folder.remove("library/Course/02 Title 2.mp4")
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("download_waiting").map(\.video) == ["2"])
        #expect(LibraryFiles(stage.library).digests["Course/02 Title 2.mp4"] == digest(2))
        #expect(host.requests(path: "/media/2/20000.mp4").count == 2)
        #expect(host.requests(path: "/media/1/20000.mp4").count == 1)
        await host.stop()
    }

    @Test(
        "a checksum that contradicts the file causes a new download; the old file stays until the new one is complete")
    func contradicted() async throws {
        var (stage, host, catalog) = try await start(videos(1...2))
        #expect(try await stage.sync().exit == 0)
        let path = "Course/01 Title 1.mp4"
        catalog.courses[0].videos[0].extra = [
            "sha256: \(digest(9))", "parameters: {url: \"\(host.url("/media/9/20000.mp4?status=404"))\"}",
        ]
        try stage.catalog(catalog)
        let failed = try await stage.sync()
        #expect(failed.exit == 1, "\(failed.report)")
        #expect(LibraryFiles(stage.library).digests[path] == digest(1), "the old file stays")

        catalog.courses[0].videos[0].extra = [
            "sha256: \(digest(9))", "parameters: {url: \"\(host.url("/media/9/20000.mp4"))\"}",
        ]
        try stage.catalog(catalog)
        let replaced = try await stage.sync()
        #expect(replaced.exit == 0, "\(replaced.report)")
        #expect(LibraryFiles(stage.library).digests == [path: digest(9), "Course/02 Title 2.mp4": digest(2)])
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a file that isn't ours is never replaced; one with the same bytes is adopted")
    func foreign() async throws {
        var (stage, host, catalog) = try await start(videos(1...2))
        catalog.courses[0].videos[1].extra = ["sha256: \(digest(2))", "size: 20000"]
        try stage.catalog(catalog)
        try stage.folder.write("mine", to: "library/Course/01 Title 1.mp4")
        let own = TestContent(seed: 2, size: 20_000).all
        try Data(own).write(to: URL(filePath: stage.library.appending("Course/02 Title 2.mp4").string))
        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(stage.folder.read("library/Course/01 Title 1.mp4") == "mine")
        let digests = LibraryFiles(stage.library).digests
        #expect(digests["Course/01 Title 1 [1].mp4"] == digest(1), "\(digests.keys)")
        #expect(digests["Course/02 Title 2.mp4"] == digest(2))
        #expect(digests.count == 3)
        await host.stop()
    }

    @Test("--only limits the run and the comparison; a selector that matches nothing is wrong usage")
    func only() async throws {
        var (stage, host, catalog) = try await start(videos(1...3))
        let limited = try await stage.sync("catalog.yaml", ["--only", "c/*/2"])
        #expect(limited.exit == 0, "\(limited.report)")
        #expect(limited.events("download_finished").map(\.video) == ["2"])
        catalog.courses[0].videos = videos(3...3)
        try stage.catalog(catalog)
        let judged = try await stage.sync("catalog.yaml", ["--only", "c/*/3", "--prune", "--max-delete", "100%"])
        #expect(judged.exit == 0, "\(judged.report)")
        #expect(judged.events("download_removed").isEmpty)
        let wrong = try await stage.sync("catalog.yaml", ["--only", "cc"])
        #expect(wrong.exit == 64, "\(wrong.report)")
        #expect(wrong.summary?.errors?.first?.message.contains("did you mean c?") == true, "\(wrong.report)")
        await host.stop()
    }

    @Test("--dry-run reports the actions and changes nothing, not even a folder")
    func dryRun() async throws {
        let (stage, host, _) = try await start(videos(1...3))
        let outcome = try await stage.sync("catalog.yaml", ["--dry-run"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.events("would_download").count == 3)
        #expect(!stage.folder.has("library") && !stage.folder.has("state"))
        #expect(host.requests().isEmpty && stage.starts() == 0)
        #expect(try await stage.sync("catalog.yaml", ["--only", "c/*/1"]).exit == 0)
        let before = try facts(stage)
        let again = try await stage.sync("catalog.yaml", ["--dry-run"])
        #expect(again.events("would_download").count == 2, "\(again.output)")
        #expect(try facts(stage) == before)
        await host.stop()
    }

    @Test("ten different mistakes are ten located errors, and nothing starts")
    func tenMistakes() async throws {
        let stage = try Stage()
        try stage.recordingPlugin()
        let lines = [
            "version: 1", "defaults: {provider: recorder}", "colour: red", "courses:", "  - id: a",
            "    titel: Misspelt",
            "    priority: urgent", "    videos:", "      - title: no id", "      - {id: x, size: -1}",
            "      - {id: y, sha256: abc}", "      - {id: z, priority: soon}", "      - {id: z}",
            "      - {id: w, title: one, title: two}", "  - id: a", "    videos: 7", "include: nothing-*.yaml",
        ]
        try stage.folder.write(lines.joined(separator: "\n") + "\n", to: "catalog.yaml")
        let outcome = try await stage.sync()
        #expect(outcome.exit == 65, "\(outcome.report)")
        let errors = try #require(outcome.summary?.errors)
        #expect(errors.allSatisfy { $0.file?.hasSuffix("catalog.yaml") == true && $0.line != nil && $0.column != nil })
        let wrong = [3, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17]
        #expect(Set(errors.compactMap(\.line)).isSuperset(of: wrong), "\(errors)")
        #expect(Set(errors.map(\.message)).count == errors.count)
        #expect(!stage.folder.has("library") && !stage.folder.has("state"))

        let check = try await Program.coursefetch(
            ["check", stage.folder.at("catalog.yaml").string, "--plugins", stage.folder.at("plugins").string],
            in: stage.folder)
        #expect(check.exit == 65)
        let printed = (check.output + check.error).split(separator: "\n")
        for line in wrong {
            #expect(printed.contains { $0.contains("catalog.yaml:\(line):") && $0.contains("error: ") }, "line \(line)")
        }
        #expect(printed.contains { $0.contains("title") && $0.contains("titel") })
        #expect(try await stage.sync("missing.yaml").exit == 66)

        // What plugins say of it is located, too.
        try stage.folder.write(
            """
            version: 1
            defaults: {provider: secure-link, parameters: {base: "https://media.example.org"}}
            courses:
              - id: c
                videos:
                  - {id: x, provider: secure-lnk}
                  - {id: y, parameters: {lifetime: soon}}
            """, to: "providers.yaml")
        let providers = try await stage.sync("providers.yaml")
        #expect(providers.exit == 65, "\(providers.report)")
        #expect(providers.summary?.errors?.map(\.line) == [6, 7], "\(providers.report)")
        #expect(providers.summary?.errors?.first?.message.contains("secure-lnk") == true)
    }

    // MARK: what they share

    private func start(_ videos: [CatalogText.Video]) async throws -> (Stage, FaultHost, CatalogText) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.recordingPlugin()
        let catalog = CatalogText(provider: "recorder", url: host.url("/media/{id}/20000.mp4"), videos: videos)
        try stage.catalog(catalog)
        return (stage, host, catalog)
    }

    /// Inode and modification of everything in the library, and all rows but the runs.
    private func facts(_ stage: Stage) throws -> [String] {
        // The library's lock tells since when it is held.
        let names = stage.folder.names().filter { $0.hasPrefix("library") && !$0.hasSuffix(".coursefetch/lock") }
        let files = names.map { name in
            let facts = try? FileManager.default.attributesOfItem(atPath: stage.folder.at(name).string)
            return "\(name) \(facts?[.systemFileNumber] ?? 0) \(facts?[.modificationDate] ?? 0)"
        }
        return files.sorted()
            + (try stage.stateCopy().rows("SELECT * FROM downloads ORDER BY id").map {
                "\($0.sorted { $0.key < $1.key })"
            })
    }
}
