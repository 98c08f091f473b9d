import SystemPackage
import TestSupport
import Testing

@testable import MigrationSources

@Suite("The source yt-dlp", .serialized)
struct YtDlpReaderTests {
    /// As yt-dlp 2026.10.26 writes it, shortened.
    private func info(_ id: String, _ more: String = "") -> String {
        #"""
        {"id": "\#(id)", "title": "The \u00e9 \ud83d\ude00", "formats": [{"url": "https://cdn/x", "format_id": "22"}],
        "thumbnails": [], "duration": 12.5, "thumbnail": "https://h/t.jpg", "webpage_url": "https://h/watch?v=\#(id)",
        "original_url": "https://h/\#(id)", "extractor": "youtube", "extractor_key": "Youtube", "playlist_id": "PL1",
        "playlist_title": "The list", "chapter": "One", "ext": "mp4", "protocol": "https", "_type": "video",
        "_version": {"version": "2026.10.26"}\#(more)}
        """#
    }

    @Test("an info.json and its file are a finished record")
    func finished() throws {
        let folder = TemporaryFolder()
        try folder.write(info("abc"), to: "sub/T [abc].info.json")
        try folder.write("x", to: "sub/T [abc].mp4")
        for rest in ["sub/T [abc].en.vtt", "sub/T [abc].jpg", "sub/T [abc].f137.mp4", "sub/T [abc].temp.mp4"] {
            try folder.write("x", to: rest)
        }
        var record = SourceRecord(key: "youtube abc", state: .finished)
        record.names = [
            "youtube abc", "abc", "https://h/watch?v=abc", "https://h/abc", "sub/T [abc].mp4", "T [abc].mp4", "T [abc]",
        ]
        (record.url, record.video, record.course) = ("https://h/watch?v=abc", "abc", "PL1")
        (record.courseTitle, record.chapterTitle, record.title) = ("The list", "One", "The é 😀")
        (record.cover, record.duration) = ("https://h/t.jpg", 12.5)
        record.file = SourceFile(path: "sub/T [abc].mp4")
        #expect(try Reading.records(YtDlpReader.self, folder) == [record])
        // Pieces that no record has were never compared with anything.
        #expect(try Reading.open(YtDlpReader.self, folder).storeFiles() == ["sub/T [abc].info.json"])
    }

    @Test("sound or picture by itself is no finished video, whether its video is there or not")
    func pieces() throws {
        let folder = TemporaryFolder()
        for name in ["L [v1].f137.mp4", "L [v1].f140.m4a", "M [v3].temp.mp4", "N [v4].f1.mp4.part", "O.fine.mp4"] {
            try folder.write("x", to: name)
        }
        let found = try Reading.records(YtDlpReader.self, folder)
        #expect(found.map(\.video) == ["v1", "v3", "v4", nil])
        #expect(found.map(\.file?.path) == [nil, nil, nil, "O.fine.mp4"])
        #expect(found.allSatisfy { $0.partial == nil })
        #expect(try Reading.open(YtDlpReader.self, folder).storeFiles() == [])
    }

    @Test("a file that ends in .part is a partial, and its size is known only for a plain file")
    func partials() throws {
        let folder = TemporaryFolder()
        try folder.write(info("a", #","filesize":100"#), to: "a.info.json")
        try folder.write(info("b", #","filesize_approx":100"#), to: "b.info.json")
        try folder.write(info("c", #","filesize":100,"protocol":"m3u8_native""#), to: "c.info.json")
        try folder.write(info("d"), to: "d.info.json")
        for name in ["a.mp4.part", "b.mp4.part", "c.mp4.part", "c.mp4.part-Frag1", "c.mp4.ytdl", "d.f137.mp4.part"] {
            try folder.write("x", to: name)
        }
        let found = try Reading.records(YtDlpReader.self, folder)
        #expect(found.map(\.state) == [.unfinished, .unfinished, .unfinished, .unfinished])
        #expect(
            found.map(\.partial) == [
                SourcePartial(path: "a.mp4.part", total: 100), SourcePartial(path: "b.mp4.part"),
                SourcePartial(path: "c.mp4.part"), nil,
            ])
    }

    @Test("what the archive doesn't have isn't finished, and what only it has has lost its file")
    func archive() throws {
        let folder = TemporaryFolder()
        try folder.write("youtube a\n\nyoutube gone\r\nvimeo 77\nyoutube b\nbroken\n", to: "archive.txt")
        for id in ["a", "b", "c"] { try folder.write(info(id), to: "\(id).info.json") }
        for name in ["a.mp4", "c.mkv", "Talk [77].webm", "Plain.mp4", "Half [5].mp4.part"] {
            try folder.write("x", to: name)
        }
        let found = try Reading.records(YtDlpReader.self, folder)
        #expect(
            found.map(\.key) == [
                "youtube a", "youtube b", "youtube c", "Half [5].mp4.part", "Plain.mp4", "vimeo 77", "youtube gone",
                "#6",
            ])
        #expect(
            found.map(\.state) == [
                .finished, .finished, .unfinished, .unfinished, .finished, .finished, .finished, .unfinished,
            ])
        #expect(
            found.map(\.file?.path) == ["a.mp4", nil, nil, nil, "Plain.mp4", "Talk [77].webm", nil, nil])
        #expect(found[3].partial == SourcePartial(path: "Half [5].mp4.part"))
        #expect(found[3].names == ["5", "Half [5].mp4.part", "Half [5]"])
        #expect(found[5].names.prefix(2) == ["vimeo 77", "77"])
        #expect(found[6].names == ["youtube gone", "gone"])
        #expect(found[7].fault == .unreadable(path: folder.at("archive.txt").string, .line(6)))
        #expect(try Reading.records(YtDlpReader.self, folder, "archive.txt").map(\.key) == found.map(\.key))
    }

    @Test("a file with another name than its info.json is found by the name that yt-dlp wrote down")
    func otherName() throws {
        let folder = TemporaryFolder()
        try folder.write(info("a", #","filename":"/home/me/dl/The talk.webm""#), to: "課程/講座.info.json")
        try folder.write("x", to: "課程/The talk.mkv")
        let found = try Reading.records(YtDlpReader.self, folder)
        #expect(found.map(\.file?.path) == ["課程/The talk.mkv"])
        #expect(found.map(\.key) == ["youtube a"])
    }

    @Test("a generic video has the URL of its file")
    func generic() throws {
        let folder = TemporaryFolder()
        let text = #"""
            {"id": "big", "title": "big", "direct": true, "formats": [], "webpage_url": "https://h/page",
            "extractor": "generic", "extractor_key": "Generic", "url": "https://h/big.mp4", "ext": "mp4", "_type": "video"}
            """#
        try folder.write(text, to: "big [big].info.json")
        #expect(try Reading.records(YtDlpReader.self, folder).first?.url == "https://h/big.mp4")
    }

    @Test("broken files of yt-dlp are faults of their records only, and a playlist's is none")
    func faults() throws {
        let folder = TemporaryFolder()
        try folder.write(info("ok"), to: "a.info.json")
        try folder.write(#"{"_type":"playlist","id":"PL","entries":[]}"#, to: "b.info.json")
        try folder.write(#"{"id": 5}"#, to: "c.info.json")
        try folder.write(#"{"title": "x"}"#, to: "d.info.json")
        try folder.write(#"{"id": "e", "title""#, to: "e.info.json")
        try folder.write("[]", to: "f.info.json")
        try folder.write(info("ok"), to: "g.info.json")
        try folder.write(
            #"{"id":"h","title":5,"duration":"x","url":["https://h"],"filesize":-1,"ext":{}}"#, to: "h.info.json")
        let found = try Reading.records(YtDlpReader.self, folder)
        #expect(
            found.map(\.fault) == [
                nil, .wrongType(field: "id"), .missing(field: "id"),
                .unreadable(path: folder.at("e.info.json").string, .truncated),
                .unreadable(path: folder.at("f.info.json").string, .foreign), .repeated, nil,
            ])
        #expect(found.last?.title == nil)
        try folder.write("x", to: "f.mp4")
        let file = try Reading.records(YtDlpReader.self, folder).first { $0.key == "f.mp4" }
        #expect(file?.state == .finished && file?.fault == nil)
        #expect(try Reading.open(YtDlpReader.self, folder).storeFiles().contains("b.info.json"))
    }

    @Test("an empty folder is refused")
    func nothing() throws {
        let folder = TemporaryFolder()
        try folder.write("x", to: "notes.txt")
        #expect(throws: SourceProblem.self) { try Reading.open(YtDlpReader.self, folder) }
    }

    @Test("100,000 lines of an archive are read")
    func many() throws {
        let folder = TemporaryFolder()
        try folder.write((0..<100_000).map { "youtube id\($0)\n" }.joined(), to: "archive.txt")
        for number in 0..<200 {
            try folder.write(info("id\(number)"), to: "\(number).info.json")
            try folder.write("x", to: "\(number).mp4")
        }
        var (count, files) = (0, 0)
        try Reading.open(YtDlpReader.self, folder).read { record in
            count += 1
            if record.file != nil, record.state == .finished { files += 1 }
        }
        #expect((count, files) == (100_000, 200))
    }
}
