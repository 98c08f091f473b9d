import Foundation
import GRDBSQLite
import SystemPackage
import TestSupport

/// The state of the only user, read from a copy, so that reading neither repairs nor changes it.
struct StateCopy {
    private static let names = ["state.sqlite", "state.sqlite-wal"]
    private let folder = TemporaryFolder()

    init(_ state: FilePath) throws {
        let users = state.appending("users")
        for user in (try? FileManager.default.contentsOfDirectory(atPath: users.string)) ?? [] {
            // A sync that ended in this process closes its database a little later, which removes the second file.
            for _ in 0..<20 {
                let before = Self.facts(users.appending(user))
                if (try? copy(users.appending(user))) != nil, Self.facts(users.appending(user)) == before { return }
            }
            // It is being written to all the time.
            try copy(users.appending(user))
        }
    }

    private func copy(_ user: FilePath) throws {
        for name in Self.names {
            try? FileManager.default.removeItem(atPath: folder.at(name).string)
            let file = user.appending(name).string
            guard FileManager.default.fileExists(atPath: file) else { continue }
            try FileManager.default.copyItem(atPath: file, toPath: folder.at(name).string)
        }
    }

    /// Size and time of the files.
    private static func facts(_ user: FilePath) -> [String] {
        names.map { name in
            let facts = try? FileManager.default.attributesOfItem(atPath: user.appending(name).string)
            return "\(facts?[.size] ?? 0) \(facts?[.modificationDate] ?? Date.distantPast)"
        }
    }

    /// Changes the state itself; no program may have it open.
    static func edit(_ state: FilePath, _ statement: String) throws {
        let users = state.appending("users")
        for user in try FileManager.default.contentsOfDirectory(atPath: users.string) {
            var database: OpaquePointer?
            defer { sqlite3_close(database) }
            guard sqlite3_open(users.appending(user).appending("state.sqlite").string, &database) == SQLITE_OK,
                sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK
            else { throw TestFailure(String(cString: sqlite3_errmsg(database))) }
        }
    }

    /// Whether there is a state at all.
    var exists: Bool { folder.has("state.sqlite") }

    /// The rows that a query finds; values as text, null left out.
    func rows(_ query: String) throws -> [[String: String]] {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        guard sqlite3_open_v2(folder.at("state.sqlite").string, &database, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK
        else { throw TestFailure("the state can't be opened") }
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK else {
            throw TestFailure(String(cString: sqlite3_errmsg(database)))
        }
        var rows: [[String: String]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_DONE: return rows
            case SQLITE_ROW: break
            default: throw TestFailure(String(cString: sqlite3_errmsg(database)))
            }
            var row: [String: String] = [:]
            for column in 0..<sqlite3_column_count(statement) {
                guard let name = sqlite3_column_name(statement, column),
                    let text = sqlite3_column_text(statement, column)
                else { continue }
                row[String(cString: name)] = String(cString: text)
            }
            rows.append(row)
        }
    }

    /// The state of each video of the only course that has it, by its id.
    func states() throws -> [String: String] {
        Dictionary(
            try rows("SELECT video, state FROM downloads").map { ($0["video"] ?? "", $0["state"] ?? "") },
            uniquingKeysWith: { first, _ in first })
    }
}
