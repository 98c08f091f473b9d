import DownloadStore
import Foundation
import Testing

@testable import RunSchedule

@Suite("Servers of a provider")
struct ProviderServerTests {
    /// Two servers of a provider, with two downloads each, and one that names none.
    private func stage(jobs: Int = 1) -> Stage {
        Stage(
            [
                Stage.download(1, server: "https://a"), Stage.download(2, server: "https://a"),
                Stage.download(3, server: "https://b"), Stage.download(4, server: "https://b"), Stage.download(5),
            ], jobs: jobs)
    }

    @Test("a login that one server requires suspends its downloads only, and is reported with the server")
    func login() {
        var stage = stage()
        stage.tell(.begin)
        let said = stage.tell(.turnEnded(.number(1), .loginNeeded(Stage.error)))
        #expect(said.contains("emit login p at https://a") && said.contains("start 3"))
        #expect(stage.phase(2) == .settled(.suspended), "nobody asks for it")
        stage.tell(.turnEnded(.number(3), .loginNeeded(Stage.error, server: "https://b")))
        #expect(stage.phase(4) == .settled(.suspended))
        #expect(stage.schedule.phases[turn: .number(5)] != nil)
        let tally = stage.schedule.tally
        #expect(tally.loginsNeeded == [ProviderServer("p", "https://a"), ProviderServer("p", "https://b")])
        #expect(tally.providersToLogIn == ["p"])
        #expect(tally.awaitingLogin == [.number(1), .number(2), .number(3), .number(4)])
    }

    @Test("a server that asks for a pause of hours delays its downloads only; what waits says for whom")
    func rateLimited() {
        var stage = stage()
        stage.tell(.begin)
        let said = stage.tell(.turnEnded(.number(1), .providerWaits(Stage.error, delay: .seconds(7200))))
        #expect(said.contains("emit provider p at https://a waits") && said.contains("start 3"))
        for id: Int64 in [3, 4, 5] { stage.tell(.turnEnded(.number(id), .failed(Stage.error, isFinal: true))) }
        #expect(stage.schedule.isEnded)
        let delay = Delay(
            cause: .provider(ProviderServer("p", "https://a")), until: stage.now + 7200, rest: 7200, downloads: 2)
        #expect(stage.schedule.delays(at: stage.now) == [delay])
    }

    @Test("an error that names another server than the parameters is about that one")
    func another() {
        var stage = stage()
        stage.tell(.begin)
        let pause = Schedule.TurnEnd.providerWaits(Stage.error, delay: .seconds(7200), server: "https://cdn")
        #expect(stage.tell(.turnEnded(.number(1), pause)).contains("emit provider p at https://cdn waits"))
        #expect(stage.schedule.phases[turn: .number(2)] != nil, "its server has said nothing")
        let login = Schedule.TurnEnd.loginNeeded(Stage.error, server: "https://cdn")
        #expect(stage.tell(.turnEnded(.number(2), login)).contains("emit login p at https://cdn"))
        #expect(stage.phase(1) == .settled(.suspended), "it waited for the same server")
        #expect(stage.schedule.phases[turn: .number(3)] != nil)
    }

    @Test("an outage of one server leaves the others alone")
    func outage() {
        var stage = stage(jobs: 2)
        stage.tell(.begin)
        stage.tell(.turnEnded(.number(1), .unavailable(Stage.away, retryAfter: nil)))
        let said = stage.tell(.turnEnded(.number(2), .unavailable(Stage.away, retryAfter: nil)))
        #expect(said.contains("emit provider p at https://a waits"))
        #expect(stage.schedule.phases.running == [.number(3), .number(4)])
    }

    @Test("after a login, and after a logout, all servers of the provider are concerned")
    func session() {
        var stage = stage()
        stage.tell(.begin)
        stage.tell(.turnEnded(.number(1), .loginNeeded(Stage.error)))
        stage.tell(.turnEnded(.number(3), .loginNeeded(Stage.error)))
        stage.tell(.command(1, .loggedIn("p")))
        #expect(stage.tell(.applied(1, [])) == ["apply 1 to [1, 2, 3, 4]"])
        #expect(stage.schedule.tally.loginsNeeded.isEmpty)
        var other = self.stage()
        other.tell(.begin)
        other.tell(.command(1, .loggedOut("p")))
        other.tell(.turnEnded(.number(1), .stopped))
        for id: Int64 in 1...5 { #expect(other.phase(id) == .settled(.suspended)) }
    }

    @Test("a pause that a host asks for is about its scheme, host and port; connections are counted by host")
    func origins() {
        let now = Stage.start
        var queue = DownloadQueue(hostCap: 1, lookAhead: 3)
        _ = queue.hostFailed("http://h:8001", startedAt: now, now: now, jitter: 0, atLeast: .seconds(7200))
        #expect(!queue.isFree("http://h:8001", at: now) && queue.isFree("http://h:8002", at: now))
        queue.occupy("http://h:8002")
        #expect(!queue.isFree("https://h", at: now) && queue.isFree("http://[::1]:8002", at: now))
        #expect(queue.connections == ["h": 1])
        queue.release("http://h:8002")
        #expect(queue.connections.isEmpty && queue.isFree("https://h", at: now))
        #expect(HostTable.host(of: "http://[::1]:8002") == "[::1]" && HostTable.host(of: "https://[::1]") == "[::1]")
    }

    @Test("a download that waits for a host's server says for which one")
    func waitsForHost() {
        var stage = Stage([Stage.download(1)])
        stage.tell(.begin)
        stage.tell(.claim(.number(1), host: "http://h:8001"))
        stage.tell(
            .turnEnded(
                .number(1),
                .waits(
                    Stage.error, delay: .seconds(7200), attempt: 1, failedHost: "http://h:8001", began: stage.now)))
        #expect(stage.schedule.isEnded)
        #expect(stage.schedule.delays(at: stage.now).map(\.cause) == [.host("http://h:8001")])
    }
}
