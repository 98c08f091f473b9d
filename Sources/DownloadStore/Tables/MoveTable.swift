import Foundation
import GRDB

/// File moves that are recorded before the first rename.
package struct MoveTable: Sendable {
    let file: StateFile

    /// The moves that an earlier run recorded and didn't finish.
    package func recorded() throws(StoreError) -> [RecordedMove] {
        try file.read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM moves").map(StoredRow.init).map { row in
                // Without it the files' places are unknown.
                guard let id = row.text("id"), let from = row.text("from_path"), let to = row.text("to_path"),
                    let text = row.text("owner"),
                    let owner = try? JSONDecoder().decode(RecordedMove.Owner.self, from: Data(text.utf8))
                else { throw DamagedRow(what: "a move that is under way can't be read") }
                return RecordedMove(id: id, from: from, to: to, owner: owner)
            }
        }
    }

    /// Records the new paths of moved files and deletes the plan, in one transaction; to be called when everything is
    /// durable.
    package func finish(_ places: [(owner: RecordedMove.Owner, path: String)]) throws(StoreError) {
        try file.write { db in
            for (owner, path) in places {
                switch owner {
                case .download(let id):
                    try db.run("UPDATE downloads SET path = ? WHERE id = ?", [path, id.rawValue])
                case .sidecar(let id, let kind, let name):
                    try db.run(
                        "UPDATE sidecars SET path = ? WHERE download = ? AND kind = ? AND name = ?",
                        [path, id.rawValue, kind, name])
                case .course(let id): try db.run("UPDATE courses SET cover_path = ? WHERE id = ?", [path, id])
                case .chapter(let course, let id):
                    try db.run(
                        "UPDATE chapters SET cover_path = ? WHERE course = ? AND id = ?", [path, course, id])
                }
            }
            try db.execute(sql: "DELETE FROM moves")
        }
    }
}
