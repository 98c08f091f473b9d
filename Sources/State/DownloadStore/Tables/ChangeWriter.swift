import FileSystem
import Foundation
import GRDB

/// Carries out changes within one transaction, with one timestamp.
struct ChangeWriter {
    let db: Database
    /// In seconds since 1970.
    let now: Double

    init(_ db: Database, at now: Date) {
        self.db = db
        self.now = now.timeIntervalSince1970
    }

    /// Carries out one change of one download.
    func apply(_ change: DownloadChange) throws {
        switch change {
        case .begin(let id):
            try move(id, .begin, setting: "reason = NULL, retry_at = NULL", [])
        case .progress(let id, let facts): try record(facts, of: id)
        case .kind(let id, let kind): try record(kind, of: id)
        case .titled(let id, let title):
            try run("UPDATE downloads SET given_title = ? WHERE id = ?", [title, id.rawValue])
        case .startOver(let id, let validatorFailures, let startOvers, let givesUpRanges):
            try run(
                """
                UPDATE downloads SET \(Self.noBytes), validator_failures = ?, start_overs = ?,
                    ranges_given_up = max(ranges_given_up, ?), updated_at = ? WHERE id = ?
                """, [validatorFailures, startOvers, givesUpRanges, now, id.rawValue])
        case .placing(let id, let file): try place(id, file)
        case .placingPart(let part): try place(part)
        case .unplace(let id): try unplace(id)
        case .finish(let id):
            try run("DELETE FROM parts WHERE download = ?", [id.rawValue])
            try move(id, .finish, setting: Self.ended, [])
        case .adopt(let id, let file): try adopt(id, file)
        case .putBack(let id, let retryAt, let error): try putBack(id, retryAt: retryAt, error)
        case .suspend(let id, let reason): try move(id, .suspend, setting: "reason = ?", [reason.rawValue])
        case .revive(let id):
            try move(
                id, .revive,
                setting: "reason = NULL, retry_at = NULL, failed_runs = max(0, failed_runs - (state = 'failed'))",
                [])
        case .fail(let id, let error, let retryAt): try fail(id, error, retryAt: retryAt)
        case .lose(let id): try lose(id)
        case .refetch(let id, let keepsFile):
            try move(id, .refetch, setting: keepsFile ? Self.fresh : "file_source = NULL, \(Self.fresh)", [])
        case .recorded(let id, let file): try record(file, of: id)
        case .steer(let id, let transition):
            try move(id, transition, setting: Self.steering(transition), [])
        case .fileRemoved(let id): try removeFile(of: id)
        case .prioritize(let id, let priority):
            try run(
                "UPDATE downloads SET priority_override = ?, updated_at = ? WHERE id = ?",
                [priority, now, id.rawValue])
        case .extrasStored(let id, let digest):
            try run(
                "UPDATE downloads SET stored_extras = ?, updated_at = ? WHERE id = ?",
                [digest?.data, now, id.rawValue])
        case .sidecar(let change): try apply(change)
        case .coverLost(let course, let chapter, let file): try loseCover(of: course, chapter: chapter, file)
        case .courseCover(let course, let digest, let file):
            try run(
                "UPDATE courses SET cover = ?, cover_path = ?, cover_size = ?, cover_modified = ? WHERE id = ?",
                [digest.data, file.path, file.size, file.modified, course])
        case .chapterCover(let course, let chapter, let digest, let file):
            try run(
                """
                UPDATE chapters SET cover = ?, cover_path = ?, cover_size = ?, cover_modified = ?
                WHERE course = ? AND id = ?
                """, [digest.data, file.path, file.size, file.modified, course, chapter])
        case .waits(let waits): try run("INSERT OR REPLACE INTO facts VALUES ('waits', ?)", [RunTable.text(waits)])
        }
    }

    private func record(_ kind: DownloadKind, of id: DownloadID) throws {
        // The duration of the previous kind doesn't apply to another one, unless its file stays.
        try run(
            """
            UPDATE downloads SET kind = ?,
                media_seconds = iif(path IS NULL OR file_source IS NULL, NULL, media_seconds)
            WHERE id = ? AND kind IS NOT ?
            """, [kind.rawValue, id.rawValue, kind.rawValue])
    }

