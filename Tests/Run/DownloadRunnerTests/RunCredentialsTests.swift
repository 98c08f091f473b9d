import DownloadStore
import Foundation
import Logging
import ProviderKit
import SystemPackage
import TestSupport
import Testing
import UserState

@testable import DownloadJobs

@Suite("credentials in a run")
struct RunCredentialsTests {
    private static func secret(_ text: String) -> Secret<JSONValue> { Secret(["token": .string(text)]) }

    private static func token(_ run: RunCredentials) -> String? {
        run.held(of: "p").credentials?.value["token"]?.string
    }

    private static func loggedIn() throws -> UserFixture {
        let user = try UserFixture()
        let generation = try #require(try user.store.sessions.open(provider: "p", since: .max)).generation
        try user.file.store(user.credentials("old"), of: "p", since: generation, by: user.store)
        return user
    }

    @Test("renewed credentials are used by later requests and by the next run")
    func renewed() async throws {
        let user = try Self.loggedIn()
        let run = try user.run()
        #expect(Self.token(run) == "old" && run.held(of: "other").credentials == nil)
        await renew(run, Self.secret("new"), run.held(of: "p"))
        #expect(Self.token(run) == "new")
        #expect(try user.token() == "new")
        #expect(Self.token(try user.run()) == "new")
        // The same again changes nothing.
        let before = try inode(user)
        await renew(run, Self.secret("new"), run.held(of: "p"))
        #expect(try inode(user) == before)
    }

    @Test("credentials that arrive after a logout are dropped, also after the next login", arguments: [true, false])
    func loggedOut(isOfProvider: Bool) async throws {
        let user = try Self.loggedIn()
        let run = try user.run()
        if isOfProvider {
            _ = try user.store.sessions.close(ofProvider: "p")
            try user.file.forget("p")
        } else {
            _ = try user.store.sessions.close()
            try user.file.wipe()
        }
        await renew(run, Self.secret("late"), run.held(of: "p"))
        #expect(!user.temporary.has("alice/credentials.json"))
        let session =
            isOfProvider ? try user.store.sessions.open(provider: "p", since: .max) : try user.store.sessions.open()
        let generation = try #require(session).generation
        await renew(run, Self.secret("later"), run.held(of: "p"))
        #expect(!user.temporary.has("alice/credentials.json"))
        try user.file.store(user.credentials("login"), of: "p", since: generation, by: user.store)
        await renew(run, Self.secret("latest"), run.held(of: "p"))
        #expect(try user.token() == "login")
    }

    @Test("a login or logout at another provider changes nothing")
    func otherProvider() async throws {
        let user = try Self.loggedIn()
        let run = try user.run()
        _ = try user.store.sessions.open(provider: "q", since: .max)
        _ = try user.store.sessions.close(ofProvider: "r")
        await renew(run, Self.secret("new"), run.held(of: "p"))
        #expect(try user.token() == "new")
    }

    @Test("a new login replaces the run's credentials; answers to earlier requests don't")
    func reloaded() async throws {
        let user = try Self.loggedIn()
        let run = try user.run()
        let before = run.held(of: "p")
        let generation = try #require(try user.store.sessions.open(provider: "p", since: .max)).generation
        try user.file.store(user.credentials("login"), of: "p", since: generation, by: user.store)
        #expect(await run.reload("p"))
        await renew(run, Self.secret("late"), before)
        #expect(Self.token(run) == "login")
        #expect(try user.token() == "login")
        await renew(run, Self.secret("renewed"), run.held(of: "p"))
        #expect(Self.token(run) == "renewed")
        #expect(try user.token() == "renewed")
    }

    @Test("forgotten credentials don't come back with a pending answer")
    func forgotten() async throws {
        let user = try Self.loggedIn()
        let run = try user.run()
        let before = run.held(of: "p")
        _ = try user.store.sessions.close(ofProvider: "p")
        try user.file.forget("p")
        await run.forget("p")
        await renew(run, Self.secret("late"), before)
        #expect(run.held(of: "p").credentials == nil)
        #expect(!user.temporary.has("alice/credentials.json"))
        #expect(!(await run.reload("p")))
    }

