import Testing

@testable import HLSMedia

@Suite("the room for segments")
struct SegmentMemoryBudgetTests {
    @Test("segments in memory and in transfer stay within the limit; only the next segment may exceed it")
    func limit() {
        let room = SegmentMemoryBudget(limit: 1000, next: 0)
        #expect(room.admits(0, 400) && room.admits(1, 400) && room.admits(2, 200))
        #expect(!room.admits(2, 201) && !room.admits(3, 1))
        #expect(room.admits(0, 5000))
        #expect(!room.admits(1, 401))
        #expect(room.ended(0) == nil && room.ended(1) == 401 && room.ended(2) == 201 && room.ended(3) == 1)
        room.update(held: 900, next: 4)
        #expect(room.admits(5, 100) && !room.admits(5, 101) && room.admits(4, 101))
        #expect(room.ended(5) == 101)
        // What was refused may be the one that all wait for by now.
        room.update(held: 900, next: 5)
        #expect(room.admits(5, 5000) && room.ended(5) == nil)
    }
}
