import FileSystem
import GRDB
import SystemPackage

/// Copies of a state file, and what proves that one is sound.
extension StateFile {
    /// Writes the state as it is to a new file that only the account can read, by SQLite's backup API. Others commit
    /// meanwhile if the journal is a WAL.
    func copy(to target: String) throws(StoreError) {
        try Self.attempt(target) {
            Self.createClosed(target)
            var fast = Configuration()
            // The caller flushes what it keeps of it.
            fast.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
            let copy = try DatabaseQueue(path: target, configuration: fast)
            defer { try? copy.close() }
            let isWAL = Self.journal(on: FileSystemKind.of(FilePath(path))) == "WAL"
            var reading = Configuration()
            reading.readonly = isWAL
            let source = try DatabaseQueue(path: path, configuration: reading)
            defer { try? source.close() }
            // Without a WAL nobody can commit during a step.
            try source.backup(to: copy, pagesPerStep: isWAL ? -1 : 1000)
        }
    }

    /// Whether a file that anybody may have written is a state of this version or an earlier one: its schema is that of
    /// its version word for word, so that it has no view and no trigger but ours, and SQLite finds no defect. Reads all
    /// of it.
    static func isSound(_ path: String) -> Bool {
        var careful = Configuration()
        careful.readonly = true
        careful.prepareDatabase { db in
            try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
        }
        do {
            let file = try DatabaseQueue(path: path, configuration: careful)
            defer { try? file.close() }
            return try file.read { db in
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                guard (1...Schema.version).contains(version) else { return false }
                let ours = try DatabaseQueue()
                try Schema.migrator.migrate(ours, upTo: "\(version)")
                guard try definitions(db) == ours.read(definitions) else { return false }
                return try String.fetchAll(db, sql: "PRAGMA quick_check(1)") == ["ok"]
            }
        } catch { return false }
    }

    private static func definitions(_ db: Database) throws -> [Row] {
        try Row.fetchAll(
            db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name")
    }
}
