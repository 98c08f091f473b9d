import Foundation
import GRDB

extension ChangeWriter {
    /// Carries out one change of a sidecar.
    func apply(_ change: SidecarChange) throws {
        switch change {
        case .named(let id, let names):
            let named = Set(names)
            for sidecar in try MissingSidecar.all(of: id, db) where !named.contains(sidecar.name) {
                try forget(sidecar.name, of: id)
            }
            for name in names { try want(name, of: id) }
        case .unasked(let id): try want(SidecarName(.unasked, ""), of: id)
        case .stored(let sidecar): try store(sidecar)
        case .waits(let id, let name, let retryAt, let error):
            try run(
                """
                UPDATE sidecars SET state = 'wanted', retry_at = ?, error_kind = ?, error_message = ?, error_status = ?
                WHERE \(Self.isOpen)
                """,
                [
                    retryAt.map { min($0.timeIntervalSince1970, now + RowStatus.longestWait) }, error.kind.rawValue,
                    error.message, error.status,
                ] + key(id, name))
        case .wanted(let id, let name):
            // A try before its time doesn't put off the next one.
            try run(
                """
                UPDATE sidecars SET state = 'wanted', retry_at = NULL,
                    failed_runs = max(0, failed_runs - (state = 'failed'))
                WHERE \(Self.isOpen)
                """, key(id, name))
        case .failed(let id, let name, let error, let retryAt):
            try run(
                "UPDATE sidecars SET \(Self.failure) WHERE \(Self.isOpen)", values(error, retryAt) + key(id, name))
        case .unanswered(let id, let error, let retryAt): try failAll(of: id, error, retryAt: retryAt)
        case .retried(let id):
            try run(
                """
                UPDATE sidecars SET state = 'wanted', failed_runs = 0, \(Self.noSidecarError)
                WHERE download = ? AND state <> 'stored'
                """, [id.rawValue])
        case .forgotten(let id, let name): try forget(name, of: id)
        case .lost(let sidecar):
            guard sidecar.kind != .stream else { return try forget(sidecar.key, of: sidecar.download) }
            try run(
                """
                UPDATE sidecars SET state = 'wanted', path = NULL, size = NULL, modified = NULL, sha256 = NULL
                WHERE download = ? AND kind = ? AND name = ?
                """, key(sidecar.download, sidecar.key))
            try wantCatalogs(sidecar.download)
        case .replaced(let sidecar):
            try apply(.stored(sidecar))
            try run(
                "UPDATE sidecars SET state = 'wanted' WHERE download = ? AND kind = ? AND name = ?",
                key(sidecar.download, sidecar.key))
            if sidecar.kind != .stream { try wantCatalogs(sidecar.download) }
        }
    }

    private func store(_ sidecar: SidecarRecord) throws {
        try run(
            """
            INSERT INTO sidecars (download, kind, name, path, size, modified, sha256) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (download, kind, name) DO UPDATE SET path = excluded.path, size = excluded.size,
                modified = excluded.modified, sha256 = excluded.sha256, state = 'stored', failed_runs = 0,
                \(Self.noSidecarError)
            """,
            [
                sidecar.download.rawValue, sidecar.kind.rawValue, sidecar.name, sidecar.path, sidecar.size,
                sidecar.modified, sidecar.sha256?.data,
            ])
    }

    /// All that are missing.
    private func failAll(of id: DownloadID, _ error: DownloadError, retryAt: Date?) throws {
        // The provider hasn't named any.
        if retryAt == nil { try forget(SidecarName(.unasked, ""), of: id) }
        let date = Date(timeIntervalSince1970: now)
        for sidecar in try MissingSidecar.all(of: id, db) where sidecar.state == .wanted || sidecar.isDue(at: date) {
            try run(
                "UPDATE sidecars SET \(Self.failure) WHERE \(Self.isOpen)",
                values(error, retryAt) + key(id, sidecar.name))
        }
    }

    private func want(_ name: SidecarName, of id: DownloadID) throws {
        // A stored sidecar is downloaded again only if its row says so; then its file is the one to replace.
        try run(
            """
            INSERT INTO sidecars (download, kind, name, state) VALUES (?, ?, ?, 'wanted')
            ON CONFLICT (download, kind, name) DO NOTHING
            """, key(id, name))
    }

    /// It isn't wanted any more; a file that was to be replaced stays as it is.
    private func forget(_ name: SidecarName, of id: DownloadID) throws {
        let isThis = "download = ? AND kind = ? AND name = ?"
        try run(
            """
            UPDATE sidecars SET state = 'stored', failed_runs = 0, \(Self.noSidecarError)
            WHERE \(isThis) AND path IS NOT NULL AND kind <> 'stream'
            """, key(id, name))
        try run("DELETE FROM sidecars WHERE \(isThis) AND (path IS NULL OR kind = 'stream')", key(id, name))
    }

    /// Makes the catalog's sidecars be checked again.
    private func wantCatalogs(_ id: DownloadID) throws {
        try run("UPDATE downloads SET stored_extras = NULL WHERE id = ?", [id.rawValue])
    }

    private func key(_ id: DownloadID, _ name: SidecarName) -> [(any DatabaseValueConvertible)?] {
        [id.rawValue, name.kind.rawValue, name.name]
    }

    private func values(_ error: DownloadError, _ retryAt: Date?) -> [(any DatabaseValueConvertible)?] {
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
