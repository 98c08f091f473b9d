import FileSystem
import Foundation
import GRDB
import SystemPackage

/// The opened SQLite file of a state, of this program's schema.
///
/// One connection, in WAL mode with `synchronous = FULL` (TRUNCATE instead of WAL unless the file system is known to be
/// local), so that a commit that returned survives a power loss. All calls block during their transaction; none may be
/// made from the transfer thread.
final class StateFile: Sendable {
    let path: String
    let queue: DatabaseQueue

    /// Opens the state file, and with ``StateRole/holder`` creates or migrates it.
    ///
    /// Throws before anything is written if the file is a folder, not a database, damaged, or of a newer version.
    init(path: String, role: StateRole) throws(StoreError) {
        self.path = path
        queue = try Self.attempt(path) {
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
                throw StoreError.cannotOpen(path: path, detail: "it is a folder")
            }
            let journal = Self.journal(on: FileSystemKind.of(FilePath(path)))
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            configuration.prepareDatabase { db in
                // GRDB's own WAL mode would reset `synchronous` to NORMAL after this and write at every open.
                let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                guard version <= Schema.version else { throw StoreError.newerVersion(path: path) }
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(journal)")
                try db.execute(sql: "PRAGMA synchronous = FULL")
            }
            if role == .holder { Self.createClosed(path) }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            let version = try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") ?? 0 }
            if version != Schema.version {
                guard role == .holder else {
                    // A file whose migrations aren't complete is still being made, or was left incomplete.
                    let isMade =
                        try version > 0
                        && queue.read {
                            try Bool.fetchOne(
                                $0, sql: "SELECT EXISTS (SELECT 1 FROM runs) OR EXISTS (SELECT 1 FROM downloads)")
                                ?? false
                        }
                    throw isMade ? StoreError.needsMigration(path: path) : StoreError.notMade(path: path)
                }
                try version == 0 ? Self.make(queue) : Schema.migrator.migrate(queue)
            }
            if role == .holder { Self.close(path) }
            return queue
        }
    }

    /// Gives a file without tables the schema in one transaction: each migration waits for the disk.
    private static func make(_ queue: DatabaseQueue) throws {
        let tables = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") ?? 0 }
        guard tables == 0 else { return try Schema.migrator.migrate(queue) }
        let new = try DatabaseQueue()
        try Schema.migrator.migrate(new)
        try new.backup(to: queue)
    }

    /// Closes the connection; later calls throw.
    func close() { try? queue.close() }

    /// Runs `body` in one transaction that can't write.
    func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
        try Self.attempt(path) { try queue.read(body) }
    }

    /// Runs `body` in one IMMEDIATE transaction.
    func write<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
        try Self.attempt(path) {
            try queue.writeWithoutTransaction { db in
                var result: T?
                try db.inTransaction(.immediate) {
                    result = try body(db)
                    return .commit
                }
                guard let result else { throw StoreError.io(path: path, detail: "no transaction") }
                return result
            }
        }
    }

    /// Turns SQLite's codes into facts.
    static func attempt<T>(_ path: String, _ body: () throws -> T) throws(StoreError) -> T {
        do { return try body() } catch let error as StoreError { throw error } catch let error as DatabaseError {
            let detail = error.message ?? "SQLite error \(error.resultCode.rawValue)"
            switch error.resultCode {
            case .SQLITE_CANTOPEN, .SQLITE_PERM, .SQLITE_AUTH:
                throw disk(path) ?? .cannotOpen(path: path, detail: detail)
            case .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_FORMAT: throw .corrupt(path: path, detail: detail)
            // Only values that this program never writes violate a constraint.
            case .SQLITE_CONSTRAINT: throw .corrupt(path: path, detail: detail)
            case .SQLITE_READONLY: throw .readOnly(path: path)
            case .SQLITE_FULL: throw .full(path: path)
            case .SQLITE_BUSY, .SQLITE_LOCKED: throw .busy(path: path)
            case .SQLITE_ERROR where detail.contains("no such table") || detail.contains("no such column"):
                throw .corrupt(path: path, detail: detail)
            default: throw disk(path) ?? .io(path: path, detail: detail)
            }
        } catch let error as DamagedRow {
            throw .corrupt(path: path, detail: error.what)
        } catch { throw .io(path: path, detail: "\(error)") }
    }

    /// The problem of the disk, if SQLite reports only that it can't read or write: on a full or read-only disk it
    /// fails in many ways, often first at its shared memory.
    private static func disk(_ path: String) -> StoreError? {
        guard path != ":memory:" else { return nil }
        let folder = FilePath(path).removingLastComponent()
        if let free = VolumeFacts.freeSpace(at: folder), free < leastRoom { return .full(path: path) }
        return VolumeFacts.isReadOnly(folder) ? .readOnly(path: path) : nil
    }

    /// SQLite extends its shared memory by this much.
    private static let leastRoom: Int64 = 64 << 10

    /// Makes an empty file that only the account can read: SQLite would make one with the permissions of the umask, and
    /// gives its other files the mode of this one. SQLite reports errors better, so they are ignored here.
    static func createClosed(_ path: String) {
        guard path != ":memory:" else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 { _ = Foundation.close(descriptor) }
    }

    /// Closes a file to others that an earlier version left open.
    private static func close(_ path: String) {
        for file in [path, path + "-wal", path + "-shm"] {
            var facts = stat()
            guard lstat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG, facts.st_mode & 0o077 != 0 else {
                continue
            }
            _ = chmod(file, facts.st_mode & 0o700)
        }
    }

    /// WAL needs shared memory, which other machines don't see.
    static func journal(on fileSystem: FileSystemKind) -> String { fileSystem == .local ? "WAL" : "TRUNCATE" }
}

/// For other files of SQLite beside a state.
extension DownloadStore {
    /// Makes an empty file that only the account can read, unless there is one.
    package static func createClosed(_ path: String) { StateFile.createClosed(path) }

    /// SQLite's journal mode for a file there.
    package static func journal(at path: String) -> String { StateFile.journal(on: FileSystemKind.of(FilePath(path))) }
}

extension StoreError {
    /// Turns SQLite's codes into facts.
    package static func attempt<T>(_ path: String, _ body: () throws -> T) throws(StoreError) -> T {
        try StateFile.attempt(path, body)
    }
}
