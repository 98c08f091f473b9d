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

    /// An answer that renews.
    private func renew(_ run: RunCredentials, _ credentials: Secret<JSONValue>, _ held: RunCredentials.Held) async {
        run.renew(credentials, of: "p", after: held)
        await run.save("p")
    }

    private func inode(_ user: UserFixture) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: user.folder.credentials.string)[.systemFileNumber] as? Int
    }
}
