import FileSystem
import Foundation
import GRDB
import Testing

@testable import DownloadStore

@Suite("Numbers in the state")
struct NumberRowTests {
    let fixture = StoreFixture()

    @Test("a file of version 11 is migrated: videos and chapters keep the numbers of their names")
    func migration() throws {
        let queue = try DatabaseQueue(path: fixture.path)
        try Schema.migrator.migrate(queue, upTo: "11")
        try queue.write { db in
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version")
            #expect(version == 11)
            for id in ["c", "d"] {
                try db.execute(
                    sql: "INSERT INTO courses (id, file, ordinal, title, folder) VALUES (?, '/c.yaml', 0, 'C', ?)",
                    arguments: [id, id])
            }
            try db.execute(
                sql: """
                    INSERT INTO chapters (course, id, title, position, folder) VALUES ('c', 'k', 'K', 1, 'c/03 K'),
                        ('c', 'l', 'L', 2, 'c/04 L')
                    """)
            let rows: [(course: String, video: String, chapter: String?, position: Int, ordinal: Int, isGone: Bool)] = [
                ("c", "x", nil, 1, 0, false), ("c", "y", nil, 2, 1, false), ("c", "old", nil, 9, 8, true),
                ("c", "z", "k", 1, 2, false), ("d", "x", nil, 4, 3, false),
            ]
            for row in rows {
                try db.execute(
                    sql: """
                        INSERT INTO downloads (course, video, chapter, title, position, ordinal, provider, source,
                            priority, stem, state, is_gone, updated_at)
                        VALUES (?, ?, ?, 'V', ?, ?, 'p', x'00', 0, 's', 'waiting', ?, 0)
                        """,
                    arguments: [row.course, row.video, row.chapter, row.position, row.ordinal, row.isGone])
            }
        }
        try queue.close()
        let store = try fixture.open(.holder)
        var numbers: [String] = []
        try store.downloads.each { row in
            let fields = row.catalog
            numbers.append(
                "\(row.key.course) \(row.key.video) \(fields.number ?? -1) \(fields.numberInCourse ?? -1) \(fields.keepsNumber)"
            )
        }
        #expect(
            numbers.sorted() == ["c old 9 9 true", "c x 1 1 true", "c y 2 2 true", "c z 1 3 true", "d x 4 4 true"])
        let chapters = try store.catalogs.chapters().sorted { $0.id < $1.id }
        #expect(chapters.map(\.number) == [3, 4] && chapters.map(\.season) == [1, 2])
        #expect(chapters.map(\.keepsNumber) == [true, true])
        #expect(try store.catalogs.courses().mapValues(\.season) == ["c": 0, "d": 1])
    }

    @Test("the library's list has the numbers; from an older one videos keep those of their names")
    func list() throws {
        let store = try fixture.open(.holder)
        func restored(_ video: String, _ number: Int?, _ index: Int?) -> ProvenListEntry {
            var record = FileListEntry(course: "c", title: video)
            (record.video, record.position, record.stem) = (video, 4, "C/\(video)")
            (record.number, record.index) = (number, index)
            var file = StoreFixture.file
            file.path = "C/\(video).mp4"
            return ProvenListEntry(record: record, file: file)
        }
        #expect(try store.fileList.restore([restored("new", 7, 9), restored("old", nil, nil)]) == 2)
        var found: [FileListEntry] = []
        try store.fileList.each(nil) { found.append($0) }
        #expect(found.map(\.number) == [7, 4] && found.map(\.index) == [9, nil])
        #expect(found.map(\.keepsNumber) == [nil, true])
    }

    @Test("listed numbers are stored, and impossible ones in a damaged row count as none")
    func listed() throws {
        let store = try fixture.open(.holder)
        var video = ListedVideo(id: "v")
        video.episode = 31
        video.chapter = 0
        let record = ListingRecord(course: "c", question: [1], askedAt: .now)
        try store.listings.replace(record, chapters: [ListedChapter(id: "k", season: 2)], videos: [video])
        let (chapters, videos) = try store.listings.contents(of: "c")
        #expect(chapters.map(\.season) == [2] && videos.map(\.episode) == [31])
        store.close()
        let queue = try DatabaseQueue(path: fixture.path)
        try queue.write { try $0.execute(sql: "UPDATE listed_videos SET episode = 9e17") }
        try queue.close()
        let again = try fixture.open()
        #expect(try again.listings.contents(of: "c").videos.map(\.episode) == [nil])
    }
}
