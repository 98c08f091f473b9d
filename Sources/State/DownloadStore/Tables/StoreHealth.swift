import GRDB
import GRDBSQLite

/// The health of the state file itself.
package struct StoreHealth: Sendable {
    let file: StateFile

    package static var sqliteVersion: String { String(cString: sqlite3_libversion()) }

    /// The version of the schema that this program writes.
    package static var schemaVersion: Int { Schema.version }

    /// The defects of the file, at most ten; none if SQLite finds none. Reads all of it.
    ///
    /// Related: PRAGMA quick_check, which only omits comparing indexes with their tables.
    package func damages() throws(StoreError) -> [String] {
        try file.read { db in try String.fetchAll(db, sql: "PRAGMA quick_check(10)").filter { $0 != "ok" } }
    }
}
