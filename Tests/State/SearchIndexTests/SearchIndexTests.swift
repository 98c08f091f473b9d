import DownloadStore
import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import SearchIndex

@Suite("The index of words")
struct SearchIndexTests {
    private let folder = TemporaryFolder()
    private var path: String { folder.at("page.sqlite").string }

    private static func document(_ id: Int64, _ text: String, language: String = "") -> SearchIndex.Document {
        var reader = WordReader()
        var document = SearchIndex.Document(
            .init(download: DownloadID(rawValue: id), language: language),
            path: language.isEmpty ? nil : "\(id).\(language).vtt", stamp: 1)
        document.add(text, &reader)
        return document
    }

    private func found(_ text: String, in index: SearchIndex, videos: Int = 10) throws -> [Int64] {
        var matches = try index.matches(try #require(SearchQuery(text)))
        return try index.next(videos, of: &matches).joined().map(\.source.download.rawValue)
    }

    @Test("all words have to be there, and the best come first: titles, then what is said most often")
    func order() throws {
        let index = try SearchIndex(path: path)
        try index.update(
            removing: [],
            adding: [
                Self.document(1, "eigen once", language: "en"),
                Self.document(2, String(repeating: "eigen ", count: 30), language: "en"),
                Self.document(3, String(repeating: "eigen ", count: 5) + "value", language: "en"),
                Self.document(4, "Eigen Values"), Self.document(5, "other"),
            ])
        #expect(try found("EIGEN", in: index) == [4, 2, 3, 1])
        #expect(try found("eigen value", in: index) == [3])
        #expect(try found("val*", in: index) == [4, 3])
        #expect(try found("eigen", in: index, videos: 2) == [4, 2])
        #expect(try found("nothing", in: index) == [])
        #expect(try index.matches(try #require(SearchQuery("eigen"))).count == 4)
    }

    @Test(
        "no text of a person is read as a query's language",
        arguments: [
            "\"", "a AND", "NEAR(eigen)", "word:eigen", "-eigen", "eigen^", "(eigen", "{eigen}", "eigen + x", "' OR 1",
        ])
    func hostile(text: String) throws {
        let index = try SearchIndex(path: path)
        try index.update(removing: [], adding: [Self.document(1, "eigen")])
        guard let query = SearchQuery(text) else { return }
        var matches = try index.matches(query)
        _ = try index.next(1, of: &matches)
    }

    @Test("a character of a run, a pair and a longer run are found")
    func characters() throws {
        let index = try SearchIndex(path: path)
        try index.update(removing: [], adding: [Self.document(1, "线性代数", language: "zh")])
        for text in ["线", "数", "性代", "线性代数", "代数"] { #expect(try found(text, in: index) == [1], "\(text)") }
        #expect(try found("数线", in: index) == [])
    }

    @Test("more than can be ranked come in their order, and only as many as wanted")
    func many() throws {
        let index = try SearchIndex(path: path)
        for start in stride(from: 0, to: 10_500, by: 500) {
            try index.update(
                removing: [], adding: (start..<(start + 500)).map { Self.document(Int64($0), "word", language: "en") })
        }
        #expect(try !index.matches(try #require(SearchQuery("word"))).isRanked)
        #expect(try found("word", in: index, videos: 3) == [0, 1, 2])
        // Beside a word that so many have, the other one tells which are the best.
        try index.update(
            removing: [],
            adding: [
                Self.document(20_001, "word rare rare once", language: "en"),
                Self.document(20_002, "word " + String(repeating: "rare ", count: 5), language: "en"),
                Self.document(20_003, String(repeating: "rare ", count: 30), language: "en"),
                Self.document(20_004, "word rare " + String(repeating: "once ", count: 5), language: "en"),
            ])
        #expect(try found("word rare", in: index) == [20_002, 20_001, 20_004])
        #expect(try found("rare word once", in: index) == [20_001, 20_004].reversed())
    }

    @Test("the texts of a video come together, where the best of them stands")
    func together() throws {
        let index = try SearchIndex(path: path)
        try index.update(
            removing: [],
            adding: [
                Self.document(1, "eigen", language: "de"), Self.document(2, "other", language: "de"),
                Self.document(2, String(repeating: "eigen ", count: 5), language: "en"),
                Self.document(1, String(repeating: "eigen ", count: 30), language: "en"),
            ])
        let query = try #require(SearchQuery("eigen"))
        var matches = try index.matches(query)
        #expect(try index.next(1, of: &matches).map { $0.map(\.path) } == [["1.en.vtt", "1.de.vtt"]])
        #expect(try index.next(5, of: &matches).map { $0.map(\.path) } == [["2.en.vtt"]])
        #expect(try index.next(5, of: &matches).isEmpty)
    }

    @Test("what is removed isn't found, and the file is worn once a tenth of it is dead")
    func worn() throws {
        let index = try SearchIndex(path: path)
        try index.update(removing: [], adding: (1...1200).map { Self.document($0, "word") })
        let known = try index.known()
        #expect(known.count == 1200 && known[.init(download: DownloadID(rawValue: 7))]?.stamp == 1)
        let ids = known.sorted { $0.value.id < $1.value.id }.map(\.value.id)
        try index.update(removing: Array(ids.prefix(100)), adding: [])
        #expect(try found("word", in: index, videos: 1) == [101])
        #expect(try !index.isWorn())
        try index.update(removing: Array(ids[100..<130]), adding: [])
        #expect(try index.isWorn())
    }

    @Test("two that add the same text at once have it once")
    func twice() throws {
        let (one, two) = (try SearchIndex(path: path), try SearchIndex(path: path))
        try one.update(removing: [], adding: [Self.document(1, "word")])
        try two.update(removing: [], adding: [Self.document(1, "word")])
        #expect(try found("word", in: two) == [1])
    }

    @Test("a damaged file, or one of another version, is made anew, and nobody else can read it")
    func anew() throws {
        try Data("no database at all, but long enough to be looked at as one".utf8).write(to: URL(filePath: path))
        let index = try SearchIndex(path: path)
        try index.update(removing: [], adding: [Self.document(1, "word")])
        index.close()
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try SearchIndex(path: path).known().count == 1)
        try Data(contentsOf: URL(filePath: path)).prefix(5000).write(to: URL(filePath: path))
        #expect(throws: Never.self) { try SearchIndex(path: path).known() }
    }

    @Test("facts are kept")
    func facts() throws {
        let index = try SearchIndex(path: path)
        #expect(try index.fact("state") == nil)
        try index.setFact("state", "a")
        try index.setFact("state", "b")
        #expect(try index.fact("state") == "b")
    }
}
