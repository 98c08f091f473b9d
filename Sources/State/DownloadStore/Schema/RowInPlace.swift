import Foundation
import GRDB
import GRDBSQLite

/// The current row of a statement, read in place by column numbers: valid until the statement's next step.
///
/// A value of another type is converted (sqlite.org/c3ref/column_blob.html), so that no damaged row can end the
/// process; and no name is looked up.
struct RowInPlace {
    let statement: OpaquePointer

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }

    /// An integer; 0 for NULL.
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    /// The number of a video, a chapter or a season; nil for NULL and for an impossible one.
    func number(_ column: Int32) -> Int? {
        let number = integer(column)
        return isNull(column) || !(0...1 << 30).contains(number) ? nil : Int(number)
    }

    /// A real; 0 for NULL.
    func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }

    /// A copy of the text, or nil for NULL.
    func string(_ column: Int32) -> String? { sqlite3_column_text(statement, column).map { String(cString: $0) } }

    /// The bytes as SQLite holds them; nil for NULL and for no bytes at all.
    func raw(_ column: Int32) -> UnsafeRawBufferPointer? {
        guard let start = sqlite3_column_blob(statement, column) else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column)))
    }
}

extension Statement {
    /// Calls `body` with each row.
    func forEachRow(_ arguments: StatementArguments = [], _ body: (RowInPlace) throws -> Void) throws {
        let rows = try Row.fetchCursor(self, arguments: arguments)
        let row = RowInPlace(statement: sqliteStatement)
        while try rows.next() != nil { try body(row) }
    }
}
