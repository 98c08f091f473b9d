import FileSystem
import Foundation
import GRDB

/// Reads the store of WQDownload: `mkdata.db`, whose table `local_video` has a row for each video, and the files
/// beneath `video/<course_id>/`.
package struct WQDownloadReader: SourceReader {
    private static let table = "local_video"
    private static let needed = ["download_state", "local_path"]
    private static let optional = [
        "video_hash", "video_title", "video_id", "chapter_id", "course_id", "course_name", "download_url", "user_id",
        "video_parameter", "cover_img_url", "duration", "total_size", "resume_data",
    ]
    private static let pageSize = 64

    private let place: SourceFolder
    private let user: String?
    private let name: String
    private let database: DatabaseCopy
    private let columns: [String]

    package init(_ place: SourceFolder, _ options: SourceOptions) throws(SourceProblem) {
        self.place = place
        user = options.user
        name = place.file ?? "mkdata.db"
        database = try DatabaseCopy(of: name, in: place)
        let path = place.shown(name)
        let found: Set<String>?
        do { found = try database.columns(of: Self.table) } catch { throw DatabaseCopy.problem(error, path) }
        guard let found else { throw .missingField(path: path, Self.table) }
        for column in Self.needed where !found.contains(column) { throw .missingField(path: path, column) }
        columns = Self.needed + Self.optional.filter(found.contains)
    }

    package func storeFiles() throws -> [String] {
        // Other users' rows aren't anybody's to remove.
        try hasOthers() ? [] : database.filesIfUnused()
    }

    /// Whether there are rows of users who aren't meant.
    private func hasOthers() throws -> Bool {
        guard let user, columns.contains("user_id") else { return false }
        do {
            return try database.read { db in
                try Bool.fetchOne(
                    db,
                    sql: "SELECT EXISTS (SELECT 1 FROM local_video WHERE user_id <> '' AND CAST(user_id AS TEXT) <> ?)",
                    arguments: [user]) ?? false
            }
        } catch { throw DatabaseCopy.problem(error, place.shown(name)) }
    }

    package func read(_ body: (SourceRecord) throws -> Void) throws {
        let overview: WQOverview
        do {
            overview = try database.read { try WQOverview($0, columns: Set(columns), user: user) }
        } catch { throw DatabaseCopy.problem(error, place.shown(name)) }
        var last: Int64?
        // Page by page, so that no statement is open while somebody copies a file for hours.
        while let page = try page(after: last) {
            for (row, fields) in page {
                if let record = record(row, fields, overview) { try body(record) }
                last = row
            }
        }
        if database.isCut { throw SourceProblem.badFormat(path: place.shown(name), .truncated) }
    }

    /// The next rows; a row without fields is too large to be one. Nil after the last.
    private func page(after last: Int64?) throws -> [(Int64, [String: PropertyList]?)]? {
        guard last != .max else { return nil }
        let start = last.map { $0 + 1 } ?? .min
        do {
            return try database.read { db in
                do { return try rows(db, from: start, upTo: Self.pageSize) } catch let error as DatabaseError
                    where error.resultCode == .SQLITE_TOOBIG
                {
                    let row = try Int64.fetchOne(
                        db, sql: "SELECT _rowid_ FROM \(Self.table) WHERE _rowid_ >= ? ORDER BY _rowid_",
                        arguments: [start])
                    guard let row else { return nil }
                    do { return try rows(db, from: row, upTo: 1) } catch let error as DatabaseError
                        where error.resultCode == .SQLITE_TOOBIG
                    { return [(row, nil)] }
                }
            }
        } catch { throw DatabaseCopy.problem(error, place.shown(name)) }
    }

    private func rows(
        _ db: Database, from start: Int64, upTo count: Int
    ) throws -> [(Int64, [String: PropertyList]?)]? {
        let names = columns.map { "\"\($0)\"" }.joined(separator: ", ")
        let statement = try db.cachedStatement(
            sql: "SELECT _rowid_, \(names) FROM \(Self.table) WHERE _rowid_ >= ? ORDER BY _rowid_ LIMIT \(count)")
        var page: [(Int64, [String: PropertyList]?)] = []
        let cursor = try Row.fetchCursor(statement, arguments: [start])
        while let row = try cursor.next() {
            let values = Array(row.databaseValues)
            // A column that has the name of the row's number would make it anything.
            guard values.count == columns.count + 1, case .int64(let number)? = values.first?.storage,
                number >= start, page.last.map({ $0.0 < number }) ?? true
            else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
            var fields: [String: PropertyList] = [:]
            for (column, value) in zip(columns, values.dropFirst()) where !value.isNull {
                fields[column] = Self.value(value)
            }
            page.append((number, fields))
        }
        return page.isEmpty ? nil : page
    }

    private static func value(_ value: DatabaseValue) -> PropertyList {
        switch value.storage {
        case .null: .null
        case .int64(let number): .integer(number)
        case .double(let number): .real(number)
        case .string(let text): .string(text)
        case .blob(let data): .data(data)
        }
    }

    /// Nil for a row of a user who isn't meant.
    private func record(
        _ row: Int64, _ fields: [String: PropertyList]?, _ overview: WQOverview
    ) -> SourceRecord? {
        guard let fields else {
            var record = SourceRecord(key: String(row), state: .unfinished)
            record.fault = .unreadable(path: name, .tooLarge)
            return record
        }
        let owner = fields["user_id"]?.text
        if let user, let owner, owner != user { return nil }
        let hash = fields["video_hash"]?.text
        var record = SourceRecord(
            key: overview.otherwiseKeyed.contains(row) ? String(row) : hash ?? String(row), state: .unfinished)
        if overview.repeated.contains(row) { record.fault = .repeated }
        describe(&record, fields)
        switch fields["download_state"]?.wholeNumber {
        case 4: record.state = .finished
        case 1, 2, 3, 5: break
        case 8: record.state = .held(.preparing)
        case nil: record.fault = record.fault ?? .missing(field: "download_state")
        default: record.fault = record.fault ?? .unknownValue(field: "download_state")
        }
        if let owner, user == nil, overview.hasSeveralUsers, record.fault == nil {
            record.state = .held(.ofUser(owner))
        }
        addFiles(to: &record, fields)
        return record
    }

    private func describe(_ record: inout SourceRecord, _ fields: [String: PropertyList]) {
        record.video = fields["video_id"]?.text
        record.chapter = fields["chapter_id"]?.text
        record.course = fields["course_id"]?.text
        record.title = fields["video_title"]?.text
        record.courseTitle = fields["course_name"]?.text
        record.cover = fields["cover_img_url"]?.webAddress
        record.duration = fields["duration"]?.seconds
        record.url = fields["download_url"]?.webAddress
        record.names = SourceRecord.names(
            record.video, fields["video_hash"]?.text, SourceRecord.lastComponent(fields["local_path"]?.text),
            record.title)
        guard let bytes = fields["video_parameter"]?.bytes, case .dictionary(let members)? = try? PropertyList(bytes)
        else {
            return
        }
        for (key, value) in members.prefix(256) {
            // As descriptions print what isn't there.
            guard case .string = value, let text = value.text, text != "<null>" else { continue }
            record.parameters[key] = text
        }
    }

    private static func path(_ folder: String, _ name: String) -> String? {
        SourceFolder.relative(name).flatMap { SourceFolder.relative("\(folder)/\($0)") }
    }

    private func addFiles(to record: inout SourceRecord, _ fields: [String: PropertyList]) {
        let folder = record.course.map { "video/" + $0 } ?? "video"
        let size = fields["total_size"]?.size
        let local = fields["local_path"]?.text
        let path = local.flatMap { Self.path(folder, $0) }
        guard record.state == .unfinished else {
            record.file = path.map { SourceFile(path: $0, size: size) }
            guard path == nil, record.state == .finished, record.fault == nil else { return }
            record.fault = local.map { .badPath($0) } ?? .missing(field: "local_path")
            return
        }
        guard record.fault == nil else { return }
        if let path, let size, SourceEntry.size(of: path, in: place) == size {
            record.file = SourceFile(path: path, size: size)
        }
        guard let bytes = fields["resume_data"]?.bytes, let resume = try? ResumeData(bytes) else { return }
        record.url = record.url ?? resume.address
        record.partial = resume.partial(in: place, folders: [folder, "tmp"], total: size)
    }
}
