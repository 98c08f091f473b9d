import GRDB

/// What of a finished video can be read: its titles and description, and its subtitle files.
package struct VideoTexts: Sendable {
    package var id: DownloadID
    package var course: String
    package var video: String
    package var title: String
    package var courseTitle: String
    /// Nil directly under its course.
    package var chapterTitle: String?
    /// Of its provider's listing; nil if there is none.
    package var description: String?
}

/// A stored subtitle file.
package struct SubtitleFile: Sendable {
    package var download: DownloadID
    /// Mostly its language.
    package var name: String
    /// Relative to the library.
    package var path: String
    package var size: Int64
    /// In nanoseconds since 1970.
    package var modified: Int64
}

/// What of finished videos can be read, from the tables that have it.
package struct TextTable: Sendable {
    let file: StateFile

    /// Calls `body` with each finished video in the order of the catalogs.
    package func each(_ body: (VideoTexts) throws -> Void) throws(StoreError) {
        try file.read { db in
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT downloads.id, downloads.course, downloads.video, downloads.title,
                        coalesce(courses.title, downloads.course) AS course_title, chapters.title AS chapter_title,
                        listed_videos.description AS description
                    FROM downloads
                        LEFT JOIN courses ON courses.id = downloads.course
                        LEFT JOIN chapters ON chapters.course = downloads.course AND chapters.id = downloads.chapter
                        LEFT JOIN listed_videos ON listed_videos.course = downloads.course
                            AND listed_videos.id = downloads.video
                    WHERE downloads.path IS NOT NULL AND downloads.state = 'finished'
                    ORDER BY courses.file, courses.ordinal, downloads.course, downloads.ordinal, downloads.id
                    """)
            while let row = try rows.next().map(StoredRow.init) {
                guard let id = row.integer("id") else { continue }
                try body(
                    VideoTexts(
                        id: DownloadID(rawValue: id), course: row.text("course") ?? "", video: row.text("video") ?? "",
                        title: row.text("title") ?? "", courseTitle: row.text("course_title") ?? "",
                        chapterTitle: row.text("chapter_title"), description: row.text("description")))
            }
        }
    }

    /// The subtitles of all videos.
    package func subtitles() throws(StoreError) -> [DownloadID: [SubtitleFile]] {
        try file.read { db in
            let rows = try Row.fetchCursor(db, sql: Self.subtitles + "ORDER BY download, name")
            var all: [DownloadID: [SubtitleFile]] = [:]
            while let row = try rows.next() {
                if let file = SubtitleFile(StoredRow(row)) { all[file.download, default: []].append(file) }
            }
            return all
        }
    }

    /// The subtitles of these videos.
    package func subtitles(of ids: [DownloadID]) throws(StoreError) -> [DownloadID: [SubtitleFile]] {
        try file.read { db in
            let statement = try db.cachedStatement(sql: Self.subtitles + "AND download = ? ORDER BY name")
            var files: [DownloadID: [SubtitleFile]] = [:]
            for id in ids {
                files[id] = try Row.fetchAll(statement, arguments: [id.rawValue]).compactMap {
                    SubtitleFile(StoredRow($0))
                }
            }
            return files
        }
    }

    private static let subtitles = """
        SELECT download, name, path, size, modified FROM sidecars WHERE kind = 'subtitle' AND state = 'stored'

        """

    /// The description of a video in its provider's listing.
    package func description(of key: DownloadKey) throws(StoreError) -> String? {
        try file.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT description FROM listed_videos WHERE course = ? AND id = ?")
            return try Row.fetchOne(statement, arguments: [key.course, key.video]).flatMap {
                StoredRow($0).text("description")
            }
        }
    }
}

extension SubtitleFile {
    fileprivate init?(_ row: StoredRow) {
        guard let download = row.integer("download"), let path = row.text("path") else { return nil }
        self.init(
            download: DownloadID(rawValue: download), name: row.text("name") ?? "", path: path,
            size: row.size("size") ?? 0, modified: row.integer("modified") ?? 0)
    }
}
