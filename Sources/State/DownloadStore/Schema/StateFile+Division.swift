import Foundation
import GRDB
import TextFormats

/// Taking rows over from another state of this version, course by course, and forgetting a library's rows. The other
/// file may contain anything that its schema allows.
extension StateFile {
    /// The tables that name a course in each row, with that column. A new table of courses belongs here:
    /// `StateDivisionTests` compares the list with the schema.
    static let tablesOfCourses = [
        "courses": "id", "chapters": "course", "metadata": "course", "metadata_courses": "course",
        "listings": "course", "listed_chapters": "course", "listed_videos": "course", "migrations": "course",
    ]

    /// The ids of all courses that the state has something of.
    func courseIDs() throws(StoreError) -> Set<String> {
        try read { db in
            let tables = Self.tablesOfCourses.merging(["downloads": "course"]) { one, _ in one }
            let parts = tables.map { "SELECT \($1) FROM \($0) WHERE \($1) IS NOT NULL" }
            return try Set(String.fetchAll(db, sql: parts.joined(separator: " UNION ")))
        }
    }

    /// Takes over all rows of these courses from the state in another file, in one transaction. Downloads get new ids,
    /// in the same order; a row that this state has already stays, but gets a cover that it lacks, and of two listings
    /// the newer one counts. Returns the new ids of `wanted` ones.
    func takeOver(
        _ courses: Set<String>, from other: String, ids wanted: Set<Int64>,
        where isOwn: (@Sendable (String, String) -> Bool)?
    ) throws(StoreError) -> [Int64: Int64] {
        try attached(other) { db in
            db.add(function: Self.isOwnVideo(isOwn ?? { _, _ in true }))
            try db.execute(
                sql: """
                    CREATE TEMP TABLE own (id TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
                    CREATE TEMP TABLE ids (old INTEGER PRIMARY KEY NOT NULL, new INTEGER NOT NULL);
                    """)
            defer { try? db.execute(sql: "DROP TABLE temp.own; DROP TABLE temp.ids") }
            return try Self.inTransaction(db) {
                for course in courses { try db.run("INSERT INTO own VALUES (?)", [course]) }
                for (table, column) in Self.tablesOfCourses where !Self.tablesOfListings.contains(table) {
                    try db.execute(
                        sql: """
                            INSERT OR IGNORE INTO main.\(table) SELECT * FROM source.\(table)
                            WHERE \(column) IN (SELECT id FROM own)
                            """)
                }
                try Self.takeNewerListings(db, where: "course IN (SELECT id FROM own)")
                try Self.takeCovers(db)
                try Self.takeDownloads(db)
                var ids: [Int64: Int64] = [:]
                for row in try Row.fetchAll(db, sql: "SELECT old, new FROM ids").map(StoredRow.init) {
                    guard let old = row.integer("old"), let new = row.integer("new") else { continue }
                    if wanted.contains(old) { ids[old] = new }
                }
                return ids
            }
        }
    }

    /// Of several states with a course one has its cover, and those of its chapters.
    private static func takeCovers(_ db: Database) throws {
        for (table, isSame) in [
            ("courses", "source.courses.id = main.courses.id"),
            ("chapters", "source.chapters.course = main.chapters.course AND source.chapters.id = main.chapters.id"),
        ] {
            let found = "FROM source.\(table) WHERE \(isSame) AND source.\(table).cover_path IS NOT NULL"
            let columns = cover.map { "\($0) = (SELECT \($0) \(found))" }.joined(separator: ", ")
            try db.execute(
                sql: """
                    UPDATE main.\(table) SET \(columns) WHERE cover_path IS NULL AND EXISTS (SELECT 1 \(found))
                    """)
        }
    }

    private static let cover = ["cover", "cover_path", "cover_size", "cover_modified"]

    private static func isOwnVideo(_ isOwn: @escaping @Sendable (String, String) -> Bool) -> DatabaseFunction {
        DatabaseFunction("is_own", argumentCount: 2, pure: true) { values in
            guard let course = String.fromDatabaseValue(values[0]), let video = String.fromDatabaseValue(values[1])
            else { return false }
            return isOwn(course, video)
        }
    }

