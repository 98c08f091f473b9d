import Foundation
import ProviderHTTP
import ProviderKit
import Testing

@testable import BundledProviders

/// Feeds as they are written.
@Suite struct FeedTests {
    private static func feed(
        _ text: String, _ mediaType: String = "text/xml", kind: ProviderError.Kind = .invalidParameters
    ) throws -> Feed {
        try feed(Array(text.utf8), mediaType, kind: kind)
    }

    private static func feed(
        _ bytes: [UInt8], _ mediaType: String, kind: ProviderError.Kind = .invalidParameters
    ) throws -> Feed {
        let response = HTTPResponse(
            status: 200, headers: ["content-type": mediaType], body: bytes,
            address: try #require(WebAddress("https://media.example.org/feeds/all.xml")))
        return try FeedStore.feed(response, ifUnreadable: kind)
    }

    /// A feed with one item of these elements.
    private static func episode(_ elements: String, root: String = "", channel: String = "") throws -> Feed.Episode {
        let feed = try feed(
            """
            <rss version="2.0" \(root)><channel \(channel)><title>T</title><item><guid>1</guid>
            <enclosure url="1.mp4" type="video/mp4"/>\(elements)</item></channel></rss>
            """)
        #expect(feed.mistake == nil)
        return try #require(feed.episodes.first)
    }

    @Test(
        "playlists and presentations are known by their types and names",
        arguments: [
            ("1.m3u8", "", .hls), ("1", "application/x-mpegURL", .hls), ("1.mpd", "", .dash),
            ("1", "application/dash+xml", .dash), ("1.mp4", "video/mp4", .file),
        ] as [(String, String, Resolution.Kind)])
    func kinds(name: String, type: String, kind: Resolution.Kind) throws {
        let feed = try Self.feed(
            """
            <rss version="2.0"><channel><title>T</title><item><guid>1</guid>
            <enclosure url="\(name)" type="\(type)"/></item></channel></rss>
            """)
        #expect(feed.episodes.map(\.kind) == [kind])
    }

    @Test(
        "a default namespace on the outermost element is the feed's own",
        arguments: [
            "xmlns='http://backend.userland.com/rss2'", "xmlns='http://www.w3.org/2005/Atom'", "xmlns='urn:whatever'",
        ])
    func ownNamespace(_ root: String) throws {
        let episode = try Self.episode("<title>A</title><pubDate>Sun, 06 Nov 1994 08:49:37 GMT</pubDate>", root: root)
        #expect(episode.id == "1" && episode.title == "A" && episode.publishedAt != nil)
    }

    @Test(
        "iTunes' elements are known by any spelling of their namespace",
        arguments: [
            "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'",
            "xmlns:itunes='http://www.itunes.com/DTDs/Podcast-1.0.dtd'",
            "xmlns:itunes='https://www.itunes.com/dtds/podcast-1.0.dtd'",
            "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd/'",
            "xmlns:itunes='http://itunes.com/dtds/podcast-1.0.dtd'", "",
        ])
    func iTunes(_ root: String) throws {
        let episode = try Self.episode(
            "<itunes:season>2</itunes:season><itunes:episode>7</itunes:episode><itunes:duration>1:00</itunes:duration>",
            root: root)
        #expect(episode.season == 2 && episode.number == 7 && episode.duration == 60)
    }

    private static let vocabularies = """
        xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:media="http://search.yahoo.com/mrss/"
        """

    @Test(
        "a length is in seconds, minutes or hours, or that of a file of Media RSS; none is absurd",
        arguments: [
            ("<itunes:duration>3723</itunes:duration>", 3723), ("<itunes:duration> 62:03 </itunes:duration>", 3723),
            ("<itunes:duration>1:02:03</itunes:duration>", 3723),
            ("<itunes:duration>01:02:03.5</itunes:duration>", 3723.5),
            ("<itunes:duration>0</itunes:duration><media:content url='1.mp4' duration='60'/>", 60),
            ("<itunes:duration>00:00:00</itunes:duration>", nil),
            ("<itunes:duration>about an hour</itunes:duration>", nil),
            ("<itunes:duration>-5</itunes:duration>", nil), ("<itunes:duration>nan</itunes:duration>", nil),
            ("<itunes:duration>9999999:00:00</itunes:duration>", nil),
            ("<itunes:duration>1:2:3:4</itunes:duration>", nil),
            (
                "<media:group><media:content url='1.mp3'/><media:content url='2.mp3' duration='12.5'/></media:group>",
                12.5
            ),
        ] as [(String, Double?)])
    func lengths(_ elements: String, _ seconds: Double?) throws {
        #expect(try Self.episode(elements, root: Self.vocabularies).duration == seconds)
    }

    @Test(
        "the picture of an episode is iTunes', or one of Media RSS, wherever it is",
        arguments: [
            ("<itunes:image href='a.jpg'/><media:thumbnail url='b.jpg'/>", "a.jpg"),
            ("<itunes:image>a.jpg</itunes:image>", "a.jpg"),
            ("<itunes:image href=''/><media:thumbnail url='b.jpg'/>", "b.jpg"), ("<itunes:image href=' '/>", nil),
            ("<media:group><media:thumbnail url='b.jpg'/></media:group>", "b.jpg"),
            ("<media:content url='1.mp4'><media:thumbnail url='b.jpg'/></media:content>", "b.jpg"),
            ("<media:content url='c.jpg' medium='image'/>", "c.jpg"),
            ("<media:content url='c' type='image/png'/>", "c"),
            ("<media:content url='c.mp4'/>", nil), ("<itunes:image href='javascript:alert(1)'/>", nil),
        ] as [(String, String?)])
    func pictures(_ elements: String, _ name: String?) throws {
        let cover = try Self.episode(elements, root: Self.vocabularies).cover
        #expect(cover == name.map { "https://media.example.org/feeds/\($0)" })
    }

    @Test(
        "the picture of a feed is iTunes', that of Media RSS, or its own element, of each kind of feed",
        arguments: [
            (
                "<rss \(vocabularies)><channel><image><url>b.jpg</url></image><itunes:image href='a.jpg'/></channel></rss>",
                "a.jpg"
            ),
            ("<rss \(vocabularies)><channel><media:thumbnail url='a.jpg'/></channel></rss>", "a.jpg"),
            ("<rss><channel><image><title>T</title><url> a.jpg </url></image></channel></rss>", "a.jpg"),
            ("<rss><channel><image><url/></image></channel></rss>", nil),
            (
                """
                <r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
                <channel><title>T</title><image r:resource="a.jpg"/></channel><image><url>a.jpg</url></image></r:RDF>
                """, "a.jpg"
            ),
            ("<feed xmlns='http://www.w3.org/2005/Atom'><icon>b.ico</icon><logo>a.jpg</logo></feed>", "a.jpg"),
            ("<feed xmlns='http://www.w3.org/2005/Atom'><icon>a.jpg</icon></feed>", "a.jpg"),
        ] as [(String, String?)])
    func pictureOfFeed(_ text: String, _ name: String?) throws {
        #expect(try Self.feed(text).cover == name.map { "https://media.example.org/feeds/\($0)" })
    }

    @Test(
        "dates and titles are found wherever feeds have them",
        arguments: [
            "<pubDate>never</pubDate><dc:date>1994-11-06</dc:date><media:title>A</media:title>",
            "<a:published>1994-11-06T00:00:00Z</a:published><dc:title>A</dc:title>",
            "<dcterms:issued>1994-11-06</dcterms:issued><media:group><media:title>A</media:title></media:group>",
            "<pubDate>Sun, 06 Nov 1994 02:00:00 EET</pubDate><itunes:title>A</itunes:title>",
        ])
    func places(_ elements: String) throws {
        let root = """
            xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:a="http://www.w3.org/2005/Atom"
            xmlns:dcterms="http://purl.org/dc/terms/" xmlns:media="https://search.yahoo.com/mrss"
            """
        let episode = try Self.episode(elements, root: root)
        #expect(episode.publishedAt?.timeIntervalSince1970 == 784_080_000)
        #expect(episode.title == "A")
    }

    @Test("relative addresses refer to the nearest xml:base")
    func bases() throws {
        let episode = try Self.episode(
            "<i:image href='c.jpg' xmlns:i='http://www.itunes.com/dtds/podcast-1.0.dtd'/>",
            root: "xml:base='https://cdn.example.org/a/'", channel: "xml:base='b/'")
        #expect(episode.enclosure.text == "https://cdn.example.org/a/b/1.mp4")
        #expect(episode.cover == "https://cdn.example.org/a/b/c.jpg")
        #expect(
            try Self.episode("", root: "xml:base='file:///'").enclosure.text == "https://media.example.org/feeds/1.mp4")
    }

