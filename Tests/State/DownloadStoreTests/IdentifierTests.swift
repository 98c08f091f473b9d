import Foundation
import GRDB
import Testing

@testable import DownloadStore

@Suite("Spellings of ids")
struct IdentifierTests {
    private let fixture = StoreFixture()
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    @Test("a key has one spelling, whatever it was made from")
    func keys() {
        let key = DownloadKey(course: Self.decomposed, video: "\u{212A}")
        #expect(Array(key.course.utf8) == Array(Self.composed.utf8))
        #expect(Array(key.video.utf8) == Array("K".utf8))
    }

    /// A state of version 3 with what two spellings left behind.
    private func old(_ fill: (Database) throws -> Void) throws -> DownloadStore {
        let queue = try DatabaseQueue(path: fixture.path)
        try Schema.migrator.migrate(queue, upTo: "3")
        try queue.write(fill)
        try queue.close()
        return try fixture.open()
    }

    private func add(
        _ db: Database, _ id: Int64, _ course: String, _ video: String, chapter: String? = nil, _ state: DownloadState,
        bytes: Int64 = 0, path: String? = nil, isGone: Bool = false
    ) throws {
        try db.execute(
            sql: """
                INSERT INTO downloads (id, course, video, chapter, title, position, ordinal, provider, source, priority, stem,
                    state, durable_bytes, path, size, is_gone, updated_at)
                VALUES (?, ?, ?, ?, 'V', 1, 0, 'p', x'00', 0, 'C/01 V', ?, ?, ?, 9, ?, 0)
                """, arguments: [id, course, video, chapter, state.rawValue, bytes, path, isGone])
    }

    @Test("rows of two spellings become one: the finished one wins, and its sidecars stay known")
    func downloads() throws {
        let store = try old { db in
            try add(db, 1, "c", Self.decomposed, chapter: Self.decomposed, .waiting, bytes: 7)
            try add(db, 2, "c", Self.composed, .finished, path: "C/01 V.mp4", isGone: true)
            try add(db, 3, "c", "\u{212A}", .waiting, bytes: 5)
            try add(db, 4, "c", "K", .waiting, bytes: 6)
            try add(db, 5, "c", "plain", .paused, bytes: 8)
            try db.execute(sql: "INSERT INTO sidecars VALUES (1, 'subtitle', 'en', 'C/01 V.en.vtt', 3, 0)")
        }
        var records: [DownloadRecord] = []
        try store.downloads.each { records.append($0) }
        #expect(records.map(\.id.rawValue).sorted() == [2, 4, 5])
        let finished = try #require(try store.downloads.record(DownloadID(rawValue: 2)))
        #expect(finished.state == .finished && finished.file?.path == "C/01 V.mp4" && !finished.isGone)
        #expect(Array(finished.key.video.utf8) == Array(Self.composed.utf8))
        #expect(try store.sidecars.files(of: [finished.id]).map(\.path) == ["C/01 V.en.vtt"])
        #expect(try store.downloads.record(DownloadID(rawValue: 4))?.durableBytes == 6)
        #expect(try store.downloads.record(DownloadID(rawValue: 5))?.durableBytes == 8)
    }

    @Test(
        "two spellings with the same sidecars and parts don't stop the migration: those of the row that stays are kept")
    func downloadsWithFiles() throws {
        let store = try old { db in
            try add(db, 1, "c", Self.decomposed, .waiting, bytes: 7)
            try add(db, 2, "c", Self.composed, .finished, path: "C/01 V.mp4")
            for id in [1, 2] {
                for (kind, name) in [("subtitle", "en"), ("stream", "audio")] {
                    try db.execute(
                        sql: "INSERT INTO sidecars VALUES (?, ?, ?, ?, 3, 0)",
                        arguments: [id, kind, name, "C/\(id) \(kind)"])
                }
                try db.execute(
                    sql: "INSERT INTO parts VALUES (?, 'audio', 'en', 'p', ?, 3, 0, NULL)", arguments: [id, "C/\(id)"])
            }
        }
        let id = DownloadID(rawValue: 2)
        #expect(try store.sidecars.files(of: [id]).map(\.path) == ["C/2 stream", "C/2 subtitle"])
        #expect(try store.downloads.record(DownloadID(rawValue: 1)) == nil)
        #expect(try store.downloads.record(id)?.state == .finished)
    }

    @Test("courses, chapters and recorded moves of two spellings become one")
    func courses() throws {
        let store = try old { db in
            for (id, file) in [(Self.decomposed, ""), (Self.composed, "/c.yaml")] {
                try db.execute(
                    sql: "INSERT INTO courses (id, file, ordinal, title, folder) VALUES (?, ?, 0, 'C', 'C')",
                    arguments: [id, file])
                for chapter in [Self.composed, Self.decomposed] {
                    try db.execute(
                        sql: "INSERT INTO chapters (course, id, title, position, folder) VALUES (?, ?, 'T', 1, 'C/1')",
                        arguments: [id, chapter])
                }
            }
            let owner = try JSONEncoder().encode(RecordedMove.Owner.course(Self.decomposed))
            try db.execute(
                sql: "INSERT INTO moves VALUES ('m', 'a', 'b', ?)",
                arguments: [String(decoding: owner, as: UTF8.self)])
        }
        let courses = try store.catalogs.courses()
        #expect(courses.count == 1 && courses.values.first?.file == "/c.yaml")
        #expect(courses.keys.first.map { Array($0.utf8) } == Array(Self.composed.utf8))
        #expect(try store.catalogs.chapters().count == 1)
        guard case .course(let id) = try store.moves.recorded().first?.owner else {
            Issue.record("the move is lost")
            return
        }
        #expect(Array(id.utf8) == Array(Self.composed.utf8))
    }
}
