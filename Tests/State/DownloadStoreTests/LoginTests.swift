import FileSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import DownloadStore

@Suite("effects of a login on the store")
struct LoginTests {
    @Test("downloads suspended for a login at this provider wait again; nothing else changes")
    func resumed() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        let ids = try StoreFixture.add(5, to: store)
        try store.write([
            .suspend(ids[0], .auth), .suspend(ids[1], .logout), .steer(ids[2], .pause), .suspend(ids[3], .auth),
            .steer(ids[3], .pause),
        ])
        #expect(try store.downloads.resume(ofProvider: "other") == 0)
        #expect(try store.downloads.resume(ofProvider: "direct") == 1)
        let records = try store.downloads.records(ids)
        #expect(records.map(\.state) == [.waiting, .suspended, .paused, .paused, .waiting])
        #expect(records.map(\.reason) == [nil, .logout, nil, nil, nil])
        #expect(try store.downloads.counts() == [.waiting: 2, .suspended: 1, .paused: 2])
        #expect(try DownloadStore.empty().downloads.counts() == [:])
    }

    @Test("a logout at a provider by somebody who never logged in leaves the session as it was")
    func loggedOutFirst() throws {
        let store = try DownloadStore.empty()
        _ = try store.sessions.close(ofProvider: "p")
        let session = try #require(try store.sessions.current())
        #expect(session.isOpen && session.closedGeneration == 0 && session.changedAt > .distantPast)
    }

    @Test("the state and SQLite's files beside it are closed to others, even if they weren't before")
    func permissions() throws {
        let fixture = StoreFixture()
        func modes() throws -> [Int] {
            try ["state.sqlite", "state.sqlite-wal", "state.sqlite-shm"].map { name in
                let facts = try FileManager.default.attributesOfItem(atPath: fixture.folder.at(name).string)
                return facts[.posixPermissions] as? Int ?? 0
            }
        }
        let store = try fixture.open()
        _ = try store.sessions.open()
        #expect(try modes() == [0o600, 0o600, 0o600])
        store.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: fixture.path)
        let again = try fixture.open()
        _ = try again.sessions.open()
        #expect(try modes() == [0o600, 0o600, 0o600])
        again.close()
    }

    @Test("a login that began before a logout doesn't undo it")
    func lateLogin() throws {
        let store = try StoreFixture().open()
        let before = try store.sessions.open()
        let open = try #require(try store.sessions.open(provider: "p", since: before.generation))
        #expect(open.isOpen)
        // A whole second: any other instant may come back from the store with another last bit.
        let closed = try store.sessions.close(at: Date(timeIntervalSince1970: 1_795_215_600))
        #expect(try store.sessions.open(provider: "p", since: open.generation) == nil)
        #expect(try store.sessions.current() == closed)
        #expect(try store.sessions.open(provider: "p", since: closed.generation)?.isOpen == true)
    }

    @Test("a login that began before a logout at its provider, or before another login there, doesn't undo it")
    func lateLoginOfProvider() throws {
        let store = try StoreFixture().open()
        let before = try store.sessions.open()
        let closed = try store.sessions.close(ofProvider: "p")
        #expect(try store.sessions.open(provider: "p", since: before.generation) == nil)
        #expect(try store.sessions.open(provider: "q", since: before.generation)?.isOpen == true)
        let again = try #require(try store.sessions.open(provider: "p", since: closed.generation))
        #expect(try store.sessions.open(provider: "p", since: closed.generation) == nil)
        #expect(try store.sessions.open(provider: "p", since: again.generation) != nil)
    }

    @Test("a logout of a logged-out user still invalidates a login that has begun")
    func logoutTwice() throws {
        let store = try StoreFixture().open()
        let first = try store.sessions.close(at: Date(timeIntervalSince1970: 1_795_215_600))
        let second = try store.sessions.close(at: Date(timeIntervalSince1970: 1_795_215_700))
        #expect(second.changedAt == first.changedAt)
        #expect(try store.sessions.open(provider: "p", since: first.generation) == nil)
        #expect(try store.sessions.current()?.isOpen == false)
    }

    @Test("WAL only on file systems known to be local, by the common list")
    func journal() {
        #expect(StateFile.journal(on: .local) == "WAL")
        for kind in [FileSystemKind.network("9p"), .network("ceph"), .network("vboxsf"), .unknown(7)] {
            #expect(StateFile.journal(on: kind) == "TRUNCATE")
        }
    }
}
