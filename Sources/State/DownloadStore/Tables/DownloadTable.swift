package import Foundation
import GRDB

/// The downloads: one row each.
package struct DownloadTable: Sendable {
    let file: StateFile

    /// The download with this id, or nil.
    package func record(_ id: DownloadID) throws(StoreError) -> DownloadRecord? { try records([id]).first }

    /// Those whose files ffmpeg has to join, in the order of their ids.
    package func toBeJoined() throws(StoreError) -> [DownloadRecord] {
        try file.read { db in
            let sql = """
                SELECT * FROM downloads WHERE joining IS NOT NULL AND state = 'finished' AND is_gone = 0 ORDER BY id
                """
            return try Row.fetchAll(db, sql: sql).map(DownloadRecord.init)
        }
    }

    /// The download of this video, or nil.
    package func record(_ key: DownloadKey) throws(StoreError) -> DownloadRecord? { try records(of: [key]).first }

    /// The downloads with these ids, in their order; unknown ids are left out.
    package func records(_ ids: [DownloadID]) throws(StoreError) -> [DownloadRecord] {
        try file.read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM downloads WHERE id = ?")
            return try ids.compactMap { try Self.record(statement, [$0.rawValue]) }
        }
    }

    /// The downloads of these videos, in their order; unknown ones are left out.
    package func records(of keys: [DownloadKey]) throws(StoreError) -> [DownloadRecord] {
        try file.read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM downloads WHERE course = ? AND video = ?")
            return try keys.compactMap { try Self.record(statement, [$0.course, $0.video]) }
        }
    }

    private static func record(_ statement: Statement, _ arguments: StatementArguments) throws -> DownloadRecord? {
        // A row of a cursor isn't copied, as that of fetchOne is, and is valid as long as the cursor is.
        let rows = try Row.fetchCursor(statement, arguments: arguments)
        return try withExtendedLifetime(rows) { try rows.next().map(DownloadRecord.init) }
    }

    /// Those of these downloads that the user has cancelled or removed.
    package func cancelled(of ids: [DownloadID]) throws(StoreError) -> Set<DownloadID> {
        try file.read { db in
            let sql = "SELECT EXISTS (SELECT 1 FROM downloads WHERE id = ? AND state = 'cancelled')"
            let statement = try db.cachedStatement(sql: sql)
            return Set(try ids.filter { try Bool.fetchOne(statement, arguments: [$0.rawValue]) ?? false })
        }
    }

    /// The titles that providers have given videos, by course and video.
    package func givenTitles() throws(StoreError) -> [String: [String: String]] {
        try file.read { db in
            let sql = "SELECT course, video, given_title FROM downloads WHERE given_title IS NOT NULL"
            var titles: [String: [String: String]] = [:]
            let rows = try Row.fetchCursor(db.cachedStatement(sql: sql))
            while let row = try rows.next().map(StoredRow.init) {
                guard let course = row.text("course"), let video = row.text("video") else { continue }
                titles[course, default: [:]][video] = row.text("given_title")
            }
            return titles
        }
    }

    /// Records titles that providers have given videos, by course and video.
    package func give(_ titles: [String: [String: String]]) throws(StoreError) {
        guard !titles.isEmpty else { return }
        let sql = "UPDATE downloads SET given_title = ?1 WHERE course = ?2 AND video = ?3 AND given_title IS NOT ?1"
        try file.write { db in
            for (course, videos) in titles {
                for (video, title) in videos { try db.run(sql, [title, course, video]) }
            }
        }
    }

    /// The courses with videos that are still called by their ids, although their providers have given them titles.
    package func coursesWithUnusedTitles() throws(StoreError) -> Set<String> {
        try file.read { db in
            let sql = """
                SELECT DISTINCT course FROM downloads
                WHERE given_title IS NOT NULL AND title = video AND given_title <> video
                """
            return Set(try String.fetchAll(db, sql: sql))
        }
    }

    /// Calls `body` with every download in the order of ids, which is nearly that of the catalogs.
    package func scan(_ body: (ScannedDownload) throws -> Void) throws(StoreError) {
        try file.read { db in
            try db.makeStatement(sql: ScannedDownload.sql).forEachRow { try body(ScannedDownload(row: $0)) }
        }
    }

    /// The number of downloads in each state, including those gone from their catalog.
    package func counts() throws(StoreError) -> [DownloadState: Int] {
        try file.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT state, count(*) AS number FROM downloads GROUP BY state")
            return rows.map(StoredRow.init).reduce(into: [:]) { counts, row in
                counts[DownloadState(stored: row.text("state")), default: 0] += row.count("number")
            }
        }
    }

    package func finishedCount() throws(StoreError) -> Int {
        try file.read { db in
            try Int.fetchOne(db, sql: "SELECT count(*) FROM downloads WHERE state = 'finished'") ?? 0
        }
    }

    /// Whether another download has a file at this path, or an old file that is to be replaced.
    package func hasOwner(of path: String, besides id: DownloadID) throws(StoreError) -> Bool {
        try file.read { db in
            try Bool.fetchOne(db, sql: Self.ownerQuery, arguments: ["path": path, "id": id.rawValue]) ?? false
        }
    }

    static let ownerQuery = """
        SELECT EXISTS (SELECT 1 FROM downloads WHERE id <> :id AND path = :path)
            OR EXISTS (SELECT 1 FROM downloads WHERE id <> :id AND old_path = :path)
            OR EXISTS (SELECT 1 FROM sidecars WHERE download <> :id AND path = :path)
        """

    /// The providers of downloads that are still in a catalog, sorted.
    package func providers() throws(StoreError) -> [String] {
        try file.read { db in
            try String.fetchAll(db, sql: "SELECT DISTINCT provider FROM downloads WHERE is_gone = 0 ORDER BY provider")
        }
    }

    /// The remaining bytes of known size, and the number of downloads of unknown size.
    package func remaining() throws(StoreError) -> (bytes: ByteCount, unknown: Int) {
        try file.read { db in
            let sql = """
                WITH sizes AS (
                    SELECT *, iif(coalesce(total_bytes, expected_size) BETWEEN 0 AND \(ByteCount.largestFile),
                        coalesce(total_bytes, expected_size), NULL) AS whole
                    FROM downloads)
                -- total() is a real number: a sum of integers that overflows is an error.
                SELECT CAST(total(max(0, whole - durable_bytes)) AS INTEGER), count(*) FILTER (WHERE whole IS NULL)
                FROM sizes
                WHERE is_gone = 0 AND (state IN ('waiting', 'active', 'suspended')
                    OR (state = 'failed' AND retry_at IS NOT NULL))
                """
            guard let row = try Row.fetchOne(db, sql: sql) else { return (0, 0) }
            return (ByteCount(row[0]), row[1])
        }
    }

    /// The first id that was never used.
    package func nextID() throws(StoreError) -> Int64 {
        try file.read { db in
            (try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'downloads'") ?? 0) + 1
        }
    }

    /// Makes downloads wait again that were suspended because their provider required a login. Under the user's lock.
    ///
    /// Returns their number.
    @discardableResult
    package func resume(ofProvider provider: String, at now: Date = Date()) throws(StoreError) -> Int {
        try file.write { db in
            let sql = "SELECT id FROM downloads WHERE state = 'suspended' AND reason = 'auth' AND provider = ?"
            let ids = try Int64.fetchAll(db, sql: sql, arguments: [provider])
            let writer = ChangeWriter(db, at: now)
            for id in ids { try writer.apply(.steer(DownloadID(rawValue: id), .resume)) }
            return ids.count
        }
    }

    /// Finished downloads that haven't been announced yet, course by course in order.
    package func unannounced() throws(StoreError) -> [DownloadRecord] {
        try file.read { db in
            let sql = """
                SELECT * FROM downloads INDEXED BY downloads_unannounced
                WHERE announced = 0 AND state = 'finished' AND is_gone = 0 ORDER BY course, ordinal, id
                """
            return try Row.fetchAll(db, sql: sql).map(DownloadRecord.init)
        }
    }

    /// Marks all finished downloads as announced. Writes nothing if they are already.
    package func announceAll() throws(StoreError) {
        let isOpen = try file.read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM downloads INDEXED BY downloads_unannounced
                        WHERE announced = 0 AND state = 'finished')
                    """) ?? false
        }
        guard isOpen else { return }
        try file.write { db in
            try db.run("UPDATE downloads SET announced = 1 WHERE announced = 0 AND state = 'finished'", [])
        }
    }

    /// Marks these as announced.
    package func announce(_ ids: [DownloadID]) throws(StoreError) {
        guard !ids.isEmpty else { return }
        try file.write { db in
            for id in ids { try db.run("UPDATE downloads SET announced = 1 WHERE id = ?", [id.rawValue]) }
        }
    }

    /// Deletes rows of downloads whose files have been deleted, with the moves that were put off.
    package func delete(_ ids: [DownloadID]) throws(StoreError) {
        guard !ids.isEmpty else { return }
        try file.write { db in
            for id in ids { try db.run("DELETE FROM downloads WHERE id = ?", [id.rawValue]) }
            try MoveTable.dropOrphans(db)
        }
    }

    /// Forgets downloads; their files stay.
    package func delete(_ keys: [DownloadKey]) throws(StoreError) {
        guard !keys.isEmpty else { return }
        try file.write { db in
            let sql = "DELETE FROM downloads WHERE course = ? AND video = ?"
            for key in keys { try db.run(sql, [key.course, key.video]) }
        }
    }
}
