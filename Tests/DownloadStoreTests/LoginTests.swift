import DownloadStore
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("what a login changes in the store")
struct LoginTests {
    @Test("what waited for a login at this provider waits for its turn; nothing else changes")
    func resumed() throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        let ids = try StoreFixture.add(5, to: store)
        try store.write([
            .suspend(ids[0], .auth), .suspend(ids[1], .logout), .steer(ids[2], .pause), .suspend(ids[3], .auth),
            .steer(ids[3], .pause),
        ])
        #expect(try store.resumeDownloads(ofProvider: "other") == 0)
        #expect(try store.resumeDownloads(ofProvider: "direct") == 1)
        let records = try store.downloads(ids)
        #expect(records.map(\.state) == [.waiting, .suspended, .paused, .paused, .waiting])
        #expect(records.map(\.reason) == [nil, .logout, nil, nil, nil])
        #expect(try store.counts() == [.waiting: 2, .suspended: 1, .paused: 2])
        #expect(try DownloadStore.empty().counts() == [:])
    }

    @Test("the state and what SQLite puts beside it are closed to others, also if they weren't")
    func permissions() throws {
        let fixture = StoreFixture()
        func modes() throws -> [Int] {
            try ["state.sqlite", "state.sqlite-wal", "state.sqlite-shm"].map { name in
                let facts = try FileManager.default.attributesOfItem(atPath: fixture.folder.at(name).string)
                return facts[.posixPermissions] as? Int ?? 0
            }
        }
        let store = try fixture.open()
        _ = try store.openSession()
        #expect(try modes() == [0o600, 0o600, 0o600])
        store.close()
        try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: fixture.path)
        let again = try fixture.open()
        _ = try again.openSession()
        #expect(try modes() == [0o600, 0o600, 0o600])
        again.close()
    }

    @Test("a login that began before a logout doesn't undo it")
    func lateLogin() throws {
        let store = try StoreFixture().open()
        let before = try store.openSession()
        #expect(try store.openSession(provider: "p", since: before.closedGeneration)?.isOpen == true)
        // A whole second: any other instant may come back from the store with another last bit.
        let closed = try store.closeSession(at: Date(timeIntervalSince1970: 1_795_215_600))
        #expect(try store.openSession(provider: "p", since: before.closedGeneration) == nil)
        #expect(try store.session() == closed)
        #expect(try store.openSession(provider: "p", since: closed.closedGeneration)?.isOpen == true)
    }
}
