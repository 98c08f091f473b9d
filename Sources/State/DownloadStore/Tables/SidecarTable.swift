import Foundation
import GRDB

/// Sidecars: stored ones, and those wanted or failed.
package struct SidecarTable: Sendable {
    let file: StateFile

    /// The stored sidecars of these downloads, including those to be replaced.
    package func files(of ids: [DownloadID]) throws(StoreError) -> [SidecarRecord] {
        try file.read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM sidecars WHERE download = ?")
            return try ids.flatMap { id in
                try Row.fetchAll(statement, arguments: [id.rawValue]).map(StoredRow.init).compactMap { row in
                    var record = Self.sidecar(row, of: id)
                    record?.isToBeReplaced = row.text("state") != "stored"
                    return record
                }
            }
        }
    }

    /// The parts of a download that are being placed.
    package func parts(of id: DownloadID) throws(StoreError) -> [PartRecord] {
        try file.read { db in
            let sql = "SELECT * FROM parts WHERE download = ?"
            return try Row.fetchAll(db, sql: sql, arguments: [id.rawValue]).map(StoredRow.init).compactMap { row in
                Self.sidecar(row, of: id).map {
                    PartRecord(file: $0, partial: row.text("partial") ?? "", sha256: row.digest("sha256"))
                }
            }
        }
    }

    /// The files beside the main one of videos that consist of several: tracks and other views. By download.
    package func partPaths() throws(StoreError) -> [DownloadID: [PartPath]] {
        try file.read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT sidecars.download, sidecars.path, sidecars.name, sidecars.state FROM sidecars
                        JOIN downloads ON downloads.id = sidecars.download
                    WHERE sidecars.kind = 'stream'
                        AND (downloads.kind IN ('tracks', 'views') OR sidecars.name LIKE '%: %')
                    """)
            var paths: [DownloadID: [PartPath]] = [:]
            while let row = try rows.next() {
                let row = StoredRow(row)
                guard let id = row.integer("download"), let path = row.text("path") else { continue }
                let part = PartPath(
                    path: path, name: row.text("name") ?? "", isToBeReplaced: row.text("state") != "stored")
                paths[DownloadID(rawValue: id), default: []].append(part)
            }
            return paths
        }
    }

    package func open(of ids: [DownloadID]) throws(StoreError) -> [MissingSidecar] {
        try file.read { db in try ids.flatMap { try MissingSidecar.all(of: $0, db) } }
    }

    /// The missing sidecars of all finished downloads.
    package func open() throws(StoreError) -> [MissingSidecar] {
        try file.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT sidecars.* FROM sidecars INDEXED BY sidecars_open
                        JOIN downloads ON downloads.id = sidecars.download
                    WHERE sidecars.state IN ('wanted', 'failed') AND sidecars.state <> 'stored'
                        AND downloads.state = 'finished'
                    ORDER BY sidecars.download, sidecars.kind, sidecars.name
                    """
            ).compactMap { MissingSidecar(StoredRow($0)) }
        }
    }

    /// Whether a provider has named sidecars of the video with its file at this path, or hasn't been asked.
    package func hasNamed(video: String, path: String) throws(StoreError) -> Bool {
        try file.read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM downloads JOIN sidecars ON sidecars.download = downloads.id
                        WHERE downloads.video = ? AND downloads.path = ? AND sidecars.kind <> 'stream')
                    """, arguments: [video, path]) ?? false
        }
    }

    /// Bytes of the stored sidecars of each course.
    package func bytes() throws(StoreError) -> [String: ByteCount] {
        try file.read { db in
            let sql = """
                SELECT course, CAST(total(sidecars.size) AS INTEGER) FROM sidecars
                JOIN downloads ON downloads.id = sidecars.download
                GROUP BY course
                """
            var bytes: [String: ByteCount] = [:]
            for row in try Row.fetchAll(db, sql: sql) { bytes[row[0]] = ByteCount(row[1]) }
            return bytes
        }
    }

    /// The paths of all files beside videos, including covers of courses and chapters and written metadata, relative to
    /// the library.
    package func paths() throws(StoreError) -> [String] {
        try file.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT path FROM sidecars WHERE path IS NOT NULL UNION ALL
                    SELECT cover_path FROM courses WHERE cover_path IS NOT NULL
                    UNION ALL SELECT cover_path FROM chapters WHERE cover_path IS NOT NULL
                    UNION ALL SELECT path FROM metadata
                    """)
        }
    }

    /// Nil for a damaged row without kind, name or path.
    private static func sidecar(_ row: StoredRow, of id: DownloadID) -> SidecarRecord? {
        guard let kind = row.text("kind").flatMap(SidecarRecord.Kind.init), let name = row.text("name"),
            let path = row.text("path")
        else { return nil }
        return SidecarRecord(
            download: id, kind: kind, name: name, path: path, size: row.size("size") ?? 0,
            modified: row.integer("modified") ?? 0, sha256: row.digest("sha256"))
    }
}

extension MissingSidecar {
    /// All of a download's, within a transaction.
    static func all(of id: DownloadID, _ db: Database) throws -> [MissingSidecar] {
        let sql = "SELECT * FROM sidecars WHERE download = ? AND state <> 'stored' AND kind <> 'stream'"
        return try Row.fetchAll(db.cachedStatement(sql: sql), arguments: [id.rawValue]).compactMap {
            MissingSidecar(StoredRow($0))
        }
    }

    /// Nil for a damaged row without kind or name.
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
