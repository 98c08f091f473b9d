import DownloadStore
import Foundation
import Logging
import ProviderHost
import ProviderKit
import Synchronization
import TestSupport
import Testing
import UserState

@testable import DownloadJobs

@Suite("one process renews the login of all")
struct RenewalTurnsTests {
    /// Takes each refresh token once, and ends the login when one comes again.
    private final class Host: Sendable {
        private struct State {
            var valid: Int64 = 1
            var expired: Int64 = 0
            var renewals = 0
            var isReused = false
        }

        private let state = Mutex(State())
        /// How long a renewal takes.
        let pause: Duration

        init(pause: Duration = .milliseconds(20)) { self.pause = pause }

        var renewals: Int { state.withLock { $0.renewals } }
        var isReused: Bool { state.withLock { $0.isReused } }

        /// The newest token isn't taken any more, only what is made of it.
        func expire() { state.withLock { $0.expired = $0.valid } }

        func isGood(_ number: Int64) -> Bool {
            state.withLock { number == $0.valid && number > $0.expired && !$0.isReused }
        }

        func renewed(_ number: Int64) async -> Int64? {
            await Task.detached { try? await Task.sleep(for: self.pause) }.value
            return state.withLock { state in
                guard number == state.valid, !state.isReused else {
                    state.isReused = true
                    return nil
                }
                state.valid += 1
                state.renewals += 1
                return state.valid
            }
        }
    }

    private static func secret(_ number: Int64) -> Secret<JSONValue> { Secret(["n": .int(number)]) }

    /// A plugin that renews as both kits do, if it `knowsTurns`.
    private static func ask(_ host: Host, knowsTurns: Bool = true) -> RenewalTurns.Ask<Int64> {
        { request throws(ProviderError) in
            let number = request.current()?.value["n"]?.int ?? 0
            if host.isGood(number) { return number }
            if !request.mayRenew, knowsTurns { throw ProviderError(.renewalNeeded, "later") }
            guard let new = await host.renewed(number) else { throw ProviderError(.authRequired, "used up") }
            request.renew(secret(new))
            return new
        }
    }

    private let user: UserFixture

    init() throws {
        user = try UserFixture()
        let generation = try #require(try user.store.sessions.open(provider: "p", since: .max)).generation
        let stored = StoredCredentials(credentials: Self.secret(1), savedAt: Date(timeIntervalSince1970: 1e9))
        try user.file.store(stored, of: "p", since: generation, by: user.store)
    }

    private func process(isShared: Bool = true, bound: Duration = .seconds(60)) throws -> (RunCredentials, RenewalTurns)
    {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let run = try RunCredentials(
            user.folder, generation: try user.store.sessions.current()?.generation ?? 0, store: user.store,
            isShared: isShared, logger: logger)
        return (run, RenewalTurns(run, leaseBound: bound, logger: logger))
    }

    private var stored: Int64? { get throws { try user.file.read()["p"]?.credentials.value["n"]?.int } }

