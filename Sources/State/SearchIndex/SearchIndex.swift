package import DownloadStore
import FileSystem
import Foundation
import GRDB
import SystemPackage

/// An index of the words of titles, descriptions and subtitles, in a file of its own beside a state: it can be deleted
/// at any time, and is made anew. A row per video and language says only which words it has, and in four steps how
/// often (``Document`` has the steps): it has no text, no positions, and is a few hundredths of the text's size.
///
/// SQLite before 3.43 can't delete a row without its text, so a row that nothing names any more stays in the index
/// until ``isWorn()``; then the file is made anew.
package final class SearchIndex: Sendable {
    private let path: String
    let queue: DatabaseQueue

    /// A subtitle file, or the titles and the description of a video.
    package struct Source: Sendable, Hashable {
        package var download: DownloadID
        /// The name of the subtitles, mostly their language; empty for titles.
        package var language: String

        package init(download: DownloadID, language: String = "") {
            self.download = download
            self.language = language
        }
    }

    /// What is indexed of a source.
    package struct Known: Sendable {
        package var id: Int64
        /// It changes when the source does.
        package var stamp: Int64
    }

    private static let version = 1

    /// Opens the file, or makes it. One that is damaged or of another version is made anew.
    package init(path: String) throws(StoreError) {
        self.path = path
        do throws(StoreError) { queue = try Self.open(path) } catch {
            guard case .corrupt = error else { throw error }
            Self.remove(path)
            queue = try Self.open(path)
        }
    }

    package func close() { try? queue.close() }

    /// Removes the file, for one that is made anew; the connections of others go on with theirs.
    package static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    }

    private static func open(_ path: String) throws(StoreError) -> DatabaseQueue {
        try StoreError.attempt(path) {
            DownloadStore.createClosed(path)
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            configuration.prepareDatabase { db in
                _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = \(DownloadStore.journal(at: path))")
                // After a power loss it may be older: its sources are compared again.
                try db.execute(sql: "PRAGMA synchronous = NORMAL")
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
                    if version == 0 {
                        try db.execute(sql: schema)
                    } else if version != Self.version {
                        throw StoreError.corrupt(path: path, detail: "version \(version)")
                    }
                    return .commit
                }
            }
            return queue
        }
    }

    private static let schema = """
        CREATE TABLE documents (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            download INTEGER NOT NULL,
            language TEXT NOT NULL,
            path TEXT,
            stamp INTEGER NOT NULL,
            UNIQUE (download, language)
        ) STRICT;
        CREATE VIRTUAL TABLE words USING fts5(word, content = '', detail = none, columnsize = 0, tokenize = 'ascii');
        CREATE TABLE facts (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID, STRICT;
        PRAGMA user_version = 1;
        """

    // MARK: bringing it up to date

    /// What is indexed.
    package func known() throws(StoreError) -> [Source: Known] {
        try read { db in
            var all: [Source: Known] = [:]
            all.reserveCapacity(try Int.fetchOne(db, sql: "SELECT count(*) FROM documents") ?? 0)
            let rows = try Row.fetchCursor(db, sql: "SELECT id, download, language, stamp FROM documents")
            while let row = try rows.next().map(StoredRow.init) {
                guard let id = row.integer("id"), let source = Source(row), let stamp = row.integer("stamp") else {
                    continue
                }
                all[source] = Known(id: id, stamp: stamp)
            }
            return all
        }
    }

    /// Whether more than a tenth of its rows is of sources that have changed or are gone.
    package func isWorn() throws(StoreError) -> Bool {
        try read { db in
            let dead = try Int.fetchOne(db, sql: Self.dead) ?? 0
            let live = try Int.fetchOne(db, sql: "SELECT count(*) FROM documents") ?? 0
            return dead > 100 && dead * 10 > live + dead
        }
    }

    private static let dead = "SELECT CAST(value AS INTEGER) FROM facts WHERE name = 'dead'"

    /// Forgets documents, and adds others, in one transaction.
    package func update(removing ids: [Int64], adding documents: [Document]) throws(StoreError) {
        try write { db in
            let remove = try db.cachedStatement(sql: "DELETE FROM documents WHERE id = ?")
            var removed = 0
            for id in ids {
                try remove.execute(arguments: [id])
                removed += db.changesCount
            }
            if removed > 0 {
                let dead = try Int.fetchOne(db, sql: Self.dead) ?? 0
                try db.execute(
                    sql: "INSERT OR REPLACE INTO facts (name, value) VALUES ('dead', ?)",
                    arguments: [String(dead + removed)])
            }
            // Another process may add it at the same time.
            let add = try db.cachedStatement(
                sql: "INSERT OR IGNORE INTO documents (download, language, path, stamp) VALUES (?, ?, ?, ?)")
            let index = try db.cachedStatement(sql: "INSERT INTO words (rowid, word) VALUES (?, ?)")
            for document in documents {
                let source = document.source
                try add.execute(
                    arguments: [source.download.rawValue, source.language, document.path, document.stamp])
                guard db.changesCount > 0 else { continue }
                try index.execute(arguments: [db.lastInsertedRowID, document.indexed])
            }
        }
    }

    /// What its user notes in it; nil if there is nothing.
    package func fact(_ name: String) throws(StoreError) -> String? {
        try read { try String.fetchOne($0, sql: "SELECT value FROM facts WHERE name = ?", arguments: [name]) }
    }

    package func setFact(_ name: String, _ value: String) throws(StoreError) {
        try write { db in
            try db.execute(sql: "INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", arguments: [name, value])
        }
    }

    func read<T>(_ body: (Database) throws -> T) throws(StoreError) -> T {
        try StoreError.attempt(path) { try queue.read(body) }
    }

    private func write(_ body: (Database) throws -> Void) throws(StoreError) {
        try StoreError.attempt(path) {
            try queue.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    try body(db)
                    return .commit
                }
            }
        }
    }
}

extension SearchIndex.Source {
    init?(_ row: StoredRow) {
        guard let download = row.integer("download") else { return nil }
        self.init(download: DownloadID(rawValue: download), language: row.text("language") ?? "")
    }
}
