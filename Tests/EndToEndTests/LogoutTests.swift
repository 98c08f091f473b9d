import Foundation
import SystemPackage
import TestServers
import TestSupport
import Testing

@Suite("logged out while it runs", .serialized)
struct LogoutTests {
    @Test("twenty times at random moments: it stops at once, and goes on from the very byte", .timeLimit(.minutes(5)))
    func twentyLogouts() async throws {
        let rounds = try KillRounds(
            .announced(for: "logouts"), large: 48, small: 0, jobs: 16, latest: 900, end: .logout)
        try await rounds.run(20)
        let (bytes, process) = (rounds.latencies.map(\.bytes).sorted(), rounds.latencies.map(\.process).sorted())
        func text(_ seconds: Double?) -> String { String(format: "%.3f s", seconds ?? 0) }
        print(
            "logout: last byte after \(text(bytes[bytes.count / 2])) (median), \(text(bytes.last)) (worst);",
            "process gone after \(text(process[process.count / 2])) (median), \(text(process.last)) (worst)")
        // The aim is one second; a machine that does other things as well gets more.
        #expect(bytes.last ?? 0 < 4)
        #expect(process.last ?? 0 < 8)
    }

    @Test(
        "a logout during a long comparison ends at once, and nothing is transferred after it",
        .enabled("no strace here") { try await Tool.strace.run(["-q", "true"]).isSuccess })
    func comparing() async throws {
        let host = try await FaultHost.start()
        let stage = try Stage()
        let url = host.url("/media/{id}/20000.mp4")
        try stage.catalog(CatalogText(url: url, videos: [.init(id: "1")]))
        #expect(try await stage.sync().exit == 0)
        try stage.catalog(CatalogText(url: url, videos: [.init(id: "1"), .init(id: "2")]))
        let requests = host.requests().count
        let course = stage.library.appending("Course").string
        let slow = ["-P", course, "-e", "trace=getdents64", "-e", "inject=getdents64:delay_enter=8000000:when=1"]
        let outcome = try await stage.traced(slow) { running in
            _ = try await running.pid()
            while try await !stage.command(["status"]).output.contains("syncing since") {
                try await Task.sleep(for: .milliseconds(20))
            }
            let begun = ContinuousClock.now
            let logout = try await stage.command(["logout"])
            #expect(logout.exit == 0, "\(logout.report)")
            // It would be over after eight.
            #expect(ContinuousClock.now - begun < .seconds(5))
        }
        #expect(outcome.exit == 75, "\(outcome.report)")
        #expect(host.requests().count == requests)
        await host.stop()
    }
}
