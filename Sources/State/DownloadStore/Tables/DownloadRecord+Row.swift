import FileSystem
import Foundation
import GRDB

extension RowStatus {
    init(_ row: StoredRow) {
        self.init(
            state: DownloadState(stored: row.text("state")), reason: row.text("reason").flatMap(SuspendReason.init),
            retryAt: row.date("retry_at"), isPlacing: row.flag("is_placing"), failedRuns: row.count("failed_runs"))
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
        file?.checksums = row.text("checksums").flatMap(PublishedChecksums.init(text:))
        let number = { (column: String) in Int(truncatingIfNeeded: row.integer(column) ?? 0) }
        self.init(
            id: DownloadID(rawValue: row.integer("id") ?? 0),
            key: DownloadKey(course: row.text("course") ?? "", video: row.text("video") ?? ""),
            catalog: CatalogFields(
                chapter: row.text("chapter"), title: row.text("title") ?? "", position: number("position"),
                ordinal: row.integer("ordinal") ?? 0, provider: row.text("provider") ?? "",
                source: row.digest("source") ?? [], priority: number("priority"), extras: row.digest("extras"),
                stem: row.text("stem") ?? "", expectedSize: row.size("expected_size"),
                expectedSHA256: row.digest("expected_sha256"), number: row.number("number"),
                numberInCourse: row.number("number_in_course"), keepsNumber: row.flag("keeps_number")),
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
