import DownloadStore
import FileSystem
import Foundation
import Testing

@testable import RunSchedule

@Suite("Providers in an outage")
struct OutageTests {
    private func stage(_ count: Int64, jobs: Int = 4, retries: Int = 3) -> Stage {
        var stage = Stage((1...count).map { Stage.download($0) }, jobs: jobs, retries: retries)
        stage.tell(.begin)
        return stage
    }

    private func away(_ id: Int64) -> Schedule.Event {
        .turnEnded(.number(id), .unavailable(Stage.away, retryAfter: nil))
    }

    private func refused(_ id: Int64) -> Schedule.Event {
        .turnEnded(.number(id), .failed(Stage.refused, isFinal: false))
    }

    private func running(_ stage: Stage) -> [Int64] { stage.schedule.phases.running.map(\.rawValue).sorted() }

    @Test(
        "after the second answer in a row that it is unavailable a provider is left alone; then one at a time asks it")
    func probes() {
        var stage = stage(6)
        #expect(!stage.tell(away(1)).contains("emit provider p waits"))
        #expect(running(stage) == [2, 3, 4, 5], "one answer says little")
        #expect(stage.tell(away(2)).contains("emit provider p waits"))
        stage.tell(away(3))
        stage.tell(away(4))
        stage.tell(away(5))
        #expect(running(stage) == [])
        #expect(stage.wait(4.9).allSatisfy { !$0.hasPrefix("start") })
        _ = stage.wait(0.2)
        #expect(running(stage) == [6], "whoever hasn't asked yet asks first")
        stage.tell(.resolved(.number(6), []))
        #expect(running(stage) == [1, 2, 3, 6], "it is back")
    }