    @Test("after many concurrent answers, file and run have the same credentials")
    func concurrent() async throws {
        let user = try Self.loggedIn()
        let run = try user.run()
        for round in 0..<10 {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        await renew(run, Self.secret("\(round)-\(number)"), run.held(of: "p"))
                    }
                }
            }
            #expect(try user.token() == Self.token(run))
        }
    }

    @Test("a user without a state has none, and renewed ones are kept for the run")
    func stateless() async throws {
        let temporary = TemporaryFolder()
        let folder = StateFolder(path: temporary.at("alice"), user: try UserName("alice"))
        let run = try RunCredentials(folder, generation: 0, store: nil, logger: .init(label: "test"))
        await renew(run, Self.secret("guest"), run.held(of: "p"))
        #expect(Self.token(run) == "guest")
        #expect(!temporary.has("alice"))
    }

    @Test("what another process has stored is never replaced by what was made of older credentials")
    func newestWins() async throws {
        let user = try Self.loggedIn()
        let (run, other) = (try user.run(), try user.run())
        let before = run.held(of: "p")
        await renew(other, Self.secret("theirs"), other.held(of: "p"))
        await renew(run, Self.secret("ours"), before)
        #expect(try user.token() == "theirs")
        #expect(Self.token(run) == "theirs")
        // An answer that was on its way then is about the old ones, too.
        await renew(run, Self.secret("late"), before)
        #expect(Self.token(run) == "theirs")
        #expect(try user.token() == "theirs")
        await renew(run, Self.secret("next"), run.held(of: "p"))
        #expect(try user.token() == "next")
        #expect(await other.hasOthers(than: other.held(of: "p"), of: "p"))
        #expect(Self.token(other) == "next")
    }

    @Test("what others have stored is taken over, also for a provider without credentials, and a removed file isn't")
    func takenOver() async throws {
        let user = try Self.loggedIn()
        let (run, other) = (try user.run(), try user.run())
        #expect(!(await run.hasOthers(than: run.held(of: "p"), of: "p")))
        let (sent, nothing) = (run.held(of: "p"), run.held(of: "q"))
        await renew(other, Self.secret("new"), other.held(of: "p"))
        other.renew(Self.secret("first"), of: "q", after: other.held(of: "q"))
        await other.save("q")
        #expect(await run.hasOthers(than: sent, of: "p"))
        #expect(await run.hasOthers(than: nothing, of: "q"))
        #expect(run.held(of: "q").credentials == Self.secret("first"))
        try user.temporary.remove("alice/credentials.json")
        #expect(await run.hasOthers(than: sent, of: "p"))
        #expect(Self.token(run) == "new")
    }

    @Test("however several runs renew, each stored token was made of the one before")
    func chain() async throws {
        let user = try Self.loggedIn()
        let runs = try (0..<4).map { _ in try user.run() }
        let stored = await withTaskGroup(of: [String].self) { group in
            for (number, run) in runs.enumerated() {
                group.addTask {
                    var stored: [String] = []
                    for round in 0..<20 {
                        let held = run.held(of: "p")
                        let text = held.credentials?.value["token"]?.string ?? ""
                        let made = "\(text) \(number).\(round)"
                        run.renew(Self.secret(made), of: "p", after: held)
                        await run.save("p")
                        if Self.token(run) == made { stored.append(made) }
                    }
                    return stored
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        let end = try #require(try user.token())
        for run in runs {
            _ = await run.hasOthers(than: run.held(of: "p"), of: "p")
            #expect(Self.token(run) == end)
        }
        #expect(!stored.isEmpty && stored.allSatisfy { end == $0 || end.hasPrefix($0 + " ") }, "\(stored)")
    }

    /// An answer that renews.
    private func renew(_ run: RunCredentials, _ credentials: Secret<JSONValue>, _ held: RunCredentials.Held) async {
        run.renew(credentials, of: "p", after: held)
        await run.save("p")
    }

    private func inode(_ user: UserFixture) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: user.folder.credentials.string)[.systemFileNumber] as? Int
    }
}
