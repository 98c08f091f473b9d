import FileSystem
import Foundation
import GRDB
import TextFormats

/// Reads a download archive of gallery-dl: a SQLite database whose tables have one column, `entry`, with a text for
/// each file that was downloaded. Usually there is one table, `archive`; with `archive-table` there may be one for each
/// site.
package struct GalleryDLReader: SourceReader {
    private static let usual = ["archive.sqlite3", "archive.sqlite", "archive.db"]
    private static let column = "entry"
    private static let tableBound = 1000
    private static let pageSize = 256

    private let place: SourceFolder
    private let name: String
    private let database: DatabaseCopy
    private let tables: [String]
    private let hasOtherTables: Bool

    package init(_ place: SourceFolder, _ options: SourceOptions) throws(SourceProblem) {
        self.place = place
        name = try Self.name(place, options.list)
        database = try DatabaseCopy(of: name, in: place)
        let path = place.shown(name)
        do { (tables, hasOtherTables) = try database.tables(ofOnly: Self.column) } catch {
            throw DatabaseCopy.problem(error, path)
        }
        guard !tables.isEmpty else { throw .missingField(path: path, "archive") }
        guard tables.count <= Self.tableBound else { throw .badFormat(path: path, .tooLarge) }
    }

    /// The archive's path in the source.
    private static func name(_ place: SourceFolder, _ list: String?) throws(SourceProblem) -> String {
        if let list {
            guard let path = SourceFolder.relative(list) else { throw .missing(path: place.shown(list)) }
            return path
        }
        if let file = place.file { return file }
        for name in usual where try place.facts(of: name) != nil { return name }
        throw .nothingFound(path: place.path, expected: usual)
    }

    package func storeFiles() throws -> [String] {
        // Other tables aren't anybody's to remove.
        hasOtherTables ? [] : try database.filesIfUnused()
    }

    package func read(_ body: (SourceRecord) throws -> Void) throws {
        for table in tables {
            // Page by page, so that what fails in `body` isn't taken for a failure of the source.
            var last: [UInt8]?
            while let page = try page(of: table, after: last) {
                for entry in page { try body(record(entry, in: table)) }
                last = page.last
            }
            guard try hasOtherValues(table) else { continue }
            var record = SourceRecord(key: "#\(table)", state: .unfinished)
            record.fault = .wrongType(field: Self.column)
            try body(record)
        }
        if database.isCut { throw SourceProblem.badFormat(path: place.shown(name), .truncated) }
    }

    /// The next entries in the order of their bytes; nil after the last. As bytes, since a text may have NUL in it.
    private func page(of table: String, after last: [UInt8]?) throws -> [[UInt8]]? {
        do {
            return try database.read { db in
                let page = try Data.fetchAll(
                    db,
                    sql: """
                        SELECT CAST(entry AS BLOB) FROM "\(table)"
                        WHERE typeof(entry) = 'text' AND entry > \(last == nil ? "''" : "CAST(? AS TEXT)")
                        ORDER BY entry LIMIT \(Self.pageSize)
                        """, arguments: StatementArguments([last].compactMap(\.self).map { Data($0) })
                ).map { Array($0) }
                var previous = last
                for entry in page {
                    // In a damaged file the next page may be one that was read already.
                    if let previous, !previous.lexicographicallyPrecedes(entry) {
                        throw DatabaseError(resultCode: .SQLITE_CORRUPT)
                    }
                    previous = entry
                }
                return page.isEmpty ? nil : page
            }
        } catch { throw DatabaseCopy.problem(error, place.shown(name)) }
    }

    /// Whether there are entries without a text.
    private func hasOtherValues(_ table: String) throws -> Bool {
        do {
            return try database.read { db in
                try Int.fetchOne(
                    db, sql: "SELECT 1 FROM \"\(table)\" WHERE typeof(entry) <> 'text' OR entry = '' LIMIT 1") != nil
            }
        } catch { throw DatabaseCopy.problem(error, place.shown(name)) }
    }

    private func record(_ bytes: [UInt8], in table: String) -> SourceRecord {
        if !bytes.contains(0), let entry = String(validating: bytes, as: UTF8.self) {
            return GalleryDLEntry.record(entry, in: table)
        }
        var record = SourceRecord(key: "#\(table) \(bytes.hex)", state: .unfinished)
        record.fault = .unreadable(path: name, .notText)
        return record
    }
}
