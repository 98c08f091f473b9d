package import FileSystem
package import Foundation
import GRDB

/// One row of a scan over all downloads, read in place: valid only inside the closure that is called with it.
package struct ScannedDownload {
    /// The columns of a scan: the statement is made from this list, and the raw value is the column's number.
    package enum Column: Int32, CaseIterable {
        case id, course, video, chapter, title, position, ordinal, provider, source, priority, extras, stem
        case expectedSize, expectedSHA256, state, path, isGone, storedExtras, retryAt, fileSource, sha256, size
        case reason, durableBytes, failedRuns, modified, errorKind, priorityOverride, kind, fileProof, isPlacing
        case number, numberInCourse, keepsNumber, checksums, role

        /// Its name in SQLite: `expectedSHA256` is `expected_sha256`.
        var name: String {
            "\(self)".replacing(/([a-z])([A-Z])/) { "\($0.1)_\($0.2)" }.lowercased()
        }
    }

    static let sql = "SELECT \(Column.allCases.map(\.name).joined(separator: ", ")) FROM downloads ORDER BY id"

    let row: RowInPlace

    /// The row's id.
    package var id: DownloadID { DownloadID(rawValue: integer(.id)) }

    package func isNull(_ column: Column) -> Bool { row.isNull(column.rawValue) }

    /// An integer; 0 for NULL.
    package func integer(_ column: Column) -> Int64 { row.integer(column.rawValue) }

    /// A number of a video; nil for NULL and for an impossible one.
    package func number(_ column: Column) -> Int? { row.number(column.rawValue) }

    /// A real; 0 for NULL.
    package func real(_ column: Column) -> Double { row.real(column.rawValue) }

    /// A count of events; adding one never overflows.
    package func count(_ column: Column) -> Int { Int(min(max(0, integer(column)), 1 << 30)) }

    /// An instant; nil for NULL and for an impossible one.
    package func date(_ column: Column) -> Date? { isNull(column) ? nil : Date(stored: real(column)) }

    /// A copy of the text, or nil for NULL.
    package func string(_ column: Column) -> String? { row.string(column.rawValue) }

    /// The digest, or nil for NULL and for one that is too long.
    package func digest<Subject>(_ column: Column) -> DigestOf<Subject>? {
        guard !isNull(column) else { return nil }
        guard let bytes = raw(column) else { return [] }
        return bytes.count <= 32 ? DigestOf(bytes) : nil
    }

    /// Whether the column holds exactly this text, NULL being nil. Nothing is copied.
    package func equals(_ column: Column, _ text: String?) -> Bool {
        guard var text else { return isNull(column) }
        return !isNull(column) && text.withUTF8 { Self.same(UnsafeRawBufferPointer($0), raw(column)) }
    }

    /// Whether the column holds exactly this digest, NULL being nil. Nothing is copied.
    package func equals<Subject>(_ column: Column, _ digest: DigestOf<Subject>?) -> Bool {
        guard let digest else { return isNull(column) }
        return !isNull(column) && digest.withUnsafeBytes { Self.same($0, raw(column)) }
    }

    /// Whether the column holds exactly these bytes, as text or as they are, NULL being nil. Nothing is copied.
    package func equals(_ column: Column, _ bytes: UnsafeRawBufferPointer?) -> Bool {
        guard let bytes else { return isNull(column) }
        return !isNull(column) && Self.same(bytes, raw(column))
    }

    /// Whether the column holds exactly this integer, NULL being nil.
    package func equals(_ column: Column, _ number: Int64?) -> Bool {
        guard let number else { return isNull(column) }
        return !isNull(column) && integer(column) == number
    }

    /// The column's bytes as SQLite holds them; nil for NULL and for no bytes at all.
    package func raw(_ column: Column) -> UnsafeRawBufferPointer? { row.raw(column.rawValue) }

    /// Whether the column contains the path of something directly in `folder`: the folder, a slash, and no other slash.
    package func isDirectly(in folder: String, _ column: Column) -> Bool {
        var folder = folder
        guard let path = raw(column), let start = path.baseAddress else { return false }
        return folder.withUTF8 { folder in
            let end = folder.count + 1
            return path.count >= end && path[folder.count] == UInt8(ascii: "/")
                && Self.same(UnsafeRawBufferPointer(folder), UnsafeRawBufferPointer(start: start, count: folder.count))
                && memchr(start + end, Int32(UInt8(ascii: "/")), path.count - end) == nil
        }
    }

    private static func same(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer?) -> Bool {
        guard let b else { return a.isEmpty }
        guard a.count == b.count, let start = a.baseAddress, let other = b.baseAddress else {
            return a.count == b.count
        }
        return memcmp(start, other, a.count) == 0
    }
}

extension ScannedDownload {
    /// The row's state.
    package var state: DownloadState {
        // Nearly all of them, nearly always.
        if equals(.state, DownloadState.finished.rawValue) { return .finished }
        return DownloadState(stored: string(.state))
    }

    package var status: RowStatus {
        let state = state
        guard state != .finished else { return RowStatus(state: .finished) }
        return RowStatus(
            state: state, reason: string(.reason).flatMap(SuspendReason.init), retryAt: date(.retryAt),
            isPlacing: integer(.isPlacing) != 0, failedRuns: Int(clamping: integer(.failedRuns)))
    }
}
