import GRDB
import GRDBSQLite

/// What can be said of the state file itself.
package struct StoreHealth: Sendable {
    let file: StateFile

    /// The version of SQLite that this program runs with.
    package static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

    /// The version of the schema that this program writes.
    package static var schemaVersion: Int { Schema.version }

    /// What is wrong with the file, at most ten things; none if SQLite finds nothing. Reads all of it.
    ///
    /// Related: PRAGMA quick_check, which leaves out only that indexes agree with their tables.
    package func damages() throws(StoreError) -> [String] {
        try file.read { db in try String.fetchAll(db, sql: "PRAGMA quick_check(10)").filter { $0 != "ok" } }
    }
}
