import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("verify: files compared with their records")
struct VerifyTests {
    private func digest(_ seed: UInt64, _ size: Int = 20_000) -> String {
        TestContent(seed: seed, size: size).sha256Text
    }

    private func start(_ count: Int, extra: [String] = []) async throws -> (Stage, FaultHost, CatalogText) {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let videos = (1...count).map { CatalogText.Video(id: "\($0)", title: "Title \($0)", extra: extra) }
        let catalog = CatalogText(url: host.url("/media/{id}/20000.mp4"), videos: videos)
        try stage.catalog(catalog)
        return (stage, host, catalog)
    }

    private func path(_ stage: Stage, _ number: Int) -> FilePath {
        stage.library.appending("Course/0\(number) Title \(number).mp4")
    }

    /// Changes a byte in the middle without changing size or time, as a bad disk does.
    private func damage(_ path: FilePath) throws {
        let time = try FileManager.default.attributesOfItem(atPath: path.string)[.modificationDate]
        let handle = try #require(FileHandle(forUpdatingAtPath: path.string))
        try handle.seek(toOffset: 10_000)
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: 10_000)
        try handle.write(contentsOf: Data([byte ^ 1]))
        try handle.close()
        try FileManager.default.setAttributes([.modificationDate: time as Any], ofItemAtPath: path.string)
    }

    @Test("an unchanged file is intact: 0, and nothing is written")
    func intact() async throws {
        let (stage, host, _) = try await start(3)
        #expect(try await stage.sync().exit == 0)
        let outcome = try await stage.run(["verify"])
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(outcome.output.contains("3 files, 58.6 KiB: 3 as recorded"), "\(outcome.output)")
        let json = try await stage.run(["verify", "c/*/2", "--json"])
        #expect(json.exit == 0, "\(json.report)")
        let lines = json.output.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains(#""video":"2""#) && lines[0].contains(#""result":"intact""#))
        #expect(
            lines.last?.contains(/"event":"verify_finished","time":"[^"]+","exit":0,"files":1,"bytes":20000/) == true)
        let wrong = try await stage.run(["verify", "cc"])
        #expect(wrong.exit == 64 && wrong.error.contains("did you mean c?"), "\(wrong.report)")
        await host.stop()
    }

    @Test("a missing file waits again, a changed one is reported and kept; with --repair it is replaced in its place")
    func damaged() async throws {
        let (stage, host, _) = try await start(4)
        #expect(try await stage.sync().exit == 0)
        try FileManager.default.removeItem(atPath: path(stage, 1).string)
        try damage(path(stage, 2))
        // Somebody put another file there: other bytes, another size, another time.
        try Data("another".utf8).write(to: URL(filePath: path(stage, 3).string))
        let found = try await stage.run(["verify"])
        #expect(found.exit == 1, "\(found.report)")
        for line in [
            "missing     Course/01 Title 1.mp4", "the next sync downloads it", "changed     Course/02 Title 2.mp4",
            "its content has changed since it was downloaded", "coursefetch verify 'c/*/2' --repair",
            "changed     Course/03 Title 3.mp4",
            "it has 7 bytes instead of 20,000", "4 files", "1 as recorded, 1 missing, 2 changed",
        ] {
            #expect(found.output.contains(line), "\(line) in \(found.output)")
        }
        #expect(try stage.stateCopy().states() == ["1": "waiting", "2": "finished", "3": "finished", "4": "finished"])
        #expect(try stage.stateCopy().rows("SELECT reason FROM downloads WHERE video = '1'") == [["reason": "lost"]])

        let repaired = try await stage.run(["verify", "--repair"])
        #expect(repaired.exit == 1, "\(repaired.report)")
        #expect(repaired.output.contains("keeps this one until then"), "\(repaired.output)")
        #expect(try stage.stateCopy().states() == ["1": "waiting", "2": "waiting", "3": "waiting", "4": "finished"])
        #expect(LibraryFiles(stage.library).paths.count == 3, "what is there stays until then")

        let outcome = try await stage.sync()
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(
            LibraryFiles(stage.library).digests
                == Dictionary(
                    uniqueKeysWithValues: (1...4).map { ("Course/0\($0) Title \($0).mp4", digest(UInt64($0))) }))
        #expect(host.requests(path: "/media/4/20000.mp4").count == 1)
        #expect(try await stage.run(["verify"]).exit == 0)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a file that changes again after --repair is not replaced")
    func changedAgain() async throws {
        let (stage, host, _) = try await start(1)
        #expect(try await stage.sync().exit == 0)
        try Data("mine".utf8).write(to: URL(filePath: path(stage, 1).string))
        #expect(try await stage.run(["verify", "--repair"]).exit == 1)
        try Data("mine, with more work in it".utf8).write(to: URL(filePath: path(stage, 1).string))
        #expect(try await stage.sync().exit == 0)
        #expect(stage.folder.read("library/Course/01 Title 1.mp4") == "mine, with more work in it")
        #expect(LibraryFiles(stage.library).digests["Course/01 Title 1 [1].mp4"] == digest(1))
        await host.stop()
    }

    @Test("files stored with --no-checksum are reported as unproven; --repair records their checksums")
    func unrecorded() async throws {
        let (stage, host, _) = try await start(2)
        #expect(try await stage.sync("catalog.yaml", ["--no-checksum"]).exit == 0)
        let told = try await stage.run(["verify"])
        #expect(told.exit == 0, "\(told.report)")
        #expect(told.output.contains("2 files can't be checked"), "\(told.output)")
        #expect(try await stage.run(["verify", "--repair"]).exit == 0)
        let rows = try stage.stateCopy().rows("SELECT lower(hex(sha256)) AS sha256 FROM downloads ORDER BY video")
        #expect(rows.map { $0["sha256"] } == [digest(1), digest(2)])
        try damage(path(stage, 2))
        #expect(try await stage.run(["verify"]).exit == 1)
        await host.stop()
    }

    @Test("sidecars are checked: a missing one of the catalog comes again with the next sync")
    func sidecars() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let cover = CatalogText.quoted(host.url("/media/7/900.png?type=image/png"))
        let slides = CatalogText.quoted(host.url("/media/8/900.pdf?type=application/pdf"))
        try stage.catalog(
            CatalogText(
                url: host.url("/media/{id}/20000.mp4"),
                courses: [
                    .init(
                        id: "c", title: "Course",
                        videos: [
                            .init(id: "1", title: "One", extra: ["attachments: [{title: Slides, url: \(slides)}]"])
                        ], extra: ["cover: \(cover)"])
                ]))
        #expect(try await stage.sync().exit == 0)
        let before = LibraryFiles(stage.library).digests
        #expect(before.count == 3, "\(before)")
        try stage.folder.remove("library/Course/cover.png")
        try stage.folder.remove("library/Course/01 One - Slides.pdf")
        let found = try await stage.run(["verify"])
        #expect(found.exit == 1, "\(found.report)")
        #expect(found.output.contains("missing     Course/01 One - Slides.pdf"), "\(found.output)")
        #expect(found.output.contains("missing     Course/cover.png"), "\(found.output)")
        #expect(found.output.contains("1 as recorded, 2 of 2 files beside them"), "\(found.output)")
        #expect(try await stage.sync().exit == 0)
        #expect(LibraryFiles(stage.library).digests == before)
        #expect(host.requests(path: "/media/1/20000.mp4").count == 1, "the video itself is fetched once")

        try stage.folder.write("short", to: "library/Course/cover.png")
        try stage.folder.write("short", to: "library/Course/01 One - Slides.pdf")
        #expect(try await stage.run(["verify", "--repair"]).exit == 1)
        #expect(try await stage.sync().exit == 0)
        #expect(LibraryFiles(stage.library).digests == before)
        #expect(try await stage.run(["verify"]).exit == 0)
        await host.stop()
    }

    @Test("while a sync runs, findings are reported but not recorded: 75")
    func locked() async throws {
        let (stage, host, catalog) = try await start(2)
        #expect(try await stage.sync().exit == 0)
        var more = catalog
        more.courses[0].videos.append(
            .init(
                id: "9",
                extra: ["parameters: {url: \(CatalogText.quoted(host.url("/media/{id}/900000.mp4?stall=400000")))}"]))
        try stage.catalog(more)
        let stopped = try await stage.sync { running in
            try await running.wait { $0.event == "progress" && ($0.bytes ?? 0) > 100_000 }
            #expect(try await stage.run(["verify"]).exit == 0, "with nothing to note it needs no lock")
            try FileManager.default.removeItem(atPath: path(stage, 1).string)
            let outcome = try await stage.run(["verify"])
            #expect(outcome.exit == 75, "\(outcome.report)")
            #expect(outcome.output.contains("missing     Course/01 Title 1.mp4"), "\(outcome.output)")
            #expect(outcome.error.contains("process \(try await running.pid())"), "\(outcome.error)")
            try await running.signal(SIGTERM)
        }
        #expect(stopped.exit == 75, "\(stopped.report)")
        #expect(try stage.stateCopy().states()["1"] == "finished")
        await host.stop()
    }

    @Test(
        "it can be stopped: 75, with the findings so far",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
    func stopping() async throws {
        let (stage, host, _) = try await start(1)
        #expect(try await stage.sync().exit == 0)
        // Reading a file of so many gigabytes, even one that takes no room, takes long enough for any signal.
        let file = path(stage, 1)
        let size: UInt64 = 64 << 30
        let handle = try #require(FileHandle(forUpdatingAtPath: file.string))
        try handle.truncate(atOffset: size)
        try handle.close()
        try stage.edit("UPDATE downloads SET size = \(size)")
        let outcome = try await stage.run(["verify"]) { running in
            _ = try await running.pid()
            try await running.untilReading(file)
            try await running.signal(SIGINT)
        }
        #expect(outcome.exit == 75, "\(outcome.report)")
        #expect(outcome.output.contains("stopped before the end"), "\(outcome.output)")
        await host.stop()
    }
}

extension RunningProgram {
    /// Waits until the program has a file open.
    func untilReading(_ file: FilePath) async throws {
        let folder = "/proc/\(try await pid())/fd"
        for _ in 0..<1000 {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            let targets = names.compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
            }
            if targets.contains(file.string) { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw TestFailure("it doesn't open \(file)")
    }
}

extension Stage {
    /// Changes the state of the only user, with no program running.
    func edit(_ statement: String) throws {
        try StateCopy.edit(state, statement)
    }
}
