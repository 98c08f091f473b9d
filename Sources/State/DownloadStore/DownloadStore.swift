package import Foundation
import GRDB

/// One user's state: a SQLite file, with every SQL statement, each in its table. Each function of a table is one
/// transaction. Nothing stored here is secret: no URL, token, header or expiry.
package struct DownloadStore: Sendable {
    private let file: StateFile

    /// Opens the state file, and with ``StateRole/holder`` creates or migrates it.
    ///
    /// Throws before anything is written if the file is a folder, not a database, damaged, or of a newer version.
    package init(path: String, role: StateRole) throws(StoreError) {
        file = try StateFile(path: path, role: role)
    }

    /// An empty state in memory: for a user who has none yet.
    package static func empty() throws(StoreError) -> DownloadStore {
        try DownloadStore(path: ":memory:", role: .holder)
    }

    /// Writes the state as it is to a new file that only the account can read; not flushed. Others commit meanwhile,
    /// unless the state is on a network file system.
    package func copy(to path: String) throws(StoreError) { try file.copy(to: path) }

    /// Forgets how much of each unfinished download is there. For the copy of a state whose run went on after it was
    /// made: the partials may have changed since.
    package func forgetProgress() throws(StoreError) {
        try file.write { db in
            try db.execute(
                sql: """
                    UPDATE downloads SET durable_bytes = 0, total_bytes = NULL, etag = NULL, last_modified = NULL,
                        stream = NULL WHERE state <> 'finished' AND is_placing = 0
                    """)
        }
    }

    /// The ids of all courses that the state has something of.
    package func courseIDs() throws(StoreError) -> Set<String> { try file.courseIDs() }

    /// Takes over all rows of these courses from the state in another file of this version, in one transaction. Their
    /// downloads get new ids; a row that this state has already stays, but gets a cover that it lacks.
    ///
    /// - Parameter isOwn: whether a video of the courses is taken over; nil takes all.
    /// - Returns: the new ids of `wanted` ones, by the old ones.
    package func takeOver(
        _ courses: Set<String>, from other: String, ids wanted: Set<Int64>,
        where isOwn: (@Sendable (_ course: String, _ video: String) -> Bool)? = nil
    ) throws(StoreError) -> [Int64: Int64] {
        try file.takeOver(courses, from: other, ids: wanted, where: isOwn)
    }

    /// Forgets what is elsewhere where videos are divided among shards: the covers of these courses, which other shards
    /// have, and the files made of the facts of all, which the register has.
    package func forgetWhole(_ courses: Set<String>) throws(StoreError) {
        try file.forgetWhole(courses)
        try moves.forgetOrphans()
    }

    /// Takes over what a register has from the state in another file: courses, chapters, listings, files made of a
    /// course's facts, and the names and numbers of downloads. A row that this state has already stays.
    package func takeOverNames(from other: String) throws(StoreError) { try file.takeOverNames(from: other) }

    /// Takes listings from the state in another file that are newer than the own ones.
    package func takeNewerListings(from other: String) throws(StoreError) {
        try file.takeNewerListings(from: other)
    }

    /// Takes records of files that are made of a course's facts from the state in another file.
    package func takeMetadata(from other: String) throws(StoreError) { try file.takeMetadata(from: other) }

    /// Takes over what belongs to no course from the state in another file: its history.
    package func takeOverHistory(from other: String) throws(StoreError) { try file.takeOverHistory(from: other) }

    /// Forgets what is in a library; facts and the user's session stay.
    package func forgetLibrary() throws(StoreError) { try file.forgetLibrary() }

    /// Whether a file that anybody may have written can be opened as a state: it has the schema of this version or an
    /// earlier one and nothing else, and no defect. Reads all of it.
    package static func isSound(_ path: String) -> Bool { StateFile.isSound(path) }

    /// The database file's path.
    package var path: String { file.path }

    /// Closes the connection; later calls throw.
    package func close() { file.close() }

    /// Carries out `changes` in order in one transaction; durable when it returns, undone as a whole when it throws.
    package func write(_ changes: [DownloadChange], at now: Date = Date()) throws(StoreError) {
        guard !changes.isEmpty else { return }
        try file.write { db in
            let writer = ChangeWriter(db, at: now)
            for change in changes { try writer.apply(change) }
            let removesFiles = changes.contains { if case .fileRemoved = $0 { true } else { false } }
            if removesFiles { try MoveTable.dropOrphans(db) }
        }
    }

    /// A number that changes with every commit of another process; reading it needs no transaction (pragma.html).
    package func dataVersion() throws(StoreError) -> Int64 {
        try file.read { db in try Int64.fetchOne(db.cachedStatement(sql: "PRAGMA data_version")) ?? 0 }
    }

    /// How many rows this connection has changed.
    package func changeCount() throws(StoreError) -> Int { try file.read { $0.totalChangesCount } }

    // MARK: tables

    package var downloads: DownloadTable { DownloadTable(file: file) }
    /// Courses, chapters, and the downloads in the catalogs.
    package var catalogs: CatalogTable { CatalogTable(file: file) }
    /// The listings of courses that their providers list.
    package var listings: ListingTable { ListingTable(file: file) }
    package var sidecars: SidecarTable { SidecarTable(file: file) }
    /// Files written beside media.
    package var metadata: MetadataTable { MetadataTable(file: file) }
    /// Moves in progress.
    package var moves: MoveTable { MoveTable(file: file) }
    /// What of finished videos can be read.
    package var texts: TextTable { TextTable(file: file) }
    /// What a page shows.
    package var views: ViewTable { ViewTable(file: file) }
    /// The history of runs, and their start.
    package var runs: RunTable { RunTable(file: file) }
    /// Notes of runs that found nothing to do.
    package var idle: IdleTable { IdleTable(file: file) }
    /// Logins and logouts.
    package var sessions: SessionTable { SessionTable(file: file) }
    /// Requests to the process that holds the user's lock.
    package var requests: RequestTable { RequestTable(file: file) }
    /// The records of the library's list of files.
    package var fileList: FileListTable { FileListTable(file: file) }
    /// The journal of migrations.
    package var migrations: MigrationTable { MigrationTable(file: file) }
    /// Named facts.
    package var facts: FactTable { FactTable(file: file) }
    /// The state file itself.
    package var health: StoreHealth { StoreHealth(file: file) }
}
