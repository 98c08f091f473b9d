import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("killed at any moment", .serialized)
struct KillTests {
    @Test(
        "after ten kills and one clean sync nothing is wrong, lost, left over, or downloaded below the durable offset")
    func tenKills() async throws {
        try await KillRounds(.announced(for: "ten kills"), large: 14, small: 20, jobs: 4, latest: 2200).run(10)
    }

    @Test("the same with many small files that are finished in groups")
    func smallFiles() async throws {
        try await KillRounds(.announced(for: "kills of groups"), large: 0, small: 500, jobs: 16, latest: 700).run(10)
    }

    @Test("twelve kills in the first second of a run cost hardly a byte, as long as the computer stays up")
    func firstSecond() async throws {
        var chance = Chance.announced(for: "kills in the first second")
        let nginx = try await NginxServer.start()
        let stage = try Stage()
        let contents = (1...8).map { TestContent(seed: UInt64($0), size: 6_000_000 + $0) }
        for content in contents { try nginx.add("v\(content.seed).mp4", content) }
        let videos = contents.map { CatalogText.Video(id: "v\($0.seed)") }
        try stage.catalog(CatalogText(url: nginx.url("/limited/{id}.mp4?rate=1m"), videos: videos))
        for _ in 1...12 {
            let delay = Duration.milliseconds(Int.random(in: 300...1000, using: &chance))
            _ = try await stage.sync("catalog.yaml", ["--jobs", "3"]) { running in
                let pid = try await running.pid()
                try await running.wait { $0.event == "download_started" }
                try await Task.sleep(for: delay)
                kill(pid, SIGKILL)
            }
        }
        let clean = try await stage.sync()
        #expect(clean.exit == 0, "seed \(chance.seed): \(clean.report)")
        #expect(Set(LibraryFiles(stage.library).digests.values) == Set(contents.map(\.sha256Text)))
        await nginx.stop()
        let served = try nginx.log().reduce(0) { $0 + $1.bytes }
        let ratio = Double(served) / Double(contents.reduce(0) { $0 + $1.size })
        print("twelve kills: \(served) bytes were served, \(ratio) of the files")
        #expect(ratio < 1.2, "seed \(chance.seed)")
    }

    @Test("killed while files change places, each ends under its own name, and none is downloaded again")
    func moves() async throws {
        var chance = Chance.announced(for: "kills of moves")
        let host = try await FaultHost.start()
        let stage = try Stage()
        let ids = Array(1...80)
        func catalog(_ order: [Int], _ titles: [Int], _ course: String) -> CatalogText {
            let videos = order.map { CatalogText.Video(id: "\($0)", title: "Title \(titles[$0 - 1])") }
            let url = host.url("/media/{id}/2000.mp4")
            return CatalogText(url: url, courses: [.init(id: "c", title: course, videos: videos)])
        }
        try stage.catalog(catalog(ids, ids, "Course"))
        #expect(try await stage.sync("catalog.yaml", ["--jobs", "16"]).exit == 0)
        #expect(host.requests().count == 80)
        let right = Set(ids.map { TestContent(seed: UInt64($0), size: 2000).sha256Text })
        for round in 0..<10 {
            let order = ids.shuffled(using: &chance)
            let titles = ids.shuffled(using: &chance)
            let course = "Course \(round / 2)"
            try stage.catalog(catalog(order, titles, course))
            let delay = Duration.milliseconds(Int.random(in: 40...260, using: &chance))
            let killed = try await stage.sync { running in
                let pid = try await running.pid()
                try await Task.sleep(for: delay)
                kill(pid, SIGKILL)
            }
            #expect([0, 137].contains(killed.exit), "seed \(chance.seed): \(killed.report)")
            guard round % 3 == 2 || round == 9 else { continue }
            let clean = try await stage.sync()
            #expect(clean.exit == 0, "seed \(chance.seed), round \(round): \(clean.report)")
            #expect(host.requests().count == 80, "seed \(chance.seed), round \(round): fetched again")
            let files = LibraryFiles(stage.library).digests
            #expect(Set(files.values) == right && files.count == 80, "seed \(chance.seed), round \(round)")
            for (index, id) in order.enumerated() {
                let path = "\(course)/\(index < 9 ? "0" : "")\(index + 1) Title \(titles[id - 1]).mp4"
                let digest = TestContent(seed: UInt64(id), size: 2000).sha256Text
                #expect(files[path] == digest, "seed \(chance.seed), round \(round): \(path)")
            }
            let strays = try stage.strays()
            #expect(strays == [], "seed \(chance.seed), round \(round)")
        }
        await host.stop()
    }

