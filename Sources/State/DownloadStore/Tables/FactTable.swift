import GRDB

/// Facts stored by name, such as the library's id.
package struct FactTable: Sendable {
    let file: StateFile

    /// The fact with this name; nil if there is none.
    package func value(_ name: String) throws(StoreError) -> String? {
        try file.read { db in
            try String.fetchOne(db, sql: "SELECT value FROM facts WHERE name = ?", arguments: [name])
        }
    }

    package func set(_ name: String, _ value: String) throws(StoreError) {
        try file.write { db in
            try db.execute(
                sql: "INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
                arguments: [name, value])
        }
    }
}
