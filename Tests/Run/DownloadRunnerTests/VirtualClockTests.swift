import Foundation
import TestSupport
import Testing

@testable import SyncFacts

@Suite("The clock of the tests", .timeLimit(.minutes(5)))
struct VirtualClockTests {
    private let start = Date(timeIntervalSince1970: 1_800_000_000)

    @Test("it stands still, wakes sleepers in the order of their instants, and each reads its own")
    func order() async throws {
        let clock = VirtualClock(start)
        let woken = Recorded<Double>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for delay in [3.0, 1, 2] {
                group.addTask { [start] in
                    try await clock.sleep(until: start + delay)
                    woken.note(clock.now.timeIntervalSince(start))
                }
            }
            await clock.whenAlarms { $0.count == 3 }
            #expect(clock.now == start && clock.alarms == [start + 1, start + 2, start + 3])
            await clock.advance(by: .seconds(2))
            await clock.whenAlarms { $0 == [start + 3] }
            while woken.all.count < 2 { await Task.yield() }
            #expect(woken.all == [1, 2])
            await clock.advance(to: start + 10)
            try await group.waitForAll()
        }
        #expect(clock.now == start + 10 && clock.alarms == [])
        await clock.advance(to: start)
        #expect(clock.now == start + 10, "time never goes back")
        try await clock.sleep(until: start + 10)
    }

    @Test("a cancelled sleeper wakes")
    func cancelled() async {
        let clock = VirtualClock(start)
        let sleeper = Task { [start] in try await clock.sleep(until: start + 1) }
        await clock.whenSomebodySleeps(until: start + 1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.alarms == [])
    }

    @Test("a task that sleeps again and again sees every instant, however far the clock is moved")
    func again() async throws {
        let clock = VirtualClock(start)
        let ticks = Recorded<Date>()
        let ticker = Task { [start] in
            for second in 1...5 {
                try await clock.sleep(until: start + Double(second))
                ticks.note(clock.now)
            }
        }
        for second in 1...5 {
            await clock.whenSomebodySleeps(until: start + Double(second))
            await clock.advance(to: start + Double(second))
        }
        try await ticker.value
        #expect(ticks.all == (1...5).map { start + Double($0) })
    }
}
