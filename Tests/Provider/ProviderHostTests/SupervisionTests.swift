import Testing

@testable import ProviderHost

/// Decisions about processes and requests, without any process.
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

    @Test("after a crash pending requests are asked again one at a time, then as before")
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

    @Test("a request that is alone in two crashes fails; others run between, so that it can't break them")
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

    @Test("three different requests that break it without a good answer between fail everything, permanently")
    func outOfOrder() {
        var it = Supervision(concurrency: 2)
        for request in 10...13 { _ = it.ask(request) }
        _ = it.lost(process: 1, reason: "crash")
        #expect(it.backedOff() == [.start(process: 2), .send(10, wire: 3, process: 2)])
        _ = it.lost(process: 2, reason: "crash")
        #expect(it.backedOff() == [.start(process: 3), .send(11, wire: 4, process: 3)])
        _ = it.lost(process: 3, reason: "crash")
        #expect(it.backedOff() == [.start(process: 4), .send(12, wire: 5, process: 4)])
        let failed = it.lost(process: 4, reason: "last crash")
        #expect(failed.count == 4)
        for request in 10...13 { #expect(failed.contains(.fail(request, .provider("last crash")))) }
        #expect(it.brokenReason == "last crash")
        #expect(it.ask(20) == [.fail(20, .provider("last crash"))])
        #expect(it.backedOff() == [])
    }

    @Test(
        "two bad requests in a row fail alone: breaking it again proves nothing new", arguments: [1, 2, 8])
    func neighbours(concurrency: Int) {
        var it = Supervision(concurrency: concurrency)
        let poison: Set = [10, 11]
        var open: [(request: Int, wire: Int, process: Int)] = []
        var failed: [Int] = []
        var delivered: [Int] = []
        var mustWait = false
        func note(_ actions: [Supervision.Action]) {
            for action in actions {
                switch action {
                case .send(let request, let wire, let process): open.append((request, wire, process))
                case .fail(let request, .request): failed.append(request)
                case .deliver(let request): delivered.append(request)
                case .wait: mustWait = true
                case .start, .finish: break
                default: Issue.record("\(action)")
                }
            }
        }
        for request in 10...17 { note(it.ask(request)) }
        for _ in 0..<100 where delivered.count + failed.count < 8 {
            if let bad = open.first(where: { poison.contains($0.request) }) {
                open.removeAll { $0.process == bad.process }
                note(it.lost(process: bad.process, reason: "crash"))
            } else if let good = open.first {
                open.removeFirst()
                note(it.answered(wire: good.wire))
            }
            if mustWait {
                mustWait = false
                note(it.backedOff())
            }
        }
        #expect(failed.sorted() == [10, 11])
        #expect(delivered.sorted() == Array(12...17))
        #expect(it.brokenReason == nil)
    }

    @Test("wrong answers count as breaks; an error of an unknown kind doesn't")
    func wrongAnswersCount() {
        var it = Supervision(concurrency: 1)
        for request in 10...13 { _ = it.ask(request) }
        #expect(
            it.answered(wire: 1, .wrong("no url")) == [
                .finish(process: 1), .start(process: 2), .send(10, wire: 2, process: 2),
            ])
        _ = it.gone(process: 1)
        #expect(
            it.answered(wire: 2, .wrong("no url")) == [.fail(10, .request("no url")), .send(11, wire: 3, process: 2)])
        #expect(
            it.answered(wire: 3, .unknownError("boo")) == [
                .finish(process: 2), .start(process: 3), .send(11, wire: 4, process: 3),
            ])
        _ = it.gone(process: 2)
        _ = it.answered(wire: 4, .wrong("no url"))
        #expect(
            it.answered(wire: 5, .wrong("no url")) == [
                .fail(12, .provider("no url")), .fail(13, .provider("no url")), .stop(process: 3),
            ])
        #expect(it.brokenReason == "no url")
    }

    @Test(
        "no process is started while two others still have to end; the end of one is enough, or of the wait for it")
    func fewProcesses() {
        var it = Supervision(concurrency: 1)
        var wire = 0
        // A good answer between, so that only the bound keeps it from starting one for each.
        func round(_ request: Int) -> [Supervision.Action] {
            wire += 1
            _ = it.ask(request)
            _ = it.answered(wire: wire)
            wire += 1
            _ = it.ask(request + 1)
            return it.answered(wire: wire, .wrong("no url"))
        }
        #expect(round(10) == [.finish(process: 1), .start(process: 2), .send(11, wire: 3, process: 2)])
        wire += 1
        #expect(it.answered(wire: 3) == [.deliver(11)])
        #expect(round(20) == [.finish(process: 2)], "21 waits")
        #expect(it.ask(22) == [])
        #expect(it.gone(process: 1) == [.start(process: 3), .send(21, wire: 6, process: 3)])
        #expect(it.gone(process: 1) == [])
    }

    @Test("if this machine has no resources for a new process, open requests fail, and the plugin is not blamed")
    func machine() {
        var it = Supervision(concurrency: 1)
        _ = it.ask(10)
        _ = it.ask(11)
        #expect(
            it.cannotStartNow(process: 1, reason: "no descriptors") == [
                .fail(10, .machine("no descriptors")), .fail(11, .machine("no descriptors")),
            ])
        #expect(it.brokenReason == nil)
        #expect(it.ask(12) == [.start(process: 2), .send(12, wire: 2, process: 2)])
    }

    @Test("an answer between crashes resets the count")
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

    @Test("a request on which a plugin hung is asked again last")
    func hang() {
        var it = Supervision(concurrency: 3)
        for request in 10...12 { _ = it.ask(request) }
        _ = it.lost(process: 1, reason: "late", culprits: [1])
        #expect(it.backedOff() == [.start(process: 2), .send(11, wire: 4, process: 2)])
        #expect(it.answered(wire: 4) == [.deliver(11), .send(12, wire: 5, process: 2)])
        #expect(it.answered(wire: 5) == [.deliver(12), .send(10, wire: 6, process: 2)])
    }

    @Test("a wrong answer is asked for again in a fresh process; the old one finishes its requests")
    func wrongAnswer() {
        var it = Supervision(concurrency: 2)
        for request in 10...12 { _ = it.ask(request) }
        #expect(
            it.answered(wire: 1, .wrong("no url")) == [
                .start(process: 2), .send(10, wire: 3, process: 2), .send(12, wire: 4, process: 2),
            ])
        #expect(it.answered(wire: 2) == [.deliver(11), .finish(process: 1)])
        #expect(it.lost(process: 1, reason: "", isClean: true) == [], "nobody cares any more")
        #expect(it.answered(wire: 3, .wrong("no url")) == [.fail(10, .request("no url"))])
        #expect(it.answered(wire: 4) == [.deliver(12)])
    }

    @Test("an abandoned request is removed from the queue, or keeps its place in the process until it is answered")
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

    @Test("at the end everything open fails and the processes are released")
    func close() {
        var it = Supervision(concurrency: 1)
        _ = it.ask(10)
        _ = it.ask(11)
        #expect(it.close() == [.fail(10, .closed), .fail(11, .closed), .finish(process: 1)])
        #expect(it.ask(12) == [.fail(12, .closed)])
        #expect(it.lost(process: 1, reason: "", isClean: true) == [])
    }
}
