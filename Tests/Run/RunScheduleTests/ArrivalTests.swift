import DownloadStore
import Foundation
import Testing

@testable import RunSchedule

@Suite("Downloads that arrive during a run")
struct ArrivalTests {
    /// A run that has begun, and expects more.
    private func stage(_ ids: [Int64], jobs: Int = 1) -> Stage {
        var stage = Stage(ids.map { Stage.download($0) }, jobs: jobs)
        stage.tell(.expectsMore(true))
        stage.tell(.begin)
        return stage
    }

    /// Takes a running download to its end.
    private func finish(_ id: Int64, _ stage: inout Stage) -> [String] {
        stage.tell(.turnEnded(.number(id), .complete)) + stage.tell(.hashed(.number(id), .right))
            + stage.tell(.placed(.number(id), Stage.file, request: nil, isWhole: true))
    }

    @Test("they are queued by priority, and begin when there is a slot")
    func queued() {
        var stage = stage([1])
        #expect(stage.arrive([Stage.download(2), Stage.download(3, priority: 1)]) == [])
        #expect(stage.phase(2) == .queued(host: nil, dueAt: nil))
        #expect(finish(1, &stage).filter { $0.hasPrefix("start") } == ["start 3"])
        #expect(finish(3, &stage).filter { $0.hasPrefix("start") } == ["start 2"])
        #expect(finish(2, &stage).suffix(2) == ["emit finished 2", "dismiss 2"])
        #expect(stage.tell(.expectsMore(false)) == ["end"])
        #expect(stage.schedule.tally.finished == 3)
    }

    @Test("a run without any download waits for them, and ends when no more are expected")
    func waits() {
        var stage = stage([])
        #expect(!stage.schedule.isEnded)
        #expect(stage.wait(3600) == [])
        #expect(stage.arrive([Stage.download(1)]) == ["start 1"])
        #expect(stage.tell(.expectsMore(false)) == [], "one has its turn")
        #expect(finish(1, &stage).last == "end")
    }

    @Test("a time that is too far away ends the run only if no more are expected")
    func farAway() {
        var stage = Stage([Stage.download(1, retryAt: Stage.start + 3600)])
        #expect(stage.tell(.expectsMore(true)) == ["wake 3600"])
        #expect(stage.tell(.begin) == [])
        #expect(stage.tell(.expectsMore(false)) == ["end"])
        #expect(stage.phase(1) == .queued(host: nil, dueAt: Stage.start + 3600))
    }

    @Test("one with a time to wait for begins at that time")
    func due() {
        var stage = stage([])
        #expect(stage.arrive([Stage.download(1, retryAt: Stage.start + 30)]) == ["wake 30"])
        #expect(stage.wait(30) == ["start 1"])
    }

    @Test("after a stop none begins, their rows stay as they are, and the run doesn't wait for more")
    func afterStop() {
        var stage = stage([1])
        #expect(stage.tell(.stop(.window)) == ["cancel 1"])
        #expect(stage.arrive([Stage.download(2), Stage.download(3)], following: [(3, 2)]) == [])
        #expect(stage.tell(.turnEnded(.number(1), .stopped)).last == "end", "more is still expected")
        #expect(stage.arrive([Stage.download(4)]) == [])
        #expect(stage.tell(.expectsMore(false)) == [])
        #expect(stage.phase(2) == .queued(host: nil, dueAt: nil) && stage.phase(3) == .following)
    }

