import Foundation
import GRDB

/// Sidecars that aren't there: wanted, or failed.
extension DownloadStore {
    /// What isn't there beside these downloads.
    package func openSidecars(of ids: [DownloadID]) throws(StoreError) -> [OpenSidecar] {
        try read { db in
            try ids.flatMap { try Self.open(of: $0, db) }
        }
    }

    private static func open(of id: DownloadID, _ db: Database) throws -> [OpenSidecar] {
        let sql = "SELECT * FROM sidecars WHERE download = ? AND state <> 'stored'"
        return try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [id.rawValue]).compactMap {
            OpenSidecar(StoredRow($0))
        }
    }

    /// What isn't there beside all finished downloads.
    package func openSidecars() throws(StoreError) -> [OpenSidecar] {
        try read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT sidecars.* FROM sidecars INDEXED BY sidecars_open
                        JOIN downloads ON downloads.id = sidecars.download
                    WHERE sidecars.state IN ('wanted', 'failed') AND sidecars.state <> 'stored'
                        AND downloads.state = 'finished'
                    ORDER BY sidecars.download, sidecars.kind, sidecars.name
                    """
            ).compactMap { OpenSidecar(StoredRow($0)) }
        }
    }

    /// Whether a provider has named something beside the video that has its file at this path, or hasn't been asked.
    package func hasNamedSidecars(video: String, path: String) throws(StoreError) -> Bool {
        try read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM downloads JOIN sidecars ON sidecars.download = downloads.id
                        WHERE downloads.video = ? AND downloads.path = ? AND sidecars.kind <> 'stream')
                    """, arguments: [video, path]) ?? false
        }
    }

    static func apply(_ change: SidecarChange, _ now: Double, _ db: Database) throws {
        switch change {
        case .named(let id, let names):
            let named = Set(names)
            for sidecar in try open(of: id, db) where !named.contains(sidecar.name) {
                try forget(sidecar.name, of: id, db)
            }
            for name in names { try want(name, of: id, db) }
        case .unasked(let id): try want(SidecarName(.unasked, ""), of: id, db)
        case .stored(let sidecar):
            try run(
                """
                INSERT INTO sidecars (download, kind, name, path, size, modified) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (download, kind, name) DO UPDATE SET path = excluded.path, size = excluded.size,
                    modified = excluded.modified, state = 'stored', failed_runs = 0, \(noSidecarError)
                """,
                [
                    sidecar.download.rawValue, sidecar.kind.rawValue, sidecar.name, sidecar.path, sidecar.size,
                    sidecar.modified,
                ], db)
        case .waits(let id, let name, let retryAt, let error):
            try run(
                """
                UPDATE sidecars SET state = 'wanted', retry_at = ?, error_kind = ?, error_message = ?, error_status = ?
                WHERE \(isOpen)
                """,
                [
                    retryAt.map { min($0.timeIntervalSince1970, now + longestWait) }, error.kind.rawValue,
                    error.message,
                    error.status,
                ] + key(id, name), db)
        case .failed(let id, let name, let error, let retryAt):
            try run(
                "UPDATE sidecars SET \(failure) WHERE \(isOpen)", values(error, retryAt) + key(id, name), db)
        case .unanswered(let id, let error, let retryAt):
            // Nobody has said that there is anything.
            if retryAt == nil { try forget(SidecarName(.unasked, ""), of: id, db) }
            let now = Date(timeIntervalSince1970: now)
            for sidecar in try open(of: id, db) where sidecar.state == .wanted || sidecar.isDue(at: now) {
                try run(
                    "UPDATE sidecars SET \(failure) WHERE \(isOpen)", values(error, retryAt) + key(id, sidecar.name),
                    db)
            }
        case .retried(let id):
            try run(
                """
                UPDATE sidecars SET state = 'wanted', failed_runs = 0, \(noSidecarError)
                WHERE download = ? AND state <> 'stored'
                """, [id.rawValue], db)
        case .forgotten(let id, let name): try forget(name, of: id, db)
        case .lost(let sidecar):
            guard sidecar.kind != .stream else { return try forget(sidecar.key, of: sidecar.download, db) }
            try run(
                """
                UPDATE sidecars SET state = 'wanted', path = NULL, size = NULL, modified = NULL
                WHERE download = ? AND kind = ? AND name = ?
                """, key(sidecar.download, sidecar.key), db)
            try wantCatalogs(sidecar.download, db)
        case .replaced(let sidecar):
            try apply(.stored(sidecar), now, db)
            try run(
                "UPDATE sidecars SET state = 'wanted' WHERE download = ? AND kind = ? AND name = ?",
                key(sidecar.download, sidecar.key), db)
            try wantCatalogs(sidecar.download, db)
        }
    }

    private static func want(_ name: SidecarName, of id: DownloadID, _ db: Database) throws {
        // One that is there is fetched again only if its row says so; then its file is the one that is replaced.
        try run(
            """
            INSERT INTO sidecars (download, kind, name, state) VALUES (?, ?, ?, 'wanted')
            ON CONFLICT (download, kind, name) DO NOTHING
            """, key(id, name), db)
    }

    /// It isn't wanted any more; a file that was to be replaced stays what it is.
    private static func forget(_ name: SidecarName, of id: DownloadID, _ db: Database) throws {
        let isThis = "download = ? AND kind = ? AND name = ?"
        try run(
            "UPDATE sidecars SET state = 'stored', failed_runs = 0, \(noSidecarError) WHERE \(isThis) AND path IS NOT NULL AND kind <> 'stream'",
            key(id, name), db)
        try run("DELETE FROM sidecars WHERE \(isThis) AND (path IS NULL OR kind = 'stream')", key(id, name), db)
    }

    /// What the catalog names beside it is looked at again.
    private static func wantCatalogs(_ id: DownloadID, _ db: Database) throws {
        try run("UPDATE downloads SET stored_extras = NULL WHERE id = ?", [id.rawValue], db)
    }

    private static func key(_ id: DownloadID, _ name: SidecarName) -> [(any DatabaseValueConvertible)?] {
        [id.rawValue, name.kind.rawValue, name.name]
    }

    private static func values(_ error: DownloadError, _ retryAt: Date?) -> [(any DatabaseValueConvertible)?] {
        [retryAt?.timeIntervalSince1970, error.kind.rawValue, error.message, error.status]
    }

    private static let failure = """
        state = 'failed', retry_at = ?, failed_runs = failed_runs + 1, error_kind = ?, error_message = ?,
        error_status = ?
        """
    private static let isOpen = "download = ? AND kind = ? AND name = ? AND state <> 'stored'"
    private static let noSidecarError =
        "retry_at = NULL, error_kind = NULL, error_message = NULL, error_status = NULL"
}

extension SidecarRecord {
    /// What it is called.
    package var key: SidecarName { SidecarName(kind, name) }
}

extension OpenSidecar {
    /// Nil for one that has lost its kind or name.
    fileprivate init?(_ row: StoredRow) {
        guard let id = row.integer("download"), let kind = row.text("kind").flatMap(SidecarRecord.Kind.init),
            let name = row.text("name"), let state = row.text("state").flatMap(State.init)
        else { return nil }
        let error = row.text("error_kind").map { kind in
            DownloadError(
                kind: DownloadError.Kind(rawValue: kind) ?? .bug, message: row.text("error_message") ?? "",
                status: row.integer("error_status").flatMap { Int(exactly: $0) })
        }
        self.init(
            download: DownloadID(rawValue: id), name: SidecarName(kind, name), state: state,
            retryAt: row.date("retry_at"), failedRuns: row.count("failed_runs"), error: error)
    }
}
