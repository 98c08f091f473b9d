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
            try db.execute(sql: "DELETE FROM facts WHERE name = 'waits'")
            try db.execute(
                sql: """
                    INSERT INTO runs (started_at, catalogs, last_download)
                    VALUES (?, ?, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'downloads'), 0))
                    """,
                arguments: [now.timeIntervalSince1970, Self.text(catalogs)])
            return db.lastInsertedRowID
        }
    }

    /// Completes the line of history.
    package func end(_ id: Int64, _ end: RunEnd, at now: Date = Date()) throws(StoreError) {
        try file.write { db in
            try db.execute(
                sql: """
                    UPDATE runs SET ended_at = ?, exit = ?, finished = ?, failed = ?, moved = ?, removed = ?, bytes = ?,
                        stop = ?, conditions = ?, message = ?, failed_at = ?,
                        added = (SELECT count(*) FROM downloads WHERE id > last_download),
                        library_bytes = CAST(
                            (SELECT total(size) FROM downloads WHERE path IS NOT NULL)
                            + (SELECT total(size) FROM sidecars WHERE path IS NOT NULL) AS INTEGER)
                    WHERE id = ?
                    """,
                arguments: [
                    now.timeIntervalSince1970, end.conditions == [] ? 0 : 1, end.finished, end.failed, end.moved,
                    end.removed, end.bytes, end.stop?.rawValue, try end.conditions.map(Self.text), end.message,
                    try Self.text(end.failedAt), id,
                ])
        }
    }

    /// The newest runs, newest first.
    ///
    /// - Parameters:
    ///   - limit: at most so many; nil for all.
    ///   - before: only those before this run.
    package func newest(_ limit: Int?, before: Int64 = .max) throws(StoreError) -> [RunRecord] {
        try file.read { db in
            let sql = "SELECT * FROM runs WHERE id < ? ORDER BY id DESC LIMIT ?"
            return try Row.fetchAll(db, sql: sql, arguments: [before, limit ?? -1]).map(StoredRow.init).map(
                RunRecord.init)
        }
    }

    /// What a process that began at this time leaves alone in its newest run, unless that has ended; those whose time
    /// is over included.
    package func waits(since: Date) throws(StoreError) -> [RunWait] {
        try file.read { db in
            let text = try String.fetchOne(
                db,
                sql: """
                    SELECT value FROM facts WHERE name = 'waits' AND length(value) < 100000
                        AND (SELECT ended_at IS NULL AND started_at >= ? FROM runs ORDER BY id DESC LIMIT 1)
                    """, arguments: [since.timeIntervalSince1970])
            let waits = text.flatMap { try? JSONReader.decode([RunWait].self, from: $0.utf8) } ?? []
            return waits.prefix(RunWait.most).filter { Date(stored: $0.until.timeIntervalSince1970) != nil }
        }
    }

    static func text(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }
}

extension RunRecord {
    fileprivate init(_ row: StoredRow) {
        func list<Value: Decodable>(_ column: String) -> Value? {
            row.text(column).flatMap { try? JSONReader.decode(Value.self, from: $0.utf8) }
        }
        self.init(
            id: row.integer("id") ?? 0, startedAt: row.date("started_at") ?? .distantPast,
            endedAt: row.date("ended_at"), catalogs: list("catalogs") ?? [],
            added: row.integer("added") == nil ? nil : row.count("added"), libraryBytes: row.size("library_bytes"))
        guard let exit = row.integer("exit") else { return }
        var end = RunEnd()
        end.finished = row.count("finished")
        end.failed = row.count("failed")
        end.moved = row.count("moved")
        end.removed = row.count("removed")
        end.bytes = row.size("bytes") ?? 0
        end.stop = row.text("stop").flatMap(SuspendReason.init(rawValue:))
        end.conditions = list("conditions") ?? (exit == 0 ? [] : nil)
        end.message = row.text("message")
        end.failedAt = list("failed_at") ?? [:]
        self.end = end
    }
}
