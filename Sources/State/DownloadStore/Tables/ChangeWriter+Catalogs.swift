import Foundation
import GRDB

/// The changes that a sync found between catalogs, state and library.
extension ChangeWriter {
    /// Carries out all of it.
    func apply(_ changes: ReconcileChanges) throws {
        // First: no other statement can write such a row.
        for id in changes.damaged { try run("UPDATE downloads SET state = 'waiting' WHERE id = ?", [id.rawValue]) }
        for id in changes.lost { try apply(.lose(id)) }
        for id in changes.refetched { try apply(.refetch(id, keepsFile: changes.keptFiles.contains(id))) }
        for id in changes.revived { try apply(.revive(id)) }
        for sidecar in changes.retried { try apply(.wanted(sidecar.download, sidecar.name)) }
        for course in changes.courses { try save(course) }
        for chapter in changes.chapters { try save(chapter) }
        for new in changes.new { try insert(new) }
        for updated in changes.updated { try update(updated) }
        for id in changes.finished {
            try apply(.revive(id))
            try apply(.finish(id))
        }
        for id in changes.gone {
            try run("UPDATE downloads SET is_gone = 1, updated_at = ? WHERE id = ?", [now, id.rawValue])
        }
        try MoveTable.begin(changes.moves, stems: changes.stems, db)
    }

    private func save(_ course: CourseRecord) throws {
        try run(
            """
            INSERT INTO courses (id, file, ordinal, title, folder, layout, season) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET file = excluded.file, ordinal = excluded.ordinal,
                title = excluded.title, folder = excluded.folder, layout = excluded.layout, season = excluded.season
            """,
            [course.id, course.file, course.ordinal, course.title, course.folder, course.layout, course.season])
    }

    private func save(_ chapter: ChapterRecord) throws {
        try run(
            """
            INSERT INTO chapters (course, id, title, position, folder, number, season, keeps_number)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (course, id) DO UPDATE SET title = excluded.title, position = excluded.position,
                folder = excluded.folder, number = excluded.number, season = excluded.season,
                keeps_number = excluded.keeps_number
            """,
            [
                chapter.course, chapter.id, chapter.title, chapter.position, chapter.folder, chapter.number,
                chapter.season, chapter.keepsNumber,
            ])
    }

    private func insert(_ new: ReconcileChanges.New) throws {
        let fields = new.fields
        try run(
            """
            INSERT INTO downloads (id, course, video, chapter, title, position, ordinal, provider, source, priority,
            extras,
                stem, expected_size, expected_sha256, number, number_in_course, keeps_number, state, announced,
                updated_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting', 0, ?)
            """, [new.id.rawValue, new.key.course, new.key.video] + values(fields) + [now])
    }

    private func update(_ updated: ReconcileChanges.Updated) throws {
        try run(
            """
            UPDATE downloads SET chapter = ?, title = ?, position = ?, ordinal = ?, provider = ?, source = ?,
                priority = ?, extras = ?, stem = ?, expected_size = ?, expected_sha256 = ?, number = ?,
                number_in_course = ?, keeps_number = ?, updated_at = ?, is_gone = 0
            WHERE id = ?
            """, values(updated.fields) + [now, updated.id.rawValue])
        if updated.sourceChanged {
            // A new source starts without failures, since those of the old one prove nothing about it. Nor do the old
            // one's validators prove anything about its bytes: only a checksum does. What was recorded of a live stream
            // stays, since it can't be had again.
            try run(
                """
                UPDATE downloads SET retry_at = NULL, failed_runs = 0 WHERE id = ? AND state <> 'finished'
                """, [updated.id.rawValue])
            try run(
                """
                UPDATE downloads SET start_overs = 0, validator_failures = 0, ranges_given_up = 0,
                    durable_bytes = iif(stream IS NULL AND expected_sha256 IS NOT NULL, durable_bytes, 0),
                    total_bytes = NULL, etag = NULL, last_modified = NULL, media_type = NULL, high_water = 0,
                    stream = NULL
                WHERE id = ? AND state <> 'finished' AND (stream IS NULL OR stream NOT LIKE '%"recording":%')
                """, [updated.id.rawValue])
            let state = try String.fetchOne(
                db, sql: "SELECT state FROM downloads WHERE id = ?", arguments: [updated.id.rawValue])
            if state == DownloadState.failed.rawValue { try move(updated.id, .revive, setting: "", []) }
        }
    }

    private func values(_ fields: CatalogFields) -> [(any DatabaseValueConvertible)?] {
        [
            fields.chapter, fields.title, fields.position, fields.ordinal, fields.provider, fields.source.data,
            fields.priority, fields.extras?.data, fields.stem, fields.expectedSize,
            fields.expectedSHA256?.data, fields.number, fields.numberInCourse, fields.keepsNumber,
        ]
    }
}
