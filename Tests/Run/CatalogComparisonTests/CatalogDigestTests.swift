import CourseCatalog
import DownloadStore
import FileSystem
import SystemPackage
import TestSupport
import Testing

@testable import CatalogComparison

@Suite("Digests of a catalog in the state")
struct CatalogDigestTests {
    @Test("a stored digest is the same in the next version, whatever letters are in its texts")
    func stored() throws {
        let folder = TemporaryFolder()
        try folder.write(
            """
            version: 1
            defaults: {provider: direct, quality: [1080p, best], audio: [de, en], parameters: {base: "http://h/é"}}
            courses:
              - id: c
                cover: http://h/c.jpg
                videos:
                  - id: a
                    cover: http://h/ä.jpg
                    subtitle_files: [{lang: de, url: "http://h/a.vtt"}]
                    attachments: [{title: "Übung", url: "http://h/a.pdf"}]
                  - "cafe\u{301}"
            """, to: "c.yaml")
        let reading = CatalogReader.read([folder.at("c.yaml").string])
        try #require(reading.verdict == .valid, "\(reading.report)")
        var entries = CatalogEntries(reading.catalog)
        let videos = entries.slots.map { entries.video($0) }
        let sources = videos.map { entries.source($0).hex }
        #expect(sources == ["0303a8942ae72b91dd1eb4944fcd0d96", "e4b7b166c8f22bedaaca794ec8933c76"])
        #expect(videos.map { CatalogEntries.extras($0)?.hex } == ["3034841f3b8b29379d23c36bfff9ade5", nil])
        let cover = try #require(reading.catalog.courses[0].cover)
        #expect(CatalogEntries.digest(cover).hex == "d07fe0cf0b1d2163a189ce4f666ba131")
    }

    @Test("another choice among its views isn't another source; the choice and another source are told apart")
    func views() throws {
        let folder = TemporaryFolder()
        try folder.write(
            """
            version: 1
            defaults: {provider: direct, parameters: {base: "http://h"}}
            courses:
              - id: c
                videos: [a, {id: b, streams: all}, {id: d, streams: [x, y]}, {id: e, streams: [y, x]}]
              - id: f
                quality: worst
                streams: all
                videos: [a, "cafe\u{301}"]
            """, to: "c.yaml")
        let reading = CatalogReader.read([folder.at("c.yaml").string])
        try #require(reading.verdict == .valid, "\(reading.report)")
        var entries = CatalogEntries(reading.catalog)
        let sources = entries.slots.map { entries.source(entries.video($0)) }
        #expect(Set(sources).count == sources.count)
        #expect(sources.map(\.count) == [16, 24, 24, 24, 24, 24])
        #expect(sources[0..<4].allSatisfy { sources[0].isSameBesidesViews(as: $0) })
        #expect(sources[4...].allSatisfy { !sources[0].isSameBesidesViews(as: $0) })
        #expect(!sources[4].isSameBesidesViews(as: sources[5]))
        #expect(!SourceDigest([]).isSameBesidesViews(as: []))
    }
}
