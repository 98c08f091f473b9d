import FileSystem
package import Foundation
import GRDB
import TextFormats

/// The records of the library's list of files: reading them from the state, and restoring them.
package struct FileListTable: Sendable {
    let file: StateFile

    /// Calls `body` with each of these videos whose file is about to get its name, and has no other one. What comes
    /// beside it isn't known yet, so it counts as unasked.
    package func eachPlacing(_ ids: [DownloadID], _ body: (FileListEntry) throws -> Void) throws(StoreError) {
        try file.read { db in
            let download = try db.cachedStatement(
                sql: Column.select + " WHERE is_placing = 1 AND old_path IS NULL AND id = ?")
            for id in ids {
                try download.forEachRow([id.rawValue]) { row in
                    var record = FileListEntry(row)
                    record.complete = nil
                    try body(record)
                }
            }
        }
    }

    /// Calls `body` with the finished videos of these ids, or with all.
    package func each(_ ids: [DownloadID]?, _ body: (FileListEntry) throws -> Void) throws(StoreError) {
        try file.read { db in
            let sidecars = try db.cachedStatement(
                sql: """
                    SELECT kind, name, path, size, modified, sha256 FROM sidecars
                        WHERE download = ? AND state = 'stored'
                    """)
            let finished = " WHERE state = 'finished'"
            func record(_ row: RowInPlace) throws {
                var record = FileListEntry(row)
                if row.integer(Column.hasBeside.rawValue) != 0 {
                    var beside: [FileListEntry.Beside] = []
                    try sidecars.forEachRow([row.integer(Column.id.rawValue)]) { beside.append(.init($0)) }
                    record.beside = beside
                }
                try body(record)
            }
            guard let ids else {
                let all = try db.makeStatement(sql: Column.select + finished + " ORDER BY id")
                return try all.forEachRow { try record($0) }
            }
            let download = try db.cachedStatement(sql: Column.select + finished + " AND id = ?")
            for id in ids { try download.forEachRow([id.rawValue], record) }
        }
    }

    /// The columns read of a video, in order.
    fileprivate enum Column: Int32, CaseIterable {
        case id, course, chapter, video, title, position, provider, stem, path, size, modified, sha256, source, proof
        case extras, kind, seconds, isComplete, hasBeside, number, index, keepsNumber, role, joining

        private var expression: String {
            switch self {
            case .source: "file_source"
            case .proof: "file_proof"
            case .extras: "stored_extras"
            case .seconds: "media_seconds"
            case .index: "number_in_course"
            case .keepsNumber: "keeps_number"
            case .isComplete:
                """
                NOT EXISTS (SELECT 1 FROM sidecars WHERE download = downloads.id AND (sidecars.state = 'wanted'
                    OR (sidecars.state = 'failed' AND sidecars.retry_at IS NOT NULL)))
                """
            case .hasBeside:
                "EXISTS (SELECT 1 FROM sidecars WHERE download = downloads.id AND sidecars.state = 'stored')"
            default: "\(self)"
            }
        }

        static let select = "SELECT \(allCases.map(\.expression).joined(separator: ", ")) FROM downloads"
    }

    /// Restores the files found in the library to the state, in one transaction: folders of unknown courses and
    /// chapters, and videos that are unknown, unfinished, or recorded at a path without a file. Paused and cancelled
    /// rows stay so, and so does a file that is being replaced. Returns the number of videos that became finished.
    package func restore(
        _ records: some Sequence<ProvenListEntry>, at now: Date = Date()
    ) throws(StoreError) -> Int {
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

    private static func restoreFolder(_ proven: ProvenListEntry, _ db: Database) throws {
        let record = proven.record
        guard let folder = record.folder else { return }
        let cover = proven.file.flatMap { file in proven.cover.map { (file: file, digest: $0.data) } }
        let values: [(any DatabaseValueConvertible)?] = [
            cover?.digest, cover?.file.path, cover?.file.size, cover?.file.modified,
        ]
        if let chapter = record.chapter {
            try db.run(
                """
                INSERT INTO chapters (course, id, title, position, folder, number, season, keeps_number, cover,
                    cover_path, cover_size, cover_modified)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
                [
                    record.course, chapter, record.title, record.position ?? 0, folder, record.number,
                    record.season ?? record.position, record.keepsItsNumber,
                ] + values)
        } else {
            try db.run(
                """
                INSERT INTO courses (id, file, ordinal, title, folder, season, cover, cover_path, cover_size,
                    cover_modified)
                VALUES (?, ?, 0, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """, [record.course, record.catalog ?? "", record.title, folder, record.season] + values)
        }
    }

    private static func restoreVideo(_ proven: ProvenListEntry, _ writer: ChangeWriter) throws -> Bool {
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
            // An unfinished row with a file is being replaced.
            guard !isPlacing, path == nil || state == .finished else { return false }
            switch state {
            case .waiting, .active: break
            case .suspended, .failed: try writer.move(id, .revive, setting: "reason = NULL", [])
            // Its file is missing: the row is older than a move.
            case .finished: try writer.apply(.lose(id))
            case .paused, .cancelled, nil: return false
            }
        } else {
            try db.run(
                """
                INSERT INTO downloads (course, video, chapter, title, position, ordinal, number, number_in_course,
                    keeps_number, provider, source, priority, stem, state, updated_at)
                VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, 0, ?, 'waiting', ?)
                """,
                [
                    record.course, video, record.chapter, record.title, record.position ?? 0,
                    record.number ?? record.position, record.index, record.keepsItsNumber, record.provider ?? "",
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

extension FileListEntry {
    fileprivate init(_ row: RowInPlace) {
        typealias Column = FileListTable.Column
        let text = { (column: Column) in row.string(column.rawValue) }
        let hex = { (column: Column) in row.raw(column.rawValue)?.hex }
        let number = { (column: Column) in row.isNull(column.rawValue) ? nil : row.integer(column.rawValue) }
        self.init(course: text(.course) ?? "", title: text(.title) ?? "")
        chapter = text(.chapter)
        video = text(.video)
        position = number(.position).map { Int(truncatingIfNeeded: $0) }
        self.number = row.number(Column.number.rawValue)
        index = row.number(Column.index.rawValue)
        keepsNumber = row.integer(Column.keepsNumber.rawValue) != 0 ? true : nil
        provider = text(.provider)
        stem = text(.stem)
        path = text(.path)
        size = number(.size)
        modified = number(.modified)
        sha256 = hex(.sha256)
        source = hex(.source)
        proof = text(.proof)
        role = text(.role)
        joining = text(.joining)
        extras = hex(.extras)
        kind = text(.kind)
        seconds = row.isNull(Column.seconds.rawValue) ? nil : row.real(Column.seconds.rawValue)
        complete = row.integer(Column.isComplete.rawValue) != 0
    }
}

extension FileListEntry.Beside {
    /// From kind, name, path, size, modified and sha256.
    fileprivate init(_ row: RowInPlace) {
        self.init(
            kind: row.string(0) ?? "", name: row.string(1) ?? "", path: row.string(2) ?? "", size: row.integer(3),
            modified: row.integer(4), sha256: row.raw(5)?.hex)
    }
}
