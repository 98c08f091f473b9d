import SearchIndex
import Testing

@testable import Operations

@Suite("Places in subtitles")
struct SubtitleMomentsTests {
    private func find(_ query: String, _ cues: [String], step: Int = 20) throws -> [String]? {
        var moments = SubtitleMoments(try #require(SearchQuery(query)))
        var text = "WEBVTT\n\n"
        for (number, cue) in cues.enumerated() {
            let (minutes, seconds) = (number * step / 60, number * step % 60)
            let time = "\(minutes < 10 ? "0" : "")\(minutes):\(seconds < 10 ? "0" : "")\(seconds).000"
            text += "\(time) --> 59:59.000\n\(cue)\n\n"
        }
        return moments.find(in: Array(text.utf8), language: "en")?.map { "\($0.start / 1000) \($0.text)" }
    }

    @Test("each cue with the word is a place")
    func one() throws {
        #expect(try find("eigen", ["an Eigen", "no", "eigen two"]) == ["0 an Eigen", "40 eigen two"])
        #expect(try find("eig*", ["eigenvalue"]) == ["0 eigenvalue"])
        #expect(try find("eigen", ["eigenvalue"]) == [])
    }

    @Test("words that are said together count before those that are apart")
    func several() throws {
        let cues = ["the free", "energy", "", "free", "", "", "", "energy"]
        #expect(try find("free energy", cues) == ["0 the free energy"])
        #expect(try find("free energy", ["free", "", "", "", "energy"]) == ["0 free", "80 energy"])
    }

    @Test("a phrase goes over the end of a cue, and has to be there")
    func phrase() throws {
        #expect(try find("\"body diagram\"", ["a free body", "diagram here"]) == ["0 a free body diagram here"])
        #expect(try find("\"diagram body\"", ["a free body", "diagram here"]) == nil)
        #expect(try find("\"free body\"", ["a free rigid body", "free of", "a body"]) == nil)
        #expect(try find("\"free body free\"", ["free body", "ü free"]) == nil)
        #expect(try find("\"free body ü\"", ["free body", "ü free"]) == ["0 free body ü free"])
        #expect(try find("\"free body\" here", ["a free body", "x", "y", "z", "here"]) == ["0 a free body"])
        #expect(try find("线性代数", ["线性", "代数"]) == nil)
        #expect(try find("线性代数", ["这是线性代数课"]) == ["0 这是线性代数课"])
        #expect(try find("数", ["代数"]) == ["0 代数"])
    }

    @Test("a phrase may begin in a cue that another one could have ended in, and have a cue for each word")
    func overlapping() throws {
        let cues = ["the body of", "we draw a free", "body diagram of it"]
        #expect(try find("\"free body\"", cues) == ["20 we draw a free body diagram of it"])
        #expect(try find("\"a b c d e\"", ["x", "a", "b", "c", "d", "e", "f"]) == ["20 a b c d e"])
        #expect(try find("लड़क*", ["लड़की किताब"]) == ["0 लड़की किताब"])
    }

    @Test("a word is the same in a cue of ASCII and beside others", arguments: ["", " ü", " 数"])
    func letters(other: String) throws {
        let long = String(repeating: "a", count: 70)
        let cues = ["An EIGEN-value, 2x2_3", "eigenvalue", long].map { $0 + other }
        let found = cues.enumerated().map { "\($0.offset * 20) \($0.element)" }
        #expect(try find("eigen", cues) == [found[0]])
        #expect(try find("eig*", cues) == [found[0], found[1]])
        #expect(try find("\"value 2x2 3\"", cues) == [found[0]])
        #expect(try find("2x", cues) == [])
        #expect(try find(String(repeating: "a", count: 64), cues) == [found[2]])
        #expect(try find(String(repeating: "a", count: 63), cues) == [])
    }

    @Test("captions that roll are one place")
    func rolling() throws {
        #expect(try find("eigen", ["the eigen", "the eigen value", "eigen value"], step: 2) == ["0 the eigen"])
        #expect(try find("eigen", ["the eigen", "the eigen"], step: 30) == ["0 the eigen", "30 the eigen"])
    }

    @Test(
        "a file that was made to take long takes no longer than others",
        arguments: [
            ("x", [String(repeating: "<", count: 100_000) + "x"]),
            ("x", [String(repeating: "{\\", count: 50_000) + "x"]),
            ("x", [String(repeating: "<", count: 100_000) + "x>"]),
            ("\"a b\"", [String](repeating: "a-b", count: 20_000)),
            (
                "x",
                ["x " + String(repeating: "a", count: 400_000), String(repeating: "a", count: 200_000) + "b x"]
            ),
        ])
    func hostile(query: String, cues: [String]) throws {
        let begun = ContinuousClock.now
        #expect(try find(query, cues, step: 0)?.isEmpty == false)
        #expect(ContinuousClock.now - begun < .seconds(20))
    }

    @Test("titles are proven, too")
    func titles() throws {
        var moments = SubtitleMoments(try #require(SearchQuery("\"free body\"")))
        #expect(moments.proves("A Free-Body diagram") && !moments.proves("body free"))
    }
}
