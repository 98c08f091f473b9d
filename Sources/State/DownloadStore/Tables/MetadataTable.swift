import FileSystem
import GRDB

/// The files made from the facts about courses, and those facts.
package struct MetadataTable: Sendable {
    let file: StateFile

    /// The facts from which each course's files were last made, by its id.
    package func stamps() throws(StoreError) -> [String: String] {
        try file.read { db in
            let rows = try Row.fetchAll(db, sql: "SELECT course, stamp FROM metadata_courses").map(StoredRow.init)
            return rows.reduce(into: [:]) { stamps, row in
                if let course = row.text("course") { stamps[course] = row.text("stamp") ?? "" }
            }
        }
    }

    /// The current facts about each course, by its id: the text differs if any fact in its files has changed. Scans all
    /// rows.
    package func current() throws(StoreError) -> [String: String] {
        try file.read { db in
            let sql = """
                SELECT courses.id AS course, courses.title || char(10) || courses.folder || char(10)
                    || coalesce(courses.cover_path, '') || char(10) || coalesce(courses.season, '') || char(10)
                    || coalesce((SELECT group_concat(id || char(10) || title || char(10) || folder || char(10)
                            || coalesce(number, '') || char(10) || coalesce(season, '') || char(10)
                            || coalesce(cover_path, ''), char(10))
                        FROM (SELECT * FROM chapters WHERE chapters.course = courses.id ORDER BY id)), '') AS text,
                    videos.number AS number, videos.newest AS newest, beside.number AS others, beside.newest AS changed,
                    beside.size AS bytes, beside.places AS places
                FROM courses
                    LEFT JOIN (SELECT course, count(*) AS number, max(updated_at) AS newest FROM downloads
                        GROUP BY course) AS videos ON videos.course = courses.id
                    LEFT JOIN (SELECT course, count(*) AS number, max(sidecars.modified) AS newest,
                            total(sidecars.size) AS size, total(length(sidecars.path)) AS places
                        FROM sidecars JOIN downloads ON downloads.id = sidecars.download
                        WHERE sidecars.state = 'stored' GROUP BY course) AS beside ON beside.course = courses.id
                """
            let rows = try Row.fetchAll(db, sql: sql)
            return rows.reduce(into: [:]) { stamps, row in
                guard let course: String = row["course"] else { return }
                let facts = ["number", "newest", "others", "changed", "bytes", "places"].map {
                    "\(row[$0] as DatabaseValue)"
                }
                stamps[course] = (facts + [row["text"] ?? ""]).joined(separator: "\n")
            }
        }
    }

    /// The files of all courses.
    package func files() throws(StoreError) -> [MetadataRecord] {
        try file.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM metadata ORDER BY path").map(StoredRow.init).compactMap { row in
                guard let path = row.text("path"), let course = row.text("course"),
                    let sha256: Checksum = row.digest("sha256")
                else { return nil }
                return MetadataRecord(
                    path: path, course: course, size: row.size("size") ?? 0, modified: row.integer("modified"),
                    sha256: sha256, old: row.digest("old_sha256"), oldSize: row.size("old_size"))
            }
        }
    }

    /// Whether there is any.
    package func isEmpty() throws(StoreError) -> Bool {
        try file.read { db in
            try Bool.fetchOne(
                db,
                sql: """
                    SELECT NOT EXISTS (SELECT 1 FROM metadata) AND NOT EXISTS (SELECT 1 FROM metadata_courses)
                    """) ?? true
        }
    }

    /// Records files: before they are written, and once more when they are in place.
    package func record(_ records: [MetadataRecord]) throws(StoreError) {
        guard !records.isEmpty else { return }
        try file.write { db in
            for record in records {
                try db.run(
                    "INSERT OR REPLACE INTO metadata VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [
                        record.path, record.course, record.size, record.modified, record.sha256.data, record.oldSize,
                        record.old?.data,
                    ])
            }
        }
    }

    /// Forgets files that are removed, or no longer ours.
    package func forget(_ paths: [String]) throws(StoreError) {
        guard !paths.isEmpty else { return }
        try file.write { db in
            for path in paths { try db.run("DELETE FROM metadata WHERE path = ?", [path]) }
        }
    }

    /// Records that all files of a course are written, and from which facts; nil if there are to be none.
    package func settle(_ course: String, stamp: String?) throws(StoreError) {
        try file.write { db in
            if let stamp {
                try db.run("INSERT OR REPLACE INTO metadata_courses VALUES (?, ?)", [course, stamp])
            } else {
                try db.run("DELETE FROM metadata_courses WHERE course = ?", [course])
            }
        }
    }
}

extension MetadataTable {
    /// The downloads of a course whose files are there and right: finished ones, also those that are no longer in its
    /// catalog, and those that lack other views only.
    package func finished(in course: String) throws(StoreError) -> [DownloadRecord] {
        try file.read { db in
            let sql = """
                SELECT * FROM downloads WHERE course = ? AND (state = 'finished'
                    OR (state <> 'cancelled' AND path IS NOT NULL AND file_source IS NOT NULL AND is_placing = 0))
                ORDER BY number_in_course, id
                """
            return try Row.fetchAll(db, sql: sql, arguments: [course]).map(DownloadRecord.init)
        }
    }

    /// The stored subtitles of a course's videos.
    package func subtitles(of course: String) throws(StoreError) -> [SidecarRecord] {
        try file.read { db in
            let sql = """
                SELECT sidecars.* FROM sidecars JOIN downloads ON downloads.id = sidecars.download
                WHERE downloads.course = ? AND sidecars.kind = 'subtitle' AND sidecars.state = 'stored'
                """
            return try Row.fetchAll(db, sql: sql, arguments: [course]).map(StoredRow.init).compactMap { row in
                guard let id = row.integer("download"), let path = row.text("path") else { return nil }
                return SidecarRecord(
                    download: DownloadID(rawValue: id), kind: .subtitle, name: row.text("name") ?? "", path: path,
                    size: row.size("size") ?? 0, modified: row.integer("modified") ?? 0)
            }
        }
    }
}
