import DownloadStore
import Foundation
import Testing

@testable import RunSchedule

@Suite("Answers ahead of the slots")
struct AnswersAheadTests {
    /// A run in virtual time: a provider that takes `answer` seconds, transfers that take `transfer` seconds, and
    /// answers that can be used for `life` seconds.
    struct Night {
        var answer = 2.0
        var transfer = 1.0
        var life: Double?
        var isSingleUse = false
        var concurrency = 16
        var jobs = 3
        var videos: Int64 = 60
        /// The most requests in any ten seconds.
        var most = 0
        /// The most answers that waited, with those being asked for.
        var mostAhead = 0

        /// The seconds that it took, and the answers.
        mutating func run() -> (seconds: Double, answers: Int, expired: Int) {
            let downloads = (1...videos).map { Stage.download($0, size: 8) }
            var stage = Stage(downloads, jobs: jobs, host: 32, concurrency: concurrency)
            var agenda: [(at: Double, event: Schedule.Event)] = [(0, .begin)]
            agenda += (1...4).map { (Double($0) / 2, .measured(free: nil, turns: [])) }
            var usable: [DownloadID: Double] = [:]
            var asked: [Double] = []
            while let next = agenda.indices.min(by: { agenda[$0].at < agenda[$1].at }) {
                let (at, event) = agenda.remove(at: next)
                stage.now = Stage.start + at
                func tell(_ event: Schedule.Event) {
                    for action in stage.schedule.handle(event, now: stage.now, jitter: 0) { follow(action) }
                }
                func follow(_ action: Schedule.Action) {
                    switch action {
                    case .start(let id, _, _) where (usable[id] ?? 0) > at: agenda.append((at, .claim(id, host: "h")))
                    case .start(let id, _, _):
                        asked.append(at)
                        agenda.append((at + answer, .resolved(id, [])))
                    case .hash(let id): tell(.hashed(id, .right))
                    case .place(let id): tell(.placed(id, Stage.file, request: nil, isWhole: true))
                    default: break
                    }
                }
                switch event {
                case .resolved(let id, _, _):
                    usable[id] = at + (life ?? .infinity)
                    let answer = Schedule.Answer(
                        usableUntil: life.map { stage.now + $0 }, isSingleUse: isSingleUse)
                    tell(.resolved(id, [], answer))
                    agenda.append((at, .claim(id, host: "h")))
                case .claim(let id, let host):
                    let isGranted = stage.schedule.handle(event, now: stage.now, jitter: 0).reduce(false) {
                        if case .grant(let isGranted) = $1 { return isGranted }
                        follow($1)
                        return $0
                    }
                    guard isGranted else { tell(.turnEnded(id, .parked(host: host))); break }
                    agenda.append((at + transfer, .turnEnded(id, .complete)))
                    // Somebody looks at it, twice a second if it is short.
                    for step in stride(from: 0.5, to: transfer, by: max(0.5, transfer / 60)) {
                        let measure = Schedule.Measure(id: id, size: 1_000_000, written: Int64(step / transfer * 1e6))
                        agenda.append((at + step, .measured(free: nil, turns: [measure])))
                    }
                default: tell(event)
                }
                most = max(most, asked.count { $0 > at - 10 })
                let turns = stage.schedule.phases
                let waiting = usable.count { if case .queued(_?, _)? = turns[$0.key] { true } else { false } }
                mostAhead = max(mostAhead, waiting + turns.running.count - turns.slots)
                let tally = stage.schedule.tally
                if stage.schedule.isEnded { return (at, tally.answers, tally.expiredAnswers) }
            }
            return (.infinity, 0, 0)
        }
    }

    @Test("a provider of two seconds an answer costs its first answer, and hardly more")
    func slowProvider() {
        for (jobs, transfer) in [(3, 1.0), (3, 2.5), (4, 0.4), (2, 10), (16, 3)] {
            var night = Night(transfer: transfer, jobs: jobs, videos: 120)
            night.concurrency = 64
            let (seconds, answers, expired) = night.run()
            let limit = 120 * transfer / Double(jobs)
            #expect(seconds <= 2 + limit * 1.02 + 2.5, "\(jobs) jobs, \(transfer) s: \(seconds) of \(limit)")
            #expect(answers == 120 && expired == 0)
            #expect(night.most <= 200, "\(night.most) requests in ten seconds")
        }
    }

