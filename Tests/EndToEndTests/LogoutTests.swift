import Foundation
import TestServers
import TestSupport
import Testing

@Suite("logged out while it runs", .serialized)
struct LogoutTests {
    @Test("twenty logouts at random moments: it stops at once, and continues at the same byte", .timeLimit(.minutes(5)))
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
}