    @Test("those of a provider that wants a login are suspended; after the login they go on")
    func loginNeeded() {
        var stage = stage([1])
        stage.tell(.turnEnded(.number(1), .loginNeeded(Stage.error)))
        #expect(
            stage.arrive([Stage.download(2), Stage.download(3, provider: "q")]) == [
                "record suspend 2 auth", "release 2", "dismiss 2", "emit suspended 2 auth", "start 3",
            ])
        stage.tell(.command(1, .loggedIn("p")))
        #expect(stage.tell(.applied(1, [])) == ["apply 1 to [1, 2]"])
        let rows = [1, 2].map { id in
            Schedule.SteeredRow(
                id: .number(id), before: .suspended, after: .waiting, priority: 0, retryAt: nil,
                wanted: Stage.download(id))
        }
        stage.tell(.applied(1, rows))
        #expect(
            stage.schedule.phases[turn: .number(1)]?.isResolving == true, "it comes before 3, which has no slot yet")
        #expect(stage.phase(2) == .queued(host: nil, dueAt: nil))
        stage.arrive([Stage.download(4)])
        #expect(stage.phase(4) == .queued(host: nil, dueAt: nil))
    }

    @Test("those of a provider in an outage wait for it")
    func outage() {
        var stage = stage([1, 2], jobs: 2)
        stage.tell(.turnEnded(.number(1), .unavailable(Stage.away, retryAfter: nil)))
        stage.tell(.turnEnded(.number(2), .unavailable(Stage.away, retryAfter: nil)))
        #expect(!stage.arrive([Stage.download(3)]).contains("start 3"))
        #expect(stage.wait(6).contains("start 3"), "whoever hasn't asked yet asks first")
    }

    @Test("one that is in the run already is ignored, whatever its phase")
    func known() {
        var stage = stage([1, 2])
        let again = [Stage.download(1, priority: 9), Stage.download(2, provider: "q"), Stage.download(3)]
        #expect(stage.arrive(again, following: [(2, 3)]) == [])
        #expect(stage.phase(2) == .queued(host: nil, dueAt: nil) && !stage.schedule.phases.running.contains(.number(3)))
        #expect(stage.schedule.downloads[.number(2)]?.provider == "p")
        #expect(finish(1, &stage).contains("start 2"))
        stage.arrive([Stage.download(1), Stage.download(2)])
        #expect(stage.phase(1) == .settled(.finished))
        #expect(finish(2, &stage).contains("start 3"))
    }

    @Test("one is compared when the commands before it are done, and those after it wait for its downloads")
    func ordered() {
        var stage = stage([1, 2], jobs: 2)
        stage.tell(.command(1, .steer(.pause, [.number(1)])))
        #expect(stage.tell(.command(2, .arrival)) == [], "a turn is still ending")
        stage.tell(.command(3, .steer(.pause, [.number(3)])))
        #expect(stage.tell(.turnEnded(.number(1), .stopped)).last == "apply 1 to [1]")
        let paused = Schedule.SteeredRow(
            id: .number(1), before: .active, after: .paused, priority: 0, retryAt: nil, wanted: nil)
        #expect(stage.tell(.applied(1, [paused])).suffix(2) == ["answer 1 []", "admit 2"])
        #expect(finish(2, &stage).contains("emit finished 2"), "turns go on")
        // Its own row may be named by the command after it: it is held before it could begin.
        let downloads = [Stage.download(3), Stage.download(4)]
        #expect(
            stage.tell(.arrived(2, downloads, followers: Followers()))
                == ["answer 2 []", "apply 3 to [3]", "start 4"])
    }

    @Test("the run doesn't end while one is compared; after its end none is")
    func end() {
        var stage = stage([])
        #expect(stage.tell(.command(1, .arrival)) == ["admit 1"])
        #expect(stage.tell(.stop(.signal)) == [])
        #expect(stage.tell(.arrived(1, [], followers: Followers())) == ["answer 1 []", "end"])
        #expect(stage.tell(.command(2, .arrival)) == ["answer 2 over"])
    }

    @Test("a run may be told that no more are expected before it begins")
    func noneBeforeTheBeginning() {
        var schedule = Schedule(
            [], followers: Followers(), limits: .init(jobs: 1, hostConnections: 1, maxWait: .zero), expectsMore: true)
        #expect(schedule.handle(.expectsMore(false), now: Stage.start, jitter: 0).isEmpty)
        #expect(schedule.handle(.begin, now: Stage.start, jitter: 0).map(Stage.words) == ["end"])
    }

    @Test("a follower among them waits for its leader, and is compared with its file")
    func followers() {
        var stage = stage([1], jobs: 3)
        let downloads = [Stage.download(2), Stage.download(3)]
        #expect(stage.arrive(downloads, following: [(3, 2)]) == ["start 2"])
        #expect(stage.phase(3) == .following)
        #expect(finish(2, &stage).contains("start 3 compared"))
    }

    @Test("a follower takes the lead if its leader's provider wants a login")
    func stoppedLeader() {
        var stage = stage([1])
        stage.tell(.turnEnded(.number(1), .loginNeeded(Stage.error)))
        let downloads = [Stage.download(2), Stage.download(3, provider: "q"), Stage.download(4, provider: "q")]
        #expect(stage.arrive(downloads, following: [(3, 2), (4, 2)]).contains("start 3"))
        #expect(stage.phase(2) == .settled(.suspended))
        #expect(stage.schedule.leader(of: .number(4)) == .number(3))
    }

    @Test("of followers whose leader hasn't arrived, or is done, the first leads")
    func missingLeader() {
        var stage = stage([1], jobs: 3)
        _ = finish(1, &stage)
        for (first, leader) in [(Int64(2), Int64(99)), (4, 1)] {
            let downloads = [Stage.download(first), Stage.download(first + 1)]
            let actions = stage.arrive(downloads, following: [(first, leader), (first + 1, leader)])
            #expect(actions.prefix(1) == ["start \(first)"])
            #expect(stage.phase(first + 1) == .following)
            #expect(finish(first, &stage).contains("start \(first + 1) compared"))
            _ = finish(first + 1, &stage)
        }
    }

    @Test("a follower of a leader that is in the run already waits for its file")
    func knownLeader() {
        var stage = stage([1], jobs: 3)
        stage.arrive([Stage.download(1), Stage.download(2)], following: [(2, 1)])
        #expect(stage.phase(2) == .following)
        #expect(finish(1, &stage).contains("start 2 compared"))
    }
}
