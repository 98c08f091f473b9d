import Testing

@testable import SearchIndex

@Suite("Words of a text, and of what is searched for")
struct WordReaderTests {
    private func words(_ text: String) -> [String] {
        var reader = WordReader()
        var words: [String] = []
        reader.read(text) { word, _ in words.append(word) }
        return words
    }

    @Test(
        "case, accents and widths don't matter, and everything else separates",
        arguments: [
            ("The Eigenvalue's λ-Problem, 3rd", ["the", "eigenvalue", "s", "λ", "problem", "3rd"]),
            ("Café naïve Straße ÅNGSTRÖM", ["cafe", "naive", "strasse", "angstrom"]),
            ("e\u{301}tude co\u{AD}operate", ["etude", "cooperate"]),
            ("ＡＢＣ１２", ["abc12"]), ("<b>&amp;", ["b", "amp"]), ("ПРИВЕТ мир", ["привет", "мир"]),
            ("\"a\" NEAR(b) -c col:d *", ["a", "near", "b", "c", "col", "d"]), ("·÷—", []), ("", []),
            ("हिन्दी", ["हिन्दी"]), ("שָׁלוֹם كِتَابٌ", ["שלום", "كتاب"]),
            ("Sørensen Łukasz œuvre", ["sorensen", "lukasz", "oeuvre"]),
        ])
    func separated(text: String, expected: [String]) { #expect(words(text) == expected) }

    @Test("Chinese, Japanese and Korean become overlapping pairs and the last character")
    func pairs() {
        #expect(words("线性代数") == ["线性", "性代", "代数", "数"])
        #expect(words("第3讲 x") == ["第", "3", "讲", "x"])
        #expect(words("カタカナ語") == ["カタ", "タカ", "カナ", "ナ語", "語"])
        #expect(words("ไทย") == ["ไท", "ทย", "ย"])
        #expect(words("선형 대수") == ["선형", "형", "대수", "수"])
    }

    @Test("what isn't UTF-8, and very long words, do no harm")
    func broken() {
        var reader = WordReader()
        var words: [String] = []
        let bytes: [UInt8] = [0x61, 0xFF, 0x62, 0xE7, 0xBA, 0x63, 0xF5, 0x64, 0xC3]
        bytes.withUnsafeBufferPointer { reader.read($0) { word, _ in words.append(word) } }
        #expect(words == ["a", "b", "c", "d"])
        #expect(self.words(String(repeating: "x", count: 1000)) == [String(repeating: "x", count: 64)])
        #expect(self.words(String(repeating: "é", count: 1000)).map(\.utf8.count) == [64])
        #expect(self.words(String(repeating: "λ", count: 33)) == [String(repeating: "λ", count: 32)])
    }

    @Test("a query has its words once, and what has to follow each other")
    func query() throws {
        let query = try #require(SearchQuery("Eigen value \"the Value of\" pre* eigen free-body"))
        #expect(query.words.map(\.text) == ["eigen", "value", "the", "of", "pre", "free", "body"])
        #expect(query.words.map(\.isPrefix) == [false, false, false, false, true, false, false])
        #expect(query.phrases.map { $0.map(\.text) } == [["the", "value", "of"], ["free", "body"]])
        #expect(SearchQuery("\"\" - * ·") == nil)
        #expect(SearchQuery("") == nil)
        #expect(try #require(SearchQuery("\"open")).words.map(\.text) == ["open"])
        #expect(SearchQuery(String(repeating: "a b c d e f g h i ", count: 50))?.words.count == 9)
    }

    @Test("a single character begins a pair; a run is a phrase of its pairs")
    func characters() throws {
        #expect(try #require(SearchQuery("数")).words == [.init(text: "数", isPrefix: true)])
        let run = try #require(SearchQuery("线性代"))
        #expect(run.words == [.init(text: "线性"), .init(text: "性代")])
        #expect(run.phrases.count == 1)
    }

    @Test("longer words count only where words aren't short")
    func widened() throws {
        let widened = try #require(SearchQuery("eigen of 线性")).widened
        #expect(widened.words.map(\.isPrefix) == [true, false, false])
    }
}
