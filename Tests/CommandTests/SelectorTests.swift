import CommandOutput
import DownloadStore
import Foundation
import SyncFacts
import Testing

@Suite("Selectors")
struct SelectorTests {
    private static let videos = [
        VideoReference(course: "phys101", chapter: "kinematics", video: "intro", title: "Introduction"),
        VideoReference(course: "phys101", chapter: "kinematics", video: "velocity", title: "Velocity"),
        VideoReference(course: "phys101", chapter: "dynamics", video: "newton", title: "Newton"),
        VideoReference(course: "phys102", chapter: nil, video: "welcome", title: "Welcome"),
        VideoReference(course: "a/b c*", chapter: "[1]", video: "50%?", title: "Odd"),
    ]

    @Test(
        "picks by course, chapter and video, with globs in any part",
        arguments: [
            ("phys101", ["intro", "velocity", "newton"]), ("phys101/kinematics", ["intro", "velocity"]),
            ("phys101/*/newton", ["newton"]), ("phys101/kinematics/intro", ["intro"]),
            ("phys*", ["intro", "velocity", "newton", "welcome"]),
            ("phys10?/*/*o*", ["intro", "velocity", "newton", "welcome"]),
            ("phys10[2-9]", ["welcome"]), ("phys10[!2]/d*", ["newton"]), ("phys10[^2]/d*", ["newton"]),
            ("phys102/*/welcome", ["welcome"]), ("phys102/?*", []), ("phys102/welcome", []), ("PHYS101", []),
            ("a%2Fb%20c%2A", ["50%?"]), ("a%2fb%20c*/%5B1%5D/50%25%3F", ["50%?"]), ("a*c%2A/[[]1]", ["50%?"]),
            ("*", ["intro", "velocity", "newton", "welcome", "50%?"]), ("**/**/**ro", ["intro"]), ("phys101/[]x]", []),
        ])
    func matching(text: String, expected: [String]) throws {
        let selector = try Selector(text)
        #expect(Self.videos.filter(selector.matches).map(\.video) == expected)
    }

    @Test(
        "refuses what is no selector",
        arguments: [
            ("", SelectorError.empty), ("a//b", .emptyPart("a//b")), ("/a", .emptyPart("/a")), ("a/", .emptyPart("a/")),
            ("a/b/c/d", .tooManyParts("a/b/c/d")), ("50%", .badPercentEncoding("50%")),
            ("50%2", .badPercentEncoding("50%2")), ("%zz", .badPercentEncoding("%zz")),
            ("%ff", .badPercentEncoding("%ff")), ("a[b", .openBracket("a[b")), ("a[]", .openBracket("a[]")),
        ])
    func refusing(text: String, expected: SelectorError) {
        #expect(throws: expected) { try Selector(text) }
    }

    @Test(
        "an id is written so that a shell leaves it alone",
        arguments: [
            ("plain-1_a.b", "plain-1_a.b"), ("-rf", "%2Drf"), ("a/b", "a%2Fb"), ("50% *?[", "50%25%20%2A%3F%5B"),
            ("it's $HOME; `x`", "it%27s%20%24HOME%3B%20%60x%60"), ("線形代数", "線形代数"),
            ("a\u{A0}b\u{202E}", "a%C2%A0b%E2%80%AE"),
            ("~", "%7E"), ("", ""),
        ])
    func encoding(id: String, expected: String) {
        #expect(Glob.encoded(id) == expected)
    }

    @Test("what status prints reads back as exactly that video")
    func roundTrip() throws {
        for reference in Self.videos {
            let again = try Selector(Selector(reference).description)
            #expect(again == Selector(reference))
            #expect(Self.videos.filter(again.matches) == [reference])
        }
        #expect(Selector(Self.videos[3]).description == "phys102/*/welcome")
        #expect(try Selector("phys[0-9a]?/*/x[!%2Dy]").description == "phys[0-9a]?/*/x[!%2Dy]")
    }

    @Test("the naughty strings survive as ids")
    func naughtyStrings() throws {
        let corpora = URL(
            fileURLWithPath: ProcessInfo.processInfo.environment["COURSEFETCH_CORPORA"]
                ?? URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../shared/corpora").standardized
                .path)
        guard let data = try? Data(contentsOf: corpora.appendingPathComponent("names/blns.json")) else {
            print("skipped: no corpora beside the checkout, and COURSEFETCH_CORPORA is not set")
            return
        }
        let names = try JSONDecoder().decode([String].self, from: data).filter { !$0.isEmpty }
        #expect(names.count > 100)
        for name in names {
            let text = Selector(course: name, chapter: name).description
            let selector = try Selector(text)
            #expect(selector.matches(course: name, chapter: name, video: "v"))
            #expect(!selector.matches(course: name + "x", chapter: name, video: "v"))
            let quoting = CharacterSet(charactersIn: " \t\n'\"\\$`&;|<>(){}*?[]!#~")
            #expect(text.rangeOfCharacter(from: quoting) == nil, "\(text) needs quotes in a shell")
        }
    }

    @Test(
        "suggests what was probably meant",
        arguments: [
            ("phys110", "phys101"), ("phys101/kinematic", "phys101/kinematics"),
            ("phys101/*/velocty", "phys101/*/velocity"), ("phys101/kinematics/itnro", "phys101/kinematics/intro"),
            ("phys101/intro", "phys101/kinematics/intro"), ("phys101/newtn", "phys101/*/newton"),
            ("kinematics", "phys101/kinematics"), ("newton", "phys101/dynamics/newton"),
            ("phys102/welcome", "phys102/*/welcome"),
        ])
    func suggesting(text: String, expected: String) throws {
        #expect(try Selector(text).suggestion(among: Self.videos)?.description == expected)
    }

    @Test("says so when nothing is near")
    func unmatched() throws {
        #expect(try UnmatchedSelector(Selector("zoology"), among: Self.videos).message == "no video matches zoology")
        #expect(
            try UnmatchedSelector(Selector("phys101/dinamics"), among: Self.videos).message
                == "no video matches phys101/dinamics; did you mean phys101/dynamics?")
    }

    @Test("a pattern full of stars costs no exponential time")
    func stars() throws {
        let selector = try Selector(String(repeating: "*a", count: 40) + "b")
        #expect(!selector.matches(course: String(repeating: "a", count: 2000), chapter: nil, video: "v"))
    }

    @Test("a selection takes selectors and states together")
    func selections() throws {
        let selection = Selection(selectors: [try Selector("phys101"), try Selector("phys102")], states: [.failed])
        #expect(selection.contains(course: "phys102", chapter: nil, video: "welcome", state: .failed))
        #expect(!selection.contains(course: "phys102", chapter: nil, video: "welcome", state: .finished))
        #expect(!selection.contains(course: "chem", chapter: nil, video: "x", state: .failed))
        #expect(Selection().contains(course: "chem", chapter: "c", video: "x", state: .cancelled))
    }
}
