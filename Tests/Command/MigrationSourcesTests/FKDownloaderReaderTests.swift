import Foundation
import MigrationSources
import SystemPackage
import TestSupport
import Testing

@Suite("The source fkdownloader", .serialized)
struct FKDownloaderReaderTests {
    private static let id = String(repeating: "ab", count: 32)

    private static func model(
        _ id: String, state: Int, ending: String? = ".mp4", size: Int = 5, resume: Data? = nil
    ) throws -> Data {
        var objects: [String: Any] = [
            "requestID": id as NSString, "requestSingleID": "000000001_" + id as NSString, "idx": NSNumber(value: 1),
            "url": "https://h/a/v%20w.mp4?t=1" as NSString, "request": try Archives.request("https://h/a/v.mp4"),
        ]
        if let ending { objects["extension"] = ending as NSString }
        if let resume { objects["resumeData"] = resume as NSData }
        return Archives.archive(
            FKCacheRequestModel(objects, ["state": state, "dataLength": size, "receivedLength": 3, "downloadType": 0]))
    }

    @Test("a complete download is its file, with the dot of its ending or without")
    func finished() throws {
        let folder = TemporaryFolder()
        try folder.write(Self.model(Self.id, state: 6), to: "\(Self.id)/\(Self.id).rqi")
        try folder.write(Self.model("b", state: 6, ending: "mov", size: 0), to: "b/b.rqi")
        try folder.write(Self.model("c", state: 6, ending: nil), to: "c/c.rqi")
        try folder.write("no download", to: "other/file")
        try folder.write("8 bytes.", to: "singleNumner")
        let found = try Reading.records(FKDownloaderReader.self, folder)
        var expected = SourceRecord(key: Self.id, state: .finished)
        expected.names = [Self.id, "v w.mp4"]
        expected.url = "https://h/a/v%20w.mp4?t=1"
        expected.file = SourceFile(path: "\(Self.id)/\(Self.id).mp4", size: 5)
        #expect(found.first == expected)
        #expect(found.dropFirst().map(\.file) == [SourceFile(path: "b/b.mov"), SourceFile(path: "c/c", size: 5)])
        #expect(
            try Reading.open(FKDownloaderReader.self, folder).storeFiles()
                == [Self.id, "b", "c"].map { "\($0)/\($0).rqi" })
    }

    @Test("what isn't complete is unfinished, with the partial of its resume data if that is there")
    func unfinished() throws {
        let folder = TemporaryFolder()
        let resume = try Archives.resumeData("https://h/r.mp4", received: 3, file: "CFNetworkDownload_1.tmp")
        for state in -1...5 {
            try folder.write(Self.model("s", state: state, resume: resume), to: "s\(state)/s\(state).rqi")
        }
        try folder.write("123", to: "s3/CFNetworkDownload_1.tmp")
        try folder.write("12345", to: "s4/s4.mp4")
        let found = try Reading.records(FKDownloaderReader.self, folder)
        #expect(found.map(\.key) == ["s-1", "s0", "s1", "s2", "s3", "s4", "s5"])
        #expect(found.allSatisfy { $0.state == .unfinished && $0.fault == nil })
        #expect(
            found.map(\.partial)
                == [
                    nil, nil, nil, nil, SourcePartial(path: "s3/CFNetworkDownload_1.tmp", length: 3, total: 5), nil,
                    nil,
                ])
        #expect(found[5].file == SourceFile(path: "s4/s4.mp4", size: 5))
        try folder.make("tmp")
        try folder.move("s3/CFNetworkDownload_1.tmp", to: "tmp/CFNetworkDownload_1.tmp")
        #expect(try Reading.records(FKDownloaderReader.self, folder)[4].partial?.path == "tmp/CFNetworkDownload_1.tmp")
    }

    @Test(
        "archives of other classes, unknown states, endings that lead elsewhere and broken files are faults of their own"
    )
    func faults() throws {
        let folder = TemporaryFolder()
        let good = try Self.model("x", state: 6)
        try folder.write(good, to: "a/a.rqi")
        try folder.write(Archives.archive(ArchivedModel(["url": "https://h/v"], ["state": 6])), to: "b/b.rqi")
        try folder.write(Self.model("c", state: 7), to: "c/c.rqi")
        try folder.write(Self.model("d", state: 6, ending: "/../../x"), to: "d/d.rqi")
        try folder.write(good.prefix(good.count / 2), to: "e/e.rqi")
        try folder.write([], to: "f/f.rqi")
        try folder.write(Archives.archive(FKCacheRequestModel(["url": "https://h/v"])), to: "g/g.rqi")
        try folder.make("h")
        try folder.link("h/h.rqi", to: "../a/a.rqi")
        let found = try Reading.records(FKDownloaderReader.self, folder)
        #expect(found.map(\.key) == ["a", "b", "c", "d", "e", "f", "g"])
        #expect(
            found.map(\.fault) == [
                nil, .unreadable(path: "b/b.rqi", .foreign), .unknownValue(field: "state"), .badPath("/../../x"),
                .unreadable(path: "e/e.rqi", .malformed), .unreadable(path: "f/f.rqi", .truncated),
                .missing(field: "state"),
            ])
    }

    @Test("an archive whose class has the app's own name, written by Python, is read in the same way")
    func plistlib() async throws {
        let folder = TemporaryFolder()
        try folder.write(Self.model("p", state: 6), to: "p/p.rqi")
        let rename = """
            import plistlib, sys
            d = plistlib.load(open(sys.argv[1], "rb"))
            for o in d["$objects"]:
                if isinstance(o, dict) and "$classname" in o:
                    o["$classes"] = [n.split(".")[-1] for n in o["$classes"]]
                    o["$classname"] = o["$classes"][0]
            plistlib.dump(d, open(sys.argv[1], "wb"), fmt=plistlib.FMT_BINARY)
            """
        let before = try Reading.records(FKDownloaderReader.self, folder)
        let ending = try await Tool(name: "python3", package: "python3").run([
            "-c", rename, folder.at("p/p.rqi").string,
        ])
        #expect(ending.isSuccess, "\(ending.output)")
        #expect(try Reading.records(FKDownloaderReader.self, folder) == before)
        #expect(before.first?.fault == nil)
    }

    @Test("a folder without any download is refused")
    func nothing() throws {
        let folder = TemporaryFolder()
        try folder.write("", to: "a/b.rqi")
        #expect(throws: SourceProblem.nothingFound(path: folder.path.string, expected: ["<id>/<id>.rqi"])) {
            try Reading.records(FKDownloaderReader.self, folder)
        }
    }
}
