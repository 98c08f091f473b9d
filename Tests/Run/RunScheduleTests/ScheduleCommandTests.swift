import DownloadStore
import Foundation
import Testing

@testable import RunSchedule

@Suite("Commands during a run")
struct ScheduleCommandTests {
    private func row(_ id: Int64, _ before: DownloadState, _ after: DownloadState) -> Schedule.SteeredRow {
        Schedule.SteeredRow(
            id: .number(id), before: before, after: after, priority: 5, retryAt: nil, wanted: Stage.download(id))
    }

    @Test("rows change only when none of the named downloads is active, and none of them begins meanwhile")
    func holds() {
        var stage = Stage((1...3).map { Stage.download($0) })
        stage.tell(.begin)
        // Its provider is being asked: that is a turn, too.
        #expect(stage.tell(.command(1, .steer(.pause, [.number(1), .number(2)]))) == ["cancel 1"])
        #expect(stage.phase(2) == .held(.queue(host: nil, dueAt: nil)))
        #expect(
            stage.tell(.turnEnded(.number(1), .failed(Stage.error, isFinal: true))) == [
                "release 1", "apply 1 to [1, 2]", "start 3",
            ], "what usually follows doesn't")
        let answer = stage.tell(.applied(1, [row(1, .active, .paused), row(2, .waiting, .paused)]))
        #expect(answer == ["emit paused 1", "dismiss 1", "emit paused 2", "dismiss 2", "answer 1 []"])
        #expect(stage.phase(1) == .settled(.paused) && stage.phase(2) == .settled(.paused))
    }

    @Test("a complete file is placed before its row changes")
    func complete() {
        var stage = Stage([Stage.download(1)])
        stage.tell(.begin)
        stage.tell(.command(1, .steer(.cancel, [.number(1)])))
        #expect(stage.tell(.turnEnded(.number(1), .complete)) == ["hash 1"])
        #expect(stage.tell(.hashed(.number(1), .right)) == ["place 1"])
        let placed = stage.tell(.placed(.number(1), Stage.file, request: nil, isWhole: true))
        #expect(placed == ["emit finished 1", "dismiss 1", "apply 1 to [1]"])
        #expect(stage.tell(.applied(1, [])) == ["answer 1 []", "end"])
    }

    @Test("a download that returns to the queue while a command waits for it is held there")
    func goesBack() {
        var stage = Stage([Stage.download(1)])
        stage.tell(.begin)
        stage.tell(.turnEnded(.number(1), .complete))
        stage.tell(.command(1, .steer(.pause, [.number(1)])))
        stage.tell(.hashed(.number(1), .wrong))
        #expect(stage.tell(.restarted(.number(1), nil)).last == "apply 1 to [1]")
        #expect(stage.phase(1) == .held(.queue(host: nil, dueAt: nil)))
    }

    @Test("a download that a command doesn't change returns to its place, with its time")
    func givesBack() {
        let due = Stage.start + 60
        var stage = Stage([Stage.download(1), Stage.download(2, retryAt: due), Stage.download(3)], following: [(3, 1)])
        stage.begin()
        #expect(
            stage.tell(.command(1, .steer(.retry, [.number(1), .number(2), .number(3)]))).first == "apply 1 to [2, 3]")
        #expect(stage.tell(.applied(1, [])).first == "answer 1 [1]", "one that has its turn stays there")
        #expect(stage.phase(2) == .queued(host: nil, dueAt: due))
        #expect(stage.phase(3) == .following)
    }

    @Test("a follower isn't started by its leader's end while a command concerns it")
    func heldFollower() {
        var stage = Stage([Stage.download(1), Stage.download(2)], following: [(2, 1)])
        stage.tell(.begin)
        stage.tell(.command(1, .steer(.pause, [.number(2)])))
        stage.tell(.turnEnded(.number(1), .failed(Stage.error, isFinal: true)))
        #expect(stage.phase(2) == .held(.queue(host: nil, dueAt: nil)))
        #expect(stage.tell(.applied(1, [row(2, .waiting, .paused)])).last == "wake 600")
    }

    @Test("with everything paused the run waits for a resume, as long as for a host, and says so")
    func everythingPaused() {
        var stage = Stage([Stage.download(1), Stage.download(2)])
        stage.tell(.begin)
        func pause(_ number: Int, _ id: Int64, _ before: DownloadState) -> [String] {
            stage.tell(.command(number, .steer(.pause, [.number(id)])))
            if before == .active { stage.tell(.turnEnded(.number(id), .stopped)) }
            return stage.tell(.applied(number, [row(id, before, .paused)]))
        }
        #expect(pause(1, 2, .waiting) == ["emit paused 2", "dismiss 2", "answer 1 []"], "one is left")
        stage.now += 100
        #expect(
            pause(2, 1, .active) == [
                "emit paused 1", "dismiss 1", "answer 2 []", "emit waits for resume 700", "wake 700",
            ])
        #expect(stage.wait(599) == ["wake 700"])
        stage.tell(.command(3, .steer(.resume, [.number(2)])))
        #expect(stage.tell(.applied(3, [row(2, .paused, .waiting)])).contains("start 2"))
        // Whatever is done then, nobody is waited for any more.
        stage.tell(.turnEnded(.number(2), .complete))
        stage.tell(.hashed(.number(2), .right))
        #expect(stage.tell(.placed(.number(2), Stage.file, request: nil, isWhole: true)).last == "end")
    }

    @Test(
        "with nobody to resume it the run ends after that time; after a cancel, a signal or without --max-wait at once")
    func everythingStaysPaused() {
        func paused(maxWait: Duration = .seconds(600)) -> (Stage, [String]) {
            var stage = Stage([Stage.download(1)], maxWait: maxWait)
            stage.tell(.begin)
            stage.tell(.command(1, .steer(.pause, [.number(1)])))
            stage.tell(.turnEnded(.number(1), .stopped))
            let answer = stage.tell(.applied(1, [row(1, .active, .paused)]))
            return (stage, answer)
        }
        var (stage, answer) = paused()
        #expect(stage.wait(600) == ["end"])
        (stage, answer) = paused()
        #expect(stage.tell(.stop(.signal)).last == "end")
        (stage, answer) = paused()
        stage.tell(.command(2, .steer(.cancel, [.number(1)])))
        #expect(stage.tell(.applied(2, [row(1, .paused, .cancelled)])).last == "end")
        (stage, answer) = paused(maxWait: .zero)
        #expect(answer.last == "end")
    }

    @Test("with everything paused while more downloads are to come, it waits for a resume only when none came")
    func pausedWhileMoreIsToCome() {
        func paused() -> (Stage, [String]) {
            var stage = Stage([Stage.download(1)])
            stage.tell(.expectsMore(true))
            stage.tell(.begin)
            stage.tell(.command(1, .steer(.pause, [.number(1)])))
            stage.tell(.turnEnded(.number(1), .stopped))
            let answer = stage.tell(.applied(1, [row(1, .active, .paused)]))
            return (stage, answer)
        }
        var (stage, answer) = paused()
        #expect(answer == ["emit paused 1", "dismiss 1", "answer 1 []"])
        #expect(stage.tell(.expectsMore(false)) == ["emit waits for resume 600", "wake 600"])
        #expect(stage.wait(600) == ["end"])

        (stage, answer) = paused()
        #expect(stage.arrive([Stage.download(2)]).last == "start 2")
        #expect(stage.tell(.expectsMore(false)).isEmpty)
        stage.tell(.turnEnded(.number(2), .complete))
        stage.tell(.hashed(.number(2), .right))
        #expect(stage.tell(.placed(.number(2), Stage.file, request: nil, isWhole: true)).last == "end")
    }

    @Test("commands run one after the other; after the run nothing is done")
    func order() {
        var stage = Stage([Stage.download(1), Stage.download(2)])
        stage.tell(.begin)
        stage.tell(.command(1, .steer(.pause, [.number(1)])))
        #expect(stage.tell(.command(2, .steer(.pause, [.number(2)]))) == [])
        #expect(stage.tell(.turnEnded(.number(1), .stopped)).contains("apply 1 to [1]"))
        // The second one was waiting: what it names has begun its turn.
        let answer = stage.tell(.applied(1, [row(1, .active, .paused)]))
        #expect(answer.contains("answer 1 []") && answer.last == "cancel 2")
        #expect(stage.tell(.turnEnded(.number(2), .stopped)) == ["release 2", "apply 2 to [2]"])
        #expect(stage.tell(.applied(2, [row(2, .active, .cancelled)])).last == "end")
        #expect(stage.tell(.command(3, .steer(.resume, [.number(2)]))) == ["answer 3 over"])
    }

    @Test("prioritized for now: the least important turn gives up its slot, and waits again")
    func now() {
        var stage = Stage((1...3).map { Stage.download($0) }, jobs: 2)
        stage.tell(.begin)
        stage.schedule.limits.concurrency = { _ in 0 }
        for id in Int64(1)...2 { stage.tell(.claim(.number(id), host: "h")) }
        #expect(stage.tell(.command(1, .prioritize(isNow: true, [.number(3)]))) == ["apply 1 to [3]"])
        #expect(stage.tell(.applied(1, [row(3, .waiting, .waiting)])) == ["cancel 2"])
        let said = stage.tell(.turnEnded(.number(2), .stopped))
        #expect(
            said == ["release 2", "record putBack 2", "emit waiting 2", "answer 1 []", "record begin 3", "start 3"],
            "it has the slot while its provider is asked")
    }

    @Test("prioritized for now while its provider is being asked: it gets a slot at once")
    func nowWhileAsked() {
        var stage = Stage((1...3).map { Stage.download($0) }, jobs: 2)
        stage.tell(.begin)
        stage.now += 2
        for id in Int64(1)...2 { stage.tell(.claim(.number(id), host: "h")) }
        #expect(stage.schedule.phases[turn: .number(3)]?.hasSlot == false)
        #expect(stage.tell(.command(1, .prioritize(isNow: true, [.number(3)]))) == ["apply 1 to [3]"])
        #expect(stage.tell(.applied(1, [row(3, .waiting, .waiting)])) == ["record begin 3", "cancel 2"])
        stage.tell(.turnEnded(.number(2), .stopped))
        #expect(stage.tell(.claim(.number(3), host: "h")) == ["granted"])
    }

    @Test("fewer jobs: the least important turns wait again; more: the next ones begin")
    func jobs() {
        var stage = Stage((1...4).map { Stage.download($0) }, jobs: 3)
        stage.begin()
        #expect(stage.tell(.command(1, .jobs(1, hostCap: 8))) == ["cancel 3", "cancel 2"])
        stage.tell(.turnEnded(.number(3), .stopped))
        #expect(stage.tell(.turnEnded(.number(2), .stopped)).last == "answer 1 []")
        #expect(stage.schedule.phases.running == [.number(1)])
        stage.tell(.command(2, .jobs(4, hostCap: 8)))
        #expect(stage.schedule.phases.running.count == 4)
        #expect(stage.schedule.phases.slots == 1, "the others are asked for")
    }

    @Test("a logout of a provider: all its downloads end and are suspended before the credentials are deleted")
    func loggedOut() {
        var stage = Stage([Stage.download(1), Stage.download(2), Stage.download(3, provider: "q")])
        stage.tell(.begin)
        #expect(stage.tell(.command(1, .loggedOut("p"))) == ["cancel 1"])
        let ended = stage.tell(.turnEnded(.number(1), .stopped))
        #expect(ended.contains("forget credentials 1 p") && ended.last == "start 3")
        #expect(stage.phase(1) == .settled(.suspended) && stage.phase(2) == .settled(.suspended))
        #expect(stage.tell(.applied(1, [])) == ["answer 1 []"])
        #expect(stage.schedule.tally.providersToLogIn == ["p"])
    }

    @Test("a run that is stopped while a command waits suspends, and then the command gets its rows")
    func stopped() {
        var stage = Stage([Stage.download(1)])
        stage.begin()
        stage.tell(.command(1, .steer(.pause, [.number(1)])))
        stage.tell(.stop(.logout))
        #expect(stage.tell(.turnEnded(.number(1), .stopped)).last == "apply 1 to [1]")
        #expect(stage.phase(1) == .settled(.suspended))
        let answer = stage.tell(.applied(1, [row(1, .suspended, .paused)]))
        #expect(answer.suffix(2) == ["answer 1 []", "end"])
        #expect(stage.schedule.phases.settled == [.number(1): .paused])
    }

    @Test("resumed and retried downloads join the run; those not wanted at the start count with their first state")
    func again() {
        var stage = Stage([Stage.download(1)], jobs: 3)
        stage.tell(.begin)
        stage.tell(.command(1, .steer(.retry, [.number(9)])))
        #expect(stage.tell(.applied(1, [row(9, .failed, .waiting)])).last == "start 9")
        #expect(stage.schedule.tally.steered[.number(9)]?.first == .failed)
    }
}
