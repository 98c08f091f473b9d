import DownloadStore
import Foundation
import SystemPackage
import TestSupport
import Testing
import ViewerMarks

/// What a person has watched is kept, and nothing makes it anew.
@Suite("what was watched")
struct ViewerMarksTests {
    private let folder = TemporaryFolder()
    private let key = DownloadKey(course: "c", video: "v")

    private func open() throws -> ViewerMarks { try ViewerMarks(path: folder.path.appending("marks.sqlite").string) }

    @Test("a position is kept, with the length that is known, until the video is watched or begun again")
    func positions() throws {
        let marks = try open()
        #expect(try marks.marks(of: [key])[key] == nil)
        try marks.note(position: 12.5, length: 100, of: key)
        try marks.note(position: 30, of: key)
        let mark = try #require(try marks.marks(of: [key])[key])
        #expect(mark.position == 30 && mark.length == 100 && mark.left == 70 && mark.fraction == 0.3)
        marks.close()
        let again = try open()
        #expect(try again.marks(of: [key])[key]?.position == 30)
        try again.set(isWatched: true, of: key)
        let watched = try #require(try again.marks(of: [key])[key])
        #expect(watched.isWatched && watched.position == 0 && watched.length == 100)
        #expect(try again.watched() == ["c": 1])
        try again.set(isWatched: false, of: key)
        #expect(try again.watched() == [:])
    }

    @Test("impossible numbers change nothing")
    func impossible() throws {
        let marks = try open()
        try marks.note(position: .nan, length: 3, of: key)
        try marks.note(position: -1, of: key)
        try marks.note(position: .infinity, of: key)
        #expect(try marks.marks(of: [key])[key] == nil)
        try marks.note(position: 1, length: .infinity, of: key)
        #expect(try marks.marks(of: [key])[key]?.length == nil)
    }

    @Test("videos that were begun come with the last one first, without watched ones")
    func begun() throws {
        let marks = try open()
        for (index, video) in ["a", "b", "c", "d"].enumerated() {
            let now = Date(timeIntervalSince1970: Double(index))
            try marks.note(position: 5, of: DownloadKey(course: "c", video: video), at: now)
        }
        try marks.set(isWatched: true, of: DownloadKey(course: "c", video: "d"))
        try marks.note(length: 50, of: DownloadKey(course: "c", video: "e"))
        #expect(try marks.begun(atMost: 2).map(\.key.video) == ["c", "b"])
    }

    @Test("all videos of a course are marked at once; speed, offsets and settings are kept")
    func rest() throws {
        let marks = try open()
        try marks.note(position: 5, length: 60, of: key)
        try marks.set(isWatched: true, of: ["v", "w"], in: "c")
        #expect(try marks.watched() == ["c": 2])
        #expect(try marks.marks(of: "c")["v"]?.length == 60)
        try marks.set(speed: 1.5, of: "c")
        try marks.set(offset: -0.3, of: "presentation", in: key)
        try marks.set("subtitles", "de")
        #expect(try marks.speed(of: "c") == 1.5)
        #expect(try marks.offsets(of: key) == ["presentation": -0.3])
        #expect(try marks.setting("subtitles") == "de")
        try marks.forgetSpeed(of: "c")
        #expect(try marks.speed(of: "c") == nil)
    }

    @Test("a damaged file, and one of a newer version, are refused and stay as they are")
    func foreign() throws {
        let path = folder.path.appending("marks.sqlite").string
        let bytes = Data("this is no database, whatever its name says".utf8)
        try bytes.write(to: URL(filePath: path))
        #expect(throws: StoreError.self) { _ = try ViewerMarks(path: path) }
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
    }
}
