package import Foundation
import GRDB

/// The journal of migrations: what became of each record of a source.
package struct MigrationTable: Sendable {
    let file: StateFile

    /// The entries of a source by record. `source`: its kind and absolute path.
    package func entries(of source: String) throws(StoreError) -> [Data: MigrationEntry] {
        try file.read { db in
            var all: [Data: MigrationEntry] = [:]
            let statement = try db.cachedStatement(
                sql: "SELECT record, code, course, video FROM migrations WHERE source = ?")
            try statement.forEachRow([source]) { row in
                guard let record = row.raw(0).map({ Data($0) }), let code = row.string(1).flatMap(MigrationCode.init)
                else { return }
                var key: DownloadKey?
                if let course = row.string(2), let video = row.string(3) {
                    key = DownloadKey(course: course, video: video)
                }
                all[record] = MigrationEntry(record: record, code: code, key: key)
            }
            return all
        }
    }

    /// Writes entries; a record's earlier one is replaced.
    package func record(_ entries: [MigrationEntry], of source: String) throws(StoreError) {
        guard !entries.isEmpty else { return }
        try file.write { db in
            for entry in entries {
                try db.run(
                    "INSERT OR REPLACE INTO migrations VALUES (?, ?, ?, ?, ?)",
                    [source, entry.record, entry.code.rawValue, entry.key?.course, entry.key?.video])
            }
        }
    }
}
