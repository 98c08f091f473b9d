import GRDB
import GRDBSQLite

/// What can be said of the state file itself, and sums over all of it.
extension DownloadStore {
    /// The version of SQLite that this program runs with.
    package static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

    /// The version of the schema that this program writes.
    package static var schemaVersion: Int { Schema.version }

    /// What is wrong with the file, at most ten things; none if SQLite finds nothing. Reads all of it.
    ///
    /// Related: PRAGMA quick_check, which leaves out only that indexes agree with their tables.
    package func damages() throws(StoreError) -> [String] {
        try read { db in try String.fetchAll(db, sql: "PRAGMA quick_check(10)").filter { $0 != "ok" } }
    }

    /// The providers that downloads need which are still in a catalog, sorted.
    package func providers() throws(StoreError) -> [String] {
        try read { db in
            try String.fetchAll(db, sql: "SELECT DISTINCT provider FROM downloads WHERE is_gone = 0 ORDER BY provider")
        }
    }

    /// Bytes of the files that came along with the videos of each course.
    package func sidecarBytes() throws(StoreError) -> [String: ByteCount] {
        try read { db in
            let sql = """
                SELECT course, CAST(total(sidecars.size) AS INTEGER) FROM sidecars JOIN downloads ON downloads.id = sidecars.download
                GROUP BY course
                """
            var bytes: [String: ByteCount] = [:]
            for row in try Row.fetchAll(db, sql: sql) { bytes[row[0]] = ByteCount(row[1]) }
            return bytes
        }
    }

    /// The paths of all files that came along, covers of courses and chapters among them, relative to the library.
    package func sidecarPaths() throws(StoreError) -> [String] {
        try read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT path FROM sidecars WHERE path IS NOT NULL UNION ALL SELECT cover_path FROM courses WHERE cover_path IS NOT NULL
                    UNION ALL SELECT cover_path FROM chapters WHERE cover_path IS NOT NULL
                    """)
        }
    }

    /// Bytes that are still to come, as far as sizes are known, and how many downloads have no known size.
    package func remaining() throws(StoreError) -> (bytes: ByteCount, unknown: Int) {
        try read { db in
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
}
