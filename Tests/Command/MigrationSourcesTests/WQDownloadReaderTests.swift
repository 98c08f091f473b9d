import Foundation
import GRDB
import MigrationSources
import SystemPackage
import TestSupport
import Testing

@Suite("The source wqdownload", .serialized)
struct WQDownloadReaderTests {
    private static let columns = [
        "video_hash", "video_title", "video_id", "chapter_id", "course_id", "course_name", "local_path", "download_url",
        "user_id", "video_parameter", "cover_img_url", "create_time", "duration", "total_size", "completed_size",
        "download_state", "error_type", "video_percent", "resume_data",
    ]

    /// A database as the app makes it.
    private func store(_ rows: [[String: (any DatabaseValueConvertible)?]], in folder: TemporaryFolder) throws {
        let queue = try DatabaseQueue(path: folder.at("mkdata.db").string)
        try queue.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE local_video (id INTEGER PRIMARY KEY AUTOINCREMENT,
                        \(Self.columns.map { $0 + ($0 == "download_state" ? " INTEGER" : " TEXT") }.joined(separator: ", ")))
                    """)
            for row in rows {
                try db.execute(
                    sql: "INSERT INTO local_video (\(row.keys.joined(separator: ", "))) VALUES "
                        + "(\(row.map { _ in "?" }.joined(separator: ", ")))", arguments: StatementArguments(row.values)
                )
            }
        }
        try queue.close()
    }

    private func records(
        _ rows: [[String: (any DatabaseValueConvertible)?]], user: String? = nil, files: [String: String] = [:]
    ) throws -> [SourceRecord] {
        let folder = TemporaryFolder()
        try store(rows, in: folder)
        for (path, text) in files { try folder.write(text, to: path) }
        return try Reading.records(WQDownloadReader.self, folder, "", SourceOptions(user: user))
    }

    /// A finished row.
    private static func row(_ hash: String, state: Int = 4, user: String? = "u1") -> [String: (
        any DatabaseValueConvertible
    )?] {
        [
            "video_hash": hash, "video_id": "v-" + hash, "course_id": "c1", "local_path": hash + ".mp4",
            "download_state": state, "total_size": "5", "user_id": user,
        ]
    }

    @Test("a finished row has all that the store knows of it")
    func finished() throws {
        var row = Self.row("h1")
        row["video_title"] = "标题"
        row["chapter_id"] = "x1"
        row["course_name"] = "Kurs"
        row["download_url"] = "https://h/v.mp4?sign=1"
        row["cover_img_url"] = "https://h/c.jpg"
        row["duration"] = "90.5"
        row["video_parameter"] =
            "{\n    \"quality level\" = 2;\n    name = \"\\U4e2d\\U6587\";\n    none = \"<null>\";\n    l = (1);\n}"
        var expected = SourceRecord(key: "h1", state: .finished)
        expected.names = ["v-h1", "h1", "h1.mp4", "标题"]
        (expected.video, expected.chapter, expected.course) = ("v-h1", "x1", "c1")
        (expected.title, expected.courseTitle) = ("标题", "Kurs")
        (expected.url, expected.cover, expected.duration) = ("https://h/v.mp4?sign=1", "https://h/c.jpg", 90.5)
        expected.parameters = ["quality level": "2", "name": "中文"]
        expected.file = SourceFile(path: "video/c1/h1.mp4", size: 5)
        #expect(try records([row]) == [expected])
    }

    @Test("states are told apart, those that don't exist are faults")
    func states() throws {
        var rows = [4, 1, 2, 3, 5, 8, 6, -1].map { Self.row("h\($0)", state: $0) }
        rows.append(["video_hash": "none", "local_path": "x"])
        rows.append(["video_hash": "text", "local_path": "x", "download_state": "4"])
        let found = try records(rows)
        #expect(
            found.map(\.state) == [
                .finished, .unfinished, .unfinished, .unfinished, .unfinished, .held(.preparing), .unfinished,
                .unfinished,
                .unfinished, .finished,
            ])
        #expect(found[6].fault == .unknownValue(field: "download_state"))
        #expect(found[8].fault == .missing(field: "download_state"))
        #expect(found.filter { $0.fault != nil }.count == 3)
    }

    @Test("of rows with one key a finished one counts, the others are repetitions")
    func repetitions() throws {
        let found = try records([
            Self.row("a", state: 5), Self.row("a"), Self.row("a"), Self.row("b", state: 1), Self.row("b", state: 1),
            ["local_path": "x", "download_state": 4], ["local_path": "x", "download_state": 4, "video_hash": ""],
        ])
        #expect(found.map(\.fault) == [.repeated, nil, .repeated, nil, .repeated, nil, nil])
        #expect(found.map(\.key) == ["a", "a", "a", "b", "b", "6", "7"])
    }

    @Test("a database with rows of others isn't one user's to remove")
    func othersRows() throws {
        let folder = TemporaryFolder()
        try store([Self.row("a"), Self.row("b", user: "u2")], in: folder)
        func files(_ user: String?) throws -> [String] {
            try Reading.open(WQDownloadReader.self, folder, "", SourceOptions(user: user)).storeFiles()
        }
        #expect(try files("u1") == [] && files("u2") == [])
        #expect(try files(nil) == ["mkdata.db"], "their records are held, so nothing is removed")
        let own = TemporaryFolder()
        try store([Self.row("a"), Self.row("b", user: nil)], in: own)
        #expect(
            try Reading.open(WQDownloadReader.self, own, "", SourceOptions(user: "u1")).storeFiles() == ["mkdata.db"])
    }

    @Test("rows of several users are held until one is named; then the others don't count")
    func users() throws {
        let rows = [Self.row("a"), Self.row("b", user: "u2"), Self.row("a", user: "u2"), Self.row("c", user: nil)]
        let held = try records(rows)
        #expect(held.map(\.state) == [.held(.ofUser("u1")), .held(.ofUser("u2")), .held(.ofUser("u2")), .finished])
        #expect(held.map(\.key) == ["a", "b", "3", "c"])
        #expect(held.allSatisfy { $0.fault == nil })
        let mine = try records(rows, user: "u2")
        #expect(mine.map(\.key) == ["b", "a", "c"])
        #expect(mine.allSatisfy { $0.state == .finished && $0.fault == nil })
        #expect(try records([Self.row("a")]).map(\.state) == [.finished])
    }

    @Test("an unfinished row's partial is the temporary file that its resume data name, if it is there")
    func resume() throws {
        let data = try Archives.resumeData("https://h/r.mp4", received: 3, file: "CFNetworkDownload_1.tmp")
        var rows = ["a", "b", "c"].map { Self.row($0, state: 3) }
        rows[0]["resume_data"] = data
        rows[1]["resume_data"] = data.base64EncodedString()
        rows[1]["download_url"] = "https://h/own.mp4"
        rows[2]["resume_data"] = "nothing"
        let files = ["video/c1/CFNetworkDownload_1.tmp": "123"]
        let found = try records(rows, files: files)
        let partial = SourcePartial(path: "video/c1/CFNetworkDownload_1.tmp", length: 3, total: 5)
        #expect(found.map(\.partial) == [partial, partial, nil])
        #expect(found.map(\.url) == ["https://h/r.mp4", "https://h/own.mp4", nil])
        #expect(try records(rows).map(\.partial) == [nil, nil, nil])
        #expect(
            try records(rows, files: ["tmp/CFNetworkDownload_1.tmp": ""])[0].partial?.path
                == "tmp/CFNetworkDownload_1.tmp")
        // Complete although the row doesn't say so.
        #expect(
            try records(rows, files: ["video/c1/a.mp4": "12345"])[0].file == SourceFile(path: "video/c1/a.mp4", size: 5)
        )
    }

    @Test("paths that leave the root are faults, of finished rows only")
    func paths() throws {
        let found = try records(
            ["../../../etc/passwd", "/etc/passwd", "..", "."].flatMap { path in
                [4, 3].map { state -> [String: (any DatabaseValueConvertible)?] in
                    var row = Self.row("\(path)\(state)", state: state)
                    row["local_path"] = path
                    return row
                }
            })
        #expect(found.allSatisfy { $0.file == nil && $0.partial == nil })
        #expect(found.map { $0.fault != nil } == [true, false, true, false, true, false, true, false])
        #expect(found[0].fault == .badPath("../../../etc/passwd"))
    }

    @Test("wrong types and sizes beyond any number are faults or left out, and stop nothing")
    func wrongTypes() throws {
        var rows = ["a", "b", "c"].map { Self.row($0) }
        rows[0]["total_size"] = "99999999999999999999999"
        rows[0]["duration"] = "nan"
        rows[0]["course_id"] = Data([0xFF, 0xFE])
        rows[1]["download_state"] = Data([4])
        rows[1]["video_parameter"] = String(repeating: "(", count: 10_000)
        rows[2]["video_title"] = String(repeating: "x", count: 3 << 20)
        rows.append(Self.row("d"))
        let found = try records(rows)
        #expect(found.map { $0.fault == nil } == [true, false, false, true])
        #expect(found[0].file == SourceFile(path: "video/a.mp4"))
        #expect(found[2].fault == .unreadable(path: "mkdata.db", .tooLarge))
    }

    @Test("what the last writer left in the log is read, and the source keeps its bytes and gets no file")
    func log() throws {
        let folder = TemporaryFolder()
        try store([Self.row("a")], in: folder)
        let queue = try DatabaseQueue(path: folder.at("mkdata.db").string)
        try queue.writeWithoutTransaction { db in
            _ = try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try db.execute(
                sql: "INSERT INTO local_video (video_hash, local_path, download_state) VALUES ('late', 'l.mp4', 4)")
        }
        let copy = TemporaryFolder()
        for name in ["mkdata.db", "mkdata.db-wal"] {
            try copy.write(Array(try #require(FileManager.default.contents(atPath: folder.at(name).string))), to: name)
        }
        try queue.close()
        let before = copy.names().sorted().map { FileManager.default.contents(atPath: copy.at($0).string) }
        #expect(try Reading.records(WQDownloadReader.self, copy).map(\.key) == ["a", "late"])
        #expect(copy.names().sorted() == ["mkdata.db", "mkdata.db-wal"])
        #expect(copy.names().sorted().map { FileManager.default.contents(atPath: copy.at($0).string) } == before)
        let reader = try Reading.open(WQDownloadReader.self, copy, "mkdata.db")
        #expect(try reader.storeFiles() == [], "somebody may have it open")
        #expect(copy.openDescriptors() == 1)
    }

    @Test("what a killed writer had begun is taken back in the copy, unless its journal names other files")
    func journal() throws {
        let folder = TemporaryFolder()
        let copy = TemporaryFolder()
        try store([Self.row("a"), Self.row("b")], in: folder)
        let queue = try DatabaseQueue(path: folder.at("mkdata.db").string)
        try queue.writeWithoutTransaction { db in
            // So few pages that changes reach the file before the end of the transaction.
            try db.execute(sql: "PRAGMA cache_size = 2; BEGIN; DELETE FROM local_video")
            for _ in 0..<500 {
                try db.execute(
                    sql: "INSERT INTO local_video (video_hash, video_title) VALUES ('half', ?)",
                    arguments: [String(repeating: "x", count: 500)])
            }
            for name in ["mkdata.db", "mkdata.db-journal"] {
                try copy.write(
                    Array(try #require(FileManager.default.contents(atPath: folder.at(name).string))), to: name)
            }
            try db.execute(sql: "ROLLBACK")
        }
        try queue.close()
        let names = copy.names().sorted()
        #expect(try Reading.records(WQDownloadReader.self, copy).map(\.key) == ["a", "b"])
        #expect(copy.names().sorted() == names)
        // The end of a journal that belongs to several databases.
        let journal = try #require(FileManager.default.contents(atPath: copy.at("mkdata.db-journal").string))
        try copy.write(journal + [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7], to: "mkdata.db-journal")
        do {
            #expect(try Reading.records(WQDownloadReader.self, copy).map(\.key) != ["a", "b"])
        } catch is SourceProblem {}
    }

    @Test("what isn't such a database is refused")
    func refusals() throws {
        let folder = TemporaryFolder()
        let path = folder.path.string + "/mkdata.db"
        #expect(throws: SourceProblem.missing(path: path)) { try Reading.records(WQDownloadReader.self, folder) }
        try folder.write("no database at all, but long enough to be one", to: "mkdata.db")
        #expect(throws: SourceProblem.badFormat(path: path, .foreign)) {
            try Reading.records(WQDownloadReader.self, folder)
        }
        try folder.remove("mkdata.db")
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE other (a)") }
        #expect(throws: SourceProblem.missingField(path: path, "local_video")) {
            try Reading.records(WQDownloadReader.self, folder)
        }
        try queue.write {
            try $0.execute(
                sql: """
                    CREATE VIEW local_video AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                    SELECT i AS download_state, i AS local_path FROM n
                    """)
        }
        #expect(throws: SourceProblem.missingField(path: path, "local_video")) {
            try Reading.records(WQDownloadReader.self, folder)
        }
        try queue.write { try $0.execute(sql: "DROP VIEW local_video; CREATE TABLE local_video (local_path)") }
        #expect(throws: SourceProblem.missingField(path: path, "download_state")) {
            try Reading.records(WQDownloadReader.self, folder)
        }
        try queue.close()
    }

    @Test("a database that is cut off or changed is read as far as it goes, or refused")
    func damage() throws {
        let folder = TemporaryFolder()
        try store((0..<200).map { Self.row("h\($0)") }, in: folder)
        let whole = Array(try #require(FileManager.default.contents(atPath: folder.at("mkdata.db").string)))
        for length in stride(from: 0, to: whole.count, by: whole.count / 25) {
            try folder.write(whole.prefix(length), to: "mkdata.db")
            #expect(throws: SourceProblem.self, "\(length) bytes") {
                try Reading.records(WQDownloadReader.self, folder)
            }
        }
        var number = 7
        for _ in 0..<40 {
            var bytes = whole
            for _ in 0..<20 {
                number = (number &* 1_103_515_245 &+ 12345) & 0x7FFF_FFFF
                bytes[number % bytes.count] = UInt8(truncatingIfNeeded: number >> 8)
            }
            try folder.write(bytes, to: "mkdata.db")
            do { _ = try Reading.records(WQDownloadReader.self, folder) } catch is SourceProblem {}
        }
    }

    @Test("100,000 rows are read one by one")
    func many() throws {
        let folder = TemporaryFolder()
        try store([], in: folder)
        let queue = try DatabaseQueue(path: folder.at("mkdata.db").string)
        try queue.write { db in
            try db.execute(
                sql: """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
                    INSERT INTO local_video (video_hash, course_id, local_path, download_state, total_size)
                    SELECT 'h' || (i % 99999), 'c', i || '.mp4', 4, '5' FROM n
                    """)
        }
        try queue.close()
        var (count, repeated) = (0, 0)
        let start = ContinuousClock.now
        try Reading.open(WQDownloadReader.self, folder).read { record in
            count += 1
            if record.fault == .repeated { repeated += 1 }
        }
        print("wqdownload: \(ContinuousClock.now - start)")
        #expect(count == 100_000)
        #expect(repeated == 1)
    }
}
