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
        queue.recall(at: date)
        func next() -> DownloadQueue.Entry? {
            [queue.next(at: date), queue.nextToAsk(at: date) { _ in true }].compactMap(\.self).max()
        }
        while let entry = next() {
            queue.take(entry)
            ids.append(entry.id.rawValue)
        }
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
        queue.hostServed("h", at: now + 4)
        #expect(queue.hostFailed("h", startedAt: now + 6, now: now + 6, jitter: 0, atLeast: nil) == now + 7)
    }

    @Test("a download that backs off comes back in its order")
    func backsOff() {
        var queue = DownloadQueue(hostCap: 8, lookAhead: 3)
        queue.add(entry(1, priority: 10), dueAt: now + 5)
        queue.add(entry(2))
        queue.add(entry(3))
        #expect(queue.nextDue(after: now) == now + 5)
        #expect(drain(&queue, at: now) == [2, 3])
        #expect(drain(&queue, at: now + 5) == [1])
    }

    @Test(
        "a server that has too many requests is left at 0.7 times as many connections, and gets one more after a while")
    func tooMany() {
        var queue = DownloadQueue(hostCap: 8, lookAhead: 3)
        for _ in 0..<7 { queue.occupy("h") }
        // An eighth one has just failed, and two more of the same moment do.
        for _ in 0..<3 {
            _ = queue.hostFailed("h", startedAt: now - 1, now: now, jitter: 0, atLeast: nil, isTooMany: true)
        }
        for _ in 0..<7 { queue.release("h") }
        #expect(queue.freeConnections("h", at: now + 60) == 6 && queue.freeConnections("g", at: now + 60) == 8)
        for _ in 0..<3 { queue.occupy("h") }
        _ = queue.hostFailed("h", startedAt: now + 60, now: now + 61, jitter: 0, atLeast: nil, isTooMany: true)
        #expect(queue.freeConnections("h", at: now + 99) == 0, "four were one too many: three are left")
        for _ in 0..<3 { queue.release("h") }
        // A failure of another kind says nothing about the number.
        _ = queue.hostFailed("h", startedAt: now + 100, now: now + 101, jitter: 0, atLeast: nil)
        queue.hostServed("h", at: now + 200)
        #expect(queue.freeConnections("h", at: now + 200) == 3)
        queue.hostServed("h", at: now + 400)
        #expect(queue.freeConnections("h", at: now + 400) == 4)
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

    @Test("an answered download waits for its host, whether its server may be asked or not")
    func answered() {
        var queue = DownloadQueue(hostCap: 1, lookAhead: 2)
        queue.occupy("busy")
        for id: Int64 in [1, 2, 3] {
            var answered = entry(id, host: "busy")
            answered.usableUntil = id == 3 ? nil : .distantFuture
            queue.add(answered)
        }
        let last = entry(9)
        #expect(queue.ready(before: last, at: now) == 0 && queue.next(at: now) == nil)
        #expect(queue.busy(ProviderServer("p"), at: now) == (3, 1))
        queue.release("busy")
        queue.block(ProviderServer("p"), until: now + 9)
        #expect(queue.ready(before: last, at: now) == 2, "one without an answer would ask")
        #expect(queue.ready(before: entry(2), at: now) == 1 && queue.busy(ProviderServer("p"), at: now) == (0, nil))
        #expect(drain(&queue, at: now) == [1, 2])
        #expect(drain(&queue, at: now + 9) == [3])
    }

    @Test("while URLs are refused nobody is asked if one that is known waits for a busy host")
    func knownOfRefused() {
        var queue = DownloadQueue(hostCap: 1, lookAhead: 3)
        var known = entry(1, host: "h")
        known.usableUntil = .distantFuture
        queue.add(known)
        queue.add(entry(2))
        queue.setDown(ProviderServer("p"), until: now, isRefused: true)
        queue.occupy("h")
        #expect(queue.nextToAsk(at: now) { _ in true } == nil && queue.next(at: now) == nil)
        var expired = DownloadQueue(hostCap: 1, lookAhead: 3)
        known.usableUntil = now
        expired.add(known)
        expired.add(entry(2))
        expired.setDown(ProviderServer("p"), until: now, isRefused: true)
        expired.occupy("h")
        #expect(expired.nextToAsk(at: now) { _ in true }?.id == .number(2), "its answer can't be used any more")
        known.usableUntil = .distantFuture
        queue.release("h")
        #expect(queue.next(at: now)?.id == .number(1))
        // Even if it was refused more often than one that isn't known.
        known.misses = 3
        _ = queue.remove([.number(1)])
        queue.add(known)
        #expect(queue.next(at: now)?.id == .number(1) && queue.nextToAsk(at: now) { _ in true } == nil)
        _ = queue.hostFailed("h", startedAt: now, now: now, jitter: 0, atLeast: .seconds(60))
        #expect(queue.nextToAsk(at: now) { _ in true }?.id == .number(2), "it may have another host")
    }

    @Test("one with an answer can run while its provider rests, but not while that is stopped")
    func answeredOfResting() {
        var queue = DownloadQueue(hostCap: 1, lookAhead: 3)
        var answered = entry(1, host: "h")
        queue.block(answered.server, until: now + 60)
        #expect(!queue.canRun(answered, at: now))
        answered.usableUntil = .distantFuture
        #expect(queue.canRun(answered, at: now))
        queue.setDown(answered.server, until: now + 60, isRefused: true)
        #expect(!queue.canRun(answered, at: now))
        queue.setUp(answered.server)
        queue.stop(answered.server)
        #expect(!queue.canRun(answered, at: now))
    }

    @Test("one without an answer checks whether a server is back that is down, unless its URLs are refused")
    func answeredOfDown() {
        for isRefused in [false, true] {
            var queue = DownloadQueue(hostCap: 8, lookAhead: 2)
            for id: Int64 in [1, 2] {
                var answered = entry(id, host: "h")
                answered.usableUntil = .distantFuture
                queue.add(answered)
            }
            queue.add(entry(3))
            queue.setDown(ProviderServer("p"), until: now + 5, isRefused: isRefused)
            #expect(queue.next(at: now)?.id == (isRefused ? nil : .number(1)))
            #expect(queue.nextToAsk(at: now) { _ in true } == nil)
            let probe = isRefused ? queue.next(at: now + 5) : queue.nextToAsk(at: now + 5) { _ in true }
            #expect(probe?.id == .number(isRefused ? 1 : 3))
            guard let probe else { continue }
            queue.beginProbe(probe)
            #expect(queue.isProbe(probe.id, of: ProviderServer("p")))
            #expect(queue.next(at: now + 5)?.id == (isRefused ? nil : .number(1)))
        }
    }

    @Test("one whose host is free again is asked for while the hosts of others are left alone")
    func freeHost() {
        var queue = DownloadQueue(hostCap: 8, lookAhead: 1)
        let server = ProviderServer("p")
        _ = queue.hostFailed("dead", startedAt: now, now: now, jitter: 0, atLeast: .seconds(60))
        queue.add(entry(1, host: "dead"))
        queue.add(entry(2, host: "well"))
        queue.found("dead", of: server, at: now)
        #expect(queue.nextToAsk(at: now) { _ in true }?.id == .number(2), "nothing else is left to look for")
        queue.add(entry(3))
        queue.add(entry(4))
        #expect(queue.nextToAsk(at: now) { _ in true }?.id == .number(2))
        queue.take(entry(2, host: "well"))
        #expect(queue.nextToAsk(at: now) { _ in true }?.id == .number(4), "the last one may be elsewhere")
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
