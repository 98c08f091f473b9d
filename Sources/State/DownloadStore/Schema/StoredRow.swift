import FileSystem
package import Foundation
package import GRDB

/// A row that can't end the process: GRDB traps if a value isn't of the requested type, and a damaged file can contain
/// anything. An unreadable value counts as missing, and so does an impossible count, time or size.
package struct StoredRow {
    private let row: Row

    package init(_ row: Row) { self.row = row }

    package func text(_ column: String) -> String? { value(column) }

    package func integer(_ column: String) -> Int64? { value(column) }

    package func real(_ column: String) -> Double? { value(column) }

    func blob(_ column: String) -> Data? { value(column) }

    func flag(_ column: String) -> Bool { integer(column).map { $0 != 0 } ?? false }

    /// Nil for one that is too long.
    func digest<Subject>(_ column: String) -> DigestOf<Subject>? {
        (value(column) as Data?).flatMap { $0.count <= 32 ? DigestOf($0) : nil }
    }

    /// A count of events; adding one never overflows.
    func count(_ column: String) -> Int { Int(min(max(0, integer(column) ?? 0), 1 << 30)) }

    /// The number of a video, a chapter or a season; nil for an impossible one.
    func number(_ column: String) -> Int? {
        integer(column).flatMap { (0...1 << 30).contains($0) ? Int($0) : nil }
    }

    /// Bytes; see ``ByteCount/believed(_:)``.
    func size(_ column: String) -> Int64? { ByteCount.believed(integer(column)) }

    /// A sum by SQLite's total(): a real number, which may be too large for an integer.
    func total(_ column: String) -> ByteCount {
        let sum: Double = value(column) ?? 0
        return ByteCount(sum >= 0x1p63 ? .max : sum > 0 ? Int64(sum) : 0)
    }

    /// Seconds of playing time, at most some years.
    func seconds(_ column: String) -> Double? {
        (value(column) as Double?).flatMap { (0...1e8).contains($0) ? $0 : nil }
    }

    func date(_ column: String) -> Date? { Date(stored: value(column)) }

    /// The file whose path is in `path` and whose other columns begin with `prefix`.
    func file(_ path: String, _ prefix: String = "", source: String) -> StoredFile? {
        text(path).map { path in
            StoredFile(
                path: path, size: size(prefix + "size") ?? 0, modified: integer(prefix + "modified"),
                sha256: digest(prefix + "sha256"), source: digest(source) ?? [], role: text(prefix + "role"),
                joining: text(prefix + "joining"))
        }
    }

    private func value<T: DatabaseValueConvertible>(_ column: String) -> T? {
        T.fromDatabaseValue(row[column] as DatabaseValue)
    }
}

extension Date {
    /// Seconds since 1970, as stored; nil for an instant outside of the next thousands of years.
    package init?(stored seconds: Double?) {
        guard let seconds, (0...253_402_300_799).contains(seconds) else { return nil }
        self.init(timeIntervalSince1970: seconds)
    }
}

extension DownloadState {
    /// From the stored text. An unknown word, in a damaged row, is `waiting`: nothing of such a row is trusted, and it
    /// starts over.
    package init(stored text: String?) { self = text.flatMap(Self.init(rawValue:)) ?? .waiting }
}
