import DownloadStore
import FileSystem
import Foundation
import Testing

@testable import RunSchedule

@Suite("The schedule of a run")
struct ScheduleTests {
    @Test("a turn, from its beginning to the placed file, and the end of the run")
    func oneDownload() {
        var stage = Stage([Stage.download(1)])
        #expect(stage.tell(.begin) == ["start 1"])
        #expect(stage.tell(.claim(.number(1), host: "h")) == ["record begin 1", "granted"])
        #expect(stage.tell(.turnEnded(.number(1), .complete)) == ["hash 1"])
        #expect(stage.tell(.hashed(.number(1), .right)) == ["place 1"])
        let last = stage.tell(.placed(.number(1), Stage.file, request: nil, isWhole: true))
        #expect(last == ["emit finished 1", "dismiss 1", "end"])
        #expect(stage.schedule.queue.connections == [:])
        #expect(stage.schedule.tally.finished == 1)
    }

    @Test("nothing begins before the run does, or after it is stopped")
    func bounds() {
        var stage = Stage([Stage.download(1), Stage.download(2)])
        #expect(stage.tell(.wake) == [])
        #expect(stage.begin() == ["start 1"])
        #expect(stage.tell(.stop(.window)) == ["cancel 1"])
        let last = stage.tell(.turnEnded(.number(1), .stopped))
        #expect(last == ["record suspend 1 window", "release 1", "dismiss 1", "emit suspended 1 window", "end"])
        #expect(stage.phase(2) == .queued(host: nil, dueAt: nil))
    }

    @Test("a download whose provider is being asked when the run is stopped waits, as its row says")
    func stoppedWhileAsked() {
        var stage = Stage([Stage.download(1)])
        stage.tell(.begin)
        #expect(stage.tell(.stop(.window)) == ["cancel 1"])
        #expect(stage.tell(.turnEnded(.number(1), .stopped)) == ["end"])
        #expect(stage.phase(1) == .queued(host: nil, dueAt: nil))
    }

    @Test("a stopped run doesn't wait for a digest, unless only its quota is used up")
    func digest() {
        for (reason, phase) in [(SuspendReason.signal, Phase.settled(.suspended)), (.quota, .digesting)] {
            var stage = Stage([Stage.download(1)])
            stage.begin()
            stage.tell(.turnEnded(.number(1), .complete))
            stage.tell(.stop(reason))
            #expect(stage.phase(1) == phase)
        }
    }

    @Test("a video that another shard fetches waits while others go on, and is looked at again in a few seconds")
    func elsewhere() {
        var stage = Stage([Stage.download(1), Stage.download(2)])
        stage.begin()
        let next = stage.tell(.turnEnded(.number(1), .elsewhere))
        #expect(next.contains { $0.hasPrefix("record putBack 1") } && next.contains("start 2"), "\(next)")
        #expect(stage.phase(1) == .queued(host: nil, dueAt: stage.now + 3))
        stage.tell(.claim(.number(2), host: "h"))
        stage.tell(.turnEnded(.number(2), .failed(Stage.error, isFinal: true)))
        stage.now += 3
        #expect(stage.tell(.wake).contains("start 1"))
    }

    @Test("a host at its cap: the turn waits for it, and goes on when a connection is free")
    func parked() {
        var stage = Stage([Stage.download(1), Stage.download(2)], jobs: 2, host: 1)
        stage.tell(.begin)
        #expect(stage.tell(.claim(.number(1), host: "h")) == ["record begin 1", "granted"])
        stage.tell(.resolved(.number(2), []))
        #expect(stage.tell(.claim(.number(2), host: "h")) == ["denied"])
        #expect(stage.tell(.turnEnded(.number(2), .parked(host: "h"))) == [])
        let next = stage.tell(.turnEnded(.number(1), .failed(Stage.error, isFinal: true)))
        #expect(next.suffix(2) == ["record begin 2", "start 2"])
    }

