package import Foundation
import GRDB
import TextFormats

/// The history of runs, and their start. Its queries exclude finished rows, so that an index of the others finds the
/// few that it needs.
package struct RunTable: Sendable {
    let file: StateFile

    /// Whether an ended process left something to settle: active downloads, or renames or moves in progress.
    package func isUnsettled() throws(StoreError) -> Bool {
        try file.read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM downloads WHERE state <> 'finished' AND (state = 'active' OR is_placing = 1))
                        OR EXISTS (SELECT 1 FROM moves WHERE is_put_off = 0)
                    """) ?? false
        }
    }

    /// Settles the rows of an ended process, under the user's lock: each becomes what ``RowStatus`` says. Returns the
    /// downloads whose rename was in progress.
    package func recover(at now: Date = Date()) throws(StoreError) -> [DownloadRecord] {
        try file.write { db in
            // The rows that the rule may concern; only the rule decides.
            let sql = """
                SELECT id, state, reason, retry_at, is_placing, failed_runs FROM downloads
                WHERE state <> 'finished' AND (
                    state IN ('active', 'suspended')
                    OR (state IN ('waiting', 'failed') AND (retry_at IS NOT NULL OR is_placing = 1)))
                """
            let writer = ChangeWriter(db, at: now)
            for row in try Row.fetchAll(db, sql: sql).map(StoredRow.init) {
                guard let id = row.integer("id") else { continue }
                try writer.carryOut(RowStatus(row).recovered(at: now), DownloadID(rawValue: id))
            }
            return try Row.fetchAll(
                db, sql: "SELECT * FROM downloads WHERE state <> 'finished' AND is_placing = 1"
            ).map(DownloadRecord.init)
        }
    }

    /// Writes a new line of history and returns its number.
    package func begin(catalogs: [String], at now: Date = Date()) throws(StoreError) -> Int64 {
        try file.write { db in
            let text = String(decoding: try JSONEncoder().encode(catalogs), as: UTF8.self)
            try db.execute(
                sql: "INSERT INTO runs (started_at, catalogs) VALUES (?, ?)",
                arguments: [now.timeIntervalSince1970, text])
            return db.lastInsertedRowID
        }
    }

    /// Completes the line of history.
    package func end(_ id: Int64, _ end: RunEnd, at now: Date = Date()) throws(StoreError) {
        try file.write { db in
            try db.execute(
                sql: "UPDATE runs SET ended_at = ?, exit = ?, finished = ?, failed = ?, bytes = ? WHERE id = ?",
                arguments: [now.timeIntervalSince1970, end.exit, end.finished, end.failed, end.bytes, id])
        }
    }

    /// The newest runs, newest first.
    package func newest(_ limit: Int) throws(StoreError) -> [RunRecord] {
        try file.read { db in
            let sql = "SELECT * FROM runs ORDER BY id DESC LIMIT ?"
            return try Row.fetchAll(db, sql: sql, arguments: [limit]).map(StoredRow.init).map { row in
                let catalogs = row.text("catalogs").flatMap {
                    try? JSONReader.decode([String].self, from: $0.utf8)
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
