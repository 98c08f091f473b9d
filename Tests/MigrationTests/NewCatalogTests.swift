import CourseCatalog
import DownloadStore
import Foundation
import MigrationSources
import SyncFacts
import SystemPackage
import TestSupport
import Testing

@testable import Operations

@Suite("A catalog made of a source")
struct NewCatalogTests {
    private let folder = TemporaryFolder()

    private func source() throws -> OpenSource {
        try folder.write("path\na.mp4\n", to: "Old talks/list.csv")
        var options = MigrationOptions(
            kind: .manifest, source: folder.at("Old talks/list.csv").string, sync: .init(catalogs: []))
        options.isDryRun = true
        return try OpenSource(options, library: folder.at("library"), state: folder.at("state"))
    }

    private func record(_ change: (inout SourceRecord) -> Void) -> SourceRecord {
        var record = SourceRecord(key: "key", state: .finished)
        change(&record)
        return record
    }

    private func read(_ catalog: NewCatalog) throws -> Catalog {
        try folder.write(catalog.text, to: "new.yaml")
        let reading = CatalogReader.read([folder.at("new.yaml").string])
        #expect(reading.verdict == .valid, "\(reading.diagnostics)\n\(catalog.text)")
        return reading.catalog
    }

    @Test("whatever a store calls things, the catalog can be read, and has them as they are")
    func titles() throws {
        let source = try source()
        let titles = [
            "", " ", "- a: {b}", "\"quoted\" 'too'", "line\nbreak\u{2028}", "\u{FEFF}hidden\u{200B}", "#", "*", "true",
            "null", "1e3", "日本語",
            "a\tb\\c", String(repeating: "x", count: 5000), "e\u{301}", "\u{1F600}", "%TAG", "? key", "@at", "`tick`",
        ]
        var catalog = NewCatalog(.manifest)
        for (number, title) in titles.enumerated() {
            catalog.add(
                record {
                    ($0.course, $0.video, $0.title, $0.courseTitle) = ("c\(title)", "\(title)\(number)", title, title)
                    ($0.chapter, $0.chapterTitle) = number % 2 == 0 ? (nil, nil) : (title, title)
                }, in: source)
        }
        let read = try read(catalog)
        #expect(read.videoCount == titles.count && catalog.count == titles.count)
        for course in read.courses {
            for video in Array(course.videos) + course.chapters.flatMap({ Array($0.videos) }) {
                #expect(titles.contains(video.title) || video.title == video.id, "\(video.title)")
            }
        }
    }

    @Test("an address makes no id with a query, two of one name are two videos, and each is found again by its address")
    func addresses() throws {
        let source = try source()
        let urls = [
            "https://h.example/a/v.mp4?token=geheim", "https://h.example/b/v.mp4", "https://h.example/{x}.m3u8",
        ]
        var catalog = NewCatalog(.wget)
        for url in urls + urls { catalog.add(record { ($0.names, $0.url) = ([url], url) }, in: source) }
        #expect(catalog.count == 3)
        let read = try read(catalog)
        let videos = read.courses.flatMap { Array($0.videos) }
        #expect(videos.map(\.id) == ["v.mp4", "v.mp4-2", "{x}.m3u8"])
        #expect(!videos.contains { $0.id.contains("geheim") || $0.title.contains("geheim") })
        let index = CatalogIndex(read)
        for (url, video) in zip(urls.prefix(2), videos) {
            let key = DownloadKey(course: "Old talks", video: video.id)
            #expect(index.find(record { $0.url = url }) == .video(key), "\(url)")
        }
        #expect("\(catalog)".contains("geheim") == false)
    }

    @Test("a course's id that another catalog has stays that one's")
    func taken() throws {
        let source = try source()
        var catalog = NewCatalog(.manifest, taken: ["phys"])
        let one = record { ($0.course, $0.video) = ("phys", "v") }
        catalog.add(one, in: source)
        let read = try read(catalog)
        #expect(read.courses.map(\.id) == ["phys-migrated"])
        let index = CatalogIndex(read)
        #expect(NewCatalog.keys(of: one, in: source).first { index.contains($0) }?.course == "phys-migrated")
    }
}