    func forgetWhole(_ courses: Set<String>) throws(StoreError) {
        try write { db in
            let empty = Self.cover.map { "\($0) = NULL" }.joined(separator: ", ")
            for course in courses {
                try db.run("UPDATE courses SET \(empty) WHERE id = ?", [course])
                try db.run("UPDATE chapters SET \(empty) WHERE course = ?", [course])
            }
            for table in ["metadata", "metadata_courses"] { try db.execute(sql: "DELETE FROM \(table)") }
        }
    }

    private static func takeDownloads(_ db: Database) throws {
        let columns = try Self.columns(of: "downloads", db).filter { $0 != "id" }.joined(separator: ", ")
        try db.execute(
            sql: """
                INSERT INTO ids SELECT id, row_number() OVER (ORDER BY id)
                        + (SELECT coalesce(max(id), 0) FROM main.downloads)
                    FROM source.downloads WHERE course IN (SELECT id FROM own) AND is_own(course, video)
                        AND NOT EXISTS (SELECT 1 FROM main.downloads AS there
                            WHERE there.course = downloads.course AND there.video = downloads.video);
                INSERT INTO main.downloads (id, \(columns))
                    SELECT new, \(columns) FROM source.downloads JOIN ids ON old = id ORDER BY new;
                """)
        for table in ["sidecars", "parts"] {
            let columns = try Self.columns(of: table, db).filter { $0 != "download" }
            // The name of a partial begins with the id of its download.
            let values = columns.map { $0 == "partial" ? "new || substr(partial, instr(partial, '.'))" : $0 }
            try db.execute(
                sql: """
                    INSERT INTO main.\(table) (download, \(columns.joined(separator: ", ")))
                        SELECT new, \(values.joined(separator: ", ")) FROM source.\(table) JOIN ids ON old = download
                    """)
        }
        try takeMoves(db)
    }

    /// Moves that have failed and are to be made again.
    private static func takeMoves(_ db: Database) throws {
        for row in try Row.fetchAll(db, sql: "SELECT * FROM source.moves WHERE is_put_off = 1").map(StoredRow.init) {
            guard let id = row.text("id"), let from = row.text("from_path"), let to = row.text("to_path"),
                let text = row.text("owner"),
                let owner = try? JSONReader.decode(RecordedMove.Owner.self, from: text.utf8),
                let new = try owner.takenOver(db)
            else { continue }
            let written = String(decoding: try JSONEncoder().encode(new), as: UTF8.self)
            try db.run("INSERT OR IGNORE INTO main.moves VALUES (?, ?, ?, ?, 1)", [id, from, to, written])
        }
    }

    /// Takes over what belongs to courses, and the names and numbers of downloads, without anything about files.
    func takeOverNames(from other: String) throws(StoreError) {
        let names = """
            course, video, chapter, title, position, ordinal, provider, source, priority, extras, stem, expected_size,
            expected_sha256, updated_at, is_gone, number, number_in_course, keeps_number, given_title
            """
        try attached(other) { db in
            try Self.inTransaction(db) {
                for table in Self.tablesOfCourses.keys.sorted() where !Self.tablesOfListings.contains(table) {
                    try db.execute(sql: "INSERT OR IGNORE INTO main.\(table) SELECT * FROM source.\(table)")
                }
                try Self.takeNewerListings(db)
                try db.execute(
                    sql: """
                        INSERT OR IGNORE INTO main.downloads (state, \(names))
                            SELECT 'waiting', \(names) FROM source.downloads ORDER BY id;
                        UPDATE main.courses SET cover = NULL, cover_path = NULL, cover_size = NULL,
                            cover_modified = NULL;
                        UPDATE main.chapters SET cover = NULL, cover_path = NULL, cover_size = NULL,
                            cover_modified = NULL;
                        """)
            }
        }
    }

    /// Takes listings that are newer than the own ones.
    func takeNewerListings(from other: String) throws(StoreError) {
        try attached(other) { db in try Self.inTransaction(db) { try Self.takeNewerListings(db) } }
    }

