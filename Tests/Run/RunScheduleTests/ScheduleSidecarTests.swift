import DownloadStore
import Foundation
import Testing

@testable import RunSchedule

@Suite("Sidecars in a run")
struct ScheduleSidecarTests {
    private static let name = SidecarName(.subtitle, "en")
    private static let busy = DownloadError(kind: .httpStatus, message: "busy", status: 503)

    private func item(_ number: Int, of id: Int64 = 1, host: String = "h", failedRuns: Int = 0) -> SidecarQueue.Item {
        SidecarQueue.Item(
            number: number, download: .number(id), host: host,
            row: SidecarQueue.Row(Self.name, failedRuns: failedRuns))
    }

    /// Download 1 is finished, and its provider has named these; nothing else is to be done.
    private func stage(_ items: [SidecarQueue.Item], jobs: Int = 1) -> Stage {
        var stage = Stage([Stage.download(1)], jobs: jobs)
        stage.tell(.begin)
        stage.tell(.resolved(.number(1), items))
        stage.tell(.claim(.number(1), host: "v"))
        stage.tell(.turnEnded(.number(1), .complete))
        stage.tell(.hashed(.number(1), .right))
        stage.tell(.placed(.number(1), Stage.file, request: nil, isWhole: true))
        return stage
    }

    private func again(_ atLeast: Duration? = nil, hostFailed: Bool = true) -> Schedule.SidecarEnd {
        .again(Self.busy, atLeast: atLeast, hostFailed: hostFailed, began: Stage.start)
    }

    @Test("a failed attempt waits for as long as the host asks, and pauses the host for that time")
    func waits() {
        var stage = stage([item(1)])
        let said = stage.tell(.sidecarFetched(1, again(.seconds(30))))
        #expect(said == ["emit host h waits", "wake 30"])
        #expect(stage.schedule.queue.blockedUntil("h") == Stage.start + 30)
        #expect(stage.wait(29) == ["wake 30"])
        #expect(stage.wait(1) == ["fetch 1"])
        #expect(stage.tell(.sidecarFetched(1, .arrived)) == [])
        #expect(stage.tell(.sidecarPlaced(1, of: .number(1), isStored: true)) == ["forget 1", "end"])
        #expect(!stage.schedule.tally.hasSidecarsLeft)
    }

    @Test("a sidecar with a wait beyond the run's end is left to a later run: its row has the time")
    func postponed() {
        var stage = stage([item(1)])
        let said = stage.tell(.sidecarFetched(1, again(.seconds(3600))))
        #expect(said.contains { $0.hasPrefix("record sidecar(") && $0.contains("waits") })
        #expect(said.suffix(2) == ["forget 1", "end"])
        #expect(stage.schedule.tally.hasSidecarsLeft)
    }

    @Test("a sidecar of a host paused because of others is left to the next run, at once")
    func hopeless() {
        var stage = stage([item(1), item(2)], jobs: 4)
        stage.schedule.queue.hostCap = 1
        stage.tell(.sidecarFetched(1, again(.seconds(3600))))
        stage.tell(.sidecarFetched(2, again()))
        let actions = stage.schedule.handle(.wake, now: stage.now + 2, jitter: 0)
        let times = actions.compactMap { action -> Date?? in
            guard case .record(.sidecar(.waits(_, _, let retryAt, _))) = action else { return nil }
            return .some(retryAt)
        }
        #expect(times == [nil])
        #expect(stage.schedule.isEnded)
    }

    /// The times until which the actions leave a sidecar to later runs.
    private func waits(_ actions: [Schedule.Action]) -> [Date?] {
        actions.compactMap { action -> Date?? in
            guard case .record(.sidecar(.waits(_, Self.name, let retryAt, _))) = action else { return nil }
            return .some(retryAt)
        }
    }

    @Test("a server in trouble: after three attempts it is left to the next sync, and nothing has failed")
    func fails() {
        for failedRuns in [0, 1] {
            var stage = stage([item(1, failedRuns: failedRuns)])
            stage.tell(.sidecarFetched(1, again(hostFailed: false)))
            #expect(stage.wait(1) == ["fetch 1"])
            stage.tell(.sidecarFetched(1, again(hostFailed: false)))
            #expect(stage.wait(2) == ["fetch 1"])
            let actions = stage.schedule.handle(
                .sidecarFetched(1, again(hostFailed: false)), now: stage.now, jitter: 0)
            #expect(waits(actions) == [nil])
            #expect(stage.schedule.tally.hasSidecarsLeft && stage.schedule.tally.withFailedSidecars.isEmpty)
        }
    }