    @Test(
        "a listed video that isn't there is given up in the third run in a row, one of the catalog at once",
        arguments: [(true, 0, false), (true, 1, false), (true, 2, true), (false, 0, true)])
    func absent(isListed: Bool, failedRuns: Int, isForGood: Bool) {
        for kind in [DownloadError.Kind.notFound, .gone] {
            var download = Stage.download(1)
            (download.isListed, download.failedRuns) = (isListed, failedRuns)
            var stage = Stage([download])
            stage.begin()
            let absent = DownloadError(kind: kind, message: "not there")
            let said = stage.tell(.turnEnded(.number(1), .failed(absent, isFinal: true)))
            #expect(said.first == "record fail 1" + (isForGood ? " for good" : ""))
        }
        var download = Stage.download(1)
        download.isListed = true
        var stage = Stage([download])
        stage.begin()
        let refused = DownloadError(kind: .drm, message: "encrypted")
        #expect(
            stage.tell(.turnEnded(.number(1), .failed(refused, isFinal: true))).first == "record fail 1 for good")
    }

    @Test("a stream's additional connections are returned with the turn, even if it forgot them")
    func extraConnections() {
        var stage = Stage([Stage.download(1)], host: 3)
        stage.tell(.begin)
        stage.tell(.claim(.number(1), host: "h"))
        #expect(stage.tell(.enter(.number(1), host: "h")) == ["granted"])
        #expect(stage.tell(.enter(.number(1), host: "h")) == ["granted"])
        #expect(stage.tell(.enter(.number(1), host: "h")) == ["denied"])
        stage.tell(.leave(.number(1), host: "h"))
        stage.tell(.leave(.number(1), host: "other"))
        #expect(stage.schedule.queue.connections == ["h": 2])
        stage.tell(.turnEnded(.number(1), .stopped))
        #expect(stage.schedule.queue.connections == [:])
    }

    @Test("an alarm is set for the first due time, and the run ends if that is too far away")
    func alarm() {
        var stage = Stage([Stage.download(1)])
        stage.tell(.begin)
        let waits = Schedule.TurnEnd.waits(
            Stage.error, delay: .seconds(30), attempt: 1, failedHost: nil, began: stage.now)
        #expect(stage.tell(.turnEnded(.number(1), waits)).last == "wake 30")
        #expect(stage.wait(29) == ["wake 30"], "an alarm that rings too early is set again")
        #expect(stage.wait(1).suffix(1) == ["start 1"])
        stage.tell(.claim(.number(1), host: "h"))
        let long = Schedule.TurnEnd.waits(
            Stage.error, delay: .seconds(601), attempt: 2, failedHost: nil, began: stage.now)
        #expect(stage.tell(.turnEnded(.number(1), long)).last == "end")
    }

    @Test("a provider that requires a login suspends its waiting downloads, and no others")
    func login() {
        var stage = Stage(
            [Stage.download(1), Stage.download(2), Stage.download(3, provider: "q"), Stage.download(4)],
            following: [(4, 1)])
        stage.tell(.begin)
        stage.tell(.turnEnded(.number(1), .loginNeeded(Stage.error)))
        #expect(stage.phase(1) == .settled(.suspended) && stage.phase(2) == .settled(.suspended))
        #expect(stage.phase(4) == .settled(.suspended))
        #expect(stage.schedule.phases[turn: .number(3)] != nil)
        #expect(stage.schedule.tally.providersToLogIn == ["p"])
    }

    @Test("after a login suspended downloads go on, also a turn that asked before it")
    func loggedIn() {
        var stage = Stage([Stage.download(1), Stage.download(2)], jobs: 2)
        stage.tell(.begin)
        stage.tell(.turnEnded(.number(1), .loginNeeded(Stage.error)))
        #expect(stage.tell(.command(1, .loggedIn("p"))) == ["reload credentials 1 p"])
        #expect(stage.tell(.applied(1, [])) == ["apply 1 to [1]"])
        let row = Schedule.SteeredRow(
            id: .number(1), before: .suspended, after: .waiting, priority: 0, retryAt: nil, wanted: Stage.download(1))
        #expect(
            stage.tell(.applied(1, [row])) == [
                "emit waiting 1", "dismiss 1", "renew 1", "answer 1 []", "start 1",
            ])
        #expect(
            stage.tell(.turnEnded(.number(2), .loginNeeded(Stage.error))).suffix(1) == ["start 2"])
    }

    @Test(
        "a follower takes the lead at once when its leader's file won't come",
        arguments: [
            .failed(Stage.error, isFinal: true), .failed(Stage.refused, isFinal: false),
            .gaveUp(Stage.error, isFinal: false, rest: nil, host: nil, began: Stage.start),
            .notReady(Stage.error, retryAfter: nil), .stopped,
        ] as [Schedule.TurnEnd])
    func takesTheLead(end: Schedule.TurnEnd) {
        var stage = Stage(
            [Stage.download(1), Stage.download(2, provider: "q"), Stage.download(3)], following: [(2, 1), (3, 1)])
        stage.tell(.begin)
        #expect(stage.tell(.turnEnded(.number(1), end)).suffix(1) == ["start 2"])
        #expect(stage.phase(3) == .following)
        let placed = Schedule.Event.placed(.number(2), Stage.file, request: nil, isWhole: true)
        stage.tell(.turnEnded(.number(2), .complete))
        stage.tell(.hashed(.number(2), .right))
        #expect(stage.tell(placed).contains("start 3 compared"))
    }

    @Test("the follower that takes the lead is one that may begin at once, if there is one")
    func takesTheLeadAtOnce() {
        var stage = Stage(
            [Stage.download(1), Stage.download(2, retryAt: Stage.start + 86_400), Stage.download(3)],
            following: [(2, 1), (3, 1)])
        stage.tell(.begin)
        #expect(stage.tell(.turnEnded(.number(1), .failed(Stage.error, isFinal: true))).contains("start 3"))
        #expect(stage.phase(2) == .following)
    }

    @Test("a follower takes the lead when there is no room for its leader, before its turn or in it")
    func takesTheLeadOfCrowdedOut() {
        let downloads = [Stage.download(1, size: 500 << 20), Stage.download(2), Stage.download(3)]
        var stage = Stage(downloads, following: [(2, 1), (3, 1)], freeSpace: FreeSpaceGuard(floor: 0))
        stage.tell(.measured(free: 100 << 20, turns: []))
        #expect(stage.tell(.begin).contains("start 2"))
        #expect(stage.phase(1) == .settled(.suspended) && stage.phase(3) == .following)
        stage = Stage(downloads, following: [(2, 1), (3, 1)], freeSpace: FreeSpaceGuard(floor: 0))
        stage.tell(.begin)
        stage.tell(.measured(free: 100 << 20, turns: [.init(id: .number(1), size: 500 << 20, written: 0)]))
        #expect(stage.tell(.turnEnded(.number(1), .stopped)).contains("start 2"))
        #expect(stage.phase(1) == .settled(.suspended) && stage.phase(3) == .following)
    }

    @Test("the free space that is reported with a request counts for that")
    func measuredWithRequest() {
        var stage = Stage([Stage.download(1), Stage.download(2)], jobs: 2, freeSpace: FreeSpaceGuard(floor: 100))
        stage.tell(.begin)
        let free = { Schedule.Event.measured(free: $0, turns: []) }
        func claim(_ id: Int64, free bytes: Int64) -> [String] {
            stage.schedule.handle([free(bytes), .claim(.number(id), host: "h")], now: stage.now, jitter: 0)
                .map(Stage.words)
        }
        #expect(claim(1, free: 200) == ["record begin 1", "granted"])
        let said = claim(2, free: 99)
        #expect(said.contains("cancel 1") && said.contains("denied"))
        #expect(stage.schedule.stopReason == .disk)
    }

    @Test("a follower takes the lead when its leader is paused or cancelled, or its provider wants a login")
    func takesTheLeadOfSteered() {
        // Its leader waits: for its turn, or its time.
        for state in [DownloadState.paused, .cancelled] {
            var stage = Stage([Stage.download(1, retryAt: Stage.start + 60), Stage.download(2)], following: [(2, 1)])
            stage.tell(.begin)
            #expect(stage.phase(2) == .following)
            stage.tell(.command(1, .steer(.pause, [.number(1)])))
            let row = Schedule.SteeredRow(
                id: .number(1), before: .waiting, after: state, priority: 0, retryAt: nil, wanted: nil)
            #expect(stage.tell(.applied(1, [row])).contains("start 2"))
        }
        for state in [DownloadState.paused, .cancelled] {
            var stage = Stage([Stage.download(1), Stage.download(2)], following: [(2, 1)])
            stage.tell(.begin)
            stage.tell(.command(1, .steer(.pause, [.number(1)])))
            stage.tell(.turnEnded(.number(1), .stopped))
            let row = Schedule.SteeredRow(
                id: .number(1), before: .active, after: state, priority: 0, retryAt: nil, wanted: nil)
            #expect(stage.tell(.applied(1, [row])).contains("start 2"))
        }
        var stage = Stage([Stage.download(1), Stage.download(2, provider: "q")], following: [(2, 1)])
        stage.tell(.begin)
        #expect(stage.tell(.turnEnded(.number(1), .loginNeeded(Stage.error))).contains("start 2"))
        // Its leader waits when another one's answer, or a logout, stops their provider.
        for kind in ["login", "logout"] {
            var stage = Stage(
                [Stage.download(3), Stage.download(1, retryAt: Stage.start + 5), Stage.download(2, provider: "q")],
                following: [(2, 1)], jobs: 2)
            stage.tell(.begin)
            #expect(stage.phase(2) == .following)
            if kind == "login" {
                #expect(stage.tell(.turnEnded(.number(3), .loginNeeded(Stage.error))).contains("start 2"))
            } else {
                stage.tell(.command(1, .loggedOut("p")))
                #expect(stage.tell(.turnEnded(.number(3), .stopped)).contains("start 2"))
            }
            #expect(stage.phase(1) == .settled(.suspended))
        }
    }

    @Test("one dead host doesn't block the other hosts of its provider, however many downloads wait for it")
    func deadHost() {
        var stage = Stage((1...20).map { Stage.download($0) }, jobs: 3)
        stage.tell(.begin)
        // The first three turns are at a host that is away for a day.
        for id in Int64(1)...3 { stage.tell(.claim(.number(id), host: "dead")) }
        for id in Int64(1)...3 {
            let end = Schedule.TurnEnd.waits(
                Stage.error, delay: .seconds(86_000), attempt: 1, failedHost: "dead", began: stage.now)
            stage.tell(.turnEnded(.number(id), end))
        }
        for id in Int64(4)...6 { stage.tell(.claim(.number(id), host: "dead")) }
        for id in Int64(4)...6 { stage.tell(.turnEnded(.number(id), .parked(host: "dead"))) }
        #expect(stage.schedule.phases.running == [.number(7), .number(8)])
        #expect(stage.tell(.claim(.number(7), host: "well")).last == "granted")
    }

    @Test("bytes that can't be flushed are downloaded again, three times at most")
    func lostBytes() {
        var stage = Stage([Stage.download(1)])
        stage.tell(.begin)
        #expect(stage.tell(.flushFailed(.number(1))) == ["cancel 1"])
        #expect(stage.tell(.turnEnded(.number(1), .stopped)) == ["drop 1"])
        #expect(stage.tell(.partialDropped(.number(1), losses: 1)).prefix(2) == ["record putBack 1 1", "release 1"])
        #expect(stage.wait(1).contains("start 1"))
    }

    @Test("a lost flush beside another end: a full disk ends the run, and a complete file fails when it is placed")
    func lostBesideAnotherEnd() {
        var stage = Stage([Stage.download(1)])
        stage.tell(.begin)
        stage.tell(.flushFailed(.number(1)))
        let full = stage.tell(.turnEnded(.number(1), .suspended(.disk, Stage.error)))
        #expect(stage.schedule.stopReason == .disk && !full.contains("drop 1"), "durable bytes stay")
        stage = Stage([Stage.download(1)])
        stage.tell(.begin)
        stage.tell(.claim(.number(1), host: "h"))
        stage.tell(.flushFailed(.number(1)))
        #expect(stage.tell(.turnEnded(.number(1), .complete)).contains("hash 1"))
        #expect(stage.tell(.hashed(.number(1), .right)) == ["place 1"])
        #expect(stage.tell(.notPlaced(.number(1), .lost(.unflushed))).contains("drop 1"))
    }

    @Test("a download that doesn't fit is suspended, others begin; below the floor the run ends")
    func space() {
        let rule = FreeSpaceGuard(floor: 100)
        var stage = Stage([Stage.download(1, size: 500), Stage.download(2, size: 50)], freeSpace: rule)
        stage.tell(.measured(free: 200, turns: []))
        let first = stage.tell(.begin)
        #expect(first.first == "record suspend 1 disk" && first.contains("start 2"))
        stage.tell(.claim(.number(2), host: "h"))
        #expect(stage.schedule.tally.disk == .noSpace(free: 200))
        stage.tell(.measured(free: 180, turns: []))
        #expect(stage.schedule.tally.disk == .noSpace(free: 180), "what is told is what there is now")
        #expect(stage.tell(.measured(free: 99, turns: [])).first == "cancel 2")
        #expect(stage.schedule.stopReason == .disk)
        #expect(stage.schedule.tally.disk == .noSpace(free: 99))
    }

    @Test("sidecars use connections that no video can use, and their digest is recorded when all are stored")
    func sidecars() {
        var stage = Stage([Stage.download(1), Stage.download(2)], host: 2)
        stage.tell(.begin)
        stage.tell(.claim(.number(1), host: "h"))
        stage.tell(.turnEnded(.number(2), .failed(Stage.error, isFinal: true)))
        let items = [
            SidecarQueue.Item(number: 1, download: .number(1), host: "h"),
            SidecarQueue.Item(number: 2, download: .number(1), host: "h"),
        ]
        #expect(stage.tell(.sidecars(items, of: .number(1), digest: [7])) == ["fetch 1"], "one connection is left")
        #expect(stage.tell(.sidecarFetched(1, .arrived)) == ["fetch 2"])
        #expect(stage.tell(.sidecarPlaced(1, of: .number(1), isStored: true)) == ["forget 1"])
        #expect(stage.tell(.stop(.signal)) == ["cancel 1", "cancel fetch 2"])
        #expect(stage.tell(.sidecarFetched(2, .stopped)) == ["forget 2"])
        #expect(stage.schedule.tally.hasSidecarsLeft)
    }
}