    @Test("a follower of a download whose provider is down takes the lead, and that download follows")
    func yields() {
        let downloads = [
            Stage.download(1), Stage.download(2), Stage.download(3, provider: "q"), Stage.download(4),
        ]
        var stage = Stage(downloads, following: [(3, 1), (4, 2)], jobs: 4)
        stage.tell(.begin)
        stage.tell(away(1))
        stage.tell(away(2))
        #expect(stage.wait(1).contains("start 3"))
        #expect(stage.phase(1) == .following && stage.schedule.leader(of: .number(1)) == .number(3))
        #expect(stage.phase(2) == .following, "one of the same provider that was never asked asks first")
        _ = stage.wait(6)
        #expect(running(stage) == [3, 4])
        stage.tell(.turnEnded(.number(3), .failed(Stage.error, isFinal: true)))
        guard case .queued? = stage.phase(1) else { return #expect(Bool(false), "\(stage.phase(1) as Any)") }
    }

    @Test(
        "a follower of a download with a long wait for its provider or host takes the lead; with a short wait it doesn't"
    )
    func yieldsForWaits() {
        for (end, isLong) in [
            (Schedule.TurnEnd.providerWaits(Stage.error, delay: .seconds(7200)), true),
            (.waits(Stage.error, delay: .seconds(7200), attempt: 1, failedHost: "h", began: Stage.start), true),
            (.waits(Stage.error, delay: .seconds(3), attempt: 1, failedHost: nil, began: Stage.start), false),
        ] {
            let downloads = [Stage.download(1), Stage.download(2, provider: "q")]
            var stage = Stage(downloads, following: [(2, 1)], jobs: 2)
            stage.tell(.begin)
            stage.tell(.claim(.number(1), host: "h"))
            stage.tell(.turnEnded(.number(1), end))
            _ = stage.wait(1)
            #expect(running(stage) == (isLong ? [2] : []) && !stage.schedule.isEnded)
            guard isLong else { continue }
            stage.tell(.claim(.number(2), host: "i"))
            stage.tell(
                .turnEnded(
                    .number(2),
                    .waits(
                        Stage.error, delay: .seconds(7200), attempt: 1, failedHost: "i", began: stage.now)))
            _ = stage.wait(1)
            #expect(running(stage) == [], "nor does the one before lead again, as long as it can't go on")
        }
    }

    @Test("a file that is proven to be the same is linked, even if its provider is down")
    func provenDonor() {
        let wanted = WantedBytes(video: "v1", source: [], size: nil, sha256: [1], ignoresCourse: false)
        let donor = Donor(file: Stage.file, video: "v1")
        let download = ScheduledDownload(
            id: .number(1), priority: 0, ordinal: 1, provider: "p", retryAt: Stage.start + 3600, bytes: wanted,
            donor: donor)
        var stage = Stage([Stage.download(2), Stage.download(3), download], jobs: 2)
        #expect(download.isDonorProven)
        #expect(stage.tell(.begin).contains("start 1 proven"))
    }

    @Test("an outage costs little more than its duration, however long within the run, and no attempts")
    func costsItsTime() {
        for seconds in [30.0, 240, 1200] {
            var stage = stage(40)
            let end = stage.now + seconds
            var notices = 0
            while stage.now < end {
                for id in running(stage) {
                    notices += stage.tell(away(id)).count { $0 == "emit provider p waits" }
                }
                #expect(!stage.schedule.isEnded)
                _ = stage.wait(1)
            }
            while running(stage).isEmpty { _ = stage.wait(1) }
            #expect(stage.now.timeIntervalSince(end) <= max(6, seconds / 4 + 2))
            #expect(stage.schedule.tally.failed == 0)
            #expect((1...10).contains(notices), "\(notices) in \(seconds) s")
        }
    }

    @Test("a provider that stays down: the run ends when the next request is beyond its longest wait")
    func stays() {
        var stage = stage(5)
        for _ in 0..<10_000 where !stage.schedule.isEnded {
            for id in running(stage) { stage.tell(away(id)) }
            if !stage.schedule.isEnded { _ = stage.wait(1) }
        }
        #expect(stage.schedule.isEnded && stage.schedule.tally.failed == 0)
        #expect((1...5).allSatisfy { stage.phase($0)?.kind == .queued })
        #expect(stage.now < Stage.start + 3600)
    }

    @Test(
        "a video whose own answer is always that its provider is unavailable fails once others got answers often enough"
    )
    func ownFault() {
        var stage = stage(40, jobs: 2)
        var asked = 0
        for _ in 0..<10_000 where !stage.schedule.isEnded && stage.schedule.tally.failed == 0 {
            for id in running(stage) {
                if id == 1 {
                    asked += 1
                    stage.tell(away(1))
                } else {
                    stage.tell(.resolved(.number(id), []))
                    stage.tell(.turnEnded(.number(id), .notReady(Stage.error, retryAfter: nil)))
                }
            }
            _ = stage.wait(1)
        }
        #expect(stage.phase(1) == .settled(.failed))
        #expect(asked <= 5)
    }

    @Test("a download with an answer is transferred while another one asks its provider")
    func answerInHand() {
        var stage = Stage([Stage.download(1), Stage.download(2), Stage.download(3)], jobs: 3, host: 1)
        stage.tell(.begin)
        stage.tell(.claim(.number(1), host: "h"))
        stage.tell(.claim(.number(2), host: "h"))
        stage.tell(.turnEnded(.number(2), .parked(host: "h")))
        stage.tell(away(3))
        _ = stage.wait(2)
        #expect(running(stage) == [1, 3])
        stage.tell(away(3))
        stage.tell(.turnEnded(.number(1), .complete))
        _ = stage.wait(6)
        #expect(running(stage) == [2])
        stage.tell(.claim(.number(2), host: "h"))
        #expect(running(stage) == [2, 3])
    }

    @Test("hosts that refuse everything: five videos in a row; the others wait, and go on when one is served")
    func refusing() {
        var stage = stage(12, jobs: 2)
        for id in 1...4 { stage.tell(refused(Int64(id))) }
        #expect(stage.schedule.tally.failed == 4)
        #expect(stage.tell(refused(5)).contains("emit provider p waits"))
        stage.tell(refused(6))
        #expect(stage.schedule.tally.failed == 4 && running(stage) == [])
        _ = stage.wait(5)
        #expect(running(stage) == [7])
        stage.tell(refused(7))
        _ = stage.wait(6)
        #expect(running(stage) == [8])
        let back = stage.tell(.receives(.number(8)))
        #expect(back.filter { $0.hasPrefix("record revive") } == (1...4).map { "record revive \($0)" })
        #expect(stage.schedule.tally.failed == 0 && stage.schedule.tally.failures.isEmpty)
        #expect(running(stage) == [1, 8])
    }

    @Test("downloads that failed in earlier runs come after new ones when one checks whether a provider is back")
    func probesTheUntried() {
        var downloads = (1...12).map { Stage.download($0) }
        for index in 0..<10 { downloads[index].failedRuns = 1 }
        var stage = Stage(downloads, jobs: 1)
        stage.tell(.begin)
        for id in 1...5 { stage.tell(refused(Int64(id))) }
        _ = stage.wait(5)
        #expect(running(stage) == [11])
    }

    @Test("a few refused ones fail at once; a served one between them resets the count")
    func fewRefused() {
        var stage = stage(12, jobs: 1)
        for id in 1...10 {
            if id == 5 {
                stage.tell(.claim(.number(5), host: "h"))
                #expect(stage.tell(.turnEnded(.number(5), .complete)).contains("dismiss 1"))
            } else if id < 9 {
                stage.tell(refused(Int64(id)))
            }
        }
        #expect(stage.schedule.tally.failed == 7)
        #expect(running(stage) == [9])
    }

    @Test("all remaining ones are refused to the end: each that asked fails with its own error, and the run ends")
    func allRefused() {
        var stage = stage(9, jobs: 4)
        for _ in 0..<10_000 where !stage.schedule.isEnded {
            for id in running(stage) { stage.tell(refused(id)) }
            if !stage.schedule.isEnded { _ = stage.wait(1) }
        }
        #expect(stage.schedule.isEnded && stage.schedule.tally.failed == 9)
        #expect(stage.now < Stage.start + 1200)
    }

    @Test("a stopped run leaves those refused in an outage as they are: waiting")
    func stopped() {
        var stage = stage(9, jobs: 1)
        for id in 1...5 { stage.tell(refused(Int64(id))) }
        stage.tell(.stop(.window))
        #expect(stage.schedule.isEnded && stage.schedule.tally.failed == 4)
        #expect(stage.phase(5)?.kind == .queued)
    }

    @Test("a login or a retry asks a provider in an outage at once")
    func askedAgain() {
        for kind in [Command.Kind.loggedIn("p"), .steer(.retry, [.number(1)])] {
            var stage = stage(5, jobs: 1)
            stage.tell(away(1))
            stage.tell(away(2))
            #expect(running(stage) == [])
            stage.tell(.command(1, kind))
            let row = Schedule.SteeredRow(
                id: .number(1), before: .waiting, after: .waiting, priority: 0, retryAt: nil,
                wanted: Stage.download(1))
            let isSteering = if case .steer = kind { true } else { false }
            stage.tell(.applied(1, isSteering ? [row] : []))
            #expect(running(stage).count == 1)
        }
    }

    @Test("a provider whose only host is left alone: after a few more answers it is asked only at growing intervals")
    func deadHost() {
        var stage = Stage((1...60).map { Stage.download($0) }, jobs: 2)
        stage.tell(.begin)
        var resolved = 0
        var order: [Int64] = []
        for _ in 0..<120 {
            for id in running(stage) {
                guard let turn = stage.schedule.phases[turn: .number(id)] else { continue }
                if turn.isResolving {
                    resolved += 1
                    order.append(id)
                    stage.tell(.resolved(.number(id), []))
                }
                let failed = Schedule.TurnEnd.waits(
                    Stage.error, delay: .seconds(1), attempt: 1, failedHost: "h", began: stage.now)
                let isGranted = stage.tell(.claim(.number(id), host: "h")).contains("granted")
                stage.tell(
                    .turnEnded(
                        .number(id), isGranted ? failed : .parked(host: "h"), usableUntil: .distantFuture))
            }
            _ = stage.wait(1)
        }
        #expect(resolved < 25, "\(resolved) in two minutes")
        #expect(order.contains(60), "the last one may be elsewhere")
    }
}
