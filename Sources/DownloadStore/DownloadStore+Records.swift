import FileSystem
import Foundation
import GRDB

extension DownloadStore {
    /// The download with this id, or nil.
    package func download(_ id: DownloadID) throws(StoreError) -> DownloadRecord? {
        try read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM downloads WHERE id = ?")
            return try Row.fetchOne(statement, arguments: [id.rawValue]).map(DownloadRecord.init)
        }
    }

    /// The downloads with these ids, in no particular order; unknown ids are left out.
    package func downloads(_ ids: [DownloadID]) throws(StoreError) -> [DownloadRecord] {
        try read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM downloads WHERE id = ?")
            return try ids.compactMap { id in
                try Row.fetchOne(statement, arguments: [id.rawValue]).map(DownloadRecord.init)
            }
        }
    }

    /// Calls `body` with each download in catalog order.
    package func eachDownload(_ body: (DownloadRecord) throws -> Void) throws(StoreError) {
        try read { db in
            let sql = """
                SELECT downloads.* FROM downloads LEFT JOIN courses ON courses.id = downloads.course
                ORDER BY courses.file, courses.ordinal, downloads.course, is_gone, downloads.ordinal, downloads.id
                """
            let rows = try Row.fetchCursor(db, sql: sql)
            while let row = try rows.next() { try body(DownloadRecord(row)) }
        }
    }

    /// All courses by id.
    package func courses() throws(StoreError) -> [String: CourseRecord] {
        try read { db in
            var all: [String: CourseRecord] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT * FROM courses").map(StoredRow.init) {
                // One that has lost its id or its folder is made anew.
                guard let id = row.text("id"), let folder = row.text("folder") else { continue }
                all[id] = CourseRecord(
                    id: id, file: row.text("file") ?? "", ordinal: Int(truncatingIfNeeded: row.integer("ordinal") ?? 0),
                    title: row.text("title") ?? "", folder: folder, cover: row.digest("cover"),
                    coverFile: Self.cover(row))
            }
            return all
        }
    }

    /// All chapters.
    package func chapters() throws(StoreError) -> [ChapterRecord] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM chapters").map(StoredRow.init).compactMap { row in
                guard let course = row.text("course"), let id = row.text("id"), let folder = row.text("folder") else {
                    return nil
                }
                return ChapterRecord(
                    course: course, id: id, title: row.text("title") ?? "",
                    position: Int(truncatingIfNeeded: row.integer("position") ?? 0), folder: folder,
                    cover: row.digest("cover"), coverFile: Self.cover(row))
            }
        }
    }

    /// The parts of a download that are on their way to their places.
    package func parts(of id: DownloadID) throws(StoreError) -> [PartRecord] {
        try read { db in
            let sql = "SELECT * FROM parts WHERE download = ?"
            return try Row.fetchAll(db, sql: sql, arguments: [id.rawValue]).map(StoredRow.init).compactMap { row in
                Self.sidecar(row, of: id).map {
                    PartRecord(file: $0, partial: row.text("partial") ?? "", sha256: row.digest("sha256"))
                }
            }
        }
    }

    /// The files that came along with these downloads; also those that are to be replaced.
    package func sidecars(of ids: [DownloadID]) throws(StoreError) -> [SidecarRecord] {
        try read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM sidecars WHERE download = ?")
            return try ids.flatMap { id in
                try Row.fetchAll(statement, arguments: [id.rawValue]).compactMap { Self.sidecar(StoredRow($0), of: id) }
            }
        }
    }

    /// Nil for one that has lost its kind, name or path.
    private static func sidecar(_ row: StoredRow, of id: DownloadID) -> SidecarRecord? {
        guard let kind = row.text("kind").flatMap(SidecarRecord.Kind.init), let name = row.text("name"),
            let path = row.text("path")
        else { return nil }
        return SidecarRecord(
            download: id, kind: kind, name: name, path: path, size: row.size("size") ?? 0,
            modified: row.integer("modified") ?? 0)
    }

    private static func cover(_ row: StoredRow) -> StoredFile? {
        row.text("cover_path").map {
            StoredFile(
                path: $0, size: row.size("cover_size") ?? 0, modified: row.integer("cover_modified"), sha256: nil,
                source: [])
        }
    }

    /// A remembered fact, such as the library's id.
    package func fact(_ name: String) throws(StoreError) -> String? {
        try read { db in try String.fetchOne(db, sql: "SELECT value FROM facts WHERE name = ?", arguments: [name]) }
    }

    /// Remembers a fact.
    package func setFact(_ name: String, _ value: String) throws(StoreError) {
        try write { db in
            try db.execute(
                sql: "INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                arguments: [name, value])
        }
    }
}

extension RowStanding {
    init(_ row: StoredRow) {
        self.init(
            state: DownloadState(stored: row.text("state")), reason: row.text("reason").flatMap(SuspendReason.init),
            retryAt: row.date("retry_at"), isPlacing: row.flag("is_placing"))
    }
}

extension DownloadRecord {
    init(_ found: Row) {
        let row = StoredRow(found)
        let error = row.text("error_kind").map { kind in
            DownloadError(
                kind: DownloadError.Kind(rawValue: kind) ?? .bug, message: row.text("error_message") ?? "",
                status: row.integer("error_status").flatMap { Int(exactly: $0) })
        }
        var file = row.file("path", source: "file_source")
        file?.proof = row.text("file_proof").flatMap(FileProof.init)
        let number = { (column: String) in Int(truncatingIfNeeded: row.integer(column) ?? 0) }
        self.init(
            id: DownloadID(rawValue: row.integer("id") ?? 0),
            key: DownloadKey(course: row.text("course") ?? "", video: row.text("video") ?? ""),
            catalog: CatalogFields(
                chapter: row.text("chapter"), title: row.text("title") ?? "", position: number("position"),
                ordinal: row.integer("ordinal") ?? 0, provider: row.text("provider") ?? "",
                source: row.digest("source") ?? [], priority: number("priority"), extras: row.digest("extras"),
                stem: row.text("stem") ?? "", expectedSize: row.size("expected_size"),
                expectedSHA256: row.digest("expected_sha256")),
            state: DownloadState(stored: row.text("state")),
            reason: row.text("reason").flatMap(SuspendReason.init),
            priorityOverride: row.integer("priority_override").map { Int(truncatingIfNeeded: $0) },
            durableBytes: row.size("durable_bytes") ?? 0, totalBytes: row.size("total_bytes"),
            validators: Validators(etag: row.text("etag"), lastModified: row.text("last_modified")),
            mediaType: row.text("media_type"),
            kind: row.text("kind").map(DownloadKind.init), position: row.text("stream"),
            mediaSeconds: row.seconds("media_seconds"),
            highWater: row.size("high_water") ?? 0, validatorFailures: row.count("validator_failures"),
            startOvers: row.count("start_overs"), hasGivenUpRanges: row.flag("ranges_given_up"), error: error,
            retryAt: row.date("retry_at"), failedRuns: row.count("failed_runs"), isPlacing: row.flag("is_placing"),
            file: file, oldFile: row.file("old_path", "old_", source: "old_source"),
            storedExtras: row.digest("stored_extras"), bytesPerSecond: row.size("bytes_per_second"),
            updatedAt: row.date("updated_at") ?? .distantPast, isGone: row.flag("is_gone"))
    }
}
