import ProviderKit
import Testing

@testable import CourseDiscovery

@Suite("The memory that the listings of a run share")
struct ListingRoomTests {
    @Test("the first course never waits; another one waits until there is room, or until it is the first")
    func turns() async throws {
        let room = ListingRoom(limit: 100)
        var first: ListingRoom.Seat? = room.seat()
        var second: ListingRoom.Seat? = room.seat()
        let third = room.seat()
        try await first?.hold(60)
        try await second?.hold(40)
        try await first?.hold(500)
        let waiting = Task { [third] in try await third.hold(50) }
        second = nil
        await Task.yield()
        first = nil
        try await waiting.value
        try await third.hold(1000)
    }

    @Test("a course that waits when the run ends gives up")
    func cancelled() async throws {
        let room = ListingRoom(limit: 10)
        let first = room.seat()
        let second = room.seat()
        try await first.hold(10)
        let waiting = Task { try await second.hold(1) }
        waiting.cancel()
        let result = await waiting.result
        #expect(throws: ProviderError.self) { try result.get() }
        withExtendedLifetime(first) {}
    }
}
