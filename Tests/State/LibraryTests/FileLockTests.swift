import Foundation
import LibraryFixture
import Subprocess
import SystemPackage
import TestSupport
import Testing
import UserState

@testable import FileSystem
@testable import MediaLibrary

@Suite("locks of states and libraries")
struct FileLockTests {
    let temporary = TemporaryFolder()

    func state() throws -> StateFolder {
        let state = StateFolder(path: temporary.at("alice"), user: try UserName("alice"))
        try state.create()
        return state
    }

    @Test("one holder at a time, and free again after release")
    func exclusive() async throws {
        let state = try state()
        #expect(try await isFree(state))
        #expect(!temporary.has("alice/sync.lock"))
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        var first: FileLock?
        if case .acquired(let lock) = try await state.acquireLock(catalogs: ["/c/a.yaml"], now: now) {
            first = lock
        }
        try #require(first != nil)
        let holder = try #require(try state.lockHolder()?.holder)
        #expect(holder.pid == Int(ProcessInfo.processInfo.processIdentifier) && holder.since == now)
        #expect(holder.catalogs == ["/c/a.yaml"] && !holder.host.isEmpty)
        guard case .held(let told) = try await state.acquireLock(catalogs: [], grace: .zero) else {
            Issue.record("taken twice")
            return
        }
        #expect(told == holder)
        let mode = try FileManager.default.attributesOfItem(atPath: state.lock.string)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        first = nil
        #expect(try await isFree(state))
        // The line of a longer holder is gone.
        guard case .acquired(let lock) = try await state.acquireLock(catalogs: [], now: now) else {
            Issue.record("not free")
            return
        }
        #expect(try state.lockHolder()?.holder?.catalogs == [])
        withExtendedLifetime(lock) {}
    }

    @Test("it waits for a short holder")
    func patience() async throws {
        let state = try state()
        guard case .acquired(let lock) = try await state.acquireLock(catalogs: []) else {
            Issue.record("not free")
            return
        }
        async let second = state.acquireLock(catalogs: [], grace: .seconds(60))
        try await Task.sleep(for: .milliseconds(30))
        lock.release()
        if case .held = try await second { Issue.record("gave up") }
    }

    @Test(
        "a lock held by another process is free once that has ended, however it ended",
        arguments: [Signal?.none, .kill, .terminate])
    func otherProcess(signal: Signal?) async throws {
        let state = try state()
        let step = FilePath(Built.executable("library-step").string)
        let result = try await Subprocess.run(
            .path(step), arguments: ["hold", state.path.string, "/c/x.yaml", "/c/y.yaml"], input: .inputWriter,
            output: .sequence, error: .discarded
        ) { process in
            var said = ""
            for try await chunk in process.standardOutput {
                said += chunk.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
                if said.contains("\n") { break }
            }
            #expect(said == "held\n")
            guard case .held(let holder) = try await state.acquireLock(catalogs: [], grace: .zero) else {
                Issue.record("taken twice")
                return
            }
            #expect(holder?.pid == Int(process.processIdentifier.value))
            #expect(holder?.catalogs == ["/c/x.yaml", "/c/y.yaml"])
            #expect(try state.lockHolder()?.holder == holder)
            if let signal { try process.send(signal: signal) }
            try await process.standardInputWriter.finish()
        }
        #expect(result.terminationStatus.isSuccess == (signal == nil))
        #expect(try await isFree(state))
        guard case .acquired = try await state.acquireLock(catalogs: [], grace: .seconds(5)) else {
            Issue.record("still held")
            return
        }
    }

