import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("recorded moves of a killed sync")
struct RecordedMovesTests {
    @Test("a dry run lists them as pending, and doctor calls no file missing", arguments: ["2", "5", "6"])
    func readers(_ rename: String) async throws {
        try await Tool.strace.require()
        let host = try await FaultHost.start()
        let stage = try await killed(atRename: rename, host)
        let files = LibraryFiles(stage.library).digests
        let dry = try await stage.sync("catalog.yaml", ["--dry-run"])
        #expect(dry.exit == 0, "\(dry.report)")
        let items = dry.output.split(separator: "\n").dropLast()
        #expect(items.count == 3 && items.allSatisfy { $0.contains(#""event":"would_move""#) }, "\(dry.output)")
        let doctor = try await stage.run(["doctor"])
        #expect(!doctor.output.contains("missing") && !doctor.output.contains("other file"), "\(doctor.output)")
        #expect(LibraryFiles(stage.library).digests == files)
        await host.stop()
    }

    @Test("the next sync reports each of them, and counts them", arguments: ["2", "4", "6"])
    func told(_ rename: String) async throws {
        try await Tool.strace.require()
        let host = try await FaultHost.start()
        let stage = try await killed(atRename: rename, host)
        let next = try await stage.run(["sync", stage.folder.at("catalog.yaml").string])
        let lines = next.output.split(separator: "\n").map(String.init)
        #expect(
            Set(lines.dropLast())
                == Set((1...3).map { "moved     Course/0\($0) Title \($0).mp4 -> Renamed/0\($0) Title \($0).mp4" }),
            "\(next.report)\(next.output)")
        #expect(next.exit == 0 && lines.last == "3 moved; all 3 videos are there", "\(next.output)")
        let last = try await stage.sync()
        #expect(last.events("download_moved").isEmpty && last.exit == 0, "\(last.report)")
        await host.stop()
    }

    @Test(
        "verify and adopt finish them first: no file is missing, and none is downloaded again",
        arguments: ["2 verify", "5 verify --repair", "3 library adopt", "6 verify --repair", "5 library adopt"])
    func noneIsMissing(_ story: String) async throws {
        try await Tool.strace.require()
        let host = try await FaultHost.start()
        let words = story.split(separator: " ").map(String.init)
        let stage = try await killed(atRename: words[0], host)
        let requests = host.requests().count

        let outcome = try await stage.command(Array(words[1...]))
        #expect(outcome.exit == 0, "\(outcome.report)")
        #expect(try stage.strays() == [])
        #expect(LibraryFiles(stage.library).digests.count == 3)
        #expect(try stage.stateCopy().rows("SELECT id FROM downloads WHERE state = 'finished'").count == 3)

        let clean = try await stage.sync()
        #expect(clean.exit == 0, "\(clean.report)")
        #expect(host.requests().count == requests, "fetched again")
        #expect(Set(LibraryFiles(stage.library).digests.keys.map { $0.prefix(7) }) == ["Renamed"])
        await host.stop()
    }

    @Test(
        "files whose moves can go neither way aren't missing for verify and adopt, and are moved as soon as they can be",
        arguments: ["verify", "verify --repair", "library adopt"])
    func unfinished(_ command: String) async throws {
        try await Tool.strace.require()
        let host = try await FaultHost.start()
        // All are in `moving/` then.
        let stage = try await killed(atRename: "5", host)
        let requests = host.requests().count
        let outcome = try await stage.traced(
            ["-e", "trace=renameat2", "-e", "inject=renameat2:error=EIO"],
            command: command.split(separator: " ").map(String.init))
        #expect(outcome.exit == (command == "library adopt" ? 0 : 1), "\(outcome.report)")
        if command != "library adopt" {
            #expect(outcome.output.contains("the next sync completes it") && !outcome.output.contains("coursefetch"))
        }
        let rows = "SELECT id FROM downloads WHERE state = 'finished' AND path LIKE 'Course/%'"
        #expect(try stage.stateCopy().rows(rows).count == 3, "\(outcome.report)\(outcome.output)")

        let clean = try await stage.sync()
        #expect(clean.exit == 0, "\(clean.report)")
        #expect(host.requests().count == requests, "fetched again")
        #expect(LibraryFiles(stage.library).digests.keys.count { $0.hasPrefix("Renamed/") } == 3)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    /// A library of three files whose course got another title, and whose sync was killed at a rename.
    private func killed(atRename number: String, _ host: FaultHost) async throws -> Stage {
        let videos = (1...3).map { CatalogText.Video(id: "\($0)", title: "Title \($0)") }
        let url = host.url("/media/{id}/20000.mp4")
        // strace counts the calls of each thread by itself: where they fall to several the run may come to its end.
        for _ in 0..<6 {
            let stage = try Stage()
            try stage.catalog(CatalogText(url: url, courses: [.init(id: "c", title: "Course", videos: videos)]))
            #expect(try await stage.sync().exit == 0)
            try stage.catalog(CatalogText(url: url, courses: [.init(id: "c", title: "Renamed", videos: videos)]))
            let exit = try await stage.traced([
                "-e", "trace=renameat2", "-e", "inject=renameat2:signal=KILL:when=\(number)",
            ]).exit
            if exit == 137, try stage.stateCopy().rows("SELECT id FROM moves").count == 3 { return stage }
        }
        throw TestFailure("no sync was killed while it moved files")
    }
}
