package import Foundation
import GRDB

/// Everything that a sync found changed between catalogs, state and library. Written in one transaction.
package struct ReconcileChanges: Sendable {
    /// A download that the state doesn't know yet.
    package struct New: Sendable {
        /// At least ``DownloadStore/nextID()``, each given once.
        package var id: DownloadID
        /// Course and video.
        package var key: DownloadKey
        /// What the catalog says of it.
        package var fields: CatalogFields

        package init(id: DownloadID, key: DownloadKey, fields: CatalogFields) {
            self.id = id
            self.key = key
            self.fields = fields
        }
    }

    /// A download whose catalog entry reads differently now.
    package struct Updated: Sendable {
        /// Its id.
        package var id: DownloadID
        /// What the catalog says of it.
        package var fields: CatalogFields
        /// Its partial is of another source: it is forgotten, unless a SHA-256 decides at the end; or its file is no longer
        /// what is wanted.
        package var sourceChanged: Bool

        package init(id: DownloadID, fields: CatalogFields, sourceChanged: Bool) {
            self.id = id
            self.fields = fields
            self.sourceChanged = sourceChanged
        }
    }

    /// Courses that are new or read differently.
    package var courses: [CourseRecord] = []
    /// Chapters that are new or read differently.
    package var chapters: [ChapterRecord] = []
    /// Downloads that the state doesn't know yet.
    package var new: [New] = []
    /// Downloads whose entry reads differently.
    package var updated: [Updated] = []
    /// No longer in their catalogs.
    package var gone: [DownloadID] = []
    /// Finished, but their files are missing.
    package var lost: [DownloadID] = []
    /// Finished, but not what the catalog wants; their files stay until then.
    package var refetched: [DownloadID] = []
    /// Files that belong elsewhere now.
    package var moves: [RecordedMove] = []

    package init() {}

    /// Whether there is nothing to write.
    package var isEmpty: Bool {
        courses.isEmpty && chapters.isEmpty && new.isEmpty && updated.isEmpty && gone.isEmpty && lost.isEmpty
            && refetched.isEmpty && moves.isEmpty
    }
}

extension DownloadStore {
    /// Writes all of it, or nothing.
    package func apply(_ changes: ReconcileChanges, at now: Date = Date()) throws(StoreError) {
        guard !changes.isEmpty else { return }
        let time = now.timeIntervalSince1970
        try write { db in
            for id in changes.lost { try Self.apply(.lose(id), time, db) }
            for id in changes.refetched { try Self.apply(.refetch(id), time, db) }
            for course in changes.courses { try Self.save(course, db) }
            for chapter in changes.chapters { try Self.save(chapter, db) }
            for new in changes.new { try Self.insert(new, time, db) }
            for updated in changes.updated { try Self.update(updated, time, db) }
            for id in changes.gone {
                try Self.run("UPDATE downloads SET is_gone = 1, updated_at = ? WHERE id = ?", [time, id.rawValue], db)
            }
            for move in changes.moves {
                let owner = String(decoding: try JSONEncoder().encode(move.owner), as: UTF8.self)
                try Self.run("INSERT INTO moves VALUES (?, ?, ?, ?)", [move.id, move.from, move.to, owner], db)
            }
        }
    }

    private static func save(_ course: CourseRecord, _ db: Database) throws {
        try run(
            """
            INSERT INTO courses (id, file, ordinal, title, folder) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET file = excluded.file, ordinal = excluded.ordinal,
                title = excluded.title, folder = excluded.folder
            """, [course.id, course.file, course.ordinal, course.title, course.folder], db)
    }

    private static func save(_ chapter: ChapterRecord, _ db: Database) throws {
        try run(
            """
            INSERT INTO chapters (course, id, title, position, folder) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (course, id) DO UPDATE SET title = excluded.title, position = excluded.position,
                folder = excluded.folder
            """, [chapter.course, chapter.id, chapter.title, chapter.position, chapter.folder], db)
    }

    private static func insert(_ new: ReconcileChanges.New, _ now: Double, _ db: Database) throws {
        let fields = new.fields
        try run(
            """
            INSERT INTO downloads (id, course, video, chapter, title, position, ordinal, provider, source, priority, extras,
                stem, expected_size, expected_sha256, state, updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?)
            """, [new.id.rawValue, new.key.course, new.key.video] + values(fields) + [now], db)
    }

