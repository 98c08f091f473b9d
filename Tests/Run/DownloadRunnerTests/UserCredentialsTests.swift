import Dispatch
import DownloadStore
import FileSystem
import Foundation
import Logging
import ProviderKit
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import DownloadJobs
@testable import SyncFacts
@testable import UserState

/// A user's state in a folder of a test's own.
struct UserFixture {
    let temporary = TemporaryFolder()
    let folder: StateFolder
    let file: UserCredentials
    let store: DownloadStore

    init() throws {
        folder = StateFolder(path: temporary.at("alice"), user: try UserName("alice"))
        try folder.create()
        file = UserCredentials(folder: folder)
        store = try DownloadStore(path: folder.database.string, role: .holder)
    }

    func credentials(_ text: String, expiresAt: Date? = nil) -> StoredCredentials {
        StoredCredentials(
            credentials: Secret(["token": .string(text)]), expiresAt: expiresAt,
            savedAt: Date(timeIntervalSince1970: 1e9)
        )
    }

    /// The token that is stored for the provider `p`; nil if none is.
    func token() throws -> String? { try file.read()["p"]?.credentials.value["token"]?.string }

    func run(_ generation: Int64? = nil) throws -> RunCredentials {
        try RunCredentials(
            folder, generation: try generation ?? store.sessions.current()?.generation ?? 0, store: store,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: folder.path.appending(name).string)[.posixPermissions] as? Int
    }
}

@Suite("the credentials file")
struct UserCredentialsTests {
    @Test("stored credentials come back exactly, with mode 0600, and don't print")
    func roundTrip() throws {
        let user = try UserFixture()
        #expect(try user.file.read().isEmpty && !user.temporary.has("alice/credentials.lock"))
        let value: JSONValue = [
            "text": "päss\n\"wörd\" \u{1F511}", "big": 9_007_199_254_740_993, "list": [1.5, true, nil], "": [:],
        ]
        let stored = StoredCredentials(
            credentials: Secret(value), expiresAt: Date(timeIntervalSince1970: 2e9),
            savedAt: Date(timeIntervalSince1970: 1_700_000_000.5))
        #expect(try user.file.store(of: "p") { stored })
        #expect(try user.file.store(of: "q") { user.credentials("other") })
        #expect(try user.file.read()["p"] == stored)
        #expect(try user.file.read()["q"] == user.credentials("other"))
        #expect(try user.mode("credentials.json") == 0o600)
        #expect(try user.mode("") == 0o700)
        #expect(!user.temporary.has("alice/credentials.json.new"))
        var printed = "\(stored) \(String(reflecting: stored))"
        dump(stored, to: &printed)
        #expect(!printed.contains("wörd"))

        #expect(try user.file.forget("p") && !(try user.file.forget("p")))
        #expect(try user.file.read().keys.sorted() == ["q"])
        #expect(try user.file.forget("q"))
        #expect(!user.temporary.has("alice/credentials.json"))
    }

