import Foundation
import GRDB
import TextFormats

/// File moves that are recorded before the first rename, and those that have failed and are to be made again.
package struct MoveTable: Sendable {
    let file: StateFile

    /// Forgets moves of files that no row has.
    func forgetOrphans() throws(StoreError) { try file.write { db in try Self.dropOrphans(db) } }

    /// The moves that an earlier run recorded and didn't finish.
    package func recorded() throws(StoreError) -> [RecordedMove] {
        try file.read { db in try Self.moves(db, "SELECT * FROM moves WHERE is_put_off = 0") }
    }

    /// The moves that failed in an earlier run. Without those whose file has another path now, or is gone.
    package func putOff() throws(StoreError) -> [RecordedMove] {
        try file.read { db in
            try Self.moves(db, "SELECT * FROM moves WHERE is_put_off = 1").filter { try $0.owner.has($0.from, in: db) }
        }
    }

    /// Those of these moves whose file is nobody's any more: its row has another file by now, or was removed. A row
    /// without a file doesn't prove that: perhaps the file wasn't found while its move was unfinished.
    package func orphaned(_ moves: [RecordedMove]) throws(StoreError) -> Set<String> {
        guard !moves.isEmpty else { return [] }
        return try file.read { db in Set(try moves.filter { try $0.owner.hasOther(than: $0.from, in: db) }.map(\.id)) }
    }

    /// Records these moves, which begin now, instead of those that were put off, and forgets those whose file has
    /// another path now, or is gone.
    package func takeUp(_ moves: [RecordedMove], insteadOf putOff: [RecordedMove]) throws(StoreError) {
        try file.write { db in
            let ids = Set(putOff.map(\.id))
            for old in try Self.moves(db, "SELECT * FROM moves WHERE is_put_off = 1") {
                guard try ids.contains(old.id) || !old.owner.has(old.from, in: db) else { continue }
                try db.run("DELETE FROM moves WHERE id = ?", [old.id])
            }
            for move in moves { try Self.insert(move, isPutOff: false, db) }
        }
    }

    /// Records the new paths of moved files and deletes their moves, in one transaction; to be called when everything
    /// is durable. `again` are moves that have failed, from the files' present paths.
    package func finish(
        _ moves: [(move: RecordedMove, path: String)], again: [RecordedMove] = []
    ) throws(StoreError) {
        try file.write { db in
            for (move, path) in moves {
                try move.owner.record(path, insteadOf: move.from, in: db)
                try move.owner.noteChange(in: db)
                try db.run("DELETE FROM moves WHERE id = ?", [move.id])
            }
            for move in again { try Self.insert(move, isPutOff: true, db) }
        }
    }

    /// Records moves that begin now, within a transaction. Put off ones of the same files are superseded, and so are
    /// those that lead to another stem than one of `stems`, which their files have from now on.
    static func begin(_ moves: [RecordedMove], stems: [DownloadID: String], _ db: Database) throws {
        guard !moves.isEmpty || !stems.isEmpty else { return }
        let owners = Set(moves.map(\.owner))
        for old in try Self.moves(db, "SELECT * FROM moves WHERE is_put_off = 1") {
            let stem = old.download.flatMap { stems[$0] }
            guard owners.contains(old.owner) || stem.map({ !old.leads(to: $0) }) == true else { continue }
            try db.run("DELETE FROM moves WHERE id = ?", [old.id])
        }
        for move in moves { try insert(move, isPutOff: false, db) }
    }

    /// Drops put off moves whose file has another path now, or is gone; to be called in the transaction that forgets
    /// it.
    static func dropOrphans(_ db: Database) throws {
        for old in try moves(db, "SELECT * FROM moves WHERE is_put_off = 1") where try !old.owner.has(old.from, in: db)
        {
            try db.run("DELETE FROM moves WHERE id = ?", [old.id])
        }
    }

    private static func insert(_ move: RecordedMove, isPutOff: Bool, _ db: Database) throws {
        let owner = String(decoding: try JSONEncoder().encode(move.owner), as: UTF8.self)
        try db.run(
            "INSERT INTO moves (id, from_path, to_path, owner, is_put_off) VALUES (?, ?, ?, ?, ?)",
            [move.id, move.from, move.to, owner, isPutOff])
    }

    private static func moves(_ db: Database, _ sql: String) throws -> [RecordedMove] {
        try Row.fetchAll(db, sql: sql).map(StoredRow.init).map { row in
            // Without it the files' places are unknown.
            guard let id = row.text("id"), let from = row.text("from_path"), let to = row.text("to_path"),
                let text = row.text("owner"),
                let owner = try? JSONReader.decode(RecordedMove.Owner.self, from: text.utf8)
            else { throw DamagedRow(what: "a move that is under way can't be read") }
            return RecordedMove(id: id, from: from, to: to, owner: owner)
        }
    }
}

extension RecordedMove.Owner {
    /// The table of its path, and the condition for its row.
    private var place: (table: String, column: String, condition: String, values: [any DatabaseValueConvertible]) {
        switch self {
        case .download(let id): ("downloads", "path", "id = ?", [id.rawValue])
        case .sidecar(let id, let kind, let name):
            ("sidecars", "path", "download = ? AND kind = ? AND name = ?", [id.rawValue, kind, name])
        case .course(let id): ("courses", "cover_path", "id = ?", [id])
        case .chapter(let course, let id): ("chapters", "cover_path", "course = ? AND id = ?", [course, id])
        }
    }

    fileprivate func has(_ path: String, in db: Database) throws -> Bool {
        let place = place
        let statement = try db.cachedStatement(
            sql: "SELECT 1 FROM \(place.table) WHERE \(place.condition) AND \(place.column) = ?")
        return try Int.fetchOne(statement, arguments: StatementArguments(place.values + [path])) != nil
    }

    /// Whether it has another file than the one at this path, which isn't to be replaced either, or is gone itself.
    fileprivate func hasOther(than path: String, in db: Database) throws -> Bool {
        let place = place
        let replaced = if case .download = self { "iif(is_placing, old_path, NULL)" } else { "NULL" }
        let statement = try db.cachedStatement(
            sql: "SELECT \(place.column), \(replaced) FROM \(place.table) WHERE \(place.condition)")
        guard let row = try Row.fetchOne(statement, arguments: StatementArguments(place.values)) else { return true }
        guard let current = String.fromDatabaseValue(row[0]) else { return false }
        return current != path && String.fromDatabaseValue(row[1]) != path
    }

    /// The files beside its course's media follow it: a move that is made late has no other change of the course with
    /// it. They may be in another state's care, so that the row itself has to say it.
    fileprivate func noteChange(in db: Database) throws {
        let id: DownloadID
        switch self {
        case .download(let video), .sidecar(let video, _, _): id = video
        // Their paths are part of the stamp.
        case .course, .chapter: return
        }
        try db.run("UPDATE downloads SET updated_at = ? WHERE id = ?", [Date().timeIntervalSince1970, id.rawValue])
    }

    /// Records the path of its file, unless it has another one by now.
    fileprivate func record(_ path: String, insteadOf old: String, in db: Database) throws {
        let place = place
        try db.run(
            "UPDATE \(place.table) SET \(place.column) = ? WHERE \(place.condition) AND \(place.column) = ?",
            [path] + place.values + [old])
        // A kill may have come between the new file's row and its name.
        guard case .download = self else { return }
        try db.run(
            "UPDATE downloads SET old_path = ? WHERE \(place.condition) AND is_placing AND old_path = ?",
            [path] + place.values + [old])
    }
}
