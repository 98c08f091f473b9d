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

    /// Settles what an ended process left behind, under the user's lock: each row becomes what ``RowStanding`` says.
    /// Returns the downloads whose rename was under way.
    package func recover(at now: Date = Date()) throws(StoreError) -> [DownloadRecord] {
        try write { db in
            // Those that the rule may say something of; it alone says what.
            let sql = """
                SELECT id, state, reason, retry_at, is_placing FROM downloads
                WHERE state IN ('active', 'suspended')
                    OR (state IN ('waiting', 'failed') AND (retry_at IS NOT NULL OR is_placing = 1))
                """
            for row in try Row.fetchAll(db, sql: sql).map(StoredRow.init) {
                guard let id = row.integer("id") else { continue }
                let recovery = RowStanding(row).recovered(at: now)
                try Self.carryOut(recovery, DownloadID(rawValue: id), now.timeIntervalSince1970, db)
            }
            return try Row.fetchAll(db, sql: "SELECT * FROM downloads WHERE is_placing = 1").map(DownloadRecord.init)
        }
    }

    private static func carryOut(_ recovery: Recovery, _ id: DownloadID, _ now: Double, _ db: Database) throws {
        let standing = recovery.standing
        let attempts = recovery.isNewChance ? ", validator_failures = 0, start_overs = 0" : ""
        for step in recovery.steps {
            try move(
                id, step, "reason = ?, retry_at = ?" + attempts,
                [standing.reason?.rawValue, standing.retryAt?.timeIntervalSince1970], now, db)
        }
    }

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
