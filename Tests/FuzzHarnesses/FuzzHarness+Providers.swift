import BundledProviders
import Foundation
import ProviderHTTP
import ProviderKit

extension FuzzHarness {
    private static let xmlWords = [
        "<?xml version='1.0' encoding='", "utf-8", "Shift_JIS", "utf-16", "'?>", "<!DOCTYPE a [",
        "<!ATTLIST x a CDATA \"",
        "<!ENTITY a \"", "]>", "<![CDATA[", "]]>", "<!--", "-->", "&amp;", "&nbsp;", "&#0;", "&#xFFFE;", "&", "<a ",
        "</a>",
        "<a/>", "xmlns='", "xmlns:a='", "xml:base='", "='", "\"", "\u{FEFF}", "\u{0}", "\u{FFFE}", "é",
    ]

    private static func response(_ bytes: some Sequence<UInt8>, _ mediaType: String = "text/xml") -> HTTPResponse? {
        WebAddress("https://media.example.org/a/b/?c=1").map {
            HTTPResponse(status: 200, headers: ["content-type": mediaType], body: Array(bytes), address: $0)
        }
    }

    /// A reader that also gets pieces of its bytes many times over: time and size of what it makes must grow with the
    /// length only.
    private static func provider(
        name: String, texts: [String], words: [String],
        read: @escaping @Sendable ([UInt8]) throws -> Int?
    ) -> FuzzHarness {
        FuzzHarness(name: name, texts: texts, words: words) { bytes in
            let bytes = Array(bytes)
            let size = try read(bytes)
            try promise(size ?? 0 <= bytes.count * 16 + 4096, "\(size ?? 0) bytes of \(bytes.count)")
            // Which piece is a matter of the bytes, so that each input can be repeated.
            let sum = bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
            guard sum % 16 == 0, !bytes.isEmpty else { return size != nil }
            let start = Int(sum >> 8) % bytes.count
            let piece = bytes[start..<min(bytes.count, start + 1 + Int(sum >> 4) % 24)]
            let long = Array(repeatElement(piece, count: (96 << 10) / piece.count).joined())
            let clock = Self.processorTime
            let longSize = try read(bytes + long)
            let seconds = Self.processorTime - clock
            try promise(seconds < 4, "\(seconds) s for \(String(decoding: piece, as: UTF8.self)) again and again")
            try promise(longSize ?? 0 <= (bytes.count + long.count) * 16 + 4096, "\(longSize ?? 0) bytes")
            return size != nil
        }
    }

    /// Of this thread, in seconds: what else the machine does is no finding.
    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// XML: what is well-formed reads the same when it is repaired, and nothing multiplies.
    static let xml = provider(
        name: "xml",
        texts: [
            "<?xml version='1.0' encoding='iso-8859-1'?>\n<r xmlns='urn:r' xmlns:m='urn:m' a='&lt;'><m:c m:u=\"2\">x&amp;</m:c></r>",
            " <a>b & c &nbsp;<![CDATA[<&>]]><!-- - --><b c='d&e'/></a> end",
            "<!DOCTYPE rss SYSTEM 'h'><rss>&#228;</rss>",
        ], words: xmlWords
    ) { bytes in
        guard let response = response(bytes) else { return nil }
        let strict = try? response.xml()
        let repaired = try? response.repairedXML()
        if let strict {
            try promise(repaired?.mistake == nil, repaired?.mistake ?? "")
            try promise(repaired.map { measure($0.root) } == measure(strict), "repaired otherwise")
        }
        try promise(repaired.map { deepest($0.root) } ?? 0 <= 200, "too deep")
        return repaired.map { measure($0.root) }
    }

    private static func measure(_ element: XMLElement) -> Int {
        let attributes = element.attributes.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        return element.children.reduce(element.name.utf8.count + element.text.utf8.count + attributes) {
            $0 + measure($1)
        }
    }

