import FileSystem
package import Foundation
import GRDB

/// What the library's list of files is made of, and what is made of it.
package struct KeptTable: Sendable {
    let file: StateFile

    /// Calls `body` with the finished videos of these ids, or with all.
    package func each(_ ids: [DownloadID]?, _ body: (KeptRecord) throws -> Void) throws(StoreError) {
        try file.read { db in
            let columns = """
                SELECT id, course, chapter, video, title, position, provider, stem, path, size, modified, sha256, file_source,
                    file_proof, stored_extras, kind, media_seconds, NOT EXISTS (SELECT 1 FROM sidecars
                        WHERE download = downloads.id AND (sidecars.state = 'wanted'
                            OR (sidecars.state = 'failed' AND sidecars.retry_at IS NOT NULL))) AS is_complete
                FROM downloads WHERE state = 'finished'
                """
            guard let ids else {
                var beside: [Int64: [KeptRecord.Beside]] = [:]
                let rows = try Row.fetchCursor(
                    db,
                    sql: "SELECT download, kind, name, path, size, modified FROM sidecars WHERE state = 'stored'")
                while let row = try rows.next() { beside[row[0], default: []].append(KeptRecord.Beside(row)) }
                let downloads = try Row.fetchCursor(db, sql: columns + " ORDER BY id")
                while let row = try downloads.next() { try body(KeptRecord(row, beside[row[0]] ?? [])) }
                return
            }
            let download = try db.cachedStatement(sql: columns + " AND id = ?")
            let sidecars = try db.cachedStatement(
                sql: """
                    SELECT download, kind, name, path, size, modified FROM sidecars
                    WHERE download = ? AND state = 'stored'
                    """)
            for id in ids {
                guard let row = try Row.fetchOne(download, arguments: [id.rawValue]) else { continue }
                try body(KeptRecord(row, try Row.fetchAll(sidecars, arguments: [id.rawValue]).map { .init($0) }))
            }
        }
    }

    /// Makes what was found in the library known to the state, in one transaction: folders of courses and chapters that it
    /// doesn't know, and videos that it doesn't know, hasn't finished, or has at a place where nothing is. What the person
    /// has paused or given up stays so, and so does what is being replaced. Returns how many videos are finished by it.
    package func restore(_ records: [ProvenRecord], at now: Date = Date()) throws(StoreError) -> Int {
        try file.write { db in
            let writer = ChangeWriter(db, at: now)
            var count = 0
            for record in records {
                if record.record.video == nil {
                    try Self.restoreFolder(record, db)
                } else if try Self.restoreVideo(record, writer) {
                    count += 1
                }
            }
            return count
        }
    }

    private static func restoreFolder(_ proven: ProvenRecord, _ db: Database) throws {
        let record = proven.record
        guard let folder = record.folder else { return }
        let cover = proven.file.flatMap { file in proven.cover.map { (file: file, digest: $0.data) } }
        let values: [(any DatabaseValueConvertible)?] = [
            cover?.digest, cover?.file.path, cover?.file.size, cover?.file.modified,
        ]
        if let chapter = record.chapter {
            try db.run(
                """
                INSERT INTO chapters (course, id, title, position, folder, cover, cover_path, cover_size, cover_modified)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """, [record.course, chapter, record.title, record.position ?? 0, folder] + values)
        } else {
            try db.run(
                """
                INSERT INTO courses (id, file, ordinal, title, folder, cover, cover_path, cover_size, cover_modified)
                VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """, [record.course, record.catalog ?? "", record.title, folder] + values)
        }
    }

    private static func restoreVideo(_ proven: ProvenRecord, _ writer: ChangeWriter) throws -> Bool {
        let record = proven.record
        let db = writer.db
        guard let video = record.video, let file = proven.file, let stem = record.stem else { return false }
        let known = try Row.fetchOne(
            db, sql: "SELECT id, state, is_placing, path FROM downloads WHERE course = ? AND video = ?",
            arguments: [record.course, video])
        let id: DownloadID
        if let known {
            id = DownloadID(rawValue: known["id"])
            let isPlacing: Bool = known["is_placing"]
            let path: String? = known["path"]
            let state = DownloadState(rawValue: known["state"])
            // What has a file and isn't finished is being replaced.
            guard !isPlacing, path == nil || state == .finished else { return false }
            switch state {
            case .waiting, .active: break
            case .suspended, .failed: try writer.move(id, .revive, "reason = NULL", [])
            // Its file isn't there: the row is older than a move.
            case .finished: try writer.apply(.lose(id))
            case .paused, .cancelled, nil: return false
            }
        } else {
            try db.run(
                """
                INSERT INTO downloads (course, video, chapter, title, position, ordinal, provider, source, priority, stem,
                    state, updated_at) VALUES (?, ?, ?, ?, ?, 0, ?, ?, 0, ?, 'waiting', ?)
                """,
                [
                    record.course, video, record.chapter, record.title, record.position ?? 0, record.provider ?? "",
                    file.source.data, stem, writer.now,
                ])
            id = DownloadID(rawValue: db.lastInsertedRowID)
        }
        try writer.apply(.adopt(id, file))
        try db.run(
            """
            UPDATE downloads SET stem = ?, kind = ?, media_seconds = ?, file_proof = ?, stored_extras = ? WHERE id = ?
            """,
            [
                stem, record.downloadKind.rawValue, record.seconds, record.proof, proven.extras?.data,
                id.rawValue,
            ])
        for var sidecar in proven.sidecars {
            sidecar.download = id
            try writer.apply(.stored(sidecar))
        }
        if !proven.missing.isEmpty { try writer.apply(.named(id, proven.missing)) }
        if proven.isUnasked { try writer.apply(.unasked(id)) }
        return true
    }
}

extension KeptRecord {
    fileprivate init(_ row: Row, _ beside: [Beside]) {
        let hex = { (name: String) -> String? in (row[name] as Data?)?.hex }
        self.init(course: row["course"], title: row["title"])
        chapter = row["chapter"]
        video = row["video"]
        position = row["position"]
        provider = row["provider"]
        stem = row["stem"]
        path = row["path"]
        size = row["size"]
        modified = row["modified"]
        sha256 = hex("sha256")
        source = hex("file_source")
        proof = row["file_proof"]
        extras = hex("stored_extras")
        kind = row["kind"]
        seconds = row["media_seconds"]
        if !beside.isEmpty { self.beside = beside }
        complete = row["is_complete"]
    }
}

extension KeptRecord.Beside {
    fileprivate init(_ row: Row) {
        self.init(kind: row["kind"], name: row["name"], path: row["path"], size: row["size"], modified: row["modified"])
    }
}
