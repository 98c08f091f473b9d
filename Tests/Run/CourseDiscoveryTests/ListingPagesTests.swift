import CourseCatalog
import Foundation
import ProviderKit
import SyncFacts
import Testing
import YAMLSource

@testable import CourseDiscovery

@Suite("The pages of a listing")
struct ListingPagesTests {
    private static let place = SourceLocation(file: "c.yaml", line: 3, column: 5)

    private func pages(
        known: Bool = false, allowed: Set<String> = [], isOwn: @escaping @Sendable (String) -> Bool = { _ in false },
        isKept: @escaping @Sendable (String) -> Bool = { _ in false }
    ) -> ListingPages {
        let handOver = HandOver(lister: "p", allowed: allowed) { parameters, _ in
            parameters["bad"].map { _ in "'bad' isn't known" }
        }
        return ListingPages(location: Self.place, handOver: handOver, wasKnownSent: known, isKept: isKept, isOwn: isOwn)
    }

    @Test("videos of another provider are taken where it is allowed, and counted where it isn't")
    func handedOver() throws {
        var pages = pages(allowed: ["q"])
        _ = try pages.add(
            Listing(videos: [
                .init(id: "1", provider: "q"), .init(id: "2", provider: "r"), .init(id: "3", provider: "p"),
                .init(id: "4", parameters: ["bad": 1], provider: "q"), .init(id: "5", provider: "r"),
            ]))
        #expect(pages.listing.videos.map(\.id) == ["1", "3"])
        #expect(pages.listing.videos.map(\.provider) == ["q", nil])
        #expect(
            pages.handOver.refused == [
                .init(provider: "r", mistake: nil, count: 2),
                .init(provider: "q", mistake: "'bad' isn't known", count: 1),
            ])
        #expect(pages.warnings(about: "c").count == 2)
    }

    @Test("a video that is known as the lister's own stays so when it is another's that isn't allowed")
    func ownForANight() throws {
        var pages = pages(allowed: ["q"], isOwn: { $0 == "1" || $0 == "3" })
        _ = try pages.add(
            Listing(videos: [
                .init(id: "1", parameters: ["x": 1], provider: "r"), .init(id: "2", provider: "r"),
                .init(id: "3", provider: "q"),
            ]))
        #expect(pages.listing.videos.map(\.id) == ["1", "3"])
        #expect(pages.listing.videos.map(\.provider) == [nil, "q"])
        #expect(pages.listing.videos.map(\.parameters.count) == [0, 0])
    }

    @Test("so many providers that nobody would read about all of them are told of as twenty")
    func manyStrangers() throws {
        var pages = pages()
        _ = try pages.add(Listing(videos: (1...50).map { .init(id: "\($0)", provider: "p\($0)") }))
        #expect(pages.listing.videos.isEmpty && pages.handOver.refused.count == 20)
    }

    @Test("pages are taken as they come; a chapter that comes twice is one, at its first place")
    func chapters() throws {
        var pages = pages()
        #expect(
            try pages.add(
                Listing(
                    title: "T",
                    chapters: [
                        .init(id: "b", videos: [.init(id: "1"), .init(id: "2")]), .init(id: "a", videos: []),
                    ], next: "p2", known: "k1")) == .next(cursor: "p2"))
        #expect(
            try pages.add(
                Listing(
                    title: "other", chapters: [.init(id: "b", title: "B", videos: [.init(id: "3")])],
                    videos: [.init(id: "4")], known: "k2")) == .complete)
        #expect(pages.listing.title == "T" && pages.known == "k2")
        #expect(pages.listing.chapters.map(\.id) == ["b", "a"] && pages.listing.chapters[0].title == "B")
        #expect(pages.listing.videos.map(\.id) == ["1", "2", "4", "3"])
        #expect(pages.listing.videos.map(\.chapter) == [0, 0, nil, 0])
    }

    @Test("of a video that comes twice the first one counts, also in another spelling")
    func repeated() throws {
        var pages = pages()
        _ = try pages.add(
            Listing(
                chapters: [.init(id: "c", videos: [.init(id: "e\u{301}", title: "first")])],
                videos: [.init(id: "x"), .init(id: "x", title: "again")], next: "2"))
        _ = try pages.add(Listing(videos: [.init(id: "\u{E9}", title: "second")]))
        #expect(pages.listing.videos.map(\.shownTitle) == ["x", "first"] && pages.repeated == 2)
        #expect(pages.listing.videos[1].writtenID == "e\u{301}")
    }

    @Test("a video with an id that can't be used is left out and counted; it uses up no other bound")
    func unusable() throws {
        var pages = pages()
        let longest = String(repeating: "x", count: 1024)
        _ = try pages.add(
            Listing(
                chapters: [.init(id: "c", videos: [.init(id: ""), .init(id: longest)])],
                videos: [.init(id: ""), .init(id: longest + "x"), .init(id: "a\0b"), .init(id: "1")]))
        #expect(pages.listing.videos.map(\.id) == ["1", longest])
        #expect(pages.unusable == 4 && pages.repeated == 0)
    }

    @Test("a video that is known by the id that its provider used formerly keeps it; any other gets the new one")
    func formerly() throws {
        var pages = pages(isKept: { $0 == "old 1" })
        _ = try pages.add(
            Listing(videos: [.init(id: "new 1", formerly: "old 1"), .init(id: "new 2", formerly: "old 2")]))
        #expect(pages.listing.videos.map(\.id) == ["old 1", "new 2"])
    }

    @Test("a cursor that comes twice ends the listing as a fault of the provider")
    func endless() throws {
        var pages = pages()
        _ = try pages.add(Listing(videos: [.init(id: "1")], next: "a"))
        _ = try pages.add(Listing(videos: [.init(id: "2")], next: "b"))
        let error = try #require(throws: ProviderError.self) {
            try pages.add(Listing(videos: [.init(id: "3")], next: "a"))
        }
        #expect(error.kind == .pluginFault && error.message.contains("'next' came twice"))
    }

    @Test("pages, videos and bytes are bounded")
    func bounds() throws {
        var pages = pages()
        for number in 1..<ListingPages.pageBound { _ = try pages.add(Listing(next: "\(number)")) }
        #expect(throws: ProviderError.self) { try pages.add(Listing(next: "last")) }
        var many = self.pages()
        _ = try many.add(Listing(videos: (1...ListingPages.videoBound).map { .init(id: "\($0)") }, next: "n"))
        #expect(throws: ProviderError.self) { try many.add(Listing(videos: [.init(id: "one more")])) }
        var large = self.pages()
        let text = String(repeating: "x", count: 1 << 20)
        #expect(throws: ProviderError.self) {
            for number in 0...256 {
                _ = try large.add(
                    Listing(videos: [.init(id: "\(number)", parameters: ["p": .string(text)])], next: "\(number)"))
            }
        }
    }

    @Test("all texts of a listing count: of chapters, files beside videos, and cursors")
    func allTexts() throws {
        let text = String(repeating: "x", count: 1 << 20)
        let url = "https://h/\(text)"
        let listings: [(Int) -> Listing] = [
            { Listing(chapters: [.init(id: "\($0)", title: text, videos: [])], next: "\($0)") },
            { Listing(videos: [.init(id: "\($0)", cover: url)], next: "\($0)") },
            {
                let files = [Resolution.Subtitle(lang: "en", url: url)]
                return Listing(videos: [.init(id: "\($0)", subtitleFiles: files)], next: "\($0)")
            },
            {
                let files = [Resolution.Attachment(title: text, url: "https://h/")]
                return Listing(videos: [.init(id: "\($0)", attachments: files)], next: "\($0)")
            },
            { Listing(next: "\($0)\(text)") },
        ]
        for listing in listings {
            var pages = pages()
            for number in 1...80 { _ = try pages.add(listing(number)) }
            #expect(throws: ProviderError.self) {
                for number in 81...100 { _ = try pages.add(listing(number)) }
            }
        }
    }

    @Test("unchanged is an answer to known only, and as the first page only")
    func unchanged() throws {
        var asked = pages(known: true)
        #expect(try asked.add(Listing(unchanged: true)) == .unchanged)
        var unasked = pages()
        #expect(throws: ProviderError.self) { try unasked.add(Listing(unchanged: true)) }
        var late = pages(known: true)
        _ = try late.add(Listing(next: "2"))
        #expect(throws: ProviderError.self) { try late.add(Listing(unchanged: true)) }
    }

    @Test("a description that nobody reads to its end is cut, and costs the listing nothing")
    func longDescription() throws {
        var pages = pages()
        let text = String(repeating: "ü", count: 100_000)
        #expect(try pages.add(Listing(videos: [.init(id: "1", description: text)])) == .complete)
        #expect(pages.listing.videos[0].summary?.unicodeScalars.count == 16_384)
    }

    @Test("URLs with a query aren't kept, since they may be signed")
    func signed() throws {
        var pages = pages()
        _ = try pages.add(
            Listing(
                cover: "https://h/c.jpg?sig=1",
                videos: [
                    .init(
                        id: "1", cover: "https://h/1.jpg",
                        subtitleFiles: [
                            .init(lang: "en", url: "https://h/1.vtt?t=1"), .init(lang: "de", url: "https://h/1.de.vtt"),
                        ], attachments: [.init(title: "a", url: "https://u:p@h/a.pdf")])
                ]))
        #expect(pages.listing.cover == nil && pages.listing.videos[0].cover == "https://h/1.jpg")
        #expect(pages.listing.videos[0].subtitleFiles.map(\.language) == ["de"])
        #expect(pages.listing.videos[0].attachments.isEmpty)
    }
}