    private static func deepest(_ element: XMLElement) -> Int {
        1 + (element.children.map { deepest($0) }.max() ?? 0)
    }

    /// Feeds: refused with a kind that a plugin may use, or a listing that a line can have.
    static let feed = provider(
        name: "feed",
        texts: [
            """
            <rss xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:media="http://search.yahoo.com/mrss/">
            <channel><title>T</title><item><guid>1</guid><title>&lt;b&gt;A</title><pubDate>Sun, 06 Nov 1994 08:49:37
            GMT</pubDate><itunes:season>2</itunes:season><itunes:episode>1.5</itunes:episode>
            <itunes:duration>1:02:03</itunes:duration><enclosure url="a b.mp4?x=1" type="video/mp4"/></item>
            <item xml:base="/x/"><media:group><media:content url="l.m3u8" height="9"/></media:group></item></channel></rss>
            """,
            """
            <feed xmlns="http://www.w3.org/2005/Atom"><entry><id>u</id><title type="xhtml"><div>a</div></title>
            <updated>1994-11-06T08:49Z</updated><link rel="enclosure" href="/1.mp3"/></entry><link rel="next" href="?2"/></feed>
            """,
        ],
        words: xmlWords + [
            "<rss>", "<channel>", "<item>", "</item>", "<guid>", "<title>", "<pubDate>", "<enclosure url='", ".mp4",
            "<dc:date>",
            "<itunes:season>", "9999999999999999999", "nan", "1e999", "<RDF xmlns='http://purl.org/rss/1.0/'>",
        ]
    ) { bytes in
        guard let response = response(bytes), let listings = try listing({ try ListingReaders.feed(response) }) else {
            return nil
        }
        let counts = listings.map { $0.videos.count + $0.chapters.reduce(0) { $0 + $1.videos.count } }
        try promise(Set(counts).count == 1, "\(counts) videos")
        for video in listings[0].videos + listings[0].chapters.flatMap(\.videos) {
            try promise(video.id.utf8.count <= 1024, "an id of \(video.id.utf8.count) bytes")
            try promise(video.title?.utf8.count ?? 0 <= 1003 && video.description?.utf8.count ?? 0 <= 4099, "too long")
            try promise(video.duration.map { $0 > 0 && $0.isFinite } ?? true, "\(video.duration ?? 0) s")
        }
        return (try JSONEncoder().encode(listings[0])).count / 8
    }

    /// Listings of web servers: names that are names, each once.
    static let folderIndex = provider(
        name: "folder-index",
        texts: [
            "<title>Index of /a/b/</title><pre><a href=\"../\">../</a>\n<a href=\"x%20y.mp4\">x y.mp4</a>  20-Nov-2026 23:00  5\n"
                + "<a href='d/'>d/</a> 2026-11-20 23:00 -\n<A HREF=/a/b/e.mp4?C=N>e</A>",
            #"[{"name":"a.mp4","type":"file","mtime":"Fri, 20 Nov 2026 23:00:00 GMT","size":5},{"name":"d","type":"directory"}]"#,
        ],
        words: [
            "<a ", "<a href=\"", "href=", "'>", "</a>", "../", "%2F", "%00", "%FF", "&amp;", "?C=N", "/a/b/",
            "Index of ", "2026-",
            "23:00", "https://media.example.org/a/b/", "{\"name\":\"", "\u{0}", "é",
        ]
    ) { bytes in
        let type = bytes.first == UInt8(ascii: "[") ? "application/json" : "text/html"
        guard let response = response(bytes, type) else { return nil }
        return try folder(try listing { try ListingReaders.index(response) })
    }

