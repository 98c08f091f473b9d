package import Foundation
import GRDB

/// What a course has, summed up over its videos.
package struct CourseSums: Sendable {
    package var course: String
    /// Videos in the catalog.
    package var videos: Int
    /// Of these, finished ones.
    package var finished: Int
    package var failed: Int
    /// Videos that are no longer in the catalog, and have files.
    package var gone: Int
    /// Of all files of videos.
    package var bytes: ByteCount
    /// The playing time that is known, in seconds.
    package var seconds: Double
    /// How many videos' playing time is known.
    package var timed: Int
    /// When the newest file came; nil without a file.
    package var newest: Date?
}

/// The orders in which the videos of a course can be shown.
package enum VideoOrder: String, Sendable, CaseIterable {
    /// As in the catalog.
    case course
    /// The newest file first.
    case newest
    case title
}

/// What a provider's listing says about a video.
package struct ListedFacts: Sendable, Equatable {
    package var description: String?
    package var publishedAt: Date?
    /// In seconds.
    package var duration: Double?
}

/// What a page shows of the downloads.
package struct ViewTable: Sendable {
    let file: StateFile

    /// - Parameter course: only this one; nil for all.
    package func courses(_ course: String? = nil) throws(StoreError) -> [CourseSums] {
        try file.read { db in
            let condition = course == nil ? "" : "WHERE course = ?"
            let sql = """
                SELECT course, count(*) FILTER (WHERE is_gone = 0) AS videos,
                    count(*) FILTER (WHERE is_gone = 0 AND state = 'finished') AS finished,
                    count(*) FILTER (WHERE is_gone = 0 AND state = 'failed') AS failed,
                    count(*) FILTER (WHERE is_gone <> 0 AND state = 'finished') AS gone,
                    total(size) FILTER (WHERE state = 'finished') AS bytes,
                    total(media_seconds) AS seconds, count(media_seconds) AS timed,
                    max(modified) FILTER (WHERE state = 'finished') AS newest
                FROM downloads \(condition) GROUP BY course
                """
            return try Row.fetchAll(db, sql: sql, arguments: StatementArguments(course.map { [$0] } ?? [])).map(
                StoredRow.init
            ).compactMap { row in
                row.text("course").map {
                    CourseSums(
                        course: $0, videos: row.count("videos"), finished: row.count("finished"),
                        failed: row.count("failed"), gone: row.count("gone"), bytes: row.total("bytes"),
                        seconds: row.seconds("seconds") ?? 0, timed: row.count("timed"),
                        newest: Date(stored: row.integer("newest").map { Double($0) / 1e9 }))
                }
            }
        }
    }

    /// The videos of a course, those that have left its catalog last.
    package func ids(of course: String, _ order: VideoOrder) throws(StoreError) -> [DownloadID] {
        let columns =
            switch order {
            case .course: "ordinal, id"
            case .newest: "state <> 'finished', modified DESC, ordinal, id"
            case .title: "title COLLATE NOCASE, ordinal, id"
            }
        return try file.read { db in
            let sql = "SELECT id FROM downloads WHERE course = ? ORDER BY is_gone, \(columns)"
            return try Int64.fetchAll(db, sql: sql, arguments: [course]).map(DownloadID.init)
        }
    }

    /// The videos of a library with the newest files, from the newest one on.
    ///
    /// - Parameter last: only those after it; nil for the first ones.
    package func newest(after last: DownloadID? = nil, atMost limit: Int) throws(StoreError) -> [DownloadID] {
        try file.read { db in
            let sql = """
                SELECT id FROM downloads WHERE state = 'finished' AND is_gone = 0 AND (?1 IS NULL OR
                    (coalesce(modified, 0), -id) < (SELECT coalesce(modified, 0), -id FROM downloads WHERE id = ?1))
                ORDER BY coalesce(modified, 0) DESC, id LIMIT ?2
                """
            return try Int64.fetchAll(db, sql: sql, arguments: [last?.rawValue, limit]).map(DownloadID.init)
        }
    }

    /// The next videos that wait, by priority, then in the order of the catalogs.
    package func waiting(atMost limit: Int) throws(StoreError) -> [DownloadID] {
        try file.read { db in
            let sql = """
                SELECT downloads.id FROM downloads LEFT JOIN courses ON courses.id = downloads.course
                WHERE state IN ('waiting', 'suspended') AND state <> 'finished' AND is_gone = 0
                ORDER BY coalesce(priority_override, priority) DESC, courses.file, courses.ordinal, downloads.course,
                    downloads.ordinal, downloads.id LIMIT ?
                """
            return try Int64.fetchAll(db, sql: sql, arguments: [limit]).map(DownloadID.init)
        }
    }

    /// The names of all subtitles, mostly languages; the most frequent 50.
    package func subtitleNames() throws(StoreError) -> [String] {
        try file.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM sidecars WHERE kind = 'subtitle' AND state = 'stored'
                    GROUP BY name ORDER BY count(*) DESC LIMIT 50
                    """)
        }
    }

    /// The videos with files before and after a place in the order of their course, each with its place.
    package func neighbours(
        of place: Int64, in course: String
    ) throws(StoreError) -> (before: (video: String, place: Int64)?, after: (video: String, place: Int64)?) {
        try file.read { db in
            func nearest(_ condition: String) throws -> (String, Int64)? {
                let sql = """
                    SELECT video, ordinal FROM downloads
                    WHERE course = ? AND is_gone = 0 AND path IS NOT NULL AND ordinal \(condition) LIMIT 1
                    """
                return try Row.fetchOne(db, sql: sql, arguments: [course, place]).map(StoredRow.init).flatMap { row in
                    row.text("video").map { ($0, row.integer("ordinal") ?? 0) }
                }
            }
            return (try nearest("< ? ORDER BY ordinal DESC"), try nearest("> ? ORDER BY ordinal"))
        }
    }

    /// What listings say about these videos.
    package func listed(_ keys: [DownloadKey]) throws(StoreError) -> [DownloadKey: ListedFacts] {
        try file.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT description, published_at, duration FROM listed_videos WHERE course = ? AND id = ?")
            var facts: [DownloadKey: ListedFacts] = [:]
            for key in keys {
                let row = try Row.fetchOne(statement, arguments: [key.course, key.video]).map(StoredRow.init)
                facts[key] = row.map { row in
                    ListedFacts(
                        description: row.text("description"), publishedAt: row.date("published_at"),
                        duration: row.seconds("duration"))
                }
            }
            return facts
        }
    }

    /// The chapters of a course by their ids.
    package func chapters(of course: String) throws(StoreError) -> [String: ChapterRecord] {
        try file.read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM chapters WHERE course = ?")
            var chapters: [String: ChapterRecord] = [:]
            for row in try Row.fetchAll(statement, arguments: [course]).map(StoredRow.init) {
                if let chapter = CatalogTable.chapter(row) { chapters[chapter.id] = chapter }
            }
            return chapters
        }
    }
}
