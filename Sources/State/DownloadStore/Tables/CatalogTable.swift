import FileSystem
package import Foundation
import GRDB

/// The last contents of the catalogs: courses, chapters, and their downloads.
package struct CatalogTable: Sendable {
    let file: StateFile

    /// All courses by id.
    package func courses() throws(StoreError) -> [String: CourseRecord] {
        try file.read { db in
            let courses = try Row.fetchAll(db, sql: "SELECT * FROM courses").compactMap(Self.course)
            return Dictionary(courses.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        }
    }

    /// Those with these ids.
    package func courses(_ ids: Set<String>) throws(StoreError) -> [String: CourseRecord] {
        try file.read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM courses WHERE id = ?")
            var courses: [String: CourseRecord] = [:]
            for id in ids {
                courses[id] = try Row.fetchOne(statement, arguments: [id]).flatMap(Self.course)
            }
            return courses
        }
    }

    /// A row without id or folder is made again.
    private static func course(_ row: Row) -> CourseRecord? {
        let row = StoredRow(row)
        guard let id = row.text("id"), let folder = row.text("folder") else { return nil }
        return CourseRecord(
            id: id, file: row.text("file") ?? "", ordinal: Int(truncatingIfNeeded: row.integer("ordinal") ?? 0),
            title: row.text("title") ?? "", folder: folder, cover: row.digest("cover"), coverFile: cover(row),
            layout: row.text("layout"), season: row.number("season"))
    }

    package func chapters() throws(StoreError) -> [ChapterRecord] {
        try file.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM chapters").map(StoredRow.init).compactMap(Self.chapter)
        }
    }

    /// The titles of the chapters of courses, by their ids.
    package func chapterTitles(of courses: Set<String>) throws(StoreError) -> [String: [String: String]] {
        try file.read { db in
            let statement = try db.cachedStatement(sql: "SELECT id, title FROM chapters WHERE course = ?")
            var titles: [String: [String: String]] = [:]
            for course in courses {
                try statement.forEachRow([course]) { row in
                    if let id = row.string(0) { titles[course, default: [:]][id] = row.string(1) }
                }
            }
            return titles
        }
    }

    package func chapterTitles(of course: String) throws(StoreError) -> [String: String] {
        try chapterTitles(of: [course] as Set)[course] ?? [:]
    }

    /// The ids of a course's videos in their order, each with its chapter's.
    package func videos(of course: String) throws(StoreError) -> [(chapter: String?, video: String)] {
        try file.read { db in
            let sql = "SELECT chapter, video FROM downloads WHERE course = ? ORDER BY position"
            return try Row.fetchAll(db, sql: sql, arguments: [course]).map(StoredRow.init).compactMap { row in
                row.text("video").map { (row.text("chapter"), $0) }
            }
        }
    }

    /// The courses with downloads, and those of their chapters with downloads.
    package func used() throws(StoreError) -> [String: Set<String>] {
        try file.read { db in
            var used: [String: Set<String>] = [:]
            let rows = try Row.fetchAll(db, sql: "SELECT DISTINCT course, chapter FROM downloads")
            for row in rows.map(StoredRow.init) {
                guard let course = row.text("course") else { continue }
                used[course, default: []].formUnion(row.text("chapter").map { [$0] } ?? [])
            }
            return used
        }
    }

    /// Forgets a course without downloads: its name becomes free.
    package func deleteCourse(_ id: String) throws(StoreError) {
        try file.write { db in
            try db.run("DELETE FROM chapters WHERE course = ?", [id])
            try db.run("DELETE FROM courses WHERE id = ?", [id])
            try MoveTable.dropOrphans(db)
        }
    }

    /// Forgets those of these courses and chapters that have no downloads.
    package func deleteUnused(_ courses: [CourseRecord], _ chapters: [ChapterRecord]) throws(StoreError) {
        guard !courses.isEmpty || !chapters.isEmpty else { return }
        let used = try used()
        for chapter in chapters where used[chapter.course]?.contains(chapter.id) != true {
            try deleteChapter(chapter.id, of: chapter.course)
        }
        for course in courses where used[course.id] == nil { try deleteCourse(course.id) }
    }

    /// Forgets a chapter without downloads.
    package func deleteChapter(_ id: String, of course: String) throws(StoreError) {
        try file.write { db in
            try db.run("DELETE FROM chapters WHERE course = ? AND id = ?", [course, id])
            try MoveTable.dropOrphans(db)
        }
    }

    /// Writes all of it, or nothing.
    package func apply(_ changes: ReconcileChanges, at now: Date = Date()) throws(StoreError) {
        guard !changes.isEmpty else { return }
        try file.write { db in try ChangeWriter(db, at: now).apply(changes) }
    }

    /// Marks the courses of a catalog file as gone. Returns the number of downloads concerned.
    package func forget(file path: String) throws(StoreError) -> Int {
        try file.write { db in
            try db.execute(
                sql: """
                    UPDATE downloads SET is_gone = 1
                    WHERE is_gone = 0 AND course IN (SELECT id FROM courses WHERE file = ?)
                    """, arguments: [path])
            let count = db.changesCount
            for table in ["listings", "listed_chapters", "listed_videos"] {
                try db.execute(
                    sql: "DELETE FROM \(table) WHERE course IN (SELECT id FROM courses WHERE file = ?)",
                    arguments: [path])
            }
            // They belong to no file any more: any catalog may take them over.
            try db.execute(sql: "UPDATE courses SET file = '' WHERE file = ?", arguments: [path])
            return count
        }
    }

    /// Nil for a row without course, id or folder.
    static func chapter(_ row: StoredRow) -> ChapterRecord? {
        guard let course = row.text("course"), let id = row.text("id"), let folder = row.text("folder") else {
            return nil
        }
        return ChapterRecord(
            course: course, id: id, title: row.text("title") ?? "",
            position: Int(truncatingIfNeeded: row.integer("position") ?? 0), folder: folder,
            cover: row.digest("cover"), coverFile: cover(row), number: row.number("number"),
            season: row.number("season"), keepsNumber: row.flag("keeps_number"))
    }

    private static func cover(_ row: StoredRow) -> StoredFile? {
        row.text("cover_path").map {
            StoredFile(
                path: $0, size: row.size("cover_size") ?? 0, modified: row.integer("cover_modified"), sha256: nil,
                source: [])
        }
    }
}