    /// Answers of WebDAV servers: paths beneath the folder.
    static let webDAV = provider(
        name: "webdav",
        texts: [
            """
            <d:multistatus xmlns:d="DAV:"><d:response><d:href>/a/b/</d:href><d:propstat><d:prop><d:resourcetype><d:collection/>
            </d:resourcetype></d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response><d:response>
            <d:href>https://media.example.org/a/b/x%20y.mp4</d:href><d:propstat><d:prop><d:getcontentlength>5</d:getcontentlength>
            <d:getlastmodified>Sun, 06 Nov 1994 08:49:37 GMT</d:getlastmodified></d:prop></d:propstat></d:response>
            </d:multistatus>
            """
        ],
        words: xmlWords + [
            "<d:response>", "<d:href>", "/a/b/", "%2F", "..", "%2E%2E", "<d:propstat>", "<d:prop>", "-1",
        ]
    ) { bytes in
        guard let response = response(bytes) else { return nil }
        return try folder(try listing { try ListingReaders.webDAV(response) })
    }

    /// Pages of buckets: keys beneath the prefix.
    static let bucket = provider(
        name: "bucket",
        texts: [
            """
            <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType><IsTruncated>true
            </IsTruncated><Contents><Key>p/x+y%2F1.mp4</Key><Size>5</Size><LastModified>1994-11-06T08:49:37.000Z</LastModified>
            </Contents><NextContinuationToken>t</NextContinuationToken></ListBucketResult>
            """
        ], words: xmlWords + ["<Contents>", "<Key>", "p/", "%", "+", "//", "<Size>", "-1", "</Key>"]
    ) { bytes in
        guard let response = response(bytes) else { return nil }
        return try listing { try ListingReaders.bucket(response, prefix: "p/") }.map { found in
            (try JSONEncoder().encode(found.listing)).count / 8
        }
    }

    /// Text out of HTML: of bounded length, and with nothing in it twice.
    static let plainText = provider(
        name: "plain-text", texts: ["<p>a &amp; b</p><br/>c 1 < 2 &nbsp;&#228;&#xE4;&nope;", "a<!-- b -->\r\n\u{A0}c"],
        words: [
            "<", ">", "<a ", "</", "<!--", "&", "&amp;", "&#x10FFFF;", "&#xD800;", ";", " ", "\u{A0}", "e\u{301}",
            "\u{0}",
        ]
    ) { bytes in
        let text = HTMLStripper.text(of: String(decoding: bytes, as: UTF8.self))
        try promise(text.utf8.count <= 4099, "\(text.utf8.count) bytes")
        try promise(!text.contains("  ") && text.first != " ", "blanks are left")
        return bytes.contains(0x3C) ? text.utf8.count / 3 : nil
    }

    /// Dates: none, or one of the years that have four digits.
    static let date = FuzzHarness(
        name: "date",
        texts: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "6 Nov 94 08:49 +0100", "1994-11-06T08:49:37.5+01:00", "1994-Nov-06 08:49 CEST", "Nov 6, 1994 GMT+2",
        ], words: ["GMT", "+", "-", ":", "T", "Z", " ", ",", "Nov", "Sun", ".", "99", "0000", "é", "\u{0}"]
    ) { bytes in
        guard let date = WebDate.date(String(decoding: bytes, as: UTF8.self)) else { return false }
        let seconds = date.timeIntervalSince1970
        try promise((-62_170_000_000..<253_403_000_000).contains(seconds), "\(seconds)")
        return true
    }

    /// Nil for what is refused, as a plugin may.
    private static func listing<Value>(_ read: () throws -> Value) throws -> Value? {
        do {
            return try read()
        } catch let error as ProviderError {
            try promise(ProviderError.Kind.ofPlugins.contains(error.kind), "\(error)")
            return nil
        }
    }

    private static func folder(_ folder: ListingReaders.Folder?) throws -> Int? {
        guard let folder else { return nil }
        let names = folder.listing.videos.map(\.id) + folder.folders
        for name in names {
            try promise(
                !name.isEmpty && name != "." && name != ".." && !name.contains("/") && !name.contains("\0"), name)
        }
        try promise(folder.listing.chapters.isEmpty, "a chapter of one folder's files")
        return (try JSONEncoder().encode(folder.listing)).count / 8
    }
}