    private static func update(_ updated: ReconcileChanges.Updated, _ now: Double, _ db: Database) throws {
        try run(
            """
            UPDATE downloads SET chapter = ?, title = ?, position = ?, ordinal = ?, provider = ?, source = ?,
                priority = ?, extras = ?, stem = ?, expected_size = ?, expected_sha256 = ?, updated_at = ?, is_gone = 0
            WHERE id = ?
            """, values(updated.fields) + [now, updated.id.rawValue], db)
        if updated.sourceChanged {
            // A new source is a new chance: what made the old one fail says nothing about it. Nor do the old one's
            // validators say anything about its bytes: only a checksum does.
            try run(
                """
                UPDATE downloads SET retry_at = NULL, failed_runs = 0, start_overs = 0, validator_failures = 0,
                    ranges_given_up = 0,
                    durable_bytes = iif(stream IS NULL AND expected_sha256 IS NOT NULL, durable_bytes, 0),
                    total_bytes = NULL, etag = NULL, last_modified = NULL, media_type = NULL, high_water = 0,
                    stream = NULL
                WHERE id = ? AND state <> 'finished'
                """, [updated.id.rawValue], db)
            let state = try String.fetchOne(
                db, sql: "SELECT state FROM downloads WHERE id = ?", arguments: [updated.id.rawValue])
            if state == DownloadState.failed.rawValue { try move(updated.id, .revive, "", [], now, db) }
        }
    }

    private static func values(_ fields: CatalogFields) -> [(any DatabaseValueConvertible)?] {
        [
            fields.chapter, fields.title, fields.position, fields.ordinal, fields.provider, fields.source.data,
            fields.priority, fields.extras?.data, fields.stem, fields.expectedSize,
            fields.expectedSHA256?.data,
        ]
    }

    /// The moves that an earlier run recorded and didn't finish.
    package func recordedMoves() throws(StoreError) -> [RecordedMove] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM moves").map(StoredRow.init).map { row in
                // Without it nobody can tell which file is where.
                guard let id = row.text("id"), let from = row.text("from_path"), let to = row.text("to_path"),
                    let text = row.text("owner"),
                    let owner = try? JSONDecoder().decode(RecordedMove.Owner.self, from: Data(text.utf8))
                else { throw DamagedRow(what: "a move that is under way can't be read") }
                return RecordedMove(id: id, from: from, to: to, owner: owner)
            }
        }
    }

    /// Records where the moved files are now and forgets the plan, in one transaction; for when all of it is durable.
    package func finishMoves(_ places: [(owner: RecordedMove.Owner, path: String)]) throws(StoreError) {
        try write { db in
            for (owner, path) in places {
                switch owner {
                case .download(let id):
                    try Self.run("UPDATE downloads SET path = ? WHERE id = ?", [path, id.rawValue], db)
                case .sidecar(let id, let kind, let name):
                    try Self.run(
                        "UPDATE sidecars SET path = ? WHERE download = ? AND kind = ? AND name = ?",
                        [path, id.rawValue, kind, name], db)
                case .course(let id): try Self.run("UPDATE courses SET cover_path = ? WHERE id = ?", [path, id], db)
                case .chapter(let course, let id):
                    try Self.run(
                        "UPDATE chapters SET cover_path = ? WHERE course = ? AND id = ?", [path, course, id], db)
                }
            }
            try db.execute(sql: "DELETE FROM moves")
        }
    }

    /// Makes the courses of a catalog file gone. Returns how many downloads that marked.
    package func forget(file: String) throws(StoreError) -> Int {
        try write { db in
            try db.execute(
                sql: """
                    UPDATE downloads SET is_gone = 1
                    WHERE is_gone = 0 AND course IN (SELECT id FROM courses WHERE file = ?)
                    """, arguments: [file])
            let count = db.changesCount
            // They belong to no file any more: any catalog may take them over.
            try db.execute(sql: "UPDATE courses SET file = '' WHERE file = ?", arguments: [file])
            return count
        }
    }
}

extension DownloadStore {
    /// The first id that no download has or ever had.
    package func nextID() throws(StoreError) -> Int64 {
        try read { db in
            (try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'downloads'") ?? 0) + 1
        }
    }
}
