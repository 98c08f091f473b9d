import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

@testable import DownloadStore

@Suite("copies of a state")
struct StateCopyTests {
    let temporary = TemporaryFolder()

    private func path(_ name: String) -> String { temporary.at(name).string }

    @Test("a copy has what was committed, is the account's alone, and is made while another connection writes")
    func copies() throws {
        let store = try DownloadStore(path: path("state.sqlite"), role: .holder)
        try store.facts.set("a", "1")
        let other = try DatabaseQueue(path: path("state.sqlite"))
        try other.inDatabase { db in
            try db.beginTransaction(.immediate)
            try db.execute(sql: "INSERT INTO facts VALUES ('b', '2')")
            try store.copy(to: path("copy.sqlite"))
            try db.commit()
        }
        let mode = try FileManager.default.attributesOfItem(atPath: path("copy.sqlite"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let copy = try DownloadStore(path: path("copy.sqlite"), role: .client)
        #expect(try copy.facts.value("a") == "1")
        #expect(try copy.facts.value("b") == nil)
        #expect(DownloadStore.isSound(path("copy.sqlite")))
    }

    @Test("a state of each version is sound, and can be opened", arguments: 1...Schema.version)
    func versions(_ version: Int) throws {
        let queue = try DatabaseQueue(path: path("old.sqlite"))
        // One after the other, as programs of each time have done.
        for step in 1...version { try Schema.migrator.migrate(queue, upTo: "\(step)") }
        try queue.close()
        #expect(DownloadStore.isSound(path("old.sqlite")))
        #expect(try DownloadStore(path: path("old.sqlite"), role: .holder).facts.value("library") == nil)
        #expect(DownloadStore.isSound(path("old.sqlite")))
    }

    @Test(
        "what a state of this program never has isn't sound",
        arguments: [
            "CREATE TRIGGER t AFTER INSERT ON facts BEGIN DELETE FROM downloads; END",
            "CREATE VIEW v AS SELECT 1", "CREATE TABLE more (a)", "CREATE INDEX more ON facts (value)",
            "ALTER TABLE facts ADD COLUMN more", "DROP TABLE facts", "PRAGMA user_version = 0",
            "PRAGMA user_version = 999", "DELETE FROM sqlite_schema WHERE name = 'facts'",
        ])
    func unsound(_ change: String) throws {
        _ = try DownloadStore(path: path("state.sqlite"), role: .holder)
        let queue = try DatabaseQueue(path: path("state.sqlite"))
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA writable_schema = ON")
            try db.execute(sql: change)
        }
        try queue.close()
        #expect(!DownloadStore.isSound(path("state.sqlite")))
    }

    @Test("what is no database isn't sound")
    func foreign() throws {
        for content in ["", "hello", String(repeating: "SQLite format 3\0", count: 1000)] {
            try Data(content.utf8).write(to: URL(filePath: path("f")))
            #expect(!DownloadStore.isSound(path("f")))
        }
        #expect(!DownloadStore.isSound(path("missing")))
    }
}
