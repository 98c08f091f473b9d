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
            for row in try Row.fetchAll(db, sql: "SELECT * FROM courses") {
                let course = CourseRecord(
                    id: row["id"], file: row["file"], ordinal: row["ordinal"], title: row["title"],
                    folder: row["folder"],
                    cover: (row["cover"] as Data?).map { [UInt8]($0) }, coverFile: Self.cover(row))
                all[course.id] = course
            }
            return all
        }
    }

    /// All chapters.
    package func chapters() throws(StoreError) -> [ChapterRecord] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM chapters").map { row in
                ChapterRecord(
                    course: row["course"], id: row["id"], title: row["title"], position: row["position"],
                    folder: row["folder"], cover: (row["cover"] as Data?).map { [UInt8]($0) },
                    coverFile: Self.cover(row))
            }
        }
    }

    /// The parts of a download that are on their way to their places.
    package func parts(of id: DownloadID) throws(StoreError) -> [PartRecord] {
        try read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM parts WHERE download = ?", arguments: [id.rawValue]).compactMap {
                row in
                SidecarRecord.Kind(rawValue: row["kind"]).map { kind in
                    let file = SidecarRecord(
                        download: id, kind: kind, name: row["name"], path: row["path"], size: row["size"],
                        modified: row["modified"])
                    return PartRecord(
                        file: file, partial: row["partial"], sha256: (row["sha256"] as Data?).map(Array.init))
                }
            }
        }
    }

    /// The files that came along with these downloads.
    package func sidecars(of ids: [DownloadID]) throws(StoreError) -> [SidecarRecord] {
        try read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM sidecars WHERE download = ?")
            return try ids.flatMap { id in
                try Row.fetchAll(statement, arguments: [id.rawValue]).compactMap { row in
                    SidecarRecord.Kind(rawValue: row["kind"]).map {
                        SidecarRecord(
                            download: DownloadID(rawValue: row["download"]), kind: $0, name: row["name"],
                            path: row["path"], size: row["size"], modified: row["modified"])
                    }
                }
            }
        }
    }

    private static func cover(_ row: Row) -> StoredFile? {
        (row["cover_path"] as String?).map {
            StoredFile(
                path: $0, size: row["cover_size"] ?? 0, modified: row["cover_modified"], sha256: nil, source: [])
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

extension DownloadRecord {
    init(_ row: Row) {
        let bytes = { (name: String) -> [UInt8]? in (row[name] as Data?).map { [UInt8]($0) } }
        let date = { (name: String) -> Date? in (row[name] as Double?).map { Date(timeIntervalSince1970: $0) } }
        let error = (row["error_kind"] as String?).map { kind in
            DownloadError(
                kind: DownloadError.Kind(rawValue: kind) ?? .bug, message: row["error_message"] ?? "",
                status: row["error_status"])
        }
        let file = (row["path"] as String?).map { path in
            StoredFile(
                path: path, size: max(0, row["size"] ?? 0), modified: row["modified"], sha256: bytes("sha256"),
                source: bytes("file_source") ?? [])
        }
        let oldFile = (row["old_path"] as String?).map { path in
            StoredFile(
                path: path, size: max(0, row["old_size"] ?? 0), modified: row["old_modified"],
                sha256: bytes("old_sha256"),
                source: bytes("old_source") ?? [])
        }
        self.init(
            id: DownloadID(rawValue: row["id"]),
            key: DownloadKey(course: row["course"], video: row["video"]),
            catalog: CatalogFields(
                chapter: row["chapter"], title: row["title"], position: row["position"], ordinal: row["ordinal"],
                provider: row["provider"], source: bytes("source") ?? [], priority: row["priority"],
                extras: bytes("extras"), stem: row["stem"], expectedSize: ByteCount.believed(row["expected_size"]),
                expectedSHA256: bytes("expected_sha256")),
            state: DownloadState(rawValue: row["state"]) ?? .waiting,
            reason: (row["reason"] as String?).flatMap(SuspendReason.init), priorityOverride: row["priority_override"],
            durableBytes: ByteCount.believed(row["durable_bytes"]) ?? 0,
            totalBytes: ByteCount.believed(row["total_bytes"]),
            validators: Validators(etag: row["etag"], lastModified: row["last_modified"]),
            stream: (row["stream"] as String?).flatMap(StreamRecord.init), mediaSeconds: row["media_seconds"],
            highWater: row["high_water"], validatorFailures: row["validator_failures"],
            startOvers: row["start_overs"], error: error, retryAt: date("retry_at"), failedRuns: row["failed_runs"],
            isPlacing: row["is_placing"], file: file, oldFile: oldFile, storedExtras: bytes("stored_extras"),
            bytesPerSecond: row["bytes_per_second"], updatedAt: date("updated_at") ?? .distantPast,
            isGone: row["is_gone"])
    }
}
