import Foundation
import GRDB
import Testing

@testable import DownloadStore

@Suite("Notes of runs that found nothing to do")
struct IdleTableTests {
    private let fixture = StoreFixture()
    private let subject = Data([1])
    private let other = Data([2])

    private func noted() throws -> DownloadStore {
        let store = try fixture.open()
        _ = try StoreFixture.add(2, to: store)
        for subject in [subject, other] {
            try store.idle.begin(about: subject)
            try store.idle.end(Data([7]), about: subject)
        }
        return store
    }

    @Test("a note is kept until it is begun again, also while runs come and go and are asked for something")
    func kept() throws {
        let store = try noted()
        let run = try store.runs.begin(catalogs: ["c"])
        try store.facts.set("waits", "[]")
        try store.runs.end(run, RunEnd())
        _ = try store.runs.begin(catalogs: ["c"])
        _ = try store.requests.add("pause")
        try store.requests.clear()
        #expect(try store.idle.note(about: subject) == Data([7]))
        try store.idle.begin(about: subject)
        #expect(try store.idle.note(about: subject) == nil)
        #expect(try store.idle.note(about: other) == Data([7]))
    }

    @Test("a note that was begun before a row changed isn't written")
    func begun() throws {
        let store = try noted()
        try store.idle.begin(about: subject)
        try store.facts.set("library_path", "/elsewhere")
        try store.idle.end(Data([8]), about: subject)
        #expect(try store.idle.note(about: subject) == nil)
        #expect(try store.idle.note(about: other) == nil)
    }

    @Test("sixteen notes are kept, the newest ones; a long one isn't")
    func bounded() throws {
        let store = try fixture.open()
        for number in UInt8(1)...20 {
            try store.idle.begin(about: Data([number]))
            try store.idle.end(Data([number]), about: Data([number]))
        }
        let kept = try (UInt8(1)...20).filter { try store.idle.note(about: Data([$0])) != nil }
        #expect(kept == Array(5...20))
        try store.idle.begin(about: subject)
        try store.idle.end(Data(count: IdleTable.longest + 1), about: subject)
        #expect(try store.idle.note(about: subject) == nil)
    }

    @Test("a change of a row drops all notes, in every table but those of runs, requests and notes")
    func triggers() throws {
        let store = try noted()
        store.close()
        let file = try DatabaseQueue(path: fixture.path)
        let free: Set = ["runs", "requests", "idle", "grdb_migrations", "sqlite_sequence"]
        let (tables, triggers) = try file.read { db in
            (
                try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table'"),
                try String.fetchAll(db, sql: "SELECT name FROM sqlite_schema WHERE type = 'trigger'")
            )
        }
        let wanted = tables.filter { !free.contains($0) }.flatMap { table in
            ["insert", "update", "delete"].map { "idle_after_\($0)_of_\(table)" }
        }
        #expect(Set(triggers) == Set(wanted))
        // Another program, which knows nothing of notes.
        try file.write { try $0.execute(sql: "UPDATE downloads SET title = title WHERE video = 'v2'") }
        #expect(try file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM idle") } == 0)
    }

    @Test("a state of version 19 keeps its rows, and has no notes")
    func migrated() throws {
        do {
            let file = try DatabaseQueue(path: fixture.path)
            try Schema.migrator.migrate(file, upTo: "19")
            try file.write { try $0.execute(sql: "INSERT INTO facts VALUES ('library', 'x')") }
            try file.close()
        }
        #expect(throws: StoreError.self) { try fixture.open(.client) }
        let store = try fixture.open()
        #expect(try store.facts.value("library") == "x")
        try store.idle.begin(about: subject)
        try store.idle.end(Data([1]), about: subject)
        #expect(try store.idle.note(about: subject) == Data([1]))
        #expect(DownloadStore.isSound(fixture.path))
    }

    @Test("two folders whose names are one in another normal form are two")
    func folders() throws {
        let store = try noted()
        let names = ["U\u{308}", "\u{DC}"]
        for (number, name) in names.enumerated() {
            var changes = ReconcileChanges()
            changes.courses = [
                CourseRecord(id: "d\(number)", file: "/c.yaml", ordinal: 0, title: name, folder: name)
            ]
            try store.catalogs.apply(changes)
        }
        let found = try store.idle.folders(of: ["d0", "d1"])
        #expect(found.map { Array($0.utf8) } == (([""] + names).map { Array($0.utf8) }))
    }
}
