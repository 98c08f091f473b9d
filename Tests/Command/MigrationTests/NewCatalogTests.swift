import CourseCatalog
import DownloadStore
import Foundation
import MigrationSources
import SyncFacts
import SystemPackage
import TestSupport
import Testing
import YAMLSource

@testable import Migration

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

    @Test("a title is no file name, and what a provider needs is there, in the form that it takes")
    func usable() throws {
        let source = try source()
        var catalog = NewCatalog(.wget)
        for (name, title) in [("a.mp4", nil), ("b.mp4", "Second.MP4"), ("c", "1. What is .5?"), (".mp4", nil)] {
            catalog.add(
                record { ($0.video, $0.title, $0.url) = (name, title, "HTTPS://h.example/\(name)") }, in: source)
        }
        catalog.add(
            record { ($0.video, $0.url, $0.cover) = ("bad", "https://?x", "https://h/a\u{1}b.jpg") }, in: source)
        let videos = try read(catalog).courses.flatMap { Array($0.videos) }
        #expect(videos.map(\.title) == ["a", "Second", "1. What is .5?", ".mp4", "bad"])
        #expect(
            videos.map { $0.settings.parameters["url"]?.string } == [
                "https://h.example/a.mp4", "https://h.example/b.mp4", "https://h.example/c", "https://h.example/.mp4",
                "https://unknown.invalid/{id}",
            ])
        var pages = NewCatalog(.ytDlp)
        for (key, video) in [("youtube dQw4w9WgXcQ", "dQw4w9WgXcQ"), ("a.mp4", "x y"), ("vimeo 7", "7")] {
            pages.add(record { ($0.key, $0.names, $0.video) = (key, [key], video) }, in: source)
        }
        pages.add(record { ($0.video, $0.url) = ("user", "https://me@h.example/v") }, in: source)
        var archived = NewCatalog(.galleryDL)
        archived.add(
            record { ($0.key, $0.names, $0.video) = ("ytdlYoutube d", ["ytdlYoutube d", "youtube d"], "d") }, in: source
        )
        #expect(archived.text.contains("provider: yt-dlp\n"))
        #expect(archived.text.contains("endpoint: \"https://www.youtube.com/watch?v=d\""), "\(archived.text)")
        #expect(
            try read(pages).courses.flatMap { Array($0.videos) }.map { $0.settings.parameters["endpoint"]?.string } == [
                "https://www.youtube.com/watch?v=dQw4w9WgXcQ", "https://unknown.invalid/x%20y",
                "https://unknown.invalid/7", "https://unknown.invalid/user",
            ])
    }

    @Test(
        "videos of a player's store have the server, their ids and their definition for the provider",
        arguments: [nil, "https://school.at.baijiayun.com"])
    func player(endpoint: String?) throws {
        let source = try source()
        var catalog = NewCatalog(.baijiayun, endpoint: endpoint)
        let all = [
            "123": ["vid": "123", "definition": "superhigh"],
            "77_9": ["classId": "77", "sessionId": "9", "definition": "1080p"], "88": ["classId": "88"],
        ]
        for (id, parameters) in all.sorted(by: { $0.key < $1.key }) {
            catalog.add(record { ($0.video, $0.parameters) = (id, parameters) }, in: source)
        }
        let read = try read(catalog)
        let videos = read.courses.flatMap { Array($0.videos) }
        #expect(videos.map(\.id) == all.keys.sorted())
        for video in videos {
            #expect(video.settings.provider?.name == "baijiayun")
            var expected = all[video.id] ?? [:]
            expected["endpoint"] = endpoint ?? "https://unknown.invalid"
            #expect(video.settings.parameters.compactMapValues(\.string) == expected)
        }
        #expect(NewCatalog(.wget, endpoint: endpoint).text.contains("endpoint") == false)
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