    /// A listing is that of one state as a whole.
    private static func takeNewerListings(_ db: Database, where isWanted: String = "true") throws {
        try db.execute(
            sql: """
                CREATE TEMP TABLE newer AS SELECT course FROM source.listings AS theirs WHERE \(isWanted)
                    AND asked_at > coalesce(
                        (SELECT asked_at FROM main.listings AS ours WHERE ours.course = theirs.course), -1)
                """)
        defer { try? db.execute(sql: "DROP TABLE temp.newer") }
        for table in tablesOfListings {
            try db.execute(
                sql: """
                    DELETE FROM main.\(table) WHERE course IN (SELECT course FROM newer);
                    INSERT INTO main.\(table) SELECT * FROM source.\(table)
                        WHERE course IN (SELECT course FROM newer);
                    """)
        }
    }

    private static let tablesOfListings = ["listings", "listed_chapters", "listed_videos"]

    /// Takes records of files that are made of a course's facts, so that each file is known that was written by either
    /// state.
    func takeMetadata(from other: String) throws(StoreError) {
        try attached(other) { db in
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO main.metadata SELECT * FROM source.metadata;
                    UPDATE main.metadata SET old_sha256 = theirs.sha256, old_size = theirs.size
                        FROM source.metadata AS theirs WHERE theirs.path = main.metadata.path
                            AND theirs.sha256 <> main.metadata.sha256 AND main.metadata.old_sha256 IS NULL;
                    """)
        }
    }

    /// Takes over what belongs to no course: the history of runs, which stays in the order of time, and records of
    /// `migrate` that became no video.
    func takeOverHistory(from other: String) throws(StoreError) {
        try attached(other) { db in
            try Self.inTransaction(db) {
                let columns = try Self.columns(of: "runs", db).filter { $0 != "id" }.joined(separator: ", ")
                try db.execute(
                    sql: """
                        INSERT OR IGNORE INTO main.migrations SELECT * FROM source.migrations WHERE course IS NULL;
                        CREATE TEMP TABLE history AS SELECT \(columns) FROM main.runs
                            UNION ALL SELECT \(columns) FROM source.runs;
                        DELETE FROM main.runs;
                        INSERT INTO main.runs (\(columns)) SELECT \(columns) FROM temp.history ORDER BY started_at;
                        DROP TABLE temp.history;
                        """)
            }
        }
    }

    /// Forgets what is in a library: all rows but facts, and those of the user's session and of requests.
    func forgetLibrary() throws(StoreError) {
        try write { db in
            let tables = ["sidecars", "parts", "downloads", "moves", "runs"] + Self.tablesOfCourses.keys
            for table in tables { try db.execute(sql: "DELETE FROM \(table)") }
        }
    }

    private static func columns(of table: String, _ db: Database) throws -> [String] {
        try db.columns(in: table).map(\.name)
    }

    private func attached<T>(_ other: String, _ body: (Database) throws -> T) throws(StoreError) -> T {
        try Self.attempt(path) {
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "ATTACH ? AS source", arguments: [other])
                defer { try? db.execute(sql: "DETACH source") }
                return try body(db)
            }
        }
    }

    private static func inTransaction<T>(_ db: Database, _ body: () throws -> T) throws -> T {
        var result: T?
        try db.inTransaction(.immediate) {
            result = try body()
            return .commit
        }
        guard let result else { throw StoreError.io(path: "", detail: "no transaction") }
        return result
    }
}

extension RecordedMove.Owner {
    /// The same owner in the state that takes over, by the temporary tables `own` and `ids`; nil if it isn't among
    /// them.
    fileprivate func takenOver(_ db: Database) throws -> Self? {
        func new(_ id: DownloadID) throws -> DownloadID? {
            try Int64.fetchOne(db, sql: "SELECT new FROM ids WHERE old = ?", arguments: [id.rawValue])
                .map { DownloadID(rawValue: $0) }
        }
        func isOwn(_ course: String) throws -> Bool {
            try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM own WHERE id = ?)", arguments: [course]) ?? false
        }
        return switch self {
        case .download(let id): try new(id).map { .download($0) }
        case .sidecar(let id, let kind, let name): try new(id).map { .sidecar(download: $0, kind: kind, name: name) }
        case .course(let id), .chapter(let id, _): try isOwn(id) ? self : nil
        }
    }
}
