import CourseCatalog
import DownloadStore
import FileSystem
import Foundation
import MigrationSources
import SystemPackage
import TestSupport
import Testing

@testable import Migration

@Suite("Which video a record is")
struct CatalogIndexTests {
    private static let catalog = """
        version: 1
        defaults: {provider: direct, parameters: {url: "https://h.example/{course}/{id}.mp4"}}
        courses:
          - id: phys
            videos:
              - k1
              - {id: "k 2", sha256: \(String(repeating: "ab", count: 32))}
              - {id: k3, parameters: {url: "https://H.example/Watch?v=1", vid: x77}}
              - {id: k4, parameters: {url: "https://h.example/Watch?v=2"}}
          - id: chem
            videos: [k1, only, {id: k5, parameters: {vid: same}}, {id: k6, parameters: {vid: same}}]
        """

    private static func index() throws -> CatalogIndex {
        let folder = TemporaryFolder()
        try folder.write(catalog, to: "c.yaml")
        let reading = CatalogReader.read([folder.at("c.yaml").string])
        #expect(reading.verdict == .valid, "\(reading.diagnostics)")
        return CatalogIndex(reading.catalog)
    }

    private static func record(_ change: (inout SourceRecord) -> Void) -> SourceRecord {
        var record = SourceRecord(key: "key", state: .finished)
        change(&record)
        return record
    }

    @Test(
        "each clue leads to its video",
        arguments: [
            (record { ($0.course, $0.video) = ("chem", "k1") }, "chem/k1"),
            (record { $0.video = "only" }, "chem/only"), (record { $0.names = ["a/only.mp4"] }, "chem/only"),
            (record { $0.names = ["only"] }, "chem/only"), (record { $0.names = ["x77"] }, "phys/k3"),
            (record { $0.url = "https://h.example/phys/k1.mp4?token=1#t" }, "phys/k1"),
            (record { $0.url = "https://H.EXAMPLE/phys/k%202.mp4" }, "phys/k 2"),
            (record { $0.url = "https://h.example/Watch?v=2" }, "phys/k4"),
            (
                record { $0.file = SourceFile(path: "x", sha256: Checksum(hex: String(repeating: "AB", count: 32))) },
                "phys/k 2"
            ),
        ])
    func found(record: SourceRecord, video: String) throws {
        let parts = video.split(separator: "/").map(String.init)
        #expect(try Self.index().find(record) == .video(DownloadKey(course: parts[0], video: parts[1])))
    }

    @Test("a clue that several videos have is none, and a known id isn't replaced by the name of a file")
    func notFound() throws {
        let index = try Self.index()
        #expect(index.find(Self.record { $0.video = "k1" }) == .several)
        #expect(index.find(Self.record { $0.names = ["same"] }) == .several)
        #expect(index.find(Self.record { $0.url = "https://h.example/Watch" }) == .several)
        #expect(index.find(Self.record { $0.url = "https://h.example/phys/none.mp4" }) == .nothing)
        #expect(
            index.find(
                Self.record {
                    ($0.course, $0.video, $0.names) = ("chem", "none", ["only.mp4"])
                }) == .nothing)
        #expect(index.find(Self.record { $0.names = ["", "/", "."] }) == .nothing)
    }
}
