import Foundation
import Operations
import SyncFacts
import Testing

@testable import CommandOutput

@Suite("The output of search")
struct SearchTextTests {
    static var hit: SearchHit {
        var hit = SearchHit(
            reference: VideoReference(course: "la", chapter: "w3", video: "diag", title: "Diagonal\u{1B}[2J"),
            courseTitle: "Linear Algebra", chapterTitle: "Week 3", path: "/l/d.mp4")
        hit.moments = [271_000, 3_871_500, 1, 2, 3].map { .init(start: $0, text: "an eigenvalue", language: "en") }
        return hit
    }

    @Test("the titles, then the time and the text of the first places")
    func text() {
        #expect(
            SearchText(width: nil).lines(Self.hit) == [
                "la/w3/diag  Linear Algebra › Week 3 › Diagonal\u{FFFD}[2J", "     4:31  an eigenvalue",
                "  1:04:31  an eigenvalue", "     0:00  an eigenvalue", "           and 2 more places",
            ])
        #expect(SearchText(width: 20).lines(Self.hit).allSatisfy { $0.count <= 20 })
        #expect(SearchText.time(-5) == "0:00" && SearchText.time(.max).hasSuffix(":55"))
    }

    @Test("what is left out is said")
    func notes() {
        var result = SearchResult()
        result.hits = [Self.hit]
        #expect(SearchText.notes(result, limit: 1) == [])
        result.hasMore = true
        #expect(SearchText.notes(result, limit: 1) == ["these are the best ones; for more: --limit 5"])
        #expect(SearchText.notes(result, limit: 2) == ["these are the best ones; a further word finds fewer"])
        let all = LibrarySearch.mostHits
        result.hits = [SearchHit](repeating: Self.hit, count: all)
        #expect(SearchText.notes(result, limit: all - 1) == ["these are the best ones; for more: --limit \(all)"])
        #expect(SearchText.notes(result, limit: all) == ["these are the best ones; a further word finds fewer"])
        result.hits = [Self.hit]
        result.isUnranked = true
        result.isWithoutLibrary = true
        #expect(
            SearchText.notes(result, limit: 1) == [
                "too many match to tell the best ones; for more: --limit 5",
                "the library isn't there, so its subtitles weren't read",
            ])
    }
}
