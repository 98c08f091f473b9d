import FileSystem
import Foundation
import GRDB

/// The last listing of each course that its provider lists.
package struct ListingTable: Sendable {
    let file: StateFile

    /// All of them by the course's id, without chapters and videos.
    package func records() throws(StoreError) -> [String: ListingRecord] {
        try file.read { db in
            var all: [String: ListingRecord] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT * FROM listings").map(StoredRow.init) {
                // A row without these is as if the course had never been listed.
                guard let course = row.text("course"), let question: ListingRequestDigest = row.digest("question")
                else {
                    continue
                }
                all[course] = ListingRecord(
                    course: course, question: question, askedAt: row.date("asked_at") ?? .distantPast,
                    known: row.text("known"), title: row.text("title"), cover: row.text("cover"),
                    doubtedAt: row.date("doubted_at"), doubtedLoss: row.blob("doubted_loss"))
            }
            return all
        }
    }

    /// The chapters and videos of a course, in order.
    package func contents(of course: String) throws(StoreError) -> (chapters: [ListedChapter], videos: [ListedVideo]) {
        var videos: [ListedVideo] = []
        let chapters = try each(of: course) { videos.append($0) }
        return (chapters, videos)
    }

    /// Calls `body` with each video of a course, in order. Returns the chapters.
    package func each(of course: String, _ body: (ListedVideo) -> Void) throws(StoreError) -> [ListedChapter] {
        try file.read { db in
            var chapters: [ListedChapter] = []
            let ofCourse = try db.cachedStatement(
                sql: "SELECT id, title, cover, season FROM listed_chapters WHERE course = ? ORDER BY ordinal")
            try ofCourse.forEachRow([course]) { row in
                chapters.append(
                    ListedChapter(
                        id: row.string(0) ?? "", title: row.string(1), cover: row.string(2), season: row.number(3)))
            }
            let listed = try db.cachedStatement(
                sql: """
                    SELECT id, chapter, title, description, published_at, duration, cover, parameters, size, sha256,
                        extras, episode
                    FROM listed_videos WHERE course = ? ORDER BY ordinal
                    """)
            try listed.forEachRow([course]) { row in
                guard let id = row.string(0), !id.isEmpty else { return }
                var video = ListedVideo(id: id)
                let chapter = row.isNull(1) ? nil : Int(exactly: row.integer(1))
                video.chapter = chapter.flatMap { chapters.indices.contains($0) ? $0 : nil }
                video.title = row.string(2)
                video.description = row.string(3)
                video.publishedAt = row.isNull(4) ? nil : Date(stored: row.real(4))
                video.duration = row.isNull(5) ? nil : row.real(5)
                video.cover = row.string(6)
                video.parameters = row.string(7)
                video.size = row.isNull(8) ? nil : ByteCount.believed(row.integer(8))
                video.sha256 = row.raw(9).flatMap { $0.count == 32 ? Data($0) : nil }
                video.extras = row.string(10)
                video.episode = row.number(11)
                body(video)
            }
            return chapters
        }
    }

    /// Replaces the listing of a course.
    package func replace(
        _ record: ListingRecord, chapters: some Sequence<ListedChapter>, videos: some Sequence<ListedVideo>
    ) throws(StoreError) {
        try file.write { db in
            try Self.delete(record.course, db)
            try Self.insert(record, db)
            let chapter = try db.cachedStatement(sql: "INSERT INTO listed_chapters VALUES (?, ?, ?, ?, ?, ?)")
            for (ordinal, listed) in chapters.enumerated() {
                try chapter.execute(arguments: [
                    record.course, ordinal, listed.id, listed.title, listed.cover, listed.season,
                ])
            }
            let video = try db.cachedStatement(
                sql: "INSERT INTO listed_videos VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            for (ordinal, listed) in videos.enumerated() {
                try video.execute(arguments: [
                    record.course, ordinal, listed.id, listed.chapter, listed.title, listed.description,
                    listed.publishedAt?.timeIntervalSince1970, listed.duration, listed.cover, listed.parameters,
                    listed.size, listed.sha256, listed.extras, listed.episode,
                ])
            }
        }
    }

    /// Updates records whose chapters and videos stay as they are.
    package func update(_ records: [ListingRecord]) throws(StoreError) {
        guard !records.isEmpty else { return }
        try file.write { db in
            for record in records {
                try db.run("DELETE FROM listings WHERE course = ?", [record.course])
                try Self.insert(record, db)
            }
        }
    }

    package func forget(_ courses: [String]) throws(StoreError) {
        guard !courses.isEmpty else { return }
        try file.write { db in for course in courses { try Self.delete(course, db) } }
    }

    private static func insert(_ record: ListingRecord, _ db: Database) throws {
        try db.run(
            "INSERT INTO listings VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                record.course, record.question.data, record.askedAt.timeIntervalSince1970, record.known, record.title,
                record.cover, record.doubtedAt?.timeIntervalSince1970, record.doubtedLoss,
            ])
    }

    private static func delete(_ course: String, _ db: Database) throws {
        for table in ["listings", "listed_chapters", "listed_videos"] {
            try db.run("DELETE FROM \(table) WHERE course = ?", [course])
        }
    }
}
