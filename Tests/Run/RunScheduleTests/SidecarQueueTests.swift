import DownloadStore
import FileSystem
import Foundation
import Testing

@testable import RunSchedule

@Suite("Waiting sidecars")
struct SidecarQueueTests {
    private let id = DownloadID(rawValue: 7)

    private func item(_ number: Int, _ host: String? = "h", of id: DownloadID? = nil) -> SidecarQueue.Item {
        SidecarQueue.Item(number: number, download: id, host: host)
    }

    @Test("the catalog's sidecars are stored when all of them are, whatever happens to the provider's")
    func groups() {
        var queue = SidecarQueue()
        queue.add([item(1, of: id), item(2, of: id)], of: id, digest: [1])
        #expect(queue.settled(3, of: id, isStored: true) == nil)
        #expect(queue.settled(1, of: id, isStored: true) == nil)
        #expect(queue.settled(2, of: id, isStored: true)?.1 == [1])
    }

    @Test("a failed one leaves the digest unrecorded, so that the next run tries again")
    func failed() {
        var queue = SidecarQueue()
        queue.add([item(1, of: id)], of: id, digest: [1])
        #expect(queue.settled(1, of: id, isStored: false) == nil)
    }

    @Test("few at a time, in order, and none without a free connection")
    func room() {
        var queue = SidecarQueue()
        for number in 1...10 { queue.add(item(number)) }
        #expect(queue.next(hasConnection: { _ in false }) == nil)
        var taken: [Int] = []
        while let next = queue.next(hasConnection: { _ in true }) { taken.append(next.number) }
        #expect(taken == Array(1...SidecarQueue.limit))
        #expect(queue.fetched(1, isPlaced: false)?.number == 1)
        #expect(queue.next(hasConnection: { _ in true })?.number == 5)
        queue.stop()
        for number in 2...5 { _ = queue.fetched(number, isPlaced: false) }
        #expect(queue.isIdle)
    }

    @Test("sidecars that wait for one host don't block others, however many they are")
    func hosts() {
        var queue = SidecarQueue()
        for number in 1...200 { queue.add(item(number, "full")) }
        queue.add(item(201, "free"))
        queue.add(item(202, nil))
        #expect(queue.next(hasConnection: { $0 != "full" })?.number == 201)
        #expect(queue.next(hasConnection: { $0 != "full" })?.number == 202)
        #expect(queue.next(hasConnection: { $0 != "full" }) == nil)
        #expect(queue.next(hasConnection: { _ in true })?.number == 1, "room comes back without being told")
    }

    @Test("those of an unreachable host are given up, and those of a cancelled video are dropped")
    func givenUp() {
        var queue = SidecarQueue()
        queue.add(item(1, "away"))
        queue.add(item(2, "h", of: id))
        queue.add(item(3, "h"))
        #expect(queue.drop(id) == [2])
        #expect(queue.next(hasConnection: { $0 == "h" })?.number == 3)
        #expect(queue.hopeless { $0 == "away" }.map(\.number) == [1])
        #expect(queue.hasNothingWaiting)
    }

    @Test("a sidecar that is put back waits for its time, and then for its host; a dropped or stopped one never comes")
    func putBack() {
        var queue = SidecarQueue()
        queue.add(item(1, of: id))
        let now = Date(timeIntervalSince1970: 1000)
        let taken = queue.next(hasConnection: { _ in true })
        #expect(queue.fetched(1, isPlaced: false) == taken)
        queue.putBack(item(1, of: id), dueAt: now)
        #expect(!queue.isIdle && queue.nextDue(after: now - 9, DownloadQueue(hostCap: 1, lookAhead: 1)) == now)
        queue.recall(at: now - 1)
        #expect(queue.next(hasConnection: { _ in true }) == nil)
        queue.recall(at: now)
        #expect(queue.next(hasConnection: { _ in false }) == nil)
        #expect(queue.next(hasConnection: { _ in true })?.number == 1)
        _ = queue.fetched(1, isPlaced: false)
        queue.putBack(item(1, of: id), dueAt: now)
        #expect(queue.drop(id) == [1])
        #expect(queue.nextDue(after: now, DownloadQueue(hostCap: 1, lookAhead: 1)) == nil)
        queue.recall(at: now)
        #expect(queue.next(hasConnection: { _ in true }) == nil && queue.isIdle)
    }

    @Test("a hundred thousand of them, at one host or at as many, take no noticeable time")
    func many() {
        for isOneHost in [true, false] {
            var queue = SidecarQueue()
            for number in 0..<100_000 { queue.add(item(number, isOneHost ? "h" : "h\(number)")) }
            var last = -1
            while let next = queue.next(hasConnection: { _ in true }) {
                if next.number != last + 1 { Issue.record("out of order") }
                last = next.number
                _ = queue.fetched(next.number, isPlaced: true)
                _ = queue.settled(next.number, of: nil, isStored: true)
            }
            #expect(last == 99_999 && queue.isIdle)
        }
    }
}
