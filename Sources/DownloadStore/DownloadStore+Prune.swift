import GRDB

/// What pruning needs.
extension DownloadStore {
    /// Deletes rows of downloads whose files have been deleted.
    package func delete(_ ids: [DownloadID]) throws(StoreError) {
        guard !ids.isEmpty else { return }
        try write { db in
            for id in ids { try Self.run("DELETE FROM downloads WHERE id = ?", [id.rawValue], db) }
        }
    }

    /// The courses that have downloads, with those of their chapters that have some.
    package func coursesAndChapters() throws(StoreError) -> [String: Set<String>] {
        try read { db in
            var used: [String: Set<String>] = [:]
            let rows = try Row.fetchAll(db, sql: "SELECT DISTINCT course, chapter FROM downloads")
            for row in rows.map(StoredRow.init) {
                guard let course = row.text("course") else { continue }
                used[course, default: []].formUnion(row.text("chapter").map { [$0] } ?? [])
            }
            return used
        }
    }

    /// Forgets a course that has no downloads any more: its name is free.
    package func deleteCourse(_ id: String) throws(StoreError) {
        try write { db in
            try Self.run("DELETE FROM chapters WHERE course = ?", [id], db)
            try Self.run("DELETE FROM courses WHERE id = ?", [id], db)
        }
    }

    /// Forgets a chapter that has no downloads any more.
    package func deleteChapter(_ id: String, of course: String) throws(StoreError) {
        try write { db in try Self.run("DELETE FROM chapters WHERE course = ? AND id = ?", [course, id], db) }
    }
}
