import Testing

@testable import ProviderHost

/// What is done about processes and requests, without any process.
@Suite struct SupervisionTests {
    @Test("the first request starts a process; no more are sent than it can have in flight")
    func start() {
        var it = Supervision(concurrency: 2)
        #expect(it.ask(10) == [.start(process: 1), .send(10, wire: 1, process: 1)])
        #expect(it.ask(11) == [.send(11, wire: 2, process: 1)])
        #expect(it.ask(12) == [])
        #expect(it.answered(wire: 2) == [.deliver(11), .send(12, wire: 3, process: 1)])
        #expect(it.answered(wire: 1) == [.deliver(10)])
        #expect(it.answered(wire: 1) == [], "answered twice")
    }

    @Test("after a crash the pending are asked again one at a time, then all goes on as before")
    func crash() {
        var it = Supervision(concurrency: 3)
        for request in 10...13 { _ = it.ask(request) }
        #expect(it.lost(process: 1, reason: "crash") == [.wait(.milliseconds(100))])
        #expect(it.ask(14) == [], "backing off")
        #expect(it.backedOff() == [.start(process: 2), .send(10, wire: 4, process: 2)])
        #expect(it.answered(wire: 4) == [.deliver(10), .send(11, wire: 5, process: 2)])
        #expect(it.answered(wire: 5) == [.deliver(11), .send(12, wire: 6, process: 2)])
        #expect(it.answered(wire: 6) == [.deliver(12), .send(13, wire: 7, process: 2), .send(14, wire: 8, process: 2)])
    }

    @Test("a request that is alone in two crashes fails; others are tried between, so that it can't take them along")
    func poison() {
        var it = Supervision(concurrency: 3)
        for request in 10...13 { _ = it.ask(request) }
        _ = it.lost(process: 1, reason: "crash")
        #expect(it.backedOff() == [.start(process: 2), .send(10, wire: 4, process: 2)])
        #expect(it.lost(process: 2, reason: "crash") == [.wait(.milliseconds(500))])
        #expect(it.backedOff() == [.start(process: 3), .send(11, wire: 5, process: 3)], "10 goes behind")
        #expect(it.answered(wire: 5) == [.deliver(11), .send(12, wire: 6, process: 3)])
        #expect(it.answered(wire: 6) == [.deliver(12), .send(10, wire: 7, process: 3)])
        #expect(it.lost(process: 3, reason: "boom") == [.fail(10, .request("boom")), .wait(.milliseconds(100))])
        #expect(it.backedOff() == [.start(process: 4), .send(13, wire: 8, process: 4)])
        #expect(it.brokenReason == nil)
    }

    @Test("three crashes in a row without an answer between fail everything, for good")
    func outOfOrder() {
        var it = Supervision(concurrency: 2)
        for request in 10...13 { _ = it.ask(request) }
        _ = it.lost(process: 1, reason: "crash")
        _ = it.backedOff()
        _ = it.lost(process: 2, reason: "crash")
        _ = it.backedOff()
        let failed = it.lost(process: 3, reason: "last crash")
        #expect(failed.count == 4)
        for request in 10...13 { #expect(failed.contains(.fail(request, .provider("last crash")))) }
        #expect(it.brokenReason == "last crash")
        #expect(it.ask(20) == [.fail(20, .provider("last crash"))])
        #expect(it.backedOff() == [])
    }

    @Test("an answer between crashes starts the count anew")
    func answerBetween() {
        var it = Supervision(concurrency: 1)
        for round in 1...10 {
            _ = it.ask(2 * round)
            #expect(it.lost(process: 2 * round - 1, reason: "crash") == [.wait(.milliseconds(100))])
            #expect(
                it.backedOff() == [
                    .start(process: 2 * round), .send(2 * round, wire: 3 * round - 1, process: 2 * round),
                ])
            #expect(it.answered(wire: 3 * round - 1) == [.deliver(2 * round)])
            #expect(it.ask(2 * round + 1) == [.send(2 * round + 1, wire: 3 * round, process: 2 * round)])
            #expect(it.answered(wire: 3 * round) == [.deliver(2 * round + 1)])
            #expect(it.lost(process: 2 * round, reason: "", isClean: true) == [])
        }
    }

    @Test("what a plugin hung on is asked again last")
    func hang() {
        var it = Supervision(concurrency: 3)
        for request in 10...12 { _ = it.ask(request) }
        _ = it.lost(process: 1, reason: "late", culprits: [1])
        #expect(it.backedOff() == [.start(process: 2), .send(11, wire: 4, process: 2)])
        #expect(it.answered(wire: 4) == [.deliver(11), .send(12, wire: 5, process: 2)])
        #expect(it.answered(wire: 5) == [.deliver(12), .send(10, wire: 6, process: 2)])
    }

    @Test("a wrong answer is asked for again in a fresh process; the old one finishes what it has")
    func wrongAnswer() {
        var it = Supervision(concurrency: 2)
        for request in 10...12 { _ = it.ask(request) }
        #expect(
            it.answered(wire: 1, wrong: "no url") == [
                .start(process: 2), .send(10, wire: 3, process: 2), .send(12, wire: 4, process: 2),
            ])
        #expect(it.answered(wire: 2) == [.deliver(11), .finish(process: 1)])
        #expect(it.lost(process: 1, reason: "", isClean: true) == [], "nobody cares any more")
        #expect(it.answered(wire: 3, wrong: "no url") == [.fail(10, .request("no url"))])
        #expect(it.answered(wire: 4) == [.deliver(12)])
    }

    @Test("an abandoned request is taken out of the queue, or keeps its place in the process until it is answered")
    func abandoned() {
        var it = Supervision(concurrency: 1)
        for request in 10...12 { _ = it.ask(request) }
        it.abandon(10)
        it.abandon(11)
        #expect(it.answered(wire: 1) == [.send(12, wire: 2, process: 1)])
        it.abandon(12)
        #expect(it.lost(process: 1, reason: "crash") == [.wait(.milliseconds(100))])
        #expect(it.backedOff() == [], "nobody waits")
    }

    @Test("a plugin that can't be started fails everything at once")
    func cannotStart() {
        var it = Supervision(concurrency: 1)
        _ = it.ask(10)
        _ = it.ask(11)
        #expect(
            it.cannotStart(process: 1, reason: "gone") == [.fail(10, .provider("gone")), .fail(11, .provider("gone"))])
        #expect(it.ask(12) == [.fail(12, .provider("gone"))])
    }

    @Test("at the end everything open fails and the processes are let go")
    func close() {
        var it = Supervision(concurrency: 1)
        _ = it.ask(10)
        _ = it.ask(11)
        #expect(it.close() == [.fail(10, .closed), .fail(11, .closed), .finish(process: 1)])
        #expect(it.ask(12) == [.fail(12, .closed)])
        #expect(it.lost(process: 1, reason: "", isClean: true) == [])
    }
}
