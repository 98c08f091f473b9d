import FileSystem
import MigrationSources
import SystemPackage
import TestSupport
import Testing

@Suite("The source manifest", .serialized)
struct ManifestReaderTests {
    private static let sum = String(repeating: "ab", count: 32)

    private func records(_ text: String, _ name: String = "list.csv") throws -> [SourceRecord] {
        let folder = TemporaryFolder()
        try folder.write(text, to: name)
        return try Reading.records(ManifestReader.self, folder, name)
    }

    /// The path of the list left out.
    private func faults(_ text: String) throws -> [RecordFault?] {
        try records(text).map { record in
            if case .unreadable(_, let fault) = record.fault { .unreadable(path: "", fault) } else { record.fault }
        }
    }

    @Test("CSV and JSON have the same columns")
    func columns() throws {
        let csv = """
            Course;chapter;video;path;state;size;sha256;url;title;Course Title;chapter_title;cover;duration;mine
            c;one;v;a/./b.mp4;finished;5;\(Self.sum);https://h/b.mp4;T;CT;XT;https://h/c.jpg;1.5;x
            """
        let json = """
            {"by":"me","videos":[{"course":"c","chapter":"one","video":"v","path":"a/./b.mp4","state":"finished","size":5,
            "sha256":"\(Self.sum)","url":"https://h/b.mp4","title":"T","course_title":"CT","chapter_title":"XT",
            "cover":"https://h/c.jpg","duration":1.5,"mine":{"x":[]}}]}
            """
        var record = SourceRecord(key: "c/v", state: .finished)
        record.names = ["c/v", "a/./b.mp4", "b.mp4", "v", "https://h/b.mp4"]
        (record.course, record.chapter, record.video, record.url) = ("c", "one", "v", "https://h/b.mp4")
        (record.title, record.courseTitle, record.chapterTitle) = ("T", "CT", "XT")
        (record.cover, record.duration) = ("https://h/c.jpg", 1.5)
        record.file = SourceFile(path: "a/b.mp4", size: 5, sha256: Checksum(hex: Self.sum))
        #expect(try records(csv) == [record])
        #expect(try records(json, "list.json") == [record])
    }

    @Test("a path alone is a finished file, and a URL or a video alone is unfinished")
    func defaults() throws {
        let found = try records("path,url,course,video\na.mp4,,,\n,https://h/x,,\n,,c,v\n")
        #expect(found.map(\.key) == ["a.mp4", "https://h/x", "c/v"])
        #expect(found.map(\.state) == [.finished, .unfinished, .unfinished])
        #expect(found.map(\.file) == [SourceFile(path: "a.mp4"), nil, nil])
        #expect(found.allSatisfy { $0.fault == nil && $0.partial == nil })
    }

    @Test("the file of an unfinished one is its partial, and its size is that of the whole")
    func partials() throws {
        let found = try records("path,state,size\nx.part,Unfinished,100\n")
        #expect(found.first?.partial == SourcePartial(path: "x.part", total: 100))
        #expect(found.first?.file == nil)
    }

    @Test("mistakes are faults of their records only")
    func faults() throws {
        let csv = """
            path,size,state,sha256,duration,url
            ../x,,,,,
            /etc/passwd,,,,,
            a,-1,,,,
            b,99999999999999999999,,,,
            c,,done,,,
            d,,,abc,,
            e,,,,nan,
            f,,,,,ftp://h/x
            ,5,,,,
            g,,,,,,extra
            h,,,,,
            h,,,,,
            "i" ,
            """
        #expect(
            try faults(csv) == [
                .badPath("../x"), .badPath("/etc/passwd"), .wrongType(field: "size"), .unknownValue(field: "size"),
                .unknownValue(field: "state"), .unknownValue(field: "sha256"), .unknownValue(field: "duration"),
                .unknownValue(field: "url"), .missing(field: "path"), .unreadable(path: "", .line(11)), nil, .repeated,
                .unreadable(path: "", .line(14)),
            ])
    }

    @Test("values of other types in JSON are faults")
    func types() throws {
        let json = """
            {"path":5}
            {"path":"a","size":"5"}
            {"path":"b","size":1.5}
            {"path":"c","duration":"1"}
            {"path":"d","course":["x"]}
            {"path":"e","size":null,"title":null}
            {"path":"f\\u0000"}
            {"title":"t"}
            nothing
            """
        #expect(
            try faults(json) == [
                .wrongType(field: "path"), .wrongType(field: "size"), .wrongType(field: "size"),
                .wrongType(field: "duration"), .wrongType(field: "course"), nil, .badPath("f\0"),
                .missing(field: "path"), .unreadable(path: "", .line(9)),
            ])
    }

    @Test("a list that can't have a record is refused")
    func refusals() throws {
        let folder = TemporaryFolder()
        let path = folder.at("list").string
        for (text, problem) in [
            ("", SourceProblem.missingField(path: path, "path")),
            ("title,size\nx,5\n", .missingField(path: path, "path")),
            ("path,path\na,b\n", .badFormat(path: path, .line(1))), ("\"path", .badFormat(path: path, .truncated)),
        ] {
            try folder.write(text, to: "list")
            #expect(throws: problem) { try Reading.open(ManifestReader.self, folder, "list") }
        }
        try folder.write([0xFF, 0xFE, 0x70, 0x00], to: "list")
        #expect(throws: SourceProblem.badFormat(path: path, .notText)) {
            try Reading.open(ManifestReader.self, folder, "list")
        }
        #expect(throws: SourceProblem.notAFile(path: folder.path.string)) {
            try Reading.open(ManifestReader.self, folder)
        }
    }

    @Test("100,000 records are read one by one", arguments: ["csv", "json"])
    func many(form: String) throws {
        let folder = TemporaryFolder()
        var text = form == "csv" ? "path,size\n" : "["
        for number in 0..<100_000 {
            text += form == "csv" ? "v\(number).mp4,5\n" : "\(number > 0 ? "," : ""){\"path\":\"v\(number).mp4\"}"
        }
        if form == "json" { text += "]" }
        try folder.write(text, to: "list")
        var count = 0
        try Reading.open(ManifestReader.self, folder, "list").read { record in
            if record.fault == nil, record.file?.path == "v\(count).mp4" { count += 1 }
        }
        #expect(count == 100_000)
    }

    @Test("the list is the store's only file")
    func storeFiles() throws {
        let folder = TemporaryFolder()
        try folder.write("path\n", to: "list")
        #expect(try Reading.open(ManifestReader.self, folder, "list").storeFiles() == ["list"])
    }
}
