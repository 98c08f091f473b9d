import Checkout
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

    private static func reference(_ course: String, _ chapter: String?, _ video: String) -> VideoReference {
        VideoReference(course: course, chapter: chapter, video: video, title: "")
    }

    @Test(
        "course/video is the one video of that name, unless a chapter has the name or several videos have it",
        arguments: [
            ("phys101/velocity", "phys101/kinematics/velocity"), ("phys102/welcome", "phys102/*/welcome"),
            ("phys101/dynamics", "phys101/dynamics"), ("phys10?/newton", "phys101/dynamics/newton"),
            ("phys101/newt*", "phys101/newt*"), ("phys101/gone", "phys101/gone"), ("phys101", "phys101"),
        ])
    func settled(text: String, expected: String) throws {
        #expect(try Selector(text).settled(among: Self.videos).description == expected)
    }

    @Test("of several videos with that name all are listed, and none is taken")
    func ambiguous() throws {
        let videos = Self.videos + [Self.reference("phys101", "dynamics", "intro")]
        let selector = try Selector("phys101/intro")
        let meanings = [try Selector("phys101/kinematics/intro"), try Selector("phys101/dynamics/intro")]
        let ambiguous = AmbiguousSelector(selector: selector, meanings: meanings)
        #expect(throws: ambiguous) { try selector.settled(among: videos) }
        #expect(
            Refusal.selection(.ambiguous(ambiguous)).message == """
                several videos are called phys101/intro; name the chapter: phys101/kinematics/intro, phys101/dynamics/intro
                """)
        #expect(throws: Refusal.selection(.ambiguous(ambiguous))) {
            try Selection(selectors: [selector]).settled { () throws(Refusal) in videos }
        }
    }

    @Test("a selector with only one meaning doesn't ask for the videos")
    func notAsked() throws {
        let selection = Selection(selectors: [try Selector("a/*"), try Selector("a/b/c"), try Selector("title:a/b")])
        let settled = try selection.settled { () throws(Refusal) in throw .selection(.nothingYet) }
        #expect(settled == selection)
    }

    @Test(
        "picks by title, in any letter case, with globs; slashes, spaces and percent signs are plain",
        arguments: [
            ("title:velocity", ["velocity"]), ("title:N*", ["newton"]), ("title:\"in*tion\"", ["intro"]),
            ("title:'Odd'", ["50%?"]), ("title:*", ["intro", "velocity", "newton", "welcome", "50%?"]),
            ("title:velo", []),
        ])
    func titles(text: String, expected: [String]) throws {
        let selector = try Selector(text)
        #expect(Self.videos.filter(selector.matches).map(\.video) == expected)
        #expect(try Selector(selector.description) == selector)
        let odd = VideoReference(course: "a", chapter: nil, video: "v", title: "50 % of A/B Tests")
        #expect(try Selector("title:50 % of a/b*").matches(odd))
    }

    @Test("a misspelt title has a suggestion; a course may be called title:x")
    func titleSuggestion() throws {
        #expect(try Selector("title:Velocty").suggestion(among: Self.videos)?.description == "title:Velocity")
        #expect(throws: SelectorError.emptyPart("title:")) { try Selector("title:\"\"") }
        let course = Selector(course: "title:x")
        #expect(course.description == "title%3Ax")
        #expect(try Selector(course.description) == course)
    }

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
        "invalid selectors are refused",
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
        "an id is quoted for the shell",
        arguments: [
            ("plain-1_a.b", "plain-1_a.b"), ("-rf", "%2Drf"), ("a/b", "a%2Fb"), ("50% *?[", "50%25%20%2A%3F%5B"),
            ("it's $HOME; `x`", "it%27s%20%24HOME%3B%20%60x%60"), ("線形代数", "線形代数"),
            ("a\u{A0}b\u{202E}", "a%C2%A0b%E2%80%AE"),
            ("~", "%7E"), ("", ""),
        ])
    func encoding(id: String, expected: String) {
        #expect(Glob.encoded(id) == expected)
    }

    @Test("a selector printed by status reads back as exactly that video")
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
        guard let corpus = Corpora.url("names"), let data = try? Data(contentsOf: corpus.appending(path: "blns.json"))
        else {
            print("skipped: no corpora beside the checkout, and COURSEFETCH_CORPORA is not set")
            return
        }
        let names = try JSONDecoder().decode([String].self, from: data).filter { !$0.isEmpty }
        #expect(names.count > 100)
        for name in names {
            let text = Selector(course: name, chapter: name).description
            let selector = try Selector(text)
            #expect(selector.matches(Self.reference(name, name, "v")))
            #expect(!selector.matches(Self.reference(name + "x", name, "v")))
            let quoting = CharacterSet(charactersIn: " \t\n'\"\\$`&;|<>(){}*?[]!#~")
            #expect(text.rangeOfCharacter(from: quoting) == nil, "\(text) needs quotes in a shell")
        }
    }

    @Test(
        "suggests similar names",
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

    @Test("says so when nothing is similar")
    func unmatched() throws {
        #expect(try UnmatchedSelector(Selector("zoology"), among: Self.videos).message == "no video matches zoology")
        #expect(
            try UnmatchedSelector(Selector("catalog.yaml"), among: Self.videos).message
                == "no video matches catalog.yaml; a selector names courses, chapters or videos, such as phys101 or phys101/*, "
                + "not a catalog")
        #expect(
            try UnmatchedSelector(Selector("phys101/dinamics"), among: Self.videos).message
                == "no video matches phys101/dinamics; did you mean phys101/dynamics?")
    }

    @Test("a pattern full of stars costs no exponential time")
    func stars() throws {
        let selector = try Selector(String(repeating: "*a", count: 40) + "b")
        #expect(!selector.matches(Self.reference(String(repeating: "a", count: 2000), nil, "v")))
    }

    @Test("a selection takes selectors and states together")
    func selections() throws {
        let selection = Selection(selectors: [try Selector("phys101"), try Selector("phys102")], states: [.failed])
        #expect(selection.contains(Self.reference("phys102", nil, "welcome"), state: .failed))
        #expect(!selection.contains(Self.reference("phys102", nil, "welcome"), state: .finished))
        #expect(!selection.contains(Self.reference("chem", nil, "x"), state: .failed))
        #expect(Selection().contains(Self.reference("chem", "c", "x"), state: .cancelled))
    }
}