    @Test("a command selects what a kill has interrupted by the state that status shows")
    func selected() async throws {
        let stage = try Stage()
        try stage.catalog(
            CatalogText(url: "http://127.0.0.1:9/{id}.mp4", videos: [.init(id: "1"), .init(id: "2"), .init(id: "3")]))
        _ = try await stage.sync("catalog.yaml", ["--retries", "0"])
        try StateCopy.edit(stage.state, "UPDATE downloads SET state = 'active', retry_at = NULL WHERE video <> '3'")
        for (flag, count) in [("--stopped", 2), ("--active", 0)] {
            let status = try await stage.command(["status", flag, "--json"])
            #expect(status.output.split(separator: "\n").count == count, "\(status.report)")
        }
        let none = try await stage.command(["pause", "--active"])
        #expect(none.output.contains("nothing to do"), "\(none.report)")
        let paused = try await stage.command(["pause", "--stopped"])
        #expect(paused.output.contains("2 videos"), "\(paused.report)")
        #expect(try await stage.command(["verify", "--user", "nobody"]).exit == 77)
    }

    @Test("the mark of moves whose run was killed right after recording them is removed with the next")
    func oldMark() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        try stage.catalog(CatalogText(url: host.url("/media/{id}/2000.mp4"), videos: [.init(id: "1")]))
        #expect(try await stage.sync().exit == 0)
        let mark = stage.library.appending(".coursefetch/moving/0123456789abcdef.collected")
        try Data("0123456789abcdef-0 2000 1\nend\n".utf8).write(to: URL(filePath: mark.string))
        #expect(try stage.strays() != [])
        #expect(try await stage.sync().exit == 0)
        #expect(try stage.strays() == [])
        await host.stop()
    }

    @Test("a file that was placed when its run was killed is reported by the next one, once")
    func placedAndNotTold() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let content = TestContent(seed: 1, size: 2000)
        try stage.catalog(CatalogText(url: host.url("/media/{id}/2000.mp4"), videos: [.init(id: "1"), .init(id: "2")]))
        let first = try await stage.sync()
        #expect(first.events("download_finished").count == 2, "\(first.report)")
        try StateCopy.edit(stage.state, "UPDATE downloads SET state = 'active', is_placing = 1 WHERE video = '1'")

        let next = try await stage.sync()
        #expect(next.exit == 0, "\(next.report)")
        let told = next.events("download_finished")
        #expect(told.count == 1 && told.first?.video == "1" && told.first?.bytes == 2000, "\(next.report)")
        #expect(told.first?.sha256 == content.sha256Text)
        #expect(told.first?.path.map { LibraryFiles(stage.library).digests[$0] } == content.sha256Text)
        #expect(next.events("sync_finished").first?.finishedNow == 1)
        #expect(host.requests().count == 2, "fetched again")

        let last = try await stage.sync()
        #expect(last.events("download_finished").isEmpty && last.events("sync_finished").first?.finishedNow == 0)
        await host.stop()
    }

    @Test(
        "killed between any two steps of finishing a file, the next sync repairs it",
        arguments: [
            "fdatasync:1", "fdatasync:2", "fdatasync:4", "renameat2:1", "renameat2:2", "renameat2:3", "fsync:1",
            "fsync:2",
        ])
    func betweenSteps(_ step: String) async throws {
        try await Tool.strace.require()
        let host = try await FaultHost.start()
        let contents = (1...3).map { TestContent(seed: UInt64($0), size: 40_000 * $0) }
        let videos = contents.map { CatalogText.Video(id: "\($0.seed)", extra: ["parameters: {size: \($0.size)}"]) }
        let catalog = CatalogText(url: host.url("/media/{id}/{size}.mp4"), videos: videos)
        let parts = step.split(separator: ":")
        // strace counts the calls of each thread by itself: where they fall to several the run may come to its end.
        var (stage, exit): (Stage, Int32)
        var tries = 0
        repeat {
            tries += 1
            stage = try Stage()
            try stage.catalog(catalog)
            exit = try await stage.traced(
                ["-e", "trace=\(parts[0])", "-e", "inject=\(parts[0]):signal=KILL:when=\(parts[1])"], ["--jobs", "1"]
            ).exit
        } while exit == 0 && tries < 6
        #expect(exit == 137)
        let right = Set(contents.map(\.sha256Text))
        for (path, digest) in LibraryFiles(stage.library).digests { #expect(right.contains(digest), "\(path)") }

        let clean = try await stage.sync()
        #expect(clean.exit == 0, "\(clean.report)")
        let files = LibraryFiles(stage.library).digests
        #expect(Set(files.values) == right)
        #expect(files.count == 3)
        #expect(try stage.strays() == [])
        await host.stop()
    }
}

/// The same, all night. `make soak`.
@Suite(
    "soak: killed at any moment", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["COURSEFETCH_SOAK"] != nil))
struct SoakKillTests {
    @Test("two hundred kills", .timeLimit(.minutes(60)), arguments: 1...4)
    func many(_ part: Int) async throws {
        try await KillRounds(.announced(for: "part \(part)"), large: 100, small: 100, jobs: 4, latest: 3000).run(50)
    }
}
