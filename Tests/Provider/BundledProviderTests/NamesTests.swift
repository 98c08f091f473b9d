import ProviderHTTP
import ProviderKit
import Testing

@testable import BundledProviders

/// Names of files: their order, which are videos, and the course that they make.
@Suite struct NamesTests {
    @Test("names are in the order in which people number them")
    func order() {
        let sorted = [
            "", "01", "1", "2", "10", "99999999999999999999999998", "99999999999999999999999999", "A", "a", "a 2",
            "a 10",
            "b", "Lecture 2b", "lecture 2c", "Lecture 10", "é", "😀",
        ]
        for seed in 0..<20 {
            var generator = Seeded(state: UInt64(seed + 1))
            let names = sorted.shuffled(using: &generator).sorted { NaturalOrder($0) < NaturalOrder($1) }
            #expect(names == sorted)
        }
        #expect(
            NaturalOrder("\u{E9}") != NaturalOrder("e\u{301}"), "different names, though Swift takes them for equal")
    }

    private struct Seeded: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 29
        }
    }

    @Test(
        "patterns choose files, and media without a pattern",
        arguments: [
            (nil, "a.mp4", true), (nil, "a.MKV", true), (nil, "a.pdf", false), (nil, "mp4", false),
            (nil, ".x.mp4", false),
            ("*.pdf", "a.PDF", true), ("*.pdf", "a.mp4", false), ("*", ".x", false), (".*", ".x", true),
            ("?.mp4", "é.mp4", true),
            ("a*b*c", "aXbYbZc", true), ("a*b*c", "aXbYbZ", false), ("*****", "", true), ("", "", true),
            ("", "a", false),
        ] as [(String?, String, Bool)])
    func files(_ pattern: String?, _ name: String, _ isVideo: Bool) throws {
        #expect(try MediaFiles(pattern.map { ["files": .string($0)] } ?? [:]).includes(name) == isVideo)
    }

    @Test("a pattern of many stars takes no time")
    func stars() throws {
        let files = try MediaFiles(["files": .string(String(repeating: "*a", count: 500) + "b")])
        #expect(!files.includes(String(repeating: "a", count: 5000)))
    }

    @Test("folders are chapters, in order, and their paths are ids")
    func course() {
        let files = ["b.mp4", "Week 10/x.mp4", "Week 2/y/10.mp4", "Week 2/y/9.mp4", "/odd.mp4", "a.mp4"].map {
            FolderFile(path: $0.split(separator: "/", omittingEmptySubsequences: false).map(String.init))
        }
        let long = FolderFile(path: [String(repeating: "x", count: 1021) + ".mp4"])
        let listing = FolderListing.listing(files + [long])
        #expect(listing.videos.map(\.id) == ["a.mp4", "b.mp4"])
        #expect(listing.chapters.map(\.id) == ["/", "Week 2/y", "Week 10"])
        #expect(listing.chapters[1].title == "Week 2 / y")
        #expect(listing.chapters[1].videos.map(\.id) == ["Week 2/y/9.mp4", "Week 2/y/10.mp4"])
        #expect(listing.chapters[1].videos[0].title == "9")
    }

    @Test(
        "text comes out of HTML",
        arguments: [
            ("<p>a &amp; b</p><br/>c", "a & b c"), ("1 < 2 && 3 > 2", "1 < 2 && 3 > 2"),
            ("&#228;&#xE4;&nope;&#xFFFFFFFF;", "ää&nope;&#xFFFFFFFF;"),
            ("<a href='x'", "<a href='x'"), ("a<!-- b -->c", "a c"), ("", ""),
            ("a &lt;b&gt; <b", "a <b> <b"), ("&hellip;&thetasym;&#+5;&;", "…ϑ&#+5;&;"), ("\u{A0} a&nbsp;\r\nb ", "a b"),
        ])
    func html(_ html: String, _ text: String) { #expect(HTMLStripper.text(of: html) == text) }

    @Test("a long text is cut between characters")
    func longText() {
        #expect(HTMLStripper.text(of: String(repeating: "é", count: 10), bound: 5) == "éé…")
        #expect(HTMLStripper.text(of: "abc😀", bound: 5) == "abc…")
        #expect(HTMLStripper.text(of: "abe\u{301}x", bound: 3) == "ab…")
        #expect(HTMLStripper.text(of: "abe\u{301}x", bound: 5) == "abe\u{301}…")
    }
}
