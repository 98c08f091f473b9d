import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import MigrationSources

@Suite("The sources wget and curl")
struct URLListReaderTests {
    @Test("wget's files have the names that it gives them")
    func wget() throws {
        let folder = TemporaryFolder()
        try folder.write(
            """
            # a list
            https://h/v/one%20a.mp4
            https://h/v/two.mp4?id=5&n=%C3%A9

            https://h:8080/v/three.mp4
            https://h/four/
            https://h/v/five.mp4
            https://h/v/six.mp4\r
            ftp://h/seven.mp4
            some words
            https://u:p@h/eight.mp4
            https://h/v/five.mp4
            https://h/nine/%2e%2e
            """, to: "urls.txt")
        for name in ["one a.mp4", "two.mp4?id=5&n=é", "h:8080/v/three.mp4", "index.html", "notes.txt"] {
            try folder.write("x", to: name)
        }
        try folder.write("", to: "five.mp4")
        let found = try Reading.records(WgetReader.self, folder)
        #expect(
            found.map(\.file?.path) == [
                "one a.mp4", "two.mp4?id=5&n=é", "h:8080/v/three.mp4", "index.html", nil, nil, nil, nil, nil, nil,
                "index.html",
            ])
        #expect(found.map { $0.state == .unproven } == found.map { $0.file != nil })
        #expect(
            found.map(\.fault) == [
                nil, nil, nil, nil, nil, nil, .unknownValue(field: "url"), .unknownValue(field: "url"),
                .unknownValue(field: "url"), .repeated, nil,
            ])
        #expect(found[0].names == ["https://h/v/one%20a.mp4", "one a.mp4", "one a"])
        #expect(found.allSatisfy { $0.file?.size == nil })
        #expect(try Reading.open(WgetReader.self, folder).storeFiles() == ["urls.txt"])
        #expect(try Reading.records(WgetReader.self, folder, "", SourceOptions(list: "urls.txt")) == found)
        #expect(try Reading.records(WgetReader.self, folder, "urls.txt") == found)
    }

    @Test("without a list every file is a record by its name")
    func folder() throws {
        let folder = TemporaryFolder()
        #expect(throws: SourceProblem.self) { try Reading.open(WgetReader.self, folder) }
        for name in ["b/one.mp4", "a.pdf", ".wget-hsts", "wget-log", "wget-log.1"] { try folder.write("x", to: name) }
        try folder.write("", to: "empty.mp4")
        let found = try Reading.records(WgetReader.self, folder)
        #expect(found.map(\.key) == ["a.pdf", "b/one.mp4", "empty.mp4"])
        #expect(found.map(\.state) == [.unproven, .unproven, .unfinished])
        #expect(found[1].names == ["b/one.mp4", "one.mp4", "one"])
    }

    @Test("curl's configuration gives URLs the names of their files, in their order")
    func curl() throws {
        let folder = TemporaryFolder()
        try folder.write(
            #"""
            # comment
            user-agent = "x y"
            url = "https://h/a?x=1"
            output = "first \"one\".mp4"
            --url https://h/b%20c.mp4
            -O
            url=https://h/d.mp4
            next
            output-dir: sub
            url "https://h/e"
            -o e.mp4
            url = "https://h/f.mp4"
            next
            url = "https://h/[1-3].mp4
            url = "https://h/g"
            output = "/etc/passwd"
            """#, to: "curl.txt")
        for name in ["first \"one\".mp4", "b%20c.mp4", "d.mp4", "sub/e.mp4"] { try folder.write("x", to: name) }
        let found = try Reading.records(CurlReader.self, folder)
        let shown = folder.at("curl.txt").string
        #expect(
            found.map(\.key) == [
                "https://h/a?x=1", "https://h/b%20c.mp4", "https://h/d.mp4", "https://h/e", "https://h/f.mp4", "#14",
                "https://h/g",
            ])
        #expect(found.map(\.file?.path) == ["first \"one\".mp4", "b%20c.mp4", "d.mp4", "sub/e.mp4", nil, nil, nil])
        #expect(
            found.map(\.fault) == [
                nil, nil, nil, nil, nil, .unreadable(path: shown, .line(14)), .badPath("/etc/passwd"),
            ])
    }

    @Test("curl's list may be bare URLs")
    func bare() throws {
        let folder = TemporaryFolder()
        try folder.write("https://h/a.mp4\nhttps://h/b.mp4?x=1:2\nftp://h/c\n", to: "list.txt")
        try folder.write("x", to: "b.mp4")
        let found = try Reading.records(CurlReader.self, folder)
        #expect(found.map(\.key) == ["https://h/a.mp4", "https://h/b.mp4?x=1:2", "ftp://h/c"])
        #expect(found.map(\.state) == [.unfinished, .unproven, .unfinished])
        #expect(found.map(\.fault) == [nil, nil, .unknownValue(field: "url")])
    }

    @Test("names are found however their letters are composed")
    func composition() throws {
        let folder = TemporaryFolder()
        try folder.write("https://h/caf%C3%A9.mp4\n", to: "urls.txt")
        try folder.write("x", to: "cafe\u{301}.mp4")
        #expect(try Reading.records(WgetReader.self, folder).first?.file?.path.unicodeScalars.count == 9)
    }

    @Test("a list with lines that are no text, or endless, has its other lines")
    func lines() throws {
        let folder = TemporaryFolder()
        let endless = [UInt8](repeating: 0x61, count: 200_000)
        try folder.write(
            Array("https://h/a\n".utf8) + [0xFF, 0x0A] + endless + Array("\nhttps://h/b".utf8), to: "urls.txt")
        let shown = folder.at("urls.txt").string
        #expect(
            try Reading.records(WgetReader.self, folder).map(\.fault) == [
                nil, .unreadable(path: shown, .notText), .unreadable(path: shown, .tooLarge), nil,
            ])
    }

    @Test(
        "a list that isn't text, or larger than any, is refused at once",
        arguments: [WgetReader.self, CurlReader.self, Aria2Reader.self, YtDlpReader.self] as [any SourceReader.Type])
    func noList(reader: any SourceReader.Type) throws {
        let folder = TemporaryFolder()
        try folder.write("https://h/a.mp4\n\u{0}", to: "list")
        #expect(throws: SourceProblem.badFormat(path: folder.at("list").string, .notText)) {
            _ = try Reading.open(reader, folder, "list")
        }
        let file = try FileHandle(forWritingTo: URL(filePath: folder.at("list").string))
        try file.truncate(atOffset: 20 << 30)
        try file.close()
        #expect(throws: SourceProblem.badFormat(path: folder.at("list").string, .tooLarge)) {
            _ = try Reading.open(reader, folder, "list")
        }
    }
}
