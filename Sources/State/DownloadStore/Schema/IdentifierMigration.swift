import Foundation
import GRDB
import TextFormats

/// Converts all ids of an older state to the one spelling of ``Identifier``, and merges rows with equal ids. No file is
/// touched: one that no row names any more stays, and has no owner.
struct IdentifierMigration {
    let db: Database

    func run() throws {
        guard
            try isBeyondASCII("courses", "id") || isBeyondASCII("chapters", "id") || isBeyondASCII("downloads", "video")
                || isBeyondASCII("downloads", "course") || isBeyondASCII("downloads", "chapter")
        else { return }
        try courses()
        try chapters()
        try downloads()
        try moves()
    }

    private func courses() throws {
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM courses")
        // First the one that its catalog still has, then the one with a cover.
        try merge(rows, by: ["id"]) { row in
            [(row["file"] as String).isEmpty ? 1 : 0, (row["cover_path"] as String?) == nil ? 1 : 0]
        } keep: { row, key, others in
            for other in others {
                try db.execute(sql: "DELETE FROM courses WHERE id = ?", arguments: [other["id"] as String])
            }
            try db.execute(sql: "UPDATE courses SET id = ? WHERE id = ?", arguments: [key[0], row["id"] as String])
        }
    }

    private func chapters() throws {
        let rows = try Row.fetchAll(db, sql: "SELECT * FROM chapters")
        try merge(rows, by: ["course", "id"]) { row in
            [(row["cover_path"] as String?) == nil ? 1 : 0]
        } keep: { row, key, others in
            for other in others {
                try db.execute(
                    sql: "DELETE FROM chapters WHERE course = ? AND id = ?",
                    arguments: [other["course"] as String, other["id"] as String])
            }
            try db.execute(
                sql: "UPDATE chapters SET course = ?, id = ? WHERE course = ? AND id = ?",
                arguments: [key[0], key[1], row["course"] as String, row["id"] as String])
        }
    }

    private func downloads() throws {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT id, course, video, chapter, state, is_placing, durable_bytes, is_gone FROM downloads ORDER BY id
                """)
        // A finished row wins, then one nearly finished, then one still wanted, then the one with more bytes.
        try merge(rows, by: ["course", "video"]) { row in
            [
                (row["state"] as String) == DownloadState.finished.rawValue ? 0 : 1,
                (row["is_placing"] as Bool) ? 0 : 1, (row["is_gone"] as Bool) ? 1 : 0, -(row["durable_bytes"] as Int64),
            ]
        } keep: { row, key, others in
            for other in others {
                // Sidecars stay known, unless the other row has the same one.
                try db.execute(
                    sql: "UPDATE OR IGNORE sidecars SET download = ? WHERE download = ? AND kind <> 'stream'",
                    arguments: [row["id"] as Int64, other["id"] as Int64])
                // Nothing cascades: foreign keys are off while the schema migrates, and checked at the end.
                for table in ["sidecars", "parts"] {
                    try db.execute(
                        sql: "DELETE FROM \(table) WHERE download = ?", arguments: [other["id"] as Int64])
                }
                try db.execute(sql: "DELETE FROM downloads WHERE id = ?", arguments: [other["id"] as Int64])
            }
            let isWanted = ([row] + others).contains { !($0["is_gone"] as Bool) }
            try db.execute(
                sql: "UPDATE downloads SET course = ?, video = ?, is_gone = ? WHERE id = ?",
                arguments: [key[0], key[1], isWanted ? 0 : 1, row["id"] as Int64])
        }
        let chapters = try String.fetchAll(db, sql: "SELECT DISTINCT chapter FROM downloads WHERE chapter IS NOT NULL")
        for chapter in chapters where !Self.isNormal(chapter) {
            try db.execute(
                sql: "UPDATE downloads SET chapter = ? WHERE chapter = ?",
                arguments: [Identifier.normalized(chapter), chapter])
        }
    }

    private func moves() throws {
        for row in try Row.fetchAll(db, sql: "SELECT id, owner FROM moves") {
            guard
                let owner = try? JSONReader.decode(RecordedMove.Owner.self, from: (row["owner"] as String).utf8)
            else { continue }
            let text = String(decoding: try JSONEncoder().encode(owner.normalized), as: UTF8.self)
            try db.execute(sql: "UPDATE moves SET owner = ? WHERE id = ?", arguments: [text, row["id"] as String])
        }
    }

    /// Calls `keep` for each id with another spelling than the normal one, or more than one row, with the row that
    /// stays: the one with the lowest `rank`.
    private func merge(
        _ rows: [Row], by columns: [String], rank: (Row) -> [Int64],
        keep: (_ row: Row, _ key: [String], _ others: [Row]) throws -> Void
    ) throws {
        let groups = Dictionary(grouping: rows) { row in columns.map { Identifier.normalized(row[$0]) } }
        for (key, rows) in groups {
            let isNormal = columns.allSatisfy { Self.isNormal(rows[0][$0]) }
            if rows.count == 1, isNormal { continue }
            let ranked = rows.enumerated().sorted { a, b in
                let (first, second) = (rank(a.element), rank(b.element))
                return first == second ? a.offset < b.offset : first.lexicographicallyPrecedes(second)
            }.map(\.element)
            try keep(ranked[0], key, Array(ranked.dropFirst()))
        }
    }

    private func isBeyondASCII(_ table: String, _ column: String) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM \(table) WHERE length(\(column)) <> length(CAST(\(column) AS BLOB)))"
        return try Bool.fetchOne(db, sql: sql) ?? false
    }

    private static func isNormal(_ id: String) -> Bool { id.utf8.elementsEqual(Identifier.normalized(id).utf8) }
}

extension RecordedMove.Owner {
    fileprivate var normalized: Self {
        switch self {
        case .download, .sidecar: self
        case .course(let id): .course(Identifier.normalized(id))
        case .chapter(let course, let id):
            .chapter(course: Identifier.normalized(course), chapter: Identifier.normalized(id))
        }
    }
}
