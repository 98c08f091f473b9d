import ProviderKit
import Synchronization
import Testing

@testable import CourseDiscovery

@Suite("The memory that the listings of a run share")
struct ListingMemoryBudgetTests {
    /// Whether a course may ask now; if not, it no longer waits.
    private func mayAsk(_ seat: ListingMemoryBudget.Seat) async -> Bool {
        let turn = Task { try await seat.turn() }
        for _ in 0..<100 { await Task.yield() }
        turn.cancel()
        return (try? await turn.value) != nil
    }

    @Test("what has come is counted at once; the first course never waits, another one waits until there is room")
    func turns() async throws {
        let memory = ListingMemoryBudget(limit: 100)
        var first: ListingMemoryBudget.Seat? = memory.seat(asking: "p")
        var second: ListingMemoryBudget.Seat? = memory.seat(asking: "p")
        let third = memory.seat(asking: "q")
        for seat in [first, second] { try await seat?.turn() }
        first?.took(60)
        second?.took(500)
        #expect(await !mayAsk(memory.seat(asking: "p")))
        try await first?.turn()
        first?.took(900)
        let waiting = Task { [third] in try await third.turn() }
        second = nil
        #expect(await !mayAsk(memory.seat(asking: "p")))
        first = nil
        try await waiting.value
        third.took(1000)
        // It is the first one now.
        try await third.turn()
    }

    @Test("a course without room goes on when it has become the first")
    func becomesFirst() async throws {
        let memory = ListingMemoryBudget(limit: 10)
        var first: ListingMemoryBudget.Seat? = memory.seat(asking: "p")
        let second = memory.seat(asking: "p")
        for seat in [first, second] { try await seat?.turn() }
        second.took(50)
        let waiting = Task { try await second.turn() }
        first?.took(1)
        first = nil
        try await waiting.value
    }

    @Test("of one provider sixteen pages are on their way at a time; those of others don't wait for them")
    func pagesOnTheirWay() async throws {
        let memory = ListingMemoryBudget(limit: 100)
        let opener = memory.seat(asking: "slow")
        try await opener.turn()
        opener.took(1)
        var seats = (0..<16).map { _ in memory.seat(asking: "slow") }
        for seat in seats { try await seat.turn() }
        let next = memory.seat(asking: "slow")
        #expect(await !mayAsk(memory.seat(asking: "slow")))
        #expect(await mayAsk(memory.seat(asking: "other")))
        let waiting = Task { try await next.turn() }
        // One whose provider has failed has no page.
        seats.removeLast()
        try await waiting.value
        let last = memory.seat(asking: "slow")
        let waitingToo = Task { try await last.turn() }
        seats[0].took(1)
        try await waitingToo.value
    }

    @Test("of a provider that hasn't answered two pages are on their way, later as many as fit by its largest one")
    func largestPage() async throws {
        let memory = ListingMemoryBudget(limit: 100)
        let seats = (0..<4).map { _ in memory.seat(asking: "large") }
        for seat in seats[..<2] { try await seat.turn() }
        #expect(await !mayAsk(memory.seat(asking: "large")))
        seats[0].took(34)
        // Of that size two fit, and one is on its way.
        try await seats[2].turn()
        #expect(await !mayAsk(seats[3]))
    }

    @Test("a page that doesn't fit at all is asked for alone")
    func pageLargerThanTheRoom() async throws {
        let memory = ListingMemoryBudget(limit: 100)
        let seats = (0..<2).map { _ in memory.seat(asking: "large") }
        for seat in seats { try await seat.turn() }
        seats[0].took(1000)
        let isAsking = Mutex(false)
        let next = Task {
            try await seats[0].turn()
            isAsking.withLock { $0 = true }
        }
        for _ in 0..<100 { await Task.yield() }
        #expect(!isAsking.withLock { $0 })
        seats[1].took(1)
        try await next.value
    }

    @Test("a course that waits when the run ends gives up; one that is there only then, too")
    func cancelled() async throws {
        let memory = ListingMemoryBudget(limit: 10)
        let first = memory.seat(asking: "p")
        try await first.turn()
        first.took(10)
        let second = memory.seat(asking: "p")
        let waiting = Task { try await second.turn() }
        for _ in 0..<100 { await Task.yield() }
        waiting.cancel()
        let third = memory.seat(asking: "p")
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await third.turn()
        }
        for task in [waiting, late] {
            let result = await task.result
            #expect(throws: ProviderError.self) { try result.get() }
        }
        withExtendedLifetime(first) {}
    }
}
