import FileSystem
import Foundation
import GRDB
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import DownloadStore

@Suite("Opening the store")
struct StoreOpeningTests {
    let fixture = StoreFixture()

    @Test("a folder in its place is an error and stays a folder")
    func folder() throws {
        try FileManager.default.createDirectory(atPath: fixture.path, withIntermediateDirectories: false)
        #expect(throws: StoreError.cannotOpen(path: fixture.path, detail: "it is a folder")) { try fixture.open() }
    }

    @Test("a file that isn't a database is refused and not touched", arguments: [10, 4096, 100_000])
    func garbage(size: Int) throws {
        let garbage = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
        try garbage.write(to: URL(filePath: fixture.path))
        #expect { try fixture.open() } throws: { error in
            if case .corrupt = error as? StoreError { true } else { false }
        }
        #expect(try Data(contentsOf: URL(filePath: fixture.path)) == garbage)
    }

    @Test("a new file, made in one transaction, is what the migrations make of one")
    func made() throws {
        let migrated = fixture.path + ".migrated"
        let queue = try DatabaseQueue(path: migrated)
        try Schema.migrator.migrate(queue)
        try queue.close()
        try fixture.open(.holder).close()
        let contents = try [migrated, fixture.path].map { path in
            try DatabaseQueue(path: path).read { db in
                let tables = try Row.fetchAll(
                    db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name")
                let version = try Row.fetchAll(
                    db, sql: "SELECT user_version, identifier FROM pragma_user_version, grdb_migrations")
                return (tables + version).map { "\($0)" }
            }
        }
        #expect(contents[0] == contents[1] && contents[0].count > Schema.version)
    }

    @Test("a file of version 1 is migrated by the holder, without loss")
    func migration() throws {
        let queue = try DatabaseQueue(path: fixture.path)
        try Schema.migrator.migrate(queue, upTo: "1")
        try queue.write { db in
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version")
            #expect(version == 1)
            try db.execute(
                sql: """
                    INSERT INTO downloads (course, video, title, position, ordinal, provider, source, priority, stem, state,
                        durable_bytes, updated_at) VALUES ('c', 'v', 'V', 1, 0, 'p', x'00', 0, 'C/01 V', 'paused', 7, 0)
                    """)
        }
        try queue.close()
        #expect(throws: StoreError.needsMigration(path: fixture.path)) { try fixture.open(.client) }
        let store = try fixture.open(.holder)
        let record = try #require(try store.downloads.record(DownloadID(rawValue: 1)))
        #expect(record.state == .paused && record.durableBytes == 7 && record.bytesPerSecond == nil)
        #expect(record.kind == .file && record.position == nil && record.mediaSeconds == nil)
        #expect(try store.sessions.current() == nil)
        #expect(try store.requests.open().isEmpty)
    }

    @Test("a file of version 3 is migrated by the holder, without loss")
    func migrationOfThree() throws {
        let queue = try DatabaseQueue(path: fixture.path)
        try Schema.migrator.migrate(queue, upTo: "3")
        try queue.write { db in
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version")
            #expect(version == 3)
            try db.execute(
                sql: """
                    INSERT INTO downloads (course, video, title, position, ordinal, provider, source, priority, stem, state,
                        durable_bytes, etag, updated_at)
                    VALUES ('c', 'v', 'V', 1, 0, 'p', x'00', 0, 'C/01 V', 'paused', 7, '"e"', 0)
                    """)
        }
        try queue.close()
        #expect(throws: StoreError.needsMigration(path: fixture.path)) { try fixture.open(.client) }
        let store = try fixture.open(.holder)
        let record = try #require(try store.downloads.record(DownloadID(rawValue: 1)))
        #expect(record.state == .paused && record.durableBytes == 7 && record.validators.etag == "\"e\"")
    }

    @Test("a file of version 4 is migrated by the holder: each row gets its kind from its contents")
    func migrationOfFour() throws {
        let rows: [(held: String, kind: DownloadKind?, seconds: Double?)] = [
            ("NULL, 0, NULL, NULL", nil, nil),
            ("NULL, 7, NULL, NULL", .file, nil),
            ("NULL, 0, NULL, 'C/01 V.mp4'", .file, nil),
            ("'{}', 7, 12.5, NULL", .stream, 12.5),
            ("NULL, 0, 12.5, 'C/01 V.mp4'", .stream, 12.5),
            // A stream that is being replaced by a file.
            ("NULL, 7, 12.5, 'C/01 V.mp4'", .file, nil),
        ]
        let queue = try DatabaseQueue(path: fixture.path)
        try Schema.migrator.migrate(queue, upTo: "4")
        try queue.write { db in
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version")
            #expect(version == 4)
            for (number, row) in rows.enumerated() {
                try db.execute(
                    sql: """
                        INSERT INTO downloads (course, video, title, position, ordinal, provider, source, priority, stem,
                            state, stream, durable_bytes, media_seconds, path, updated_at)
                        VALUES ('c', '\(number)', 'V', 1, 0, 'p', x'00', 0, 'C/01 V', 'paused', \(row.held), 0)
                        """)
            }
        }
        try queue.close()
        #expect(throws: StoreError.needsMigration(path: fixture.path)) { try fixture.open(.client) }
        let store = try fixture.open(.holder)
        for (number, row) in rows.enumerated() {
            let record = try #require(try store.downloads.record(DownloadID(rawValue: Int64(number) + 1)))
            #expect(record.kind == row.kind && record.mediaSeconds == row.seconds, "row \(number)")
        }
    }

    @Test(
        "a file of version 9 is migrated by the holder: every row of every table is as it was, and no course is listed")
    func migrationOfNine() throws {
        let queue = try DatabaseQueue(path: fixture.path)
        try Schema.migrator.migrate(queue, upTo: "9")
        try queue.write { db in
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version")
            #expect(version == 9)
            try db.execute(sql: Self.rowsOfNine)
        }
        let tables = try queue.read { db in
            let names = try String.fetchAll(
                db,
                sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%migrations' ORDER BY 1")
            return try Dictionary(uniqueKeysWithValues: names.map { ($0, try db.columns(in: $0).map(\.name)) })
        }
        let before = try queue.read { try Self.rows(of: tables, $0) }
        #expect(before.count { $0.value.isEmpty } == 0, "each table has a row: \(before)")
        try queue.close()
        #expect(throws: StoreError.needsMigration(path: fixture.path)) { try fixture.open(.client) }

        let store = try fixture.open(.holder)
        let finished = try #require(try store.downloads.record(DownloadID(rawValue: 1)))
        #expect(finished.state == .finished && finished.file?.path == "C/01 V.mp4")
        #expect(try store.downloads.record(DownloadID(rawValue: 2))?.durableBytes == 7)
        #expect(try store.listings.records().isEmpty && store.listings.contents(of: "c").videos.isEmpty)
        store.close()

        let after = try DatabaseQueue(path: fixture.path)
        #expect(try after.read { try Self.rows(of: tables, $0) } == before)
        #expect(try after.read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == Schema.version)
        #expect(try after.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
        try after.close()
    }

    @Test("a move that version 13 recorded is still under way, not put off")
    func migrationOfThirteen() throws {
        let queue = try DatabaseQueue(path: fixture.path)
        try Schema.migrator.migrate(queue, upTo: "13")
        try queue.write { db in
            try db.execute(
                sql: "INSERT INTO moves VALUES ('0123456789abcdef-0', 'a/x', 'b/x', '{\"course\":{\"_0\":\"c\"}}')")
        }
        try queue.close()
        let store = try fixture.open(.holder)
        #expect(
            try store.moves.recorded()
                == [RecordedMove(id: "0123456789abcdef-0", from: "a/x", to: "b/x", owner: .course("c"))])
        #expect(try store.moves.putOff().isEmpty && store.runs.isUnsettled())
        store.close()
    }

    /// The rows of each table, as text: these columns of it.
    private static func rows(of tables: [String: [String]], _ db: Database) throws -> [String: [String]] {
        try Dictionary(
            uniqueKeysWithValues: tables.map { table, columns in
                let sql = "SELECT \(columns.joined(separator: ", ")) FROM \(table) ORDER BY 1, 2"
                return (table, try Row.fetchAll(db, sql: sql).map(\.debugDescription))
            })
    }

    /// A row or more in each table of version 9.
    private static let rowsOfNine = """
        INSERT INTO facts VALUES ('library', 'L');
        INSERT INTO courses (id, file, ordinal, title, folder, cover, cover_path, cover_size, cover_modified, layout)
            VALUES ('c', '/c.yaml', 0, 'C', 'C', x'01', 'C/cover.jpg', 3, 4, 'plain');
        INSERT INTO chapters (course, id, title, position, folder) VALUES ('c', 'k', 'K', 1, 'C/01 K');
        INSERT INTO downloads (course, video, title, position, ordinal, provider, source, priority, stem, state, path,
            size, modified, sha256, file_source, kind, media_seconds, announced, updated_at)
            VALUES ('c', 'v', 'V', 1, 0, 'p', x'00', 0, 'C/01 V', 'finished', 'C/01 V.mp4',
                9, 7, x'0A0B', x'00', 'file', NULL, 1, 1.5);
        INSERT INTO downloads (course, video, chapter, title, position, ordinal, provider, source, priority, extras,
            stem, expected_size, state, reason, durable_bytes, total_bytes, etag, stream, kind, error_kind,
            error_message, retry_at, failed_runs, is_gone, announced, updated_at)
            VALUES ('c', 'w', 'k', 'W', 1, 1, 'p', x'01', 3, x'02', 'C/01 K/01 W', 900, 'suspended', 'signal', 7, 900,
                '"e"', '{}', 'stream', 'network', 'no', 99.5, 2, 1, 0, 2.5);
        INSERT INTO sidecars (download, kind, name, path, size, modified)
            VALUES (1, 'subtitle', 'en', 'C/01 V.en.vtt', 5, 6);
        INSERT INTO sidecars (download, kind, name, state, retry_at, failed_runs, error_kind)
            VALUES (1, 'cover', '', 'failed', 8, 1, 'network');
        INSERT INTO moves VALUES ('m', 'C/a', 'C/b', 'course c');
        INSERT INTO runs (started_at, ended_at, catalogs, exit, finished, failed, bytes)
            VALUES (1, 2, '["/c.yaml"]', 0, 1, 0, 9);
        INSERT INTO session VALUES (1, 1, 4, 3, 5);
        INSERT INTO provider_sessions VALUES ('p', 2);
        INSERT INTO requests (body, answer, made_at) VALUES ('{}', NULL, 3);
        INSERT INTO parts VALUES (2, 'audio', 'de', '2.audio.part', 'C/01 K/01 W.m4a', 4, 5, x'0C');
        INSERT INTO metadata VALUES ('C/tvshow.nfo', 'c', 1, 2, x'0D', NULL, NULL);
        INSERT INTO metadata_courses VALUES ('c', 'stamp');
        """

    @Test("a row keeps its kind until it has its file; another kind clears the duration")
    func kinds() throws {
        let store = try fixture.open()
        let id = try StoreFixture.add(1, to: store)[0]
        #expect(try store.downloads.record(id)?.kind == nil)
        let facts = ProgressFacts(bytes: 5, total: nil, validators: Validators(), position: "at 3", seconds: 60)
        try store.write([.begin(id), .kind(id, .stream), .progress(id, facts)])
        #expect(try store.downloads.record(id)?.position == "at 3")
        try store.write([.kind(id, .stream), .placing(id, StoreFixture.file), .finish(id), .refetch(id)])
        var record = try #require(try store.downloads.record(id))
        #expect(record.kind == .stream && record.mediaSeconds == 60 && record.position == nil)
        try store.write([.begin(id), .kind(id, .file)])
        record = try #require(try store.downloads.record(id))
        #expect(record.kind == .file && record.mediaSeconds == nil)
    }

    @Test(
        "a library's list has the kind of each video; an older one implies it by the duration, which only streams had")
    func keptKinds() throws {
        let store = try fixture.open()
        let ids = try StoreFixture.add(2, to: store)
        for (id, kind) in zip(ids, [DownloadKind.stream, .file]) {
            try store.write([.begin(id), .kind(id, kind), .placing(id, StoreFixture.file), .finish(id)])
        }
        var kept: [FileListEntry] = []
        try store.fileList.each(nil) { kept.append($0) }
        #expect(kept.map(\.kind) == ["stream", "file"])
        store.close()

        let lost = try DownloadStore(path: fixture.folder.at("again.sqlite").string, role: .holder)
        kept.append(contentsOf: kept)
        for index in kept.indices { kept[index].video = "w\(index)" }
        for index in 2...3 { kept[index].kind = nil }
        kept[3].seconds = 60
        #expect(try lost.fileList.restore(kept.map { ProvenListEntry(record: $0, file: StoreFixture.file) }) == 4)
        var kinds: [String: DownloadKind?] = [:]
        try lost.downloads.each { kinds[$0.key.video] = $0.kind }
        #expect(kinds == ["w0": .stream, "w1": .file, "w2": .file, "w3": .stream])
    }

    @Test("a newer version's file is refused and not touched")
    func newer() throws {
        let store = try fixture.open()
        store.close()
        var bytes = try Data(contentsOf: URL(filePath: fixture.path))
        bytes[63] = 99  // user_version, big-endian at offset 60 (fileformat2.html §1.3)
        try bytes.write(to: URL(filePath: fixture.path))
        #expect(throws: StoreError.newerVersion(path: fixture.path)) { try fixture.open() }
        #expect(try Data(contentsOf: URL(filePath: fixture.path)) == bytes)
    }

    @Test("only the holder of the lock creates the schema")
    func client() throws {
        #expect(FileManager.default.createFile(atPath: fixture.path, contents: nil))
        #expect(throws: StoreError.notMade(path: fixture.path)) { try fixture.open(.client) }
        let queue = try DatabaseQueue(path: fixture.path)
        try Schema.migrator.migrate(queue, upTo: "1")
        #expect(throws: StoreError.notMade(path: fixture.path), "it may still be being made") {
            try fixture.open(.client)
        }
        try queue.write { try $0.execute(sql: "INSERT INTO runs (started_at, catalogs) VALUES (1, '[]')") }
        try queue.close()
        #expect(throws: StoreError.needsMigration(path: fixture.path)) { try fixture.open(.client) }
        try fixture.open(.holder).close()
        try fixture.open(.client).close()
    }

    @Test("a missing folder is reported, not made")
    func missingFolder() throws {
        let path = fixture.folder.at("no/state.sqlite").string
        #expect { try DownloadStore(path: path, role: .holder) } throws: { error in
            if case .cannotOpen = error as? StoreError { true } else { false }
        }
        #expect(!FileManager.default.fileExists(atPath: fixture.folder.at("no").string))
    }

    @Test("opening an up-to-date file writes nothing")
    func opensQuietly() throws {
        try fixture.open().close()
        let before = try Data(contentsOf: URL(filePath: fixture.path))
        let store = try fixture.open(.client)
        _ = try store.facts.value("x")
        store.close()
        #expect(try Data(contentsOf: URL(filePath: fixture.path)) == before)
    }
}