    /// Whether the lock is free within 5 s: a process being started by another test has every descriptor of this one
    /// between its fork and its exec.
    private func isFree(_ state: StateFolder) async throws -> Bool {
        for _ in 0..<500 {
            if try state.lockHolder() == nil { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    @Test("a library has its own lock: one writer at a time, with its identity, and it ends with its holder")
    func library() async throws {
        let root = temporary.at("library")
        let (alice, bob) = ("alice", "bob")
        let first = try LibraryFolder.testing(root)
        try await first.lock(user: alice, catalogs: ["/c/a.yaml"])
        // As another state, or a copy of this one on another machine, opens it.
        let second = try LibraryFolder.testing(root)
        do {
            try await second.lock(user: bob)
            Issue.record("taken twice")
        } catch {
            guard case .inUse(library: root.string, by: let holder?) = error else { throw error }
            #expect(holder.user == "alice" && holder.catalogs == ["/c/a.yaml"] && holder.pid == Int(getpid()))
        }
        #expect(throws: LibraryError.self) { try second.lockNow(user: bob) }
        #expect(try LibraryFolder.isInUse(root)?.holder?.user == "alice")
        first.unlock()
        // As in ``isFree(_:)``.
        for _ in 0..<500 where try LibraryFolder.isInUse(root) != nil { try await Task.sleep(for: .milliseconds(10)) }
        try second.lockNow(user: bob)
        second.unlock()
        for _ in 0..<500 where try LibraryFolder.isInUse(root) != nil { try await Task.sleep(for: .milliseconds(10)) }
        #expect(try LibraryFolder.isInUse(root) == nil)
        #expect(try LibraryFolder.isInUse(temporary.at("nowhere")) == nil)
    }

    @Test("a child that outlives the holder doesn't keep the lock")
    func child() async throws {
        let state = try state()
        guard case .acquired(let lock) = try await state.acquireLock(catalogs: []) else {
            Issue.record("not free")
            return
        }
        _ = try await Subprocess.run(
            .path("/bin/cat"), input: .inputWriter, output: .discarded, error: .discarded
        ) { process in
            lock.release()
            #expect(try await isFree(state))
            try await process.standardInputWriter.finish()
        }
    }

    @Test("a deleted lock file excludes nobody, so a new one is made")
    func deleted() async throws {
        let state = try state()
        guard case .acquired(let lock) = try await state.acquireLock(catalogs: []) else {
            Issue.record("not free")
            return
        }
        try temporary.remove("alice/sync.lock")
        guard case .acquired(let second) = try await state.acquireLock(catalogs: [], grace: .seconds(5)) else {
            Issue.record("not free")
            return
        }
        #expect(temporary.has("alice/sync.lock"))
        withExtendedLifetime((lock, second)) {}
    }

    @Test(
        "whatever the file contains, the lock works and nothing hostile is printed",
        arguments: [
            "", "{", "{}", #"{"host":"h","pid":-1,"started":"2026-01-01T00:00:00Z","catalogs":[]}"#,
            #"{"host":"h","pid":1,"started":"yesterday","catalogs":[]}"#, String(repeating: "x", count: 100_000),
            #"{"host":"h","pid":99999999999999999999,"started":"2026-01-01T00:00:00Z","catalogs":[]}"#,
        ])
    func content(text: String) async throws {
        #expect(LockHolder(line: Data(text.utf8)) == nil)
        let state = try state()
        try temporary.write(text, to: "alice/sync.lock")
        #expect(try state.lockHolder() == nil)
        guard case .acquired(let lock) = try await state.acquireLock(catalogs: ["c"]) else {
            Issue.record("not free")
            return
        }
        #expect(try state.lockHolder()?.holder?.catalogs == ["c"])
        // Somebody scribbles over it while it is held.
        try Data(text.utf8).write(to: URL(filePath: state.lock.string), options: [])
        guard case .held(nil) = try await state.acquireLock(catalogs: [], grace: .zero) else {
            Issue.record("a holder was made up")
            return
        }
        withExtendedLifetime(lock) {}
    }

    @Test("control characters and overlong lists are sanitized")
    func harmless() throws {
        let since = Date(timeIntervalSince1970: 1_800_000_000)
        let evil = LockHolder(
            host: "h\u{1B}[2J\u{202E}", pid: 5, since: since, catalogs: Array(repeating: "/c\n\u{7}.yaml", count: 5000))
        let read = try #require(LockHolder(line: evil.line))
        #expect(read.host == "h?[2J?" && read.catalogs.first == "/c??.yaml" && read.catalogs.count == 100)
        let long = LockHolder(
            host: "h", pid: 5, since: since, catalogs: Array(repeating: String(repeating: "x", count: 4000), count: 50))
        #expect(long.line.count <= LockHolder.longest)
        #expect(try #require(LockHolder(line: long.line)).since == since)
    }

    @Test("the line is the same in the next version, and is read back")
    func golden() throws {
        let line = #"{"catalogs":["/a/b.yaml"],"host":"h","pid":5,"started":"2026-11-20T23:00:00Z"}"# + "\n"
        let since = Date(timeIntervalSince1970: 1_795_215_600)
        let holder = LockHolder(host: "h", pid: 5, since: since, catalogs: ["/a/b.yaml"])
        #expect(String(decoding: holder.line, as: UTF8.self) == line)
        #expect(LockHolder(line: Data(line.utf8)) == holder)
        let later = LockHolder(host: "h", pid: 5, since: since + 0.999, catalogs: ["/a/b.yaml"])
        #expect(later.line == holder.line)
    }

    @Test("a special file is refused, and a link isn't followed")
    func odd() async throws {
        let state = try state()
        let refused = StateError.notAFile(path: state.lock.string)
        try temporary.make("alice/sync.lock")
        await #expect(throws: refused) { try await state.acquireLock(catalogs: []) }
        try temporary.remove("alice/sync.lock")
        try temporary.write("mine", to: "outside")
        try temporary.link("alice/sync.lock", to: temporary.at("outside").string)
        await #expect(throws: refused) { try await state.acquireLock(catalogs: []) }
        #expect(throws: refused) { try state.lockHolder() }
        #expect(temporary.read("outside") == "mine")
    }
}
