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
        #expect(throws: StoreError.needsMigration(path: fixture.path)) { try fixture.open(.visitor) }
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
        #expect(throws: StoreError.needsMigration(path: fixture.path)) { try fixture.open(.visitor) }
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
        #expect(throws: StoreError.needsMigration(path: fixture.path)) { try fixture.open(.visitor) }
        let store = try fixture.open(.holder)
        for (number, row) in rows.enumerated() {
            let record = try #require(try store.downloads.record(DownloadID(rawValue: Int64(number) + 1)))
            #expect(record.kind == row.kind && record.mediaSeconds == row.seconds, "row \(number)")
        }
    }

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
        var kept: [KeptRecord] = []
        try store.kept.each(nil) { kept.append($0) }
        #expect(kept.map(\.kind) == ["stream", "file"])
        store.close()

        let lost = try DownloadStore(path: fixture.folder.at("again.sqlite").string, role: .holder)
        kept.append(contentsOf: kept)
        for index in kept.indices { kept[index].video = "w\(index)" }
        for index in 2...3 { kept[index].kind = nil }
        kept[3].seconds = 60
        #expect(try lost.kept.restore(kept.map { ProvenRecord(record: $0, file: StoreFixture.file) }) == 4)
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
    func visitor() throws {
        #expect(FileManager.default.createFile(atPath: fixture.path, contents: nil))
        #expect(throws: StoreError.notMade(path: fixture.path)) { try fixture.open(.visitor) }
        let queue = try DatabaseQueue(path: fixture.path)
        try Schema.migrator.migrate(queue, upTo: "1")
        #expect(throws: StoreError.notMade(path: fixture.path), "it may still be being made") {
            try fixture.open(.visitor)
        }
        try queue.write { try $0.execute(sql: "INSERT INTO runs (started_at, catalogs) VALUES (1, '[]')") }
        try queue.close()
        #expect(throws: StoreError.needsMigration(path: fixture.path)) { try fixture.open(.visitor) }
        try fixture.open(.holder).close()
        try fixture.open(.visitor).close()
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
        let store = try fixture.open(.visitor)
        _ = try store.facts.value("x")
        store.close()
        #expect(try Data(contentsOf: URL(filePath: fixture.path)) == before)
    }
}