    @Test("Atom 0.3 is read")
    func oldAtom() throws {
        let feed = try Self.feed(
            """
            <feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>T</title><entry><id>1</id><title>A</title>
            <issued>1994-11-06T08:49:37Z</issued><link rel="enclosure" href="/1.mp3" type="audio/mpeg"/></entry></feed>
            """)
        #expect(feed.title == "T" && feed.episodes.map(\.id) == ["1"])
        #expect(feed.episodes[0].publishedAt?.timeIntervalSince1970 == 784_111_777)
    }

    @Test("a feed in Shift_JIS that only Content-Type names is read without a word; one with mistakes has one")
    func mistakes() throws {
        let japanese =
            Array("<rss><channel><title>".utf8) + [0x93, 0xFA, 0x96, 0x7B] + Array("</title></channel></rss>".utf8)
        let feed = try Self.feed(japanese, "application/rss+xml; charset=\"Shift_JIS\"")
        #expect(feed.title == "日本" && feed.mistake == nil)
        let careless = try Self.feed(
            """
            \n <?xml version="1.0" encoding="utf-8"?><rss><channel><title>Q&A &nbsp;&uuml;</title><item><guid>1</guid>
            <enclosure url="/v?a=1&b=2" type="video/mp4"/></item></channel></rss> <!-- made by --> thanks
            """)
        #expect(careless.title == "Q&A \u{A0}ü" && careless.episodes[0].enclosure.query == "a=1&b=2")
        #expect(careless.mistake == "XML or text declaration not at start of entity, line 2")
    }

    @Test(
        "a feed that can't be read says so for good when it is listed, and for now when a video is asked for",
        arguments: [
            ("<rss><channel></rss>", "the answer of media.example.org isn't XML: mismatched tag, line 1"),
            ("", "the answer of media.example.org isn't XML: it is empty"),
            ("<!DOCTYPE html><html>", "media.example.org answers with a web page where XML was expected"),
            ("<opml/>", "media.example.org answers with XML that is no feed"),
        ])
    func unreadable(_ text: String, _ said: String) {
        #expect(throws: ProviderError(.invalidParameters, said, parameter: "endpoint")) { try Self.feed(text) }
        #expect(throws: ProviderError(.unavailable, said)) { try Self.feed(text, kind: .unavailable) }
    }

    @Test(
        "a description takes linear time", .timeLimit(.minutes(10)),
        arguments: ["<a ", "<", "&", "&#", "&amp", "<!--", "a\u{301}", "\u{301}", "x "])
    func description(_ piece: String) {
        let text = HTMLStripper.text(of: String(repeating: piece, count: (512 << 10) / piece.utf8.count))
        #expect(text.utf8.count <= 4096 + "…".utf8.count)
    }
}