    private func record(_ facts: ProgressFacts, of id: DownloadID) throws {
        try run(
            """
            UPDATE downloads SET error_kind = iif(?1 > durable_bytes, NULL, error_kind),
                error_message = iif(?1 > durable_bytes, NULL, error_message),
                error_status = iif(?1 > durable_bytes, NULL, error_status),
                durable_bytes = ?1, total_bytes = ?, etag = ?, last_modified = ?,
                high_water = max(high_water, ?), bytes_per_second = ?, stream = ?,
                media_type = ?, media_seconds = coalesce(?, media_seconds), updated_at = ? WHERE id = ?
            """,
            [
                facts.bytes, ByteCount.believed(facts.total), facts.validators.etag, facts.validators.lastModified,
                facts.bytes, facts.bytesPerSecond, facts.position, facts.mediaType, facts.seconds, now, id.rawValue,
            ])
    }

    private func place(_ id: DownloadID, _ file: StoredFile) throws {
        // The old file is kept beside the new one until the successor is placed: SQLite evaluates the right sides
        // with the old values (lang_update.html).
        try run(
            """
            UPDATE downloads SET
                old_path = iif(is_placing, old_path, path), old_size = iif(is_placing, old_size, size),
                old_modified = iif(is_placing, old_modified, modified),
                old_sha256 = iif(is_placing, old_sha256, sha256),
                old_source = iif(is_placing, old_source, file_source), old_role = iif(is_placing, old_role, role),
                old_joining = iif(is_placing, old_joining, joining),
                is_placing = 1, path = ?, size = ?, modified = ?, sha256 = ?, file_source = ?, file_proof = ?,
                checksums = ?, role = ?, joining = ?, durable_bytes = ?, total_bytes = ?, updated_at = ?
            WHERE id = ?
            """,
            [
                file.path, file.size, file.modified, file.sha256?.data, file.source.data,
                file.proof?.text, file.checksums?.text, file.role, file.joining, file.size, file.size, now,
                id.rawValue,
            ])
    }