    @Test("a disk that fails to write it leaves it to the next sync")
    func unwritable() {
        var stage = stage([item(1)])
        let error = DownloadError(kind: .disk, message: "EIO")
        let actions = stage.schedule.handle(.sidecarFetched(1, .waits(error)), now: stage.now, jitter: 0)
        #expect(waits(actions) == [nil])
        #expect(stage.schedule.tally.hasSidecarsLeft && stage.schedule.isEnded)
    }

    @Test(
        "a refused address: the provider is asked once more, when the video is there; refused in a third run it is given up"
    )
    func refused() {
        var stage = Stage([Stage.download(1)])
        stage.tell(.begin)
        #expect(
            stage.tell(.resolved(.number(1), [item(1), item(2, host: "i", failedRuns: 2)])) == ["fetch 1", "fetch 2"])
        let refused = Schedule.SidecarEnd.refused(Self.busy, isFinal: true)
        #expect(stage.tell(.sidecarFetched(1, refused)) == ["forget 1"])
        stage.tell(.claim(.number(1), host: "v"))
        stage.tell(.turnEnded(.number(1), .complete))
        stage.tell(.hashed(.number(1), .right))
        let said = stage.tell(.placed(.number(1), Stage.file, request: nil, isWhole: true))
        #expect(said == ["emit finished 1", "dismiss 1", "ask 1"])
        #expect(stage.schedule.states[.number(1)] == .finished)
        // What is under way is not fetched twice.
        #expect(stage.tell(.resolved(.number(1), [item(3)])) == ["forget 3"])
        #expect(stage.tell(.turnEnded(.number(1), .answered)) == ["dismiss 1"])
        let last = stage.tell(.sidecarFetched(2, refused))
        #expect(last.contains { $0.hasPrefix("record sidecar(") && $0.contains("failed") })
        #expect(last.contains("emit sidecar 2 failed") && last.last == "end")
        #expect(stage.schedule.tally.hasGivenUpSidecars)
    }

    @Test(
        "a missing sidecar is retried in two later runs, at growing intervals: a whole host may be down for an hour"
    )
    func notForGoodAtOnce() {
        for failedRuns in [0, 1] {
            var stage = stage([item(1, failedRuns: failedRuns)])
            stage.tell(.sidecarFetched(1, .failed(Self.busy, isFinal: true)))
            #expect(!stage.schedule.tally.hasGivenUpSidecars)
        }
        var last = stage([item(1, failedRuns: 2)])
        last.tell(.sidecarFetched(1, .failed(Self.busy, isFinal: true)))
        #expect(last.schedule.tally.hasGivenUpSidecars)
    }

    @Test("a cancelled video also cancels its sidecars in transfer")
    func cancelledMeanwhile() {
        var stage = stage([item(1), item(2, host: "i")])
        stage.tell(.command(1, .steer(.cancel, [.number(1)])))
        let row = Schedule.SteeredRow(
            id: .number(1), before: .finished, after: .cancelled, priority: 0, retryAt: nil, wanted: nil)
        let said = stage.tell(.applied(1, [row]))
        #expect(said.filter { $0.hasPrefix("cancel") } == ["cancel fetch 1", "cancel fetch 2"], "\(said)")
    }

    @Test("a video that is cancelled and wanted again gets what its provider names anew")
    func cancelledAndWanted() {
        var stage = Stage([Stage.download(1)])
        stage.tell(.begin)
        stage.tell(.resolved(.number(1), [item(1)]))
        #expect(!stage.schedule.sidecars.awaitsResolution(of: .number(1)))
        stage.tell(.command(1, .steer(.cancel, [.number(1)])))
        stage.tell(.turnEnded(.number(1), .stopped))
        let row = Schedule.SteeredRow(
            id: .number(1), before: .active, after: .cancelled, priority: 0, retryAt: nil, wanted: nil)
        stage.tell(.applied(1, [row]))
        #expect(stage.schedule.sidecars.awaitsResolution(of: .number(1)))
    }

    @Test("an answer for the video itself replaces a separate request")
    func resolvedAnyway() {
        var stage = Stage([Stage.download(1)])
        stage.tell(.begin)
        stage.tell(.resolved(.number(1), [item(1)]))
        stage.tell(.sidecarFetched(1, .refused(Self.busy, isFinal: false)))
        #expect(stage.schedule.sidecars.awaitsResolution(of: .number(1)))
        #expect(stage.tell(.resolved(.number(1), [item(2)])) == ["fetch 2"])
        #expect(stage.schedule.questions.isEmpty)
    }

    @Test("a disk that is full ends the run")
    func fullDisk() {
        var stage = stage([item(1), item(2)])
        let said = stage.tell(.sidecarFetched(1, .suspended(.disk, Stage.error)))
        #expect(said.contains("cancel fetch 2"))
        #expect(stage.schedule.stopReason == .disk && stage.schedule.tally.hasSidecarsLeft)
    }

    @Test("a request about sidecars waits for its provider, its login and the slots like any other turn")
    func questions() {
        var downloads = [Stage.download(1), Stage.download(2), Stage.download(3, provider: "q")]
        for index in downloads.indices { downloads[index].purpose = .sidecars }
        var stage = Stage(downloads)
        #expect(stage.tell(.begin) == ["ask 1"])
        let waits = stage.tell(.turnEnded(.number(1), .providerWaits(Stage.error, delay: .seconds(60))))
        #expect(waits.contains("emit provider p waits") && waits.contains("ask 3"))
        #expect(!waits.contains { $0.hasPrefix("record") })
        #expect(stage.tell(.turnEnded(.number(3), .answered)) == ["dismiss 3"])
        #expect(stage.wait(60) == ["ask 1"])
        let login = stage.tell(.turnEnded(.number(1), .loginNeeded(Stage.error)))
        #expect(login.contains("emit login p") && login.last == "end")
        #expect(!login.contains { $0.hasPrefix("record") || $0.contains("suspended") })
        #expect(stage.schedule.states.values.allSatisfy { $0 == .finished })
    }

    @Test("commands on a video whose provider is being asked: its file stays finished, or is removed")
    func commands() {
        var download = Stage.download(1)
        download.purpose = .sidecars
        var stage = Stage([download])
        stage.tell(.begin)
        #expect(stage.tell(.command(1, .steer(.pause, [.number(1)]))) == ["cancel 1"])
        #expect(stage.tell(.turnEnded(.number(1), .stopped)).contains("apply 1 to [1]"))
        let back = stage.tell(.applied(1, []))
        #expect(back == ["answer 1 []", "ask 1"] || back == ["ask 1", "answer 1 []"], "\(back)")
        stage.tell(.command(2, .steer(.remove, [.number(1)])))
        stage.tell(.turnEnded(.number(1), .stopped))
        let row = Schedule.SteeredRow(
            id: .number(1), before: .finished, after: .cancelled, priority: 0, retryAt: nil, wanted: download)
        #expect(stage.tell(.applied(2, [row])).last == "end")
        #expect(stage.schedule.states[.number(1)] == .cancelled)
    }

    @Test("retry of failed sidecars beside a finished video asks its provider in the same run")
    func retried() {
        var stage = Stage([Stage.download(1), Stage.download(2)])
        stage.tell(.begin)
        stage.tell(.turnEnded(.number(1), .failed(Stage.error, isFinal: true)))
        stage.tell(.command(1, .steer(.retry, [.number(9)])))
        var again = Stage.download(9)
        again.purpose = .sidecars
        stage.tell(
            .applied(
                1,
                [
                    Schedule.SteeredRow(
                        id: .number(9), before: .finished, after: .finished, priority: 0, retryAt: nil, wanted: again)
                ]))
        let said = stage.tell(.turnEnded(.number(2), .failed(Stage.error, isFinal: true)))
        #expect(said.last == "ask 9")
        #expect(stage.tell(.turnEnded(.number(9), .answered)).last == "end")
    }

    @Test("a finished video that its provider lists and doesn't have any more isn't asked about every night")
    func absent() {
        for isListed in [false, true] {
            var question = Stage.download(1)
            (question.purpose, question.isListed) = (.sidecars, isListed)
            var stage = Stage([question])
            stage.tell(.begin)
            let absent = DownloadError(kind: .notFound, message: "not there")
            stage.tell(.turnEnded(.number(1), .failed(absent, isFinal: true)))
            #expect(stage.schedule.isEnded && stage.schedule.tally.hasGivenUpSidecars)
        }
    }

    @Test("a logout of the provider ends sidecars that use its credentials; after a login they are asked for again")
    func credentials() {
        var stage = stage([item(1, host: "h")])
        stage.tell(.command(1, .loggedOut("p")))
        #expect(stage.schedule.tally.providersToLogIn == ["p"])
        #expect(!stage.schedule.isEnded, "its fetch is about to end")
        stage.tell(.command(2, .loggedIn("p")))
        stage.tell(.applied(1, []))
        let said = stage.tell(.applied(2, []))
        #expect(said.contains("ask 1"), "\(said)")
        stage.tell(.applied(2, []))
        #expect(stage.tell(.sidecarFetched(1, .stopped)) == ["forget 1"])
        #expect(stage.tell(.resolved(.number(1), [item(2)])) == ["fetch 2"])
        #expect(stage.schedule.tally.providersToLogIn.isEmpty)
    }

    @Test("the time of a sidecar that a logout has ended wakes nothing")
    func staleTime() {
        var stage = Stage([Stage.download(1), Stage.download(2, provider: "q")], jobs: 2)
        stage.tell(.begin)
        #expect(stage.tell(.resolved(.number(1), [item(1)])) == ["fetch 1"])
        #expect(stage.tell(.sidecarFetched(1, again(.seconds(30)))).last == "wake 30")
        stage.tell(.command(1, .loggedOut("p")))
        stage.tell(.turnEnded(.number(1), .stopped))
        stage.tell(.applied(1, []))
        #expect(stage.wait(30) == [], "its turn at another provider goes on")
        #expect(stage.phase(2)?.isInPlay == true)
    }

    @Test("a logout of the provider leaves the request to a run after the login")
    func loggedOut() {
        var download = Stage.download(1)
        download.purpose = .sidecars
        var stage = Stage([download])
        stage.tell(.begin)
        stage.tell(.command(1, .loggedOut("p")))
        let said = stage.tell(.turnEnded(.number(1), .stopped))
        #expect(said.contains("forget credentials 1 p") && !said.contains { $0.hasPrefix("record") })
        #expect(stage.schedule.tally.providersToLogIn == ["p"])
        #expect(stage.schedule.states[.number(1)] == .finished)
    }

    @Test("a video that is placed during a logout leaves its request to a run after the login, and the run ends")
    func placedDuringLogout() {
        var stage = Stage([Stage.download(1)])
        stage.tell(.begin)
        stage.tell(.unasked(.number(1)))
        #expect(stage.tell(.turnEnded(.number(1), .complete)) == ["hash 1"])
        stage.tell(.command(1, .loggedOut("p")))
        #expect(stage.tell(.hashed(.number(1), .right)) == ["place 1"])
        let said = stage.tell(.placed(.number(1), Stage.file, request: nil, isWhole: true))
        #expect(said.contains("forget credentials 1 p"), "\(said)")
        #expect(stage.tell(.applied(1, [])).last == "end")
        #expect(stage.schedule.tally.providersToLogIn == ["p"])
        #expect(stage.schedule.states[.number(1)] == .finished)
    }

    @Test("a provider in an outage delays a request about sidecars, too, without an event of a download")
    func outage() {
        var downloads = [Stage.download(1), Stage.download(2)]
        for index in downloads.indices { downloads[index].purpose = .sidecars }
        var stage = Stage(downloads)
        #expect(stage.tell(.begin) == ["ask 1"])
        var said = stage.tell(.turnEnded(.number(1), .unavailable(Stage.error, retryAfter: nil)))
        #expect(said.contains("ask 2"))
        said += stage.tell(.turnEnded(.number(2), .unavailable(Stage.error, retryAfter: nil)))
        #expect(said.contains("emit provider p waits"))
        #expect(!said.contains { $0.hasPrefix("record") || $0.contains("retrying") }, "\(said)")
        said = stage.wait(5)
        #expect(said.count { $0.hasPrefix("ask") } == 1, "one finds out: \(said)")
        for _ in 0..<2 {
            guard let id = stage.schedule.phases.running.first else { break }
            stage.tell(.resolved(id, []))
            said = stage.tell(.turnEnded(id, .answered))
            if !said.contains("end") { said = stage.wait(60) }
        }
        #expect(stage.schedule.isEnded)
        #expect(stage.schedule.states.values.allSatisfy { $0 == .finished })
    }
}