    @Test("the first downloads of a run are the first of the catalog; a slow provider is asked for one more")
    func firstOnes() {
        var stage = Stage((1...9).map { Stage.download($0) }, jobs: 2, concurrency: 8)
        stage.tell(.begin)
        #expect(stage.schedule.phases.running == [.number(1), .number(2)])
        stage.now += 1.1
        stage.tell(.measured(free: nil, turns: []))
        #expect(stage.schedule.phases.running == [.number(1), .number(2), .number(3)])
    }

    @Test("a provider that takes one request at a time is asked without a pause")
    func oneAtATime() {
        var night = Night(concurrency: 1)
        let (seconds, answers, _) = night.run()
        #expect(seconds <= 60 * 2 + 1 + 0.5 && answers == 60, "\(seconds)")
    }

    @Test("answers that can be used for a short time are asked for later, and hardly one expires")
    func shortLives() {
        for (life, transfer) in [(30.0, 1.0), (30, 20), (10, 20), (5, 100), (60, 500), (270, 500), (4, 3)] {
            for isSingleUse in [false, true] {
                var night = Night(transfer: transfer, life: life, isSingleUse: isSingleUse, videos: 100)
                let (seconds, answers, _) = night.run()
                let what = "\(life) s, transfers of \(transfer) s, \(isSingleUse)"
                #expect(answers <= 102, "\(what): \(answers)")
                // At worst each slot waits for its answer.
                let limit = (100.0 / 3).rounded(.up) * transfer
                #expect(seconds <= limit + 2 * 34, "\(what): \(seconds) of \(limit)")
            }
        }
    }

    @Test("an answer that can be used once isn't kept in stock")
    func singleUse() {
        var once = Night(answer: 0.2, transfer: 5, isSingleUse: true)
        var often = Night(answer: 0.2, transfer: 5)
        _ = (once.run(), often.run())
        #expect(once.mostAhead < often.mostAhead && once.mostAhead <= 4, "\(once.mostAhead), \(often.mostAhead)")
    }

    @Test("a pause that a provider asks for ends the look-ahead; answers that are there are used meanwhile")
    func pause() {
        var stage = Stage.withAnswerAhead((1...9).map { Stage.download($0) })
        for id in Int64(3)...9 where stage.schedule.phases[turn: .number(id)] != nil {
            stage.tell(.turnEnded(.number(id), .providerWaits(Stage.error, delay: .seconds(60))))
        }
        #expect(stage.schedule.phases.running == [.number(1)])
        #expect(stage.tell(.turnEnded(.number(1), .complete)).contains("start 2"), "it needs no answer any more")
        stage.tell(.claim(.number(2), host: "h"))
        #expect(stage.tell(.turnEnded(.number(2), .complete)).allSatisfy { !$0.hasPrefix("start") })
        #expect(stage.wait(200).contains("start 3"))
    }

    @Test("nothing is asked ahead that the window, the quota or the room wouldn't let begin")
    func notLetBegin() {
        for limit in ["", "window", "quota", "room"] {
            var stage = Stage(
                (1...4).map { Stage.download($0, size: 400) }, jobs: 1,
                freeSpace: limit == "room" ? FreeSpaceGuard(floor: 0) : nil, concurrency: 4,
                closesAt: limit == "window" ? Stage.start + 3 : nil)
            let free: Int64? = limit == "room" ? 700 : nil
            let quota: Int64? = limit == "quota" ? 300 : nil
            stage.tell(.measured(free: free, quota: quota, turns: []))
            stage.tell(.begin)
            stage.now += 2
            stage.tell(.resolved(.number(1), []))
            stage.tell(.claim(.number(1), host: "h"))
            let asked = stage.schedule.phases.running.count - stage.schedule.phases.slots
            #expect(limit.isEmpty ? asked > 0 : asked == 0, "\(limit): \(asked)")
        }
    }

    @Test("an answer that has expired unused is asked for again, in its order, and counted")
    func expired() {
        var stage = Stage.withAnswerAhead([Stage.download(1), Stage.download(2)], until: Stage.start + 30)
        stage.now += 40
        let next = stage.tell(.turnEnded(.number(1), .complete))
        #expect(next.contains("start 2") && !next.contains("record begin 2"), "it is asked for without a slot")
        #expect(stage.schedule.tally.expiredAnswers == 1)
    }

