import Foundation
import Testing

@testable import RunSchedule

@Suite("answers that can be used for a short time")
struct ShortLivedAnswersTests {
    /// Four turns with a slot, whose answers live for 2.7 s.
    private func begun() -> Stage {
        var stage = Stage((1...40).map { Stage.download(Int64($0)) }, jobs: 4, concurrency: 64)
        stage.tell(.begin)
        stage.now += 0.01
        for id in stage.schedule.phases.running.sorted() {
            stage.tell(.resolved(id, [], Schedule.Answer(usableUntil: stage.now + 2.7)))
            stage.tell(.claim(id, host: "h"))
        }
        return stage
    }

    private func measure(_ stage: inout Stage, after seconds: Double, written: Int64) {
        stage.now += seconds
        let turns = (1...4).map { Schedule.Measure(id: .number($0), size: 60, written: written) }
        stage.tell(.measured(free: nil, turns: turns))
    }

    @Test("a burst at the beginning of transfers doesn't say that slots will be free soon")
    func burst() {
        var stage = begun()
        #expect(stage.schedule.phases.slots == 4)
        // A throttled host sends at once what it allows for a second.
        measure(&stage, after: 0.1, written: 50)
        #expect(stage.schedule.phases.running.count == 4)
        measure(&stage, after: 0.4, written: 50)
        #expect(stage.schedule.phases.running.count == 4)
    }

    @Test("turns that have been short for a second do")
    func short() {
        var stage = begun()
        measure(&stage, after: 0.5, written: 20)
        for id in 1...4 {
            stage.tell(.turnEnded(.number(Int64(id)), .complete))
            stage.tell(.hashed(.number(Int64(id)), .right))
        }
        #expect(stage.schedule.phases.running.count > 4, "half a second each: some may wait for a third of their life")
    }

    @Test("one whose host is free is asked for again, whatever the first of its server waits for")
    func known() {
        var stage = Stage([1, 2, 3, 4, 6].map { Stage.download($0) }, jobs: 2, host: 1, concurrency: 1)
        stage.tell(.begin)
        for (id, host) in [(Int64(1), "h1"), (2, "h0"), (3, "h1"), (4, "h1"), (6, "h0")] {
            stage.now += 0.01
            let answer = Schedule.Answer(usableUntil: id == 6 ? stage.now + 5 : nil)
            stage.tell(.resolved(.number(id), [], answer))
            guard stage.tell(.claim(.number(id), host: host)).contains("denied") else { continue }
            stage.tell(.turnEnded(.number(id), .parked(host: host), usableUntil: answer.usableUntil ?? .distantFuture))
        }
        stage.arrive([Stage.download(5)])
        #expect(stage.schedule.phases.running == [.number(1), .number(2)])
        stage.now += 10
        #expect(stage.tell(.turnEnded(.number(2), .complete)) == ["hash 2", "start 6"])
    }
}