    @Test("four processes with eight requests each use no refresh token twice")
    func processes() async throws {
        let host = Host()
        let processes = try (0..<4).map { _ in try process() }
        for round in 1...3 {
            host.expire()
            let answers = try await withThrowingTaskGroup(of: Int64.self) { group in
                for (_, turns) in processes {
                    for _ in 0..<8 {
                        group.addTask { try await turns.send(to: "p", timeout: .seconds(30), Self.ask(host)) }
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(answers == [Int64(round + 1)])
            #expect(host.renewals == round && !host.isReused)
            #expect(try stored == Int64(round + 1))
        }
        #expect(!user.temporary.names().contains { $0.contains("renewals/p") })
    }

    @Test("a plugin that knows no turns goes on with what another process has stored")
    func unaware() async throws {
        let host = Host()
        let (_, first) = try process()
        let (_, second) = try process()
        host.expire()
        let ask = Self.ask(host, knowsTurns: false)
        #expect(try await first.send(to: "p", timeout: .seconds(30), ask) == 2)
        // The second still has the first token; the host only refuses that here.
        let refusing: RenewalTurns.Ask<Int64> = { request throws(ProviderError) in
            let number = request.current()?.value["n"]?.int ?? 0
            guard host.isGood(number) else { throw ProviderError(.authRequired, "used up") }
            return number
        }
        #expect(try await second.send(to: "p", timeout: .seconds(30), refusing) == 2)
        let (_, alone) = try process(isShared: false)
        host.expire()
        #expect(try await first.send(to: "p", timeout: .seconds(30), ask) == 3)
        #expect(try await alone.send(to: "p", timeout: .seconds(30), refusing) == 3)
        host.expire()
        let error = await #expect(throws: ProviderError.self) {
            try await alone.send(to: "p", timeout: .seconds(30), refusing)
        }
        #expect(error?.kind == .authRequired)
    }

    @Test("a holder that is gone holds the others up for the bound only")
    func gone() async throws {
        let host = Host()
        let (_, turns) = try process(bound: .seconds(1))
        let lease = try #require(try RenewalLeases(folder: user.folder).take("p"))
        host.expire()
        let start = ContinuousClock.now
        #expect(try await turns.send(to: "p", timeout: .seconds(30), Self.ask(host)) == 2)
        #expect(.now - start >= .seconds(1))
        lease.giveBack()
        #expect(try stored == 2)
    }

    @Test("who waits for the lease goes on as soon as its holder has stored")
    func waiting() async throws {
        let host = Host()
        let (run, _) = try process()
        let (_, waiting) = try process()
        let lease = try #require(try RenewalLeases(folder: user.folder).take("p"))
        host.expire()
        let task = Task { try await waiting.send(to: "p", timeout: .seconds(30), Self.ask(host)) }
        try await Task.sleep(for: .milliseconds(100))
        let held = run.held(of: "p")
        run.renew(Self.secret(try #require(await host.renewed(1))), of: "p", after: held)
        await run.save("p")
        #expect(try await task.value == 2)
        #expect(host.renewals == 1 && !host.isReused)
        lease.giveBack()
    }

    @Test("without a place for the lease a login is renewed all the same")
    func unleased() async throws {
        let host = Host()
        let (_, turns) = try process()
        try user.temporary.write("", to: "alice/renewals")
        host.expire()
        #expect(try await turns.send(to: "p", timeout: .seconds(30), Self.ask(host)) == 2)
        #expect(try stored == 2)
    }

    @Test("what is renewed for a request that nobody waits for any more is stored before the lease is given back")
    func abandoned() async throws {
        let host = Host(pause: .milliseconds(500))
        let (_, turns) = try process()
        let leases = RenewalLeases(folder: user.folder)
        host.expire()
        let task = Task { try await turns.send(to: "p", timeout: .seconds(30), Self.ask(host)) }
        while try leases.sign(of: "p") == nil { try await Task.sleep(for: .milliseconds(5)) }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        let error = await #expect(throws: ProviderError.self) { try await task.value }
        #expect(error?.kind == .cancelled)
        #expect(try leases.sign(of: "p") != nil && stored == 1)
        await turns.finish(atMost: .seconds(20))
        #expect(try leases.sign(of: "p") == nil && stored == 2)
    }

    @Test("after a logout nothing comes back, whoever has the lease")
    func loggedOut() async throws {
        let host = Host(pause: .milliseconds(300))
        let (_, turns) = try process()
        host.expire()
        let task = Task { try await turns.send(to: "p", timeout: .seconds(30), Self.ask(host)) }
        let leases = RenewalLeases(folder: user.folder)
        while try leases.sign(of: "p") == nil { try await Task.sleep(for: .milliseconds(5)) }
        _ = try user.store.sessions.close()
        try user.file.wipe()
        _ = await task.result
        #expect(!user.temporary.has("alice/credentials.json"))
        #expect(try RenewalLeases(folder: user.folder).sign(of: "p") == nil)
    }
}
