import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("streams killed at any moment", .timeLimit(.minutes(3)))
struct StreamKillTests {
    @Test(
        "after ten kills and one clean sync nothing is wrong, left, or fetched below what was durable",
        arguments: StreamKillRounds.Outcome.allCases)
    func tenKills(_ outcome: StreamKillRounds.Outcome) async throws {
        try await StreamKillRounds(.announced(for: "kills of streams, \(outcome.rawValue)"), outcome).run(10)
    }

    @Test("killed while ffmpeg runs: that ends too, and the next run begins with what was joined")
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
                for _ in 0..<500 where !ProcessTable.now().remaining(children).isEmpty {
                    try await Task.sleep(for: .milliseconds(20))
                }
                let left = ProcessTable.now().remaining(children)
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