    private func place(_ part: PartRecord) throws {
        try run(
            "INSERT OR REPLACE INTO parts VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                part.file.download.rawValue, part.file.kind.rawValue, part.file.name, part.partial, part.file.path,
                part.file.size, part.file.modified, part.sha256?.data,
            ])
    }

    private func unplace(_ id: DownloadID) throws {
        try run("DELETE FROM parts WHERE download = ?", [id.rawValue])
        let isOld = "path IS old_path AND size IS old_size AND modified IS old_modified AND sha256 IS old_sha256"
        try run(
            """
            UPDATE downloads SET is_placing = 0, path = old_path, size = old_size, modified = old_modified,
                sha256 = old_sha256, file_source = old_source, file_proof = iif(\(isOld), file_proof, NULL),
                checksums = iif(\(isOld), checksums, NULL), role = old_role, joining = old_joining,
                \(Self.noOld), updated_at = ?
            WHERE id = ? AND is_placing = 1
            """, [now, id.rawValue])
    }

    private func adopt(_ id: DownloadID, _ file: StoredFile) throws {
        try move(
            id, .finish,
            setting: Self.ended + """
                , path = ?, size = ?, modified = ?, sha256 = ?, file_source = ?, file_proof = ?, checksums = ?,
                role = ?, joining = ?
                """,
            [
                file.path, file.size, file.modified, file.sha256?.data, file.source.data,
                file.proof?.text, file.checksums?.text, file.role, file.joining,
            ])
    }

    private func putBack(_ id: DownloadID, retryAt: Date?, _ error: DownloadError?) throws {
        try move(
            id, .putBack,
            setting: "reason = NULL, retry_at = ?, error_kind = ?, error_message = ?, error_status = ?",
            [
                retryAt.map { min($0.timeIntervalSince1970, now + RowStatus.longestWait) }, error?.kind.rawValue,
                error?.message, error?.status,
            ])
    }

    private func fail(_ id: DownloadID, _ error: DownloadError, retryAt: Date?) throws {
        try move(
            id, .fail,
            setting: """
                reason = NULL, retry_at = ?, error_kind = ?, error_message = ?, error_status = ?,
                failed_runs = failed_runs + 1, priority_override = NULL
                """,
            [retryAt?.timeIntervalSince1970, error.kind.rawValue, error.message, error.status])
    }

    private func lose(_ id: DownloadID) throws {
        try move(
            id, .lose,
            setting: """
                reason = 'lost', path = NULL, size = NULL, modified = NULL, file_source = NULL, file_proof = NULL, \
                checksums = NULL, role = NULL, joining = NULL, stored_extras = NULL, \(Self.fresh)
                """,
            [])
    }

    private func record(_ file: StoredFile, of id: DownloadID) throws {
        try run(
            """
            UPDATE downloads SET file_proof = iif(sha256 IS ?1, file_proof, NULL),
                checksums = iif(sha256 IS ?1, checksums, ?7), path = ?2, size = ?3, modified = ?4, sha256 = ?1,
                joining = ?8, updated_at = ?5
            WHERE id = ?6 AND state = 'finished'
            """,
            [
                file.sha256?.data, file.path, file.size, file.modified, now, id.rawValue, file.checksums?.text,
                file.joining,
            ])
    }

    private func removeFile(of id: DownloadID) throws {
        try run(
            """
            UPDATE downloads SET path = NULL, size = NULL, modified = NULL, sha256 = NULL, file_source = NULL,
                file_proof = NULL, checksums = NULL, role = NULL, joining = NULL, stored_extras = NULL, updated_at = ?
            WHERE id = ? AND state = 'cancelled'
            """, [now, id.rawValue])
        try run("DELETE FROM sidecars WHERE download = ?", [id.rawValue])
    }

    private func loseCover(of course: String, chapter: String?, _ file: StoredFile?) throws {
        let assignments = "SET cover = NULL, cover_path = ?, cover_size = ?, cover_modified = ?"
        let values: [(any DatabaseValueConvertible)?] = [file?.path, file?.size, file?.modified, course]
        if let chapter {
            try run("UPDATE chapters \(assignments) WHERE course = ? AND id = ?", values + [chapter])
        } else {
            try run("UPDATE courses \(assignments) WHERE id = ?", values)
        }
    }

    /// Further changes to the row by a user's transition.
    private static func steering(_ transition: StateTransition) -> String {
        switch transition {
        case .pause, .resume: "reason = NULL, retry_at = NULL"
        // A finished file is to be fetched again.
        case .retry:
            "reason = NULL, failed_runs = 0, file_source = iif(state = 'finished', NULL, file_source), "
                + noFailures + ", " + noError
        case .cancel, .remove: "reason = NULL, priority_override = NULL, " + noError + ", " + noPartial
        default: ""
        }
    }

    private static let noError = "retry_at = NULL, error_kind = NULL, error_message = NULL, error_status = NULL"

    private static let noBytes = """
        durable_bytes = 0, total_bytes = NULL, etag = NULL, last_modified = NULL, high_water = 0, stream = NULL,
        media_type = NULL
        """

    private static let noFailures = "validator_failures = 0, start_overs = 0, ranges_given_up = 0"

    private static let noPartial = "failed_runs = 0, " + noFailures + ", " + noBytes

    private static let noOld =
        "old_path = NULL, old_size = NULL, old_modified = NULL, old_sha256 = NULL, old_source = NULL, "
        + "old_role = NULL, old_joining = NULL"

    /// Clears the temporary values of a finished download.
    private static let ended =
        noOld + ", reason = NULL, is_placing = 0, priority_override = NULL, " + noError + ", " + noPartial

    /// Resets a download that starts over.
    private static let fresh = noError + ", " + noPartial

    /// The one statement that writes the valid `state` of an existing row.
    func move(
        _ id: DownloadID, _ transition: StateTransition, setting assignments: String,
        _ values: [(any DatabaseValueConvertible)?]
    ) throws {
        var state: DownloadState?
        try db.cachedStatement(sql: "SELECT state FROM downloads WHERE id = ?").forEachRow([id.rawValue]) {
            state = DownloadState(stored: $0.string(0))
        }
        guard let next = state?.after(transition) else {
            throw StoreError.refusedTransition(id, transition, from: state)
        }
        let fields = assignments.isEmpty ? "" : ", " + assignments
        try run(
            "UPDATE downloads SET state = ?, updated_at = ?\(fields) WHERE id = ?",
            [next.rawValue, now] + values + [id.rawValue])
    }

    /// Carries out the transitions of a row's recovery.
    func carryOut(_ recovery: Recovery, _ id: DownloadID) throws {
        let status = recovery.status
        let attempts = recovery.isNewChance ? ", validator_failures = 0, start_overs = 0" : ""
        for step in recovery.steps {
            try move(
                id, step, setting: "reason = ?, retry_at = ?" + attempts,
                [status.reason?.rawValue, status.retryAt?.timeIntervalSince1970])
        }
    }

    /// Runs a statement that returns nothing.
    func run(_ sql: String, _ values: [(any DatabaseValueConvertible)?]) throws { try db.run(sql, values) }
}

extension Database {
    /// Runs a statement that returns nothing; it is compiled once.
    func run(_ sql: String, _ values: [(any DatabaseValueConvertible)?]) throws {
        try cachedStatement(sql: sql).execute(arguments: StatementArguments(values))
    }
}