    @Test("pause, cancel and a stop drop answers that wait")
    func dropped() {
        for (kind, after) in [(StateTransition.pause, DownloadState.paused), (.cancel, .cancelled)] {
            var stage = Stage.withAnswerAhead([Stage.download(1), Stage.download(2)])
            stage.tell(.command(1, .steer(kind, [.number(2)])))
            let row = Schedule.SteeredRow(
                id: .number(2), before: .waiting, after: after, priority: 0, retryAt: nil, wanted: nil)
            #expect(stage.tell(.applied(1, [row])).contains("dismiss 2"))
            let again = Schedule.SteeredRow(
                id: .number(2), before: after, after: .waiting, priority: 0, retryAt: nil, wanted: Stage.download(2))
            stage.tell(.command(2, .steer(.retry, [.number(2)])))
            #expect(stage.tell(.applied(2, [again])).last == "start 2", "its provider is asked again")
            #expect(stage.schedule.phases[turn: .number(2)]?.isResolving == true)
        }
    }

    // MARK: two providers

    @Test("answers of another provider that come later keep nobody waiting; those that come first do")
    func others() {
        var stage = Stage((1...9).map { Stage.download($0) }, jobs: 1, concurrency: 16)
        stage.tell(.begin)
        stage.now += 2
        stage.tell(.resolved(.number(1), []))
        stage.tell(.claim(.number(1), host: "h"))
        stage.now += 2
        stage.tell(.turnEnded(.number(1), .complete))
        func ahead() -> [Int64] { stage.schedule.phases.running.map(\.rawValue).sorted() }
        #expect(ahead() == [2, 3, 4])
        stage.arrive([Stage.download(20, provider: "q"), Stage.download(21, provider: "q")])
        #expect(ahead() == [2, 3, 4], "these come first")
        stage.arrive([
            Stage.download(30, provider: "r", priority: 5), Stage.download(31, provider: "r", priority: 5),
        ])
        #expect(ahead() == [2, 3, 4, 30, 31], "a new provider is asked for the free slot, and for one more")
    }

    @Test("a busy host of one provider leaves the other slots to the next one")
    func busyHost() {
        var stage = Stage(
            (1...9).map { Stage.download($0, provider: $0 < 7 ? "p" : "q") }, jobs: 3, host: 1, concurrency: 16)
        stage.begin()
        for id in Int64(2)...6 where stage.schedule.phases[turn: .number(id)]?.hasSlot == false {
            stage.tell(.resolved(.number(id), []))
            stage.tell(.claim(.number(id), host: "h"))
            stage.tell(.turnEnded(.number(id), .parked(host: "h")))
        }
        #expect(stage.schedule.phases[turn: .number(7)]?.isResolving == true)
        #expect(stage.tell(.claim(.number(7), host: "other")).first == "record begin 7")
    }

    @Test("pauses that a provider asks for in one burst are one pause")
    func burst() {
        var stage = Stage((1...3).map { Stage.download($0) }, jobs: 3)
        stage.tell(.begin)
        stage.now += 1
        var said: [String] = []
        for id in Int64(1)...3 {
            said += stage.tell(.turnEnded(.number(id), .providerWaits(Stage.error, delay: .seconds(30))))
            stage.now += 0.1
        }
        #expect(said.count { $0 == "emit provider p waits" } == 1)
        #expect(stage.schedule.queue.restsUntil(ProviderServer("p")) == Stage.start + 31.2)
        stage.now += 40
        stage.tell(.wake)
        stage.now += 1
        said = stage.tell(.turnEnded(.number(1), .providerWaits(Stage.error, delay: .seconds(30))))
        #expect(said.contains("emit provider p waits"), "another one")
        said = stage.tell(.turnEnded(.number(2), .providerWaits(Stage.error, delay: .seconds(600))))
        #expect(said.contains("emit provider p waits"), "a longer one")
    }

    @Test("a pause that one with a slot is told is news, however long it has had that")
    func pausedInTheMiddle() {
        var stage = Stage((1...2).map { Stage.download($0) }, jobs: 1, concurrency: 2)
        stage.begin()
        stage.tell(.turnEnded(.number(2), .providerWaits(Stage.error, delay: .seconds(60))))
        stage.now += 100
        let said = stage.tell(.turnEnded(.number(1), .providerWaits(Stage.error, delay: .seconds(600))))
        #expect(said.contains("emit provider p waits"))
    }

