package import DownloadStore
package import Foundation
import GRDB

/// What a person has watched of a video.
package struct ViewerMark: Sendable, Equatable {
    package var key: DownloadKey
    /// Where the person left off, in seconds from the beginning.
    package var position: Double
    /// The length of the video as the player or ffmpeg found it, in seconds; nil if nobody has.
    package var length: Double?
    package var isWatched: Bool
    package var changedAt: Date

    /// How much of it is left, in seconds; nil if its length is unknown.
    package var left: Double? { length.map { max(0, $0 - position) } }

    /// The watched part, from 0 to 1.
    package var fraction: Double? {
        length.flatMap { $0 > 0 ? min(1, position / $0) : nil }
    }
}

/// Positions, watched marks, speeds and offsets of a user of the page, in a file of its own beside the state
/// (`marks.sqlite`). Nothing in it can be made anew. Videos are known by their ids, so a state that is made anew finds
/// them.
package final class ViewerMarks: Sendable {
    private let path: String
    private let queue: DatabaseQueue

    private static let version = 1

    /// Opens the file, or makes it. Throws for one that is damaged or of a newer version.
    package init(path: String) throws(StoreError) {
        self.path = path
        queue = try StoreError.attempt(path) {
            DownloadStore.createClosed(path)
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            configuration.prepareDatabase { db in
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(DownloadStore.journal(at: path))")
                // A position of the last seconds may be lost with the power.
                try db.execute(sql: "PRAGMA synchronous = NORMAL")
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { db in
                guard try Int.fetchOne(db, sql: "PRAGMA user_version") != Self.version else { return }
                try db.inTransaction(.immediate) {
                    let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                    guard version <= Self.version else { throw StoreError.newerVersion(path: path) }
                    if version == 0 { try db.execute(sql: Self.schema) }
                    return .commit
                }
            }
            return queue
        }
    }

    package func close() { try? queue.close() }

    private static let schema = """
        CREATE TABLE marks (
            course TEXT NOT NULL,
            video TEXT NOT NULL,
            position REAL NOT NULL DEFAULT 0,
            length REAL,
            is_watched INTEGER NOT NULL DEFAULT 0,
            changed_at REAL NOT NULL,
            PRIMARY KEY (course, video)
        ) WITHOUT ROWID, STRICT;
        CREATE INDEX marks_begun ON marks (changed_at) WHERE position > 0 AND is_watched = 0;
        CREATE TABLE speeds (course TEXT PRIMARY KEY NOT NULL, speed REAL NOT NULL) WITHOUT ROWID, STRICT;
        CREATE TABLE offsets (
            course TEXT NOT NULL,
            video TEXT NOT NULL,
            stream TEXT NOT NULL,
            seconds REAL NOT NULL,
            PRIMARY KEY (course, video, stream)
        ) WITHOUT ROWID, STRICT;
        CREATE TABLE settings (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
        PRAGMA user_version = 1;
        """

    // MARK: videos

    package func marks(of keys: [DownloadKey]) throws(StoreError) -> [DownloadKey: ViewerMark] {
        try read { db in
            let statement = try db.cachedStatement(sql: "SELECT * FROM marks WHERE course = ? AND video = ?")
            var marks: [DownloadKey: ViewerMark] = [:]
            for key in keys {
                marks[key] = try Row.fetchOne(statement, arguments: [key.course, key.video]).flatMap { Self.mark($0) }
            }
            return marks
        }
    }

    /// The marks of a course by the ids of its videos.
    package func marks(of course: String) throws(StoreError) -> [String: ViewerMark] {
        try read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT * FROM marks WHERE course = ?", arguments: [course])
            return rows.reduce(into: [:]) { marks, row in
                if let mark = Self.mark(row) { marks[mark.key.video] = mark }
            }
        }
    }

    /// Videos that were begun and not watched to the end, the last one first.
    package func begun(atMost limit: Int) throws(StoreError) -> [ViewerMark] {
        try read { db in
            let sql = """
                SELECT * FROM marks WHERE position > 0 AND is_watched = 0 ORDER BY changed_at DESC LIMIT ?
                """
            return try Row.fetchAll(db, sql: sql, arguments: [limit]).compactMap(Self.mark)
        }
    }

    /// How many videos of each course were watched.
    package func watched() throws(StoreError) -> [String: Int] {
        try read { db in
            let sql = "SELECT course, count(*) AS number FROM marks WHERE is_watched = 1 GROUP BY course"
            return try Row.fetchAll(db, sql: sql).map(StoredRow.init).reduce(into: [:]) { counts, row in
                if let course = row.text("course") { counts[course] = Int(row.integer("number") ?? 0) }
            }
        }
    }

    /// Notes where the person is in a video, and its length if that is known.
    package func note(
        position: Double, length: Double? = nil, of key: DownloadKey, at now: Date = Date()
    ) throws(StoreError) {
        guard position.isFinite, position >= 0 else { return }
        try set("position = excluded.position, length = coalesce(excluded.length, length)", of: key, at: now) {
            ($0.position, $0.length) = (position, Self.believed(length))
        }
    }

    /// Notes the length of a video that nobody has begun.
    package func note(length: Double, of key: DownloadKey, at now: Date = Date()) throws(StoreError) {
        guard let length = Self.believed(length) else { return }
        try write { db in
            try db.execute(
                sql: """
                    INSERT INTO marks (course, video, length, changed_at) VALUES (?, ?, ?, ?)
                    ON CONFLICT DO UPDATE SET length = excluded.length
                    """, arguments: [key.course, key.video, length, now.timeIntervalSince1970])
        }
    }

    /// Marks a video as watched, or not. Either way it begins at its beginning the next time.
    package func set(isWatched: Bool, of key: DownloadKey, at now: Date = Date()) throws(StoreError) {
        try set("position = 0, is_watched = excluded.is_watched", of: key, at: now) { $0.isWatched = isWatched }
    }

    /// Marks all of these videos of a course.
    package func set(
        isWatched: Bool, of videos: [String], in course: String, at now: Date = Date()
    ) throws(StoreError) {
        try write { db in
            let statement = try db.makeStatement(sql: Self.upsert("position = 0, is_watched = excluded.is_watched"))
            for video in videos {
                try statement.execute(arguments: [course, video, 0, nil, isWatched, now.timeIntervalSince1970])
            }
        }
    }

    private func set(
        _ changes: String, of key: DownloadKey, at now: Date, _ edit: (inout ViewerMark) -> Void
    ) throws(StoreError) {
        var mark = ViewerMark(key: key, position: 0, length: nil, isWatched: false, changedAt: now)
        edit(&mark)
        try write { db in
            try db.execute(
                sql: Self.upsert(changes),
                arguments: [
                    key.course, key.video, mark.position, mark.length, mark.isWatched, now.timeIntervalSince1970,
                ])
        }
    }

    private static func upsert(_ changes: String) -> String {
        """
        INSERT INTO marks (course, video, position, length, is_watched, changed_at) VALUES (?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET changed_at = excluded.changed_at, \(changes)
        """
    }

    /// Nil for an impossible length.
    private static func believed(_ length: Double?) -> Double? {
        length.flatMap { (0.001...1e8).contains($0) ? $0 : nil }
    }

    private static func mark(_ row: Row) -> ViewerMark? {
        let row = StoredRow(row)
        guard let course = row.text("course"), let video = row.text("video") else { return nil }
        return ViewerMark(
            key: DownloadKey(course: course, video: video), position: row.real("position") ?? 0,
            length: row.real("length"), isWatched: row.integer("is_watched") == 1,
            changedAt: Date(timeIntervalSince1970: row.real("changed_at") ?? 0))
    }

    // MARK: what is kept of courses, streams, and the page

    /// The speed at which a course is played; nil if none was chosen.
    package func speed(of course: String) throws(StoreError) -> Double? {
        try read { try Double.fetchOne($0, sql: "SELECT speed FROM speeds WHERE course = ?", arguments: [course]) }
    }

    package func set(speed: Double, of course: String) throws(StoreError) {
        try write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO speeds (course, speed) VALUES (?, ?)", arguments: [course, speed])
        }
    }

    package func forgetSpeed(of course: String) throws(StoreError) {
        try write { try $0.execute(sql: "DELETE FROM speeds WHERE course = ?", arguments: [course]) }
    }

    /// How much later than the main one each stream of a video is to be shown, in seconds, by their names.
    package func offsets(of key: DownloadKey) throws(StoreError) -> [String: Double] {
        try read { db in
            let sql = "SELECT stream, seconds FROM offsets WHERE course = ? AND video = ?"
            let rows = try Row.fetchAll(db, sql: sql, arguments: [key.course, key.video]).map(StoredRow.init)
            return rows.reduce(into: [:]) { all, row in
                if let stream = row.text("stream") { all[stream] = row.real("seconds") }
            }
        }
    }

    package func set(offset: Double, of stream: String, in key: DownloadKey) throws(StoreError) {
        try write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO offsets (course, video, stream, seconds) VALUES (?, ?, ?, ?)",
                arguments: [key.course, key.video, stream, offset])
        }
    }

    package func setting(_ name: String) throws(StoreError) -> String? {
        try read { try String.fetchOne($0, sql: "SELECT value FROM settings WHERE name = ?", arguments: [name]) }
    }

    package func set(_ name: String, _ value: String) throws(StoreError) {
        try write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", arguments: [name, value])
        }
    }

    private func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
        try StoreError.attempt(path) { try queue.read(body) }
    }

    private func write(_ body: (Database) throws -> Void) throws(StoreError) {
        try StoreError.attempt(path) {
            try queue.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    try body(db)
                    return .commit
                }
            }
        }
    }
}
