package import Foundation
import GRDB

/// Requests to the process that holds the user's lock. The runner defines their texts; a row lives until its requester
/// has read the answer or has given up.
package struct RequestTable: Sendable {
    let file: StateFile

    package func add(_ body: String, at now: Date = Date()) throws(StoreError) -> RequestID {
        try file.write { db in
            try db.run("INSERT INTO requests (body, made_at) VALUES (?, ?)", [body, now.timeIntervalSince1970])
            return RequestID(rawValue: db.lastInsertedRowID)
        }
    }

    /// The requests without an answer, oldest first.
    package func open() throws(StoreError) -> [(id: RequestID, body: String)] {
        try file.read { db in
            let sql = "SELECT id, body FROM requests WHERE answer IS NULL ORDER BY id"
            return try Row.fetchAll(db.cachedStatement(sql: sql)).map { (RequestID(rawValue: $0[0]), $0[1]) }
        }
    }

    /// Answers a request. Returns false if its requester has given up.
    @discardableResult
    package func answer(_ id: RequestID, _ answer: String) throws(StoreError) -> Bool {
        try file.write { db in
            try db.run("UPDATE requests SET answer = ? WHERE id = ?", [answer, id.rawValue])
            return db.changesCount > 0
        }
    }

    /// The answer, if there is one.
    package func answer(to id: RequestID) throws(StoreError) -> String? {
        try file.read { db in
            let statement = try db.cachedStatement(sql: "SELECT answer FROM requests WHERE id = ?")
            return try Row.fetchOne(statement, arguments: [id.rawValue]).flatMap { $0[0] }
        }
    }

    /// Withdraws a request. Returns its answer if there is one after all.
    package func withdraw(_ id: RequestID) throws(StoreError) -> String? {
        try file.write { db in
            let statement = try db.cachedStatement(sql: "DELETE FROM requests WHERE id = ? RETURNING answer")
            return try Row.fetchOne(statement, arguments: [id.rawValue]).flatMap { $0[0] }
        }
    }

    /// Deletes requests to a process that has ended. Under the user's lock.
    package func clear() throws(StoreError) {
        let isEmpty = try file.read { db in try Int.fetchOne(db, sql: "SELECT 1 FROM requests LIMIT 1") == nil }
        if !isEmpty { try file.write { db in try db.execute(sql: "DELETE FROM requests") } }
    }
}
