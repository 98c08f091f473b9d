import Foundation
import Testing

@testable import RunSchedule

@Suite("Waiting before trying again")
struct BackoffTests {
    @Test("doubles from a second to 64", arguments: [(1, 1.0), (2, 2), (3, 4), (7, 64), (8, 64), (1000, 64)])
    func doubles(attempt: Int, seconds: Double) {
        #expect(Backoff.delay(attempt: attempt, jitter: 0) == .seconds(seconds))
        #expect(Backoff.delay(attempt: attempt, jitter: 1) == .seconds(seconds / 2))
    }

    @Test("never less than the server asked for")
    func atLeast() {
        #expect(Backoff.delay(attempt: 1, jitter: 1, atLeast: .seconds(30)) == .seconds(30))
        #expect(Backoff.coolDown(failures: 1, jitter: 0, atLeast: .seconds(30)) == .seconds(30))
    }

    @Test("and never as long as until the next night, whatever a server asks for")
    func atMost() {
        let year = Duration.seconds(365 * 86_400)
        #expect(Backoff.delay(attempt: 1, jitter: 1, atLeast: year) == .seconds(20 * 3600))
        #expect(Backoff.coolDown(failures: 40, jitter: 0, atLeast: year) == .seconds(20 * 3600))
        #expect(Backoff.coolDown(failures: 40, jitter: 0) < .seconds(20 * 3600))
    }

    @Test("a host that stays away is soon beyond ten minutes")
    func coolDown() {
        #expect(Backoff.coolDown(failures: 11, jitter: 1) > .seconds(500))
        #expect(Backoff.coolDown(failures: 40, jitter: 0) <= .seconds(86_400))
    }

    @Test("over runs never whole days", arguments: [(1, 1), (2, 20), (3, 44), (4, 92), (5, 164), (50, 164)])
    func overRuns(failedRuns: Int, hours: Int) {
        #expect(Backoff.nextRun(failedRuns: failedRuns) == .seconds(hours * 3600))
    }
}
