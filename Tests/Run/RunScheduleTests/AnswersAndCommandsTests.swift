import DownloadStore
import Foundation
import Testing

@testable import RunSchedule

@Suite("Commands on downloads whose answers wait, or are asked for")
struct AnswersAndCommandsTests {
    @Test("what the user wants now takes no slot beyond those that there are, and not for ever")
    func urgent() {
        var stage = Stage(
            [Stage.download(1, provider: "q"), Stage.download(2, provider: "q"), Stage.download(3)], jobs: 1)
        stage.begin()
        stage.now += 1
        stage.tell(.turnEnded(.number(1), .complete))
        stage.tell(.claim(.number(2), host: "h"))
        stage.tell(.turnEnded(.number(3), .providerWaits(Stage.error, delay: .seconds(30))))
        func prioritize(_ command: Int, now: Bool) {
            stage.tell(.command(command, .prioritize(isNow: now, [.number(3)])))
            let row = Schedule.SteeredRow(
                id: .number(3), before: .waiting, after: .waiting, priority: 9, retryAt: nil, wanted: nil)
            stage.tell(.applied(command, [row]))
        }
        prioritize(1, now: true)
        #expect(stage.schedule.downloads[.number(3)]?.isUrgent == true && stage.schedule.phases.slots == 1)
        #expect(stage.wait(60).contains("start 3") && stage.schedule.phases.slots == 1)
        stage.tell(.turnEnded(.number(3), .providerWaits(Stage.error, delay: .seconds(30))))
        prioritize(2, now: true)
        prioritize(3, now: false)
        #expect(stage.schedule.downloads[.number(3)]?.isUrgent == false)
    }

    @Test("what the user wants now begins in place of another one, if its answer is there or comes meanwhile")
    func nowWithAnswer() {
        for comesMeanwhile in [false, true] {
            var stage = Stage.withAnswerAhead((1...3).map { Stage.download($0) })
            let id: Int64 = comesMeanwhile ? 3 : 2
            // The provider rests.
            if !comesMeanwhile {
                stage.tell(.turnEnded(.number(3), .providerWaits(Stage.error, delay: .seconds(600))))
            }
            stage.tell(.command(1, .prioritize(isNow: true, [.number(id)])))
            if comesMeanwhile {
                stage.tell(.resolved(.number(3), []))
                stage.tell(.turnEnded(.number(3), .parked(host: "h")))
            }
            let row = Schedule.SteeredRow(
                id: .number(id), before: .waiting, after: .waiting, priority: 9, retryAt: nil, wanted: nil)
            #expect(stage.tell(.applied(1, [row])).contains("cancel 1"))
            #expect(stage.tell(.turnEnded(.number(1), .stopped)).contains("start \(id)"))
        }
    }

    @Test("a resume leaves one that is asked for alone")
    func resumed() {
        var stage = Stage.withAnswerAhead((1...3).map { Stage.download($0) })
        #expect(stage.tell(.command(1, .steer(.resume, [.number(3)]))) == ["apply 1 to [3]"])
        #expect(stage.tell(.applied(1, [])) == ["answer 1 []"])
        #expect(stage.schedule.phases[turn: .number(3)]?.isResolving == true)
    }

    @Test("a retry of one that is asked for is no retry of an active one")
    func retried() {
        var stage = Stage.withAnswerAhead((1...3).map { Stage.download($0) })
        #expect(stage.schedule.phases[turn: .number(3)]?.hasSlot == false)
        #expect(stage.tell(.command(1, .steer(.retry, [.number(1), .number(3)]))).contains("cancel 3"))
        #expect(stage.tell(.turnEnded(.number(3), .stopped)).contains("apply 1 to [3]"))
        let row = Schedule.SteeredRow(
            id: .number(3), before: .waiting, after: .waiting, priority: 0, retryAt: nil, wanted: Stage.download(3))
        #expect(stage.tell(.applied(1, [row])).contains("answer 1 [1]"))
    }

    @Test("a logout drops the answer of one that waits for space, too")
    func logout() {
        var stage = Stage(
            [Stage.download(1, size: 100), Stage.download(2, size: 100)], jobs: 2, freeSpace: FreeSpaceGuard(floor: 0))
        stage.tell(.measured(free: 300, turns: []))
        stage.begin()
        stage.tell(.measured(free: 120, turns: []))
        stage.tell(.turnEnded(.number(2), .stopped))
        #expect(stage.phase(2) == .settled(.suspended))
        stage.tell(.command(1, .loggedOut("p")))
        let said = stage.tell(.turnEnded(.number(1), .stopped))
        #expect(said.contains("dismiss 1") && said.contains("dismiss 2"))
    }
}