    @Test("a slot doesn't wait long for a slow provider while another one has something")
    func slowNeighbour() {
        var stage = Stage([Stage.download(1), Stage.download(2, provider: "q")])
        stage.tell(.begin)
        #expect(stage.schedule.phases.running == [.number(1)])
        stage.now += 2
        stage.tell(.measured(free: nil, turns: []))
        #expect(stage.schedule.phases.running == [.number(1)], "it comes first")
        stage.now += 4
        stage.tell(.measured(free: nil, turns: []))
        #expect(stage.schedule.phases.running == [.number(1), .number(2)])
    }

    @Test("short turns say little about how many answers long ones need")
    func longAfterShort() {
        var stage = Stage((1...300).map { Stage.download($0, size: 36_000) }, jobs: 1, concurrency: 100)
        func answerAll() {
            for id in stage.schedule.phases.running.sorted()
            where stage.schedule.phases[turn: id]?.isResolving == true {
                stage.tell(.resolved(id, []))
                guard !stage.tell(.claim(id, host: "h")).contains("granted") else { continue }
                stage.tell(.turnEnded(id, .parked(host: "h")))
            }
        }
        var active: DownloadID? {
            stage.schedule.phases.running.first { stage.schedule.phases[turn: $0]?.hasSlot == true }
        }
        stage.tell(.begin)
        for _ in 0..<60 {
            if active == nil {
                stage.now += 2
                answerAll()
            }
            guard let id = active else { break }
            stage.now += 0.02
            stage.tell(.turnEnded(id, .complete))
            if let next = active { stage.tell(.claim(next, host: "h")) }
        }
        let asked = stage.schedule.phases.running.count
        #expect(asked > 10)
        stage.now += 2
        answerAll()
        // An hour's lecture.
        guard let id = active else { return #expect(Bool(false)) }
        let stock = stage.schedule.phases.running.count
        stage.now += 1
        stage.tell(.measured(free: nil, turns: [.init(id: id, size: 36_000, written: 10)]))
        answerAll()
        stage.now += 1
        stage.tell(.measured(free: nil, turns: [.init(id: id, size: 36_000, written: 20)]))
        #expect(stage.schedule.phases.running == [id], "\(asked), \(stock)")
    }

    // MARK: slots

    @Test("one whose answer is good goes back with its host: after a failure, and for others")
    func goesBack() {
        var stage = Stage([Stage.download(1), Stage.download(2)], jobs: 1)
        func wait(_ id: Int64, usableUntil: Date?) {
            let end = Schedule.TurnEnd.waits(
                Stage.error, delay: .seconds(5), attempt: 1, failedHost: nil, began: Stage.start)
            stage.tell(.turnEnded(.number(id), end, usableUntil: usableUntil))
        }
        stage.begin()
        wait(1, usableUntil: .distantFuture)
        #expect(stage.phase(1) == .queued(host: "h", dueAt: Stage.start + 5))
        stage.tell(.claim(.number(2), host: "g"))
        stage.tell(.command(1, .jobs(0, hostCap: 8)))
        stage.tell(.turnEnded(.number(2), .stopped, usableUntil: Stage.start + 60))
        #expect(stage.phase(2) == .queued(host: "g", dueAt: nil))
        // An answer that will have expired by then isn't good any more.
        for usableUntil in [nil, Stage.start + 3] {
            stage = Stage([Stage.download(1)])
            stage.begin()
            wait(1, usableUntil: usableUntil)
            #expect(stage.phase(1) == .queued(host: nil, dueAt: Stage.start + 5))
        }
    }

    @Test("room is for those that come first")
    func roomByOrder() {
        var stage = Stage(
            [Stage.download(1, size: 400), Stage.download(2, size: 400)], jobs: 1, freeSpace: FreeSpaceGuard(floor: 0),
            concurrency: 4)
        stage.tell(.measured(free: 600, turns: []))
        stage.tell(.begin)
        #expect(stage.schedule.phases.running == [.number(1)])
        let said = stage.arrive([Stage.download(3, priority: 5, size: 400)])
        #expect(said.contains("start 3"), "what is only asked for takes no room from it")
        stage.tell(.resolved(.number(3), []))
        #expect(stage.tell(.claim(.number(3), host: "h")).last == "granted")
    }
}
