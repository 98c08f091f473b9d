package import Foundation
import GRDB

/// A run that is over, for the history.
package struct RunEnd: Sendable {
    /// Its exit code.
    package var exit: Int
    /// Finished in it.
    package var finished: Int
    /// Failed in it.
    package var failed: Int
    /// Bytes that are there.
    package var bytes: Int64

    package init(exit: Int, finished: Int, failed: Int, bytes: Int64) {
        self.exit = exit
        self.finished = finished
        self.failed = failed
        self.bytes = bytes
    }
}

/// A line of the `runs` history.
package struct RunRecord: Sendable {
    /// Its id.
    package var id: Int64
    /// When it began.
    package var startedAt: Date
    /// Nil while it runs, and for one that was killed.
    package var endedAt: Date?
    /// As they were given.
    package var catalogs: [String]
    /// How it ended; nil while it runs, and for one that was killed.
    package var end: RunEnd?
}

extension DownloadStore {
    /// Whether a process that ended left something to settle: active downloads, renames or moves under way.
    package func isUnsettled() throws(StoreError) -> Bool {
        try read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM downloads WHERE state = 'active' OR is_placing = 1)
                        OR EXISTS (SELECT 1 FROM moves)
                    """) ?? false
        }
    }

    /// Settles what an ended process left behind, under the user's lock: `active` becomes `suspended` (interrupted), and
    /// every `suspended` waits again; failed downloads whose time has come wait again too, and waiting ones
    /// that would wait longer than ``longestWait``. Returns the downloads whose
    /// rename was under way.
    package func recover(at now: Date = Date()) throws(StoreError) -> [DownloadRecord] {
        try write { db in
            let time = now.timeIntervalSince1970
            let active = try Int64.fetchAll(db, sql: "SELECT id FROM downloads WHERE state = 'active'")
            for id in active {
                try Self.move(DownloadID(rawValue: id), .suspend, "reason = 'interrupted'", [], time, db)
            }
            let due = try Int64.fetchAll(
                db,
                sql: """
                    SELECT id FROM downloads WHERE state = 'suspended'
                        OR (state = 'failed' AND retry_at IS NOT NULL AND retry_at <= ?)
                        OR (state = 'failed' AND is_placing = 1)
                        OR (state = 'waiting' AND retry_at IS NOT NULL AND (retry_at <= ? OR retry_at > ?))
                    """, arguments: [time, time, time + Self.longestWait])
            for id in due {
                try Self.move(
                    DownloadID(rawValue: id), .revive,
                    "reason = NULL, retry_at = NULL, " + Self.newChance, [], time, db)
            }
            return try Row.fetchAll(db, sql: "SELECT * FROM downloads WHERE is_placing = 1").map(DownloadRecord.init)
        }
    }

    /// A failed download gets all its attempts again; one that was only interrupted goes on counting.
    private static let newChance = """
        validator_failures = iif(state = 'failed', 0, validator_failures), start_overs = iif(state = 'failed', 0, start_overs)
        """

    /// Writes a new line of history and returns its number.
    package func beginRun(catalogs: [String], at now: Date = Date()) throws(StoreError) -> Int64 {
        try write { db in
            let text = String(decoding: try JSONEncoder().encode(catalogs), as: UTF8.self)
            try db.execute(
                sql: "INSERT INTO runs (started_at, catalogs) VALUES (?, ?)",
                arguments: [now.timeIntervalSince1970, text])
            return db.lastInsertedRowID
        }
    }

    /// Completes the line of history.
    package func endRun(_ id: Int64, _ end: RunEnd, at now: Date = Date()) throws(StoreError) {
        try write { db in
            try db.execute(
                sql: "UPDATE runs SET ended_at = ?, exit = ?, finished = ?, failed = ?, bytes = ? WHERE id = ?",
                arguments: [now.timeIntervalSince1970, end.exit, end.finished, end.failed, end.bytes, id])
        }
    }

    /// The newest runs, newest first.
    package func runs(limit: Int) throws(StoreError) -> [RunRecord] {
        try read { db in
            let sql = "SELECT * FROM runs ORDER BY id DESC LIMIT ?"
            return try Row.fetchAll(db, sql: sql, arguments: [limit]).map(StoredRow.init).map { row in
                let catalogs = row.text("catalogs").flatMap {
                    try? JSONDecoder().decode([String].self, from: Data($0.utf8))
                }
                let end = row.integer("exit").map {
                    RunEnd(
                        exit: Int(truncatingIfNeeded: $0), finished: row.count("finished"), failed: row.count("failed"),
                        bytes: row.size("bytes") ?? 0)
                }
                return RunRecord(
                    id: row.integer("id") ?? 0, startedAt: row.date("started_at") ?? .distantPast,
                    endedAt: row.date("ended_at"), catalogs: catalogs ?? [], end: end)
            }
        }
    }
}
