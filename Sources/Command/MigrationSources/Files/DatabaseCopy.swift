import FileSystem
import Foundation
import GRDB
import GRDBSQLite
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A private copy of a source's SQLite database, with what its last writer hadn't brought into it yet. The source gets
/// no lock, no journal and no shared memory; the copy is removed with the last reference.
final class DatabaseCopy: Sendable {
    private static let sizeBound: Int64 = 4 << 30
    /// Larger values are none that a row has.
    private static let valueBound: CInt = 2 << 20

    private let place: SourceFolder
    private let name: String
    private let folder: URL
    private let queue: DatabaseQueue
    /// Whether the file is shorter than its own header says. SQLite reads such a one, but for what is missing.
    let isCut: Bool

    /// - Parameter name: of the database in the source's folder.
    init(of name: String, in place: SourceFolder) throws(SourceProblem) {
        (self.place, self.name) = (place, name)
        var template = Array((FileManager.default.temporaryDirectory.path + "/coursefetch-XXXXXX").utf8CString)
        guard template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) != nil else {
            throw .unreadable(path: place.shown(name), errno: errno)
        }
        let path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        folder = URL(filePath: path)
        do {
            guard try Self.copy(name, in: place, to: path + "/db") else {
                throw SourceProblem.missing(path: place.shown(name))
            }
            let hasLog = try Self.copy(name + "-wal", in: place, to: path + "/db-wal")
            isCut = try !hasLog && Self.isCut(name, in: place)
            if try !Self.namesOtherFiles(name + "-journal", in: place) {
                _ = try Self.copy(name + "-journal", in: place, to: path + "/db-journal")
            }
            var configuration = Configuration()
            configuration.foreignKeysEnabled = false
            configuration.prepareDatabase { db in
                try db.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
                sqlite3_limit(db.sqliteConnection, SQLITE_LIMIT_LENGTH, Self.valueBound)
            }
            queue = try DatabaseQueue(path: path + "/db", configuration: configuration)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw Self.problem(error, place.shown(name))
        }
    }

    deinit {
        try? queue.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The names of a table's columns; nil if there is no ordinary table of this name.
    func columns(of table: String) throws -> Set<String>? {
        try queue.read { db in
            // A view may compute forever, and a virtual table have any code behind it.
            let definition = try String.fetchOne(
                db, sql: "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", arguments: [table])
            guard let definition, !definition.uppercased().hasPrefix("CREATE VIRTUAL") else { return nil }
            return Set(try db.columns(in: table).map { $0.name.lowercased() })
        }
    }

    /// The ordinary tables that have only this column, as their primary key, in the order of their names; and whether
    /// there are others.
    func tables(ofOnly column: String) throws -> (found: [String], hasOthers: Bool) {
        try queue.read { db in
            let all = try Row.fetchAll(
                db, sql: "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
            let found = try all.compactMap { row -> String? in
                guard let name = String.fromDatabaseValue(row["name"]), !name.contains("\""),
                    String.fromDatabaseValue(row["sql"])?.uppercased().hasPrefix("CREATE VIRTUAL") == false
                else { return nil }
                let columns = try Row.fetchAll(
                    db, sql: "SELECT lower(name) = ? AND pk = 1 FROM pragma_table_info(?)", arguments: [column, name])
                return columns.map { Bool.fromDatabaseValue($0[0]) } == [true] ? name : nil
            }
            return (found, found.count < all.count)
        }
    }

    /// The paths in the source of the database and what SQLite keeps beside it; none if a log isn't empty: somebody may
    /// have it open.
    func filesIfUnused() throws(SourceProblem) -> [String] {
        for log in ["-wal", "-journal"] {
            if let facts = try place.facts(of: name + log), facts.size > 0 { return [] }
        }
        var paths: [String] = []
        for end in ["", "-wal", "-shm", "-journal"] where try place.facts(of: name + end) != nil {
            paths.append(name + end)
        }
        return paths
    }

    /// Reads with a connection of its own.
    func read<T>(_ body: (Database) throws -> T) throws -> T { try queue.read(body) }

    /// What an error of the database says of the source.
    static func problem(_ error: any Error, _ path: String) -> SourceProblem {
        if let problem = error as? SourceProblem { return problem }
        guard let error = error as? DatabaseError else { return .badFormat(path: path, .malformed) }
        return switch error.resultCode {
        case .SQLITE_NOTADB: .badFormat(path: path, .foreign)
        case .SQLITE_TOOBIG: .badFormat(path: path, .tooLarge)
        case .SQLITE_FULL: .unreadable(path: path, errno: ENOSPC)
        case .SQLITE_IOERR, .SQLITE_CANTOPEN: .unreadable(path: path, errno: EIO)
        default: .badFormat(path: path, .malformed)
        }
    }

    private static func isCut(_ name: String, in place: SourceFolder) throws(SourceProblem) -> Bool {
        guard let head = try place.beginning(of: name, upTo: 100), head.count == 100,
            let size = try place.facts(of: name)?.size
        else { return true }
        func number(_ range: Range<Int>) -> Int64 { head[range].reduce(0) { $0 << 8 | Int64($1) } }
        // Only then was the number of pages written by one who knows of it.
        guard number(24..<28) == number(92..<96) else { return false }
        let pageSize = number(16..<18) == 1 ? 65536 : number(16..<18)
        return size < number(28..<32) * pageSize
    }

    /// Whether a journal ends with the name of another file, which SQLite would open, and may remove.
    private static func namesOtherFiles(_ name: String, in place: SourceFolder) throws(SourceProblem) -> Bool {
        guard let descriptor = try place.open(name) else { return false }
        defer { close(descriptor) }
        do throws(Errno) {
            let size = try FileFacts(descriptor: descriptor).size
            guard size >= 8, let end = try SmallFile.read(descriptor, size - 8..<size) else { return false }
            return end == [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        } catch { throw .unreadable(path: place.shown(name), errno: error.rawValue) }
    }

    /// False if there is no such file.
    private static func copy(_ name: String, in place: SourceFolder, to path: String) throws(SourceProblem) -> Bool {
        guard let from = try place.open(name) else { return false }
        defer { close(from) }
        let to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard to >= 0 else { throw .unreadable(path: place.shown(name), errno: errno) }
        defer { close(to) }
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { block.deallocate() }
        var total: Int64 = 0
        while true {
            let count = pread(from, block.baseAddress, block.count, off_t(total))
            if count == 0 { return true }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .unreadable(path: place.shown(name), errno: errno) }
            total += Int64(count)
            guard total <= sizeBound else { throw .badFormat(path: place.shown(name), .tooLarge) }
            var done = 0
            while done < count {
                let written = write(to, block.baseAddress.map { $0 + done }, count - done)
                if written < 0, errno == EINTR { continue }
                guard written > 0 else { throw .unreadable(path: place.shown(name), errno: errno) }
                done += written
            }
        }
    }
}
