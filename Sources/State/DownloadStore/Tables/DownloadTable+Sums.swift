import GRDB

/// The queries of an overview of very many downloads: sums by SQLite, and the rows that need attention.
extension DownloadTable {
    /// Sums over the downloads of each chapter in each state, in no particular order.
    package func sums() throws(StoreError) -> [DownloadSums] {
        try file.read { db in
            let sql = """
                WITH sized AS (
                    SELECT course, chapter, state, is_gone, ordinal, source, file_source,
                        iif(state = 'finished', coalesce(size, 0), durable_bytes) AS done,
                        iif(iif(state = 'finished', size, coalesce(total_bytes, expected_size))
                            BETWEEN 0 AND \(ByteCount.largestFile),
                            iif(state = 'finished', size, coalesce(total_bytes, expected_size)), NULL) AS whole,
                        coalesce(iif(is_placing, old_size, size), 0) + iif(state = 'finished', 0, durable_bytes) AS disk
                    FROM downloads)
                -- total() is a real number: a sum of integers that overflows is an error.
                SELECT course, chapter, state, is_gone, count(*) AS number, total(done) AS done, total(whole) AS known,
                    count(whole) AS knowns, total(max(0, whole - done)) AS missing, total(disk) AS disk,
                    count(*) FILTER (WHERE state = 'finished' AND file_source IS NOT source) AS others,
                    min(ordinal) AS ordinal
                FROM sized GROUP BY course, chapter, state, is_gone
                """
            return try Row.fetchAll(db, sql: sql).map(StoredRow.init).map { row in
                DownloadSums(
                    course: row.text("course") ?? "", chapter: row.text("chapter"),
                    state: DownloadState(stored: row.text("state")), isGone: row.flag("is_gone"),
                    count: row.count("number"), doneBytes: row.total("done"), knownBytes: row.total("known"),
                    knownSizes: row.count("knowns"), missingBytes: row.total("missing"), diskBytes: row.total("disk"),
                    fromOtherSource: row.count("others"), ordinal: row.integer("ordinal") ?? 0)
            }
        }
    }

    /// The downloads that need attention, in catalog order, up to the limit: those neither finished nor merely waiting,
    /// and finished ones with missing sidecars.
    package func notable(atMost limit: Int) throws(StoreError) -> [DownloadID] {
        try file.read { db in
            let sql = """
                SELECT downloads.id FROM downloads LEFT JOIN courses ON courses.id = downloads.course
                WHERE is_gone = 0 AND (state NOT IN ('waiting', 'finished')
                    OR (state = 'waiting' AND error_kind IS NOT NULL)
                    OR (state = 'finished' AND downloads.id IN (SELECT download FROM sidecars WHERE state <> 'stored')))
                ORDER BY courses.file, courses.ordinal, downloads.course, downloads.ordinal, downloads.id LIMIT ?
                """
            return try Int64.fetchAll(db, sql: sql, arguments: [limit]).map(DownloadID.init)
        }
    }
}