    @Test("a file that others can read is closed to them when it is read")
    func tightened() throws {
        let user = try UserFixture()
        try user.file.store(of: "p") { user.credentials("t") }
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: user.folder.credentials.string)
        #expect(try user.token() == "t")
        #expect(try user.mode("credentials.json") == 0o600)
    }

    @Test(
        "an invalid credentials file is reported, never overwritten, and deleted by a logout",
        arguments: [
            "", "{", "[]", "{\"version\":0,\"providers\":{}}", "{\"version\":1}", "\u{0}\u{1}",
            "{\"version\":1,\"providers\":{\"p\":{\"credentials\":1,\"saved_at\":\"yesterday\"}}}",
            "{\"version\":1,\"providers\":{\"p\":{\"saved_at\":\"2026-11-21T00:00:00Z\"}}}",
            "{\"version\":2,\"providers\":[]}",
            String(repeating: "[", count: 100_000), String(repeating: " ", count: CredentialsDocument.longest + 1),
        ])
    func damaged(_ text: String) throws {
        let user = try UserFixture()
        try user.temporary.write(text, to: "alice/credentials.json")
        let isNewer = text.contains("\"version\":2")
        let path = user.folder.credentials.string
        let error: CredentialsError = isNewer ? .newerVersion(path: path) : .damaged(path: path)
        #expect(throws: error) { try user.file.read() }
        #expect(throws: error) { try user.file.store(of: "p") { user.credentials("t") } }
        #expect(throws: error) { try user.file.forget("p") }
        #expect(user.temporary.read("alice/credentials.json") == text)
        #expect(Refusal(error).condition == .stateUnusable)
        try user.file.wipe()
        #expect(!user.temporary.has("alice/credentials.json"))
    }

    @Test("a link or a folder in its place is reported and not followed")
    func somethingElse() throws {
        let user = try UserFixture()
        try user.temporary.write("{\"version\":1,\"providers\":{}}", to: "elsewhere")
        try user.temporary.link("alice/credentials.json", to: "../elsewhere")
        let error = CredentialsError.notAFile(path: user.folder.credentials.string)
        #expect(throws: error) { try user.file.read() }
        #expect(throws: error) { try user.file.store(of: "p") { user.credentials("t") } }
        try user.temporary.remove("alice/credentials.json")
        try user.temporary.make("alice/credentials.json")
        #expect(throws: error) { try user.file.read() }
    }

    @Test("a draft left by a killed writer is replaced, and wiped")
    func draft() throws {
        let user = try UserFixture()
        try user.temporary.write("half", to: "alice/credentials.json.new")
        try user.file.store(of: "p") { user.credentials("t") }
        #expect(try user.token() == "t" && !user.temporary.has("alice/credentials.json.new"))
        try user.temporary.write("half", to: "alice/credentials.json.new")
        try user.file.wipe()
        #expect(!user.temporary.has("alice/credentials.json.new") && !user.temporary.has("alice/credentials.json"))
    }

    @Test("a logout between the check and the write of a renewed token deletes the token")
    func wipeAfterCheck() throws {
        let user = try UserFixture()
        let generation = try #require(try user.store.sessions.open(provider: "p", since: .max)).generation
        let wiped = DispatchSemaphore(value: 0)
        let isWiped = Atomic(false)
        let isStored = try user.file.store(of: "p") {
            guard (try? user.store.sessions.mayStoreCredentials(of: "p", since: generation)) == true else { return nil }
            // Now somebody logs out: the session's commit comes at once, the wipe waits for the lock.
            _ = try? user.store.sessions.close()
            DispatchQueue.global().async {
                try? user.file.wipe()
                isWiped.store(true, ordering: .relaxed)
                wiped.signal()
            }
            usleep(50_000)
            let isEarly = isWiped.load(ordering: .relaxed)
            #expect(!isEarly, "the wipe doesn't wait for the lock")
            return user.credentials("renewed")
        }
        #expect(isStored)
        #expect(wiped.wait(timeout: .now() + 10) == .success)
        #expect(!user.temporary.has("alice/credentials.json"))
        // And one that comes after it isn't stored at all.
        #expect(!(try user.file.store(user.credentials("late"), of: "p", since: generation, by: user.store)))
        #expect(!user.temporary.has("alice/credentials.json"))
    }

    @Test("however renewal and logout interleave, nothing is stored in the end")
    func interleaved() async throws {
        let user = try UserFixture()
        for round in 0..<60 {
            let generation = try #require(try user.store.sessions.open(provider: "p", since: .max)).generation
            try user.file.store(user.credentials("first"), of: "p", since: generation, by: user.store)
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<3 {
                    group.addTask {
                        await Blocking.run { _ in
                            for number in 0..<4 {
                                let renewed = user.credentials("\(round)-\(writer)-\(number)")
                                _ = try? user.file.store(renewed, of: "p", since: generation, by: user.store)
                            }
                        }
                    }
                }
                group.addTask {
                    await Blocking.run { _ in
                        usleep(UInt32.random(in: 0...3000))
                        _ = try? user.store.sessions.close()
                        try? user.file.wipe()
                    }
                }
            }
            #expect(user.temporary.names().filter { $0.contains("credentials.json") } == [])
        }
    }

    @Test("a lock kept by another process is reported after a while; a wipe deletes all the same")
    func busy() throws {
        let user = try UserFixture()
        try user.file.store(of: "p") { user.credentials("t") }
        var hasty = user.file
        hasty.lockTimeout = .milliseconds(20)
        let path = user.folder.path.appending("credentials.lock").string
        try user.file.store(of: "q") {
            #expect(throws: CredentialsError.busy(path: path)) { try hasty.store(of: "p") { user.credentials("t") } }
            #expect(throws: CredentialsError.busy(path: path)) { try hasty.wipe() }
            return nil
        }
        #expect(!user.temporary.has("alice/credentials.json"))
    }

    @Test("forgetting a provider also forgets the draft of a killed writer, even if nothing was stored yet")
    func forgottenDraft() throws {
        let user = try UserFixture()
        try user.temporary.write("{}", to: "alice/credentials.json.new")
        #expect(try user.file.forget("p") == false)
        #expect(!user.temporary.has("alice/credentials.json.new"))
    }
}
