import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("streams killed at any moment", .timeLimit(.minutes(5)))
struct StreamKillTests {
    @Test(
        "after ten kills and one clean sync nothing is wrong, left over, or downloaded below the durable offset",
        arguments: StreamKillRounds.Outcome.allCases)
    func tenKills(_ outcome: StreamKillRounds.Outcome) async throws {
        try await StreamKillRounds(.announced(for: "kills of streams, \(outcome.rawValue)"), outcome).run(10)
    }

    @Test(
        "killed between any two steps of placing a video with its parts, the next sync completes it without a download",
        // strace counts for each thread by itself; all but the library's mark are renamed by one.
        arguments: [
            ("--ffmpeg none", 2), ("--ffmpeg none", 3), ("--ffmpeg none", 4), ("--container package", 2),
            ("--container package", 3), ("--container package", 5), ("--container package", 7),
        ])
    func parts(_ option: String, _ step: Int) async throws {
        try await Tool.strace.require()
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.master)
        try host.serve(fixture, at: "/s/")
        try stage.catalog(
            CatalogText(videos: [
                CatalogText.stream("v", host.url("/s/master.m3u8"), extra: ["subtitles: all"])
            ]))
        let options = option.split(separator: " ").map(String.init)
        let killed = try await stage.traced(
            ["-e", "trace=renameat2", "-e", "inject=renameat2:signal=KILL:when=\(step)"], options)
        #expect(killed.exit == 137, "\(killed.report)")
        let requests = host.requests().count
        let last = try await stage.sync("catalog.yaml", options)
        #expect(last.exit == 0, "\(last.report)")
        #expect(host.requests().count == requests, "\(last.report)")
        let folder = stage.library.appending("Course")
        let files = LibraryFiles(stage.library)
        if option == "--ffmpeg none" {
            #expect(
                files.paths == ["Course/01 v.de.vtt", "Course/01 v.en.m4a", "Course/01 v.en.vtt", "Course/01 v.ts"])
            #expect(files.digests["Course/01 v.ts"] == StreamFile.digest(Data(try fixture.joined(0))))
            #expect(files.digests["Course/01 v.en.m4a"] == StreamFile.digest(Data(try fixture.joined(1))))
        } else {
            #expect(files.paths.count == 7, "\(files.paths)")
            let index = folder.appending("01 v.hls/index.m3u8").string
            try await StreamFile(path: index, name: "\(step)").check(fixture)
        }
        #expect(try stage.strays() == [])
        #expect(try await stage.command(["verify"]).exit == 0)
        await host.stop()
    }

    @Test("killed while ffmpeg runs: ffmpeg ends too, and the next run begins with the joined stream")
    func remuxing() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let fixture = try await StreamFixtures.make(.encryptedMP4)
        try host.serve(fixture, at: "/s/")
        try stage.folder.write(
            """
            #!/bin/sh
            case "$*" in *-version*) exec ffmpeg "$@" ;; esac
            echo begun >> "\(stage.folder.at("begun").string)"
            sleep 600
            """, to: "slow-ffmpeg")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: stage.folder.at("slow-ffmpeg").string)
        try stage.catalog(CatalogText(videos: [CatalogText.stream("v", host.url("/s/index.m3u8"))]))
        let slowly = ["--ffmpeg", stage.folder.at("slow-ffmpeg").string]
        for round in 1...2 {
            let killed = try await stage.sync("catalog.yaml", slowly) { running in
                for _ in 0..<1000 where (stage.folder.read("begun") ?? "").count < 6 * round {
                    try await Task.sleep(for: .milliseconds(20))
                }
                try await stage.waitForStream("v", next: StreamFixture.count)
                let pid = try await running.pid()
                let children = ProcessTable.now().descendants(of: pid)
                #expect(!children.isEmpty)
                kill(pid, round == 1 ? SIGKILL : SIGTERM)
                let left = try await ProcessTable.end(of: children)
                #expect(left.isEmpty, "left behind: \(left.map(\.command))")
            }
            #expect(killed.exit == (round == 1 ? 137 : 75), "\(killed.report)")
        }
        let last = try await stage.sync()
        #expect(last.exit == 0, "\(last.report)")
        try await StreamFile(path: try stage.path(of: "v", in: last), name: "v").check(fixture, isRemuxed: true)
        for name in fixture.segments { #expect(host.requests(path: "/s/" + name).count == 1, "\(name)") }
        #expect(try stage.strays() == [])
        await host.stop()
    }
}

/// The same, all night. `make soak`.
@Suite(
    "soak: streams killed at any moment", .serialized,
    .enabled(if: ProcessInfo.processInfo.environment["COURSEFETCH_SOAK"] != nil))
struct SoakStreamKillTests {
    @Test("a hundred kills", .timeLimit(.minutes(60)), arguments: 1...10)
    func many(_ part: Int) async throws {
        for outcome in StreamKillRounds.Outcome.allCases {
            try await StreamKillRounds(.announced(for: "\(outcome.rawValue) streams, part \(part)"), outcome).run(10)
        }
    }
}
