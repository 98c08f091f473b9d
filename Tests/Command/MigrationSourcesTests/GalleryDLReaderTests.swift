import Foundation
import GRDB
import MigrationSources
import SystemPackage
import TestSupport
import Testing

@Suite("The source gallery-dl", .serialized)
struct GalleryDLReaderTests {
    /// A database with tables as gallery-dl 1.32 makes them.
    private func store(_ tables: [String: [String]], in folder: TemporaryFolder, more: String = "") throws {
        let queue = try DatabaseQueue(path: folder.at("archive.sqlite3").string)
        try queue.write { db in
            for (table, entries) in tables {
                try db.execute(sql: "CREATE TABLE \"\(table)\" (entry TEXT PRIMARY KEY) WITHOUT ROWID")
                for entry in entries {
                    try db.execute(sql: "INSERT OR IGNORE INTO \"\(table)\" (entry) VALUES (?)", arguments: [entry])
                }
            }
            try db.execute(sql: more)
        }
        try queue.close()
    }

    private func records(_ tables: [String: [String]], more: String = "") throws -> [SourceRecord] {
        let folder = TemporaryFolder()
        try store(tables, in: folder, more: more)
        return try Reading.records(GalleryDLReader.self, folder)
    }

    @Test("an entry is finished, and has what its category tells")
    func entries() throws {
        let found = try records([
            "archive": [
                "danbooru7461", "directlinked", "directlinkh.example//root.mp4", "directlinkh.example:81/a b/1.mp4",
                "generic9", "generichttps://h.example/a.jpg", "ytdl ", "ytdl-genericGeneric 1", "ytdl9",
                "ytdlYoutube -a b",
            ]
        ])
        #expect(found.allSatisfy { $0.state == .finished && $0.fault == nil && $0.file == nil })
        #expect(found.map(\.key) == found.map { $0.names[0] })
        #expect(found.map(\.video) == [nil, nil, nil, nil, nil, nil, nil, "1", nil, "-a b"])
        #expect(
            found.map(\.url) == [
                nil, nil, "https://h.example/root.mp4", "https://h.example:81/a b/1.mp4", nil,
                "https://h.example/a.jpg", nil, nil, nil, nil,
            ])
        #expect(found[3].names == ["directlinkh.example:81/a b/1.mp4", "http://h.example:81/a b/1.mp4"])
        #expect(found[9].names == ["ytdlYoutube -a b", "youtube -a b", "-a b"])
    }

    @Test("in a table of its own a site's entries have no category, and their keys have the table")
    func tables() throws {
        let found = try records([
            "danbooru": ["7461"], "directlink": ["h.example/1.mp4"], "e621": ["7461"], "ytdl": ["Youtube a"],
            "x'y": ["1"],
        ])
        #expect(
            found.map(\.key) == ["danbooru 7461", "directlink h.example/1.mp4", "e621 7461", "x'y 1", "ytdl Youtube a"])
        #expect(found.map(\.video) == [nil, nil, nil, nil, "a"])
        #expect(found[0].names == ["danbooru 7461", "7461"])
        #expect(found[1].url == "https://h.example/1.mp4")
    }

    @Test("the archive is the given file, the list's, or one of the usual names")
    func names() throws {
        let folder = TemporaryFolder()
        try store(["archive": ["a1"]], in: folder)
        #expect(try Reading.records(GalleryDLReader.self, folder, "archive.sqlite3").count == 1)
        try FileManager.default.moveItem(
            atPath: folder.at("archive.sqlite3").string, toPath: folder.at("mine.db").string)
        #expect(try Reading.records(GalleryDLReader.self, folder, "", SourceOptions(list: "mine.db")).count == 1)
        #expect(
            throws: SourceProblem.nothingFound(
                path: folder.path.string, expected: ["archive.sqlite3", "archive.sqlite", "archive.db"])
        ) { try Reading.records(GalleryDLReader.self, folder) }
        for list in ["gone.db", "../mine.db"] {
            #expect(throws: SourceProblem.self) {
                try Reading.records(GalleryDLReader.self, folder, "", SourceOptions(list: list))
            }
        }
        #expect(try Reading.open(GalleryDLReader.self, folder, "mine.db").storeFiles() == ["mine.db"])
        #expect(folder.names() == ["mine.db"] && folder.openDescriptors() == 0)
    }

    @Test("many entries come once each, in the order of their bytes")
    func many() throws {
        let all = (0..<2000).map { "x\($0)é" }
        #expect(try records(["archive": all]).map(\.key) == all.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    }

    @Test("values that are no text, and text that isn't UTF-8, are faults, and stop nothing")
    func wrongTypes() throws {
        let found = try records(
            ["archive": ["a", "b", ""]],
            more: """
                INSERT INTO archive VALUES (x'00FF'); INSERT INTO archive VALUES (CAST(x'61FF' AS TEXT));
                INSERT INTO archive VALUES (CAST(x'610062' AS TEXT)); INSERT INTO archive VALUES (7);
                """)
        #expect(found.map(\.key) == ["7", "a", "#archive 610062", "#archive 61ff", "b", "#archive"])
        #expect(found.map { $0.fault == nil } == [true, true, false, false, true, false])
        #expect(found[5].fault == .wrongType(field: "entry"))
    }

    @Test("only tables of this one column are read; with others in it the file stays")
    func otherTables() throws {
        let folder = TemporaryFolder()
        try store(
            ["archive": ["a"]], in: folder,
            more: """
                CREATE TABLE b (entry TEXT PRIMARY KEY, more); CREATE TABLE c (entry TEXT); CREATE TABLE d (id TEXT PRIMARY KEY);
                CREATE TABLE "e""f" (entry TEXT PRIMARY KEY);
                CREATE VIEW v AS WITH RECURSIVE n(entry) AS (SELECT 1 UNION ALL SELECT entry + 1 FROM n) SELECT entry FROM n;
                """)
        #expect(try Reading.records(GalleryDLReader.self, folder).map(\.key) == ["a"])
        #expect(try Reading.open(GalleryDLReader.self, folder).storeFiles() == [])
        let none = TemporaryFolder()
        try store([:], in: none, more: "CREATE TABLE c (entry TEXT)")
        #expect(throws: SourceProblem.missingField(path: none.path.string + "/archive.sqlite3", "archive")) {
            try Reading.records(GalleryDLReader.self, none)
        }
    }

    @Test("a database that is cut off or changed is read as far as it goes, or refused")
    func damage() throws {
        let folder = TemporaryFolder()
        try store(["archive": (0..<3000).map { "danbooru\($0)" }], in: folder)
        let whole = Array(try #require(FileManager.default.contents(atPath: folder.at("archive.sqlite3").string)))
        for length in stride(from: 0, to: whole.count, by: whole.count / 20) {
            try folder.write(whole.prefix(length), to: "archive.sqlite3")
            #expect(throws: SourceProblem.self, "\(length) bytes") {
                try Reading.records(GalleryDLReader.self, folder)
            }
        }
        var number = 7
        for _ in 0..<60 {
            var bytes = whole
            for _ in 0..<20 {
                number = (number &* 1_103_515_245 &+ 12345) & 0x7FFF_FFFF
                bytes[number % bytes.count] = UInt8(truncatingIfNeeded: number >> 8)
            }
            try folder.write(bytes, to: "archive.sqlite3")
            do { _ = try Reading.records(GalleryDLReader.self, folder) } catch is SourceProblem {}
        }
        #expect(folder.openDescriptors() == 0)
    }
}
