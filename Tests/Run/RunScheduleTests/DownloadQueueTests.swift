import DownloadStore
import Foundation
import Testing

@testable import RunSchedule

@Suite("Whose turn it is")
struct DownloadQueueTests {
    let now = Date(timeIntervalSince1970: 1_000_000)

    private func entry(
        _ id: Int64, priority: Int = 0, provider: String = "p", host: String? = nil
    ) -> DownloadQueue.Entry {
        DownloadQueue.Entry(
            id: DownloadID(rawValue: id), priority: priority, ordinal: id, server: ProviderServer(provider), host: host)
    }

    private func drain(_ queue: inout DownloadQueue, at date: Date) -> [Int64] {
        var ids: [Int64] = []
        while let entry = queue.next(at: date) { ids.append(entry.id.rawValue) }
        return ids
    }

    @Test("highest priority first, then catalog order, over providers and hosts")
    func order() {
        var queue = DownloadQueue(hostCap: 8, lookAhead: 3)
        queue.add(entry(1))
        queue.add(entry(2, priority: 10, provider: "q"))
        queue.add(entry(3, priority: 10, host: "h"))
        queue.add(entry(4, priority: -10))
        queue.add(entry(5))
        #expect(drain(&queue, at: now) == [2, 3, 1, 5, 4])
        #expect(queue.count == 0)
    }

    @Test("sidecars come after all videos of equal priority")
    func questions() {
        var queue = DownloadQueue(hostCap: 8, lookAhead: 9)
        for id: Int64 in [1, 2, 3] {
            var question = entry(id, priority: id == 3 ? 10 : 0)
            question.isQuestion = true
            queue.add(question)
        }
        queue.add(entry(4))
        queue.add(entry(5, priority: -10))
        #expect(drain(&queue, at: now) == [3, 4, 1, 2, 5])
        var question = Stage.download(1)
        question.purpose = .sidecars
        #expect(question.entry(host: nil) < Stage.download(2).entry(host: nil))
    }

    @Test("a host at its cap blocks its own downloads only")
    func hostCap() {
        var queue = DownloadQueue(hostCap: 1, lookAhead: 3)
        queue.add(entry(1, priority: 10, host: "busy"))
        queue.add(entry(2, host: "free"))
        queue.occupy("busy")
        #expect(drain(&queue, at: now) == [2])
        queue.release("busy")
        #expect(drain(&queue, at: now) == [1])
    }

    @Test("a cool-down ends at its time, and is the next due date until then")
    func coolDown() {
        var queue = DownloadQueue(hostCap: 8, lookAhead: 3)
        queue.add(entry(1, host: "h"))
        let until = queue.hostFailed("h", startedAt: now, now: now, jitter: 0, atLeast: .seconds(30))
        #expect(until == now + 30)
        #expect(drain(&queue, at: now + 29) == [])
        #expect(queue.nextDue(after: now) == now + 30)
        #expect(drain(&queue, at: now + 30) == [1])
    }

    @Test("transfers that fail together count as one failure of their host")
    func oneFailure() {
        var queue = DownloadQueue(hostCap: 8, lookAhead: 3)
        #expect(queue.hostFailed("h", startedAt: now, now: now + 1, jitter: 0, atLeast: nil) == now + 2)
        #expect(queue.hostFailed("h", startedAt: now, now: now + 1, jitter: 0, atLeast: nil) == nil)
        #expect(queue.hostFailed("h", startedAt: now + 2, now: now + 3, jitter: 0, atLeast: nil) == now + 5)
        queue.hostServed("h")
        #expect(queue.hostFailed("h", startedAt: now + 6, now: now + 6, jitter: 0, atLeast: nil) == now + 7)
    }

    @Test("a download that backs off comes back in its order")
    func backsOff() {
        var queue = DownloadQueue(hostCap: 8, lookAhead: 3)
        queue.add(entry(1, priority: 10), dueAt: now + 5)
        queue.add(entry(2))
        queue.add(entry(3))
        #expect(queue.next(at: now)?.id.rawValue == 2)
        #expect(queue.nextDue(after: now) == now + 5)
        #expect(drain(&queue, at: now + 5) == [1, 3])
    }

    @Test("a provider that asked to wait delays its own downloads only")
    func provider() {
        var queue = DownloadQueue(hostCap: 8, lookAhead: 3)
        queue.add(entry(1, priority: 10))
        queue.add(entry(2, provider: "q"))
        queue.block(ProviderServer("p"), until: now + 9)
        #expect(drain(&queue, at: now) == [2])
        #expect(queue.nextDue(after: now) == now + 9)
        #expect(drain(&queue, at: now + 9) == [1])
    }

    @Test("no more are resolved than may wait for a busy host")
    func lookAhead() {
        var queue = DownloadQueue(hostCap: 1, lookAhead: 2)
        queue.occupy("busy")
        queue.add(entry(1, host: "busy"))
        queue.add(entry(2, host: "busy"))
        queue.add(entry(3))
        #expect(drain(&queue, at: now) == [])
        queue.release("busy")
        #expect(queue.next(at: now)?.id.rawValue == 1)
    }

    @Test("downloads of a stopped provider are removed, whatever they wait for")
    func stop() {
        var queue = DownloadQueue(hostCap: 8, lookAhead: 2)
        queue.add(entry(1))
        queue.add(entry(2), dueAt: now + 5)
        queue.add(entry(3, provider: "q"))
        #expect(Set(queue.removeAll(of: ProviderServer("p")).map(\.id.rawValue)) == [1, 2])
        #expect(queue.count == 1)
        #expect(drain(&queue, at: now) == [3])
    }
}
