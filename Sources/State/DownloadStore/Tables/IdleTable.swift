package import Foundation
import GRDB

/// Notes of runs that found nothing to do: on what that depended outside of the rows. A change of a row drops all of
/// them, by triggers of the schema. A note is about a subject, such as one choice of catalogs and options.
package struct IdleTable: Sendable {
    /// The number of subjects whose notes are kept; the newest ones stay.
    package static let most = 16
    /// The limit on a note, in bytes.
    package static let longest = 4 << 20

    let file: StateFile

    /// The note about a subject; nil if there is none, or if a row has changed since it was written.
    package func note(about subject: Data) throws(StoreError) -> Data? {
        try file.read { db in
            try Data.fetchOne(
                db,
                sql: "SELECT note FROM idle WHERE subject = ? AND typeof(note) = 'blob' AND length(note) <= ?",
                arguments: [subject, Self.longest])
        }
    }

    /// Whether a run leaves nothing to a later one in any row: no move or renaming that was begun, no download that the
    /// start of a run changes at some time, and no files to join.
    package func isSettled() throws(StoreError) -> Bool {
        try file.read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT NOT EXISTS (SELECT 1 FROM moves)
                        AND NOT EXISTS (SELECT 1 FROM downloads WHERE joining IS NOT NULL)
                        AND NOT EXISTS (SELECT 1 FROM downloads WHERE state <> 'finished' AND (
                            state IN ('active', 'suspended') OR retry_at IS NOT NULL OR is_placing = 1))
                    """) ?? false
        }
    }

    /// Begins a note about a subject, in place of the one that it has. Until ``end(_:about:)`` it says nothing.
    package func begin(about subject: Data) throws(StoreError) {
        try file.write { db in
            try db.execute(
                sql: """
                    INSERT INTO idle (subject, number) VALUES (?, coalesce((SELECT max(number) FROM idle), 0) + 1)
                    ON CONFLICT (subject) DO UPDATE SET number = excluded.number, note = NULL
                    """, arguments: [subject])
            try db.execute(
                sql: "DELETE FROM idle WHERE number <= (SELECT max(number) FROM idle) - ?", arguments: [Self.most])
        }
    }

    /// Writes the note that was begun. Nothing is written if a row has changed since then, or if it is too long.
    package func end(_ note: Data, about subject: Data) throws(StoreError) {
        guard note.count <= Self.longest else { return }
        try file.write { db in
            try db.execute(
                sql: "UPDATE idle SET note = ? WHERE subject = ? AND note IS NULL", arguments: [note, subject])
        }
    }

    /// The folders of the library that have files of these courses, as paths in the order of their bytes; the library
    /// itself is an empty one.
    package func folders(of courses: some Sequence<String>) throws(StoreError) -> [String] {
        let folder = "rtrim(path, replace(path, '/', ''))"
        let sql = """
            SELECT folder FROM courses WHERE id = :course
            UNION SELECT folder FROM chapters WHERE course = :course
            UNION SELECT \(folder) FROM downloads WHERE course = :course AND path IS NOT NULL
            UNION SELECT rtrim(sidecars.path, replace(sidecars.path, '/', '')) FROM downloads
                JOIN sidecars ON sidecars.download = downloads.id
                WHERE downloads.course = :course AND sidecars.path IS NOT NULL
            UNION SELECT \(folder) FROM metadata WHERE course = :course
            UNION SELECT rtrim(cover_path, replace(cover_path, '/', '')) FROM courses
                WHERE id = :course AND cover_path IS NOT NULL
            UNION SELECT rtrim(cover_path, replace(cover_path, '/', '')) FROM chapters
                WHERE course = :course AND cover_path IS NOT NULL
            """
        return try file.read { db in
            let statement = try db.cachedStatement(sql: sql)
            // As bytes: equal strings may be two names.
            var folders: Set<[UInt8]> = [[]]
            for course in courses {
                for path in try String.fetchAll(statement, arguments: ["course": course]) {
                    folders.insert(Array(path.hasSuffix("/") ? path.utf8.dropLast() : path.utf8[...]))
                }
            }
            return folders.sorted { $0.lexicographicallyPrecedes($1) }.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
