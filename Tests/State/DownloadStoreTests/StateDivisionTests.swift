import FileSystem
import Foundation
import GRDB
import SystemPackage
import TestSupport
import Testing

@testable import DownloadStore

@Suite("states that are divided anew")
struct StateDivisionTests {
    let temporary = TemporaryFolder()

    private func store(_ name: String) throws -> DownloadStore {
        try DownloadStore(path: temporary.at(name + ".sqlite").string, role: .holder)
    }

    /// Two downloads in each of these courses, one of them with a sidecar and a move that has failed.
    private func fill(_ store: DownloadStore, _ courses: [String]) throws {
        var changes = ReconcileChanges()
        let first = try store.downloads.nextID()
        changes.courses = courses.map { CourseRecord(id: $0, file: "/c.yaml", ordinal: 0, title: $0, folder: $0) }
        for (number, course) in courses.enumerated() {
            for video in 0..<2 {
                changes.new.append(
                    .init(
                        id: DownloadID(rawValue: first + Int64(2 * number + video)),
                        key: DownloadKey(course: course, video: "v\(video)"), fields: StoreFixture.fields()))
            }
        }
        try store.catalogs.apply(changes)
        for new in changes.new where new.key.video == "v1" {
            let path = new.key.course + "/file.mp4"
            try store.write([
                .adopt(new.id, StoredFile(path: path, size: 9, modified: 7, sha256: [1], source: [1])),
                .sidecar(
                    .stored(
                        SidecarRecord(
                            download: new.id, kind: .subtitle, name: "en", path: path + ".vtt", size: 1, modified: 2))),
            ])
            let move = RecordedMove(id: "m-\(new.key.course)", from: path, to: path + "2", owner: .download(new.id))
            try store.moves.finish([], again: [move])
        }
    }

    @Test("the rows of some courses are taken over under new ids, with all that belongs to them")
    func takenOver() throws {
        let (one, other, target) = (try store("one"), try store("other"), try store("target"))
        try fill(one, ["a", "b"])
        try fill(other, ["c", "d"])
        #expect(try one.courseIDs() == ["a", "b"])
        let ids = try target.takeOver(["b"], from: one.path, ids: [1, 2, 3, 4])
        #expect(ids == [3: 1, 4: 2])
        #expect(try target.takeOver(["c", "x"], from: other.path, ids: [2]) == [2: 4])
        #expect(try target.courseIDs() == ["b", "c"])
        let rows = try target.downloads.records((1...4).map { DownloadID(rawValue: $0) })
        #expect(rows.map { $0.key.course + $0.key.video } == ["bv0", "bv1", "cv0", "cv1"])
        #expect(rows.map { $0.file?.path } == [nil, "b/file.mp4", nil, "c/file.mp4"])
        let beside = try target.sidecars.files(of: [2, 4].map { DownloadID(rawValue: $0) })
        #expect(beside.map(\.path).sorted() == ["b/file.mp4.vtt", "c/file.mp4.vtt"])
        #expect(
            try target.moves.putOff().map(\.owner) == [2, 4].map { .download(DownloadID(rawValue: $0)) })
        // Again: what is there stays as it is.
        #expect(try target.takeOver(["b"], from: one.path, ids: [3]) == [:])
        #expect(try target.downloads.counts().values.reduce(0, +) == 4)
        #expect(try target.downloads.nextID() == 5)
    }

    @Test("the history of all states is one, in the order of time")
    func history() throws {
        let (one, other, target) = (try store("one"), try store("other"), try store("target"))
        for (store, times) in [(one, [30.0, 50]), (other, [10, 40])] {
            for time in times { _ = try store.runs.begin(catalogs: [], at: Date(timeIntervalSince1970: time)) }
        }
        for source in [one, other] { try target.takeOverHistory(from: source.path) }
        #expect(try target.runs.newest(9).map(\.startedAt.timeIntervalSince1970) == [50, 40, 30, 10])
    }

    @Test("a state that forgets what is in its library still knows which one that is, and the session")
    func forgotten() throws {
        let store = try store("one")
        try fill(store, ["a"])
        try store.facts.set("library", "x")
        let session = try store.sessions.open(at: Date())
        try store.forgetLibrary()
        #expect(try store.courseIDs().isEmpty)
        #expect(try store.facts.value("library") == "x")
        #expect(try store.sessions.current()?.generation == session.generation)
    }

    @Test("of the videos of a course some are taken over, and a cover comes from the state that has it")
    func someVideos() throws {
        let (one, other, target) = (try store("one"), try store("other"), try store("target"))
        try fill(one, ["a"])
        try fill(other, ["a"])
        let file = StoredFile(path: "a/cover.png", size: 5, modified: 6, sha256: nil, source: [])
        try other.write([.courseCover("a", [7], file)])
        for source in [one, other] {
            _ = try target.takeOver(["a"], from: source.path, ids: []) { course, video in "\(course)\(video)" == "av1" }
        }
        #expect(try target.downloads.records([1, 2].map { DownloadID(rawValue: $0) }).map(\.key.video) == ["v1"])
        #expect(try target.catalogs.courses()["a"]?.coverFile?.path == "a/cover.png")
        try target.forgetWhole(["a"])
        #expect(try target.catalogs.courses()["a"]?.coverFile == nil)
    }

    @Test("a register takes over names, and nothing about files")
    func names() throws {
        let (one, register) = (try store("one"), try store("register"))
        try fill(one, ["a", "b"])
        try register.takeOverNames(from: one.path)
        try register.takeOverNames(from: one.path)
        let rows = try register.downloads.records((1...4).map { DownloadID(rawValue: $0) })
        #expect(rows.map { $0.key.course + $0.key.video } == ["av0", "av1", "bv0", "bv1"])
        #expect(rows.allSatisfy { $0.file == nil && $0.state == .waiting && $0.catalog == StoreFixture.fields() })
        #expect(try register.sidecars.files(of: rows.map(\.id)).isEmpty)
        #expect(try register.catalogs.courses().keys.sorted() == ["a", "b"])
    }

    @Test("every table is taken over, or known as one that isn't")
    func tables() throws {
        let queue = try DatabaseQueue()
        try Schema.migrator.migrate(queue)
        let tables = try queue.read { db in
            try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
        }
        let others = [
            "downloads", "sidecars", "parts", "moves", "runs", "facts", "session", "provider_sessions", "requests",
            "idle", "grdb_migrations",
        ]
        #expect(Set(tables) == Set(others).union(StateFile.tablesOfCourses.keys))
    }
}
