import Foundation
import MigrationSources
import Testing

@Suite("Maps of names")
struct NameMapTests {
    private func map(_ text: String, _ path: String = "map.yaml") throws -> NameMap {
        try NameMap(data: Data(text.utf8), path: path)
    }

    @Test("YAML and CSV say the same")
    func forms() throws {
        for map in [
            try map("old name: c/v\n\"12\": c/w/x\n'a,b': d/v\n"),
            try map("old name,c/v\n12,c/w/x\n\"a,b\",d/v\n", "map.csv"),
            try map("Name;Course/Video\nold name;c/v\n12;c/w/x\na,b;d/v\n", "MAP.CSV"),
            try map("{\"old name\": \"c/v\", \"12\": \"c/w/x\", \"a,b\": \"d/v\"}", "-"),
        ] {
            #expect(map.count == 3)
            #expect(map.target(named: "old name")?.video == "v")
            #expect(map.target(named: "12")?.course == "c")
            #expect(map.target(named: "12")?.video == "w/x")
            #expect(map.unused == ["a,b"])
            #expect(map.target(named: "A,b") == nil)
            #expect(map.unused == ["a,b"])
        }
        #expect(try map("").count == 0)
        #expect(try map("", "map.csv").count == 0)
    }

    @Test("a record is found by its names, key and URL, and by its file's path, name and name without ending")
    func records() throws {
        let map = try map("one: c/1\nk: c/2\nhttps://h/x: c/3\na/b.mp4: c/4\nd.mp4: c/5\nf: c/6\ng.mp4: c/7\n")
        var named = SourceRecord(key: "k", state: .finished)
        #expect(map.target(of: named)?.video == "2")
        named.names = ["zero", "one"]
        #expect(map.target(of: named)?.video == "1")
        var addressed = SourceRecord(key: "z", state: .unfinished)
        addressed.url = "https://h/x"
        #expect(map.target(of: addressed)?.video == "3")
        for (path, video) in [("a/b.mp4", "4"), ("c/d.mp4", "5"), ("e/f.mkv", "6"), ("x/b.mp4", nil)] {
            var record = SourceRecord(key: "z", state: .finished)
            record.file = SourceFile(path: path)
            #expect(map.target(of: record)?.video == video)
        }
        var partial = SourceRecord(key: "z", state: .unfinished)
        partial.partial = SourcePartial(path: "x/g.mp4.part")
        #expect(map.target(of: partial)?.video == "7")
        #expect(map.unused.isEmpty)
    }

    @Test("letters are the same however Unicode composes them")
    func composition() throws {
        let map = try map("caf\u{E9}.mp4: c/v\n")
        #expect(map.target(named: "cafe\u{301}.mp4")?.video == "v")
        #expect(throws: SourceProblem.badFormat(path: "map.csv", .line(2))) {
            try self.map("caf\u{E9},c/v\ncafe\u{301},c/w\n", "map.csv")
        }
    }

    @Test(
        "a mistake has its line",
        arguments: [
            ("a: c/v\nb: cv\n", "m.yaml", 2), ("a: c/v\nb: 5\n", "m.yaml", 2), ("a: /v\n", "m.yaml", 1),
            ("a: c/v\nb: c/\n", "m.yaml", 2), ("a: c/v\nb: [c/v]\n", "m.yaml", 2), ("a: c/v\na: c/w\n", "m.yaml", 2),
            ("- a\n", "m.yaml", 1), ("a: c/v\nb: 'c/v\n", "m.yaml", 3), ("a,c/v\na,c/w\n", "m.csv", 2),
            ("a,c/v\nb\n", "m.csv", 2), ("a,c/v\n\nb,c/v,d\n", "m.csv", 3), ("a,cv\n", "m.csv", 1),
            ("a,c/v\n\"b\"c,c/v\n", "m.csv", 2),
        ])
    func mistakes(text: String, path: String, line: Int) {
        #expect(throws: SourceProblem.badFormat(path: path, .line(line))) { try map(text, path) }
    }

    @Test("the same entry twice is no mistake in CSV")
    func twice() throws { #expect(try map("a,c/v\na,c/v\n", "map.csv").count == 1) }

    @Test("an endless map is refused, and so is one of aliases")
    func bounds() throws {
        #expect(throws: SourceProblem.badFormat(path: "m", .tooLarge)) {
            try NameMap(data: Data(count: NameMap.longest + 1), path: "m")
        }
        var bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
        for (last, next) in zip("abcdefgh", "bcdefghi") {
            bomb += "\(next): &\(next) [" + Array(repeating: "*\(last)", count: 10).joined(separator: ",") + "]\n"
        }
        #expect(throws: SourceProblem.self) { try map(bomb) }
    }

    @Test("100,000 names are read and found", arguments: ["m.csv", "m.yaml"])
    func many(path: String) throws {
        let between = path == "m.csv" ? "," : ": "
        let map = try map((0..<100_000).map { "n\($0)\(between)c/\($0)\n" }.joined(), path)
        #expect(map.count == 100_000)
        #expect(map.target(named: "n99999")?.video == "99999")
        #expect(map.unused.count == 99_999)
    }
}
