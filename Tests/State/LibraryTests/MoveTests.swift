import FileSystem
import Foundation
import LibraryFixture
import SystemPackage
import TestSupport
import Testing

@testable import MediaLibrary

@Suite("moves as one set")
struct MoveTests {
    struct Interrupted: Error {}

    /// Files before, moves, files after. Text is the file's name in the story.
    struct Story: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var before: [String: String]
        var moves: [(String, String)]
        var after: [String: String]
    }

    static let stories = [
        Story(
            testDescription: "a swap", before: ["C/01 A.mp4": "a", "C/02 B.mp4": "b"],
            moves: [("C/01 A.mp4", "C/02 B.mp4"), ("C/02 B.mp4", "C/01 A.mp4")],
            after: ["C/01 A.mp4": "b", "C/02 B.mp4": "a"]),
        Story(
            testDescription: "a cycle through folders", before: ["1/x": "a", "2/x": "b", "3/x": "c"],
            moves: [("1/x", "2/x"), ("2/x", "3/x"), ("3/x", "1/x")], after: ["2/x": "a", "3/x": "b", "1/x": "c"]),
        Story(
            testDescription: "a chain, with what lies beside",
            before: [
                "C/01 A.mp4": "a", "C/01 A.en.vtt": "at", "C/02 B.mp4": "b", "C/02 B.jpg": "bj", "C/03 D.mp4": "d",
            ],
            moves: [
                ("C/01 A.mp4", "C/02 A.mp4"), ("C/01 A.en.vtt", "C/02 A.en.vtt"), ("C/02 B.mp4", "C/03 B.mp4"),
                ("C/02 B.jpg", "C/03 B.jpg"), ("C/03 D.mp4", "C/04 D.mp4"),
            ],
            after: ["C/02 A.mp4": "a", "C/02 A.en.vtt": "at", "C/03 B.mp4": "b", "C/03 B.jpg": "bj", "C/04 D.mp4": "d"]),
        Story(
            testDescription: "a course renamed, and its old folder gone but for a stranger's file",
            before: ["Old/01 K/01 A.mp4": "a", "Old/01 K/02 B.mp4": "b", "Old/note.txt": "n"],
            moves: [("Old/01 K/01 A.mp4", "New/01 K/01 A.mp4"), ("Old/01 K/02 B.mp4", "New/01 K/02 B.mp4")],
            after: ["New/01 K/01 A.mp4": "a", "New/01 K/02 B.mp4": "b", "Old/note.txt": "n"]),
        Story(
            testDescription: "only the case changes", before: ["c/a.mp4": "a"], moves: [("c/a.mp4", "C/A.mp4")],
            after: ["C/A.mp4": "a"]),
        Story(
            testDescription: "a stranger at the target", before: ["C/01 A.mp4": "a", "C/02 A.mp4": "stranger"],
            moves: [("C/01 A.mp4", "C/02 A.mp4")], after: ["C/02 A.mp4": "stranger", "C/02 A [2].mp4": "a"]),
        Story(
            testDescription: "a file that is missing", before: ["C/01 A.mp4": "a"],
            moves: [("C/01 A.mp4", "C/02 B.mp4"), ("C/02 B.mp4", "C/01 A.mp4")], after: ["C/02 B.mp4": "a"]),
        Story(
            testDescription: "a file where a folder is needed", before: ["C/01 A.mp4": "a", "D": "stranger"],
            moves: [("C/01 A.mp4", "D/01 A.mp4")], after: ["C/01 A.mp4": "a", "D": "stranger"]),
    ]

    func world(_ story: Story) throws -> (TemporaryFolder, LibraryFolder, MovePlan) {
        let temporary = TemporaryFolder()
        for (path, text) in story.before { try temporary.write(text, to: "library/" + path) }
        let plan = try #require(try MovePlan.plan(story.moves.map { (from: $0.0, to: $0.1) }))
        return (temporary, try .testing(temporary.at("library")), plan)
    }

    @Test("every file ends in its place", arguments: stories)
    func straight(_ story: Story) throws {
        let (temporary, library, plan) = try world(story)
        let results = try library.moves.carryOut(plan)
        #expect(temporary.files(under: "library") == story.after)
        try check(results, plan, story)
        try library.moves.forgetMarks(besides: [])
        #expect(!temporary.names().contains { $0.hasPrefix("library/.coursefetch/moving/") })
        if story.testDescription.hasPrefix("a course renamed") { #expect(!temporary.has("library/Old/01 K")) }
    }

    @Test("files that were collected go back if their mark can't be written, as on a full disk", arguments: stories)
    func unmarked(_ story: Story) throws {
        let (temporary, library, plan) = try world(story)
        let obstacle = "library/.coursefetch/moving/\(MoveMarker.fileName(of: plan.id)).new"
        try temporary.make(obstacle)
        for (move, result) in zip(plan.moves, try library.moves.carryOut(plan)) {
            switch result {
            case .stayed(move.from, .system(.write, _, _)): #expect(story.before[move.from] != nil)
            case .missing: #expect(story.before[move.from] == nil)
            default: Issue.record("\(result)")
            }
        }
        #expect(temporary.files(under: "library") == story.before)
        try FileManager.default.removeItem(atPath: temporary.at(obstacle).string)
        _ = try library.moves.carryOut(plan)
        #expect(temporary.files(under: "library") == story.after)
    }

    @Test("interrupted after any step, twice, and run again, the result is the same", arguments: stories)
    func interrupted(_ story: Story) throws {
        var first = 0
        while true {
            var second = 0
            while true {
                let (temporary, library, plan) = try world(story)
                let recorded = plan.moves.shuffled()
                guard try interrupt(library, plan, after: first) else { return }
                // A process of its own knows only what was recorded.
                let again = try LibraryFolder.testing(temporary.at("library"))
                let known = try #require(MovePlan.plans(recorded: recorded).first)
                let isCutAgain = try interrupt(again, known, after: second)
                let last = try LibraryFolder.testing(temporary.at("library"))
                let results = try last.moves.carryOut(known)
                #expect(temporary.files(under: "library") == story.after, "cut after \(first), then \(second)")
                try check(results, known, story)
                #expect(try last.stranded.files(besides: []).isEmpty)
                // And once more, as if the transaction had not committed.
                try check(try last.moves.carryOut(known), known, story)
                #expect(temporary.files(under: "library") == story.after)
                if !isCutAgain { break }
                second += 1
            }
            first += 1
        }
    }

    @Test("interrupted after any step, the place of each file is known", arguments: stories)
    func whereabouts(_ story: Story) throws {
        for steps in 0... {
            let (temporary, library, plan) = try world(story)
            let isCut = try interrupt(library, plan, after: steps)
            let before = temporary.names()
            let places = try LibraryFolder.testing(temporary.at("library")).moves.whereabouts(of: plan)
            #expect(temporary.names() == before)
            for move in plan.moves {
                let text = places[move.from].flatMap { temporary.read("library/" + $0) }
                #expect(text == story.before[move.from], "\(move.from), cut after \(steps)")
            }
            if !isCut { return }
        }
    }

    /// False if the run ended before that many steps were done.
    private func interrupt(_ library: LibraryFolder, _ plan: MovePlan, after steps: Int) throws -> Bool {
        var left = steps
        do {
            _ = try library.moves.carryOut(plan) { () throws(LibraryError) in
                if left == 0 { throw LibraryError.stopped }
                left -= 1
            }
            return false
        } catch LibraryError.stopped {
            return true
        }
    }

    private func check(_ results: [MoveResult], _ plan: MovePlan, _ story: Story) throws {
        #expect(results.count == plan.moves.count)
        for (move, result) in zip(plan.moves, results) {
            switch result {
            case .moved(let path), .stayed(let path, _): #expect(story.after[path] == story.before[move.from])
            case .missing: #expect(story.before[move.from] == nil)
            case .unfinished: Issue.record("\(move.from) is unfinished")
            }
        }
    }

    @Test(
        "a killed process leaves every file complete, and the next one finishes",
        arguments: ["renameat2", "fsync", "openat"])
    func killed(call: String) async throws {
        try await Tool.strace.require()
        let story = Self.stories[2]
        for count in 1... {
            let (temporary, _, plan) = try world(story)
            try JSONEncoder().encode(plan.moves).write(to: URL(filePath: temporary.at("plan.json").string))
            let step = Built.executable("library-step").string
            let arguments = ["moves", temporary.at("library").string, temporary.at("plan.json").string]
            let inject = ["-f", "-o", "/dev/null", "-e", "inject=\(call):signal=KILL:when=\(count)", step] + arguments
            let wasKilled = try await !Tool.strace.run(inject).isSuccess
            let after = try await Tool.run(step, arguments)
            #expect(after.isSuccess, "\(after.output)")
            #expect(temporary.files(under: "library") == story.after, "killed at \(call) \(count)")
            guard wasKilled, count < 60 else { break }
        }
    }

    @Test("the mark of an earlier plan doesn't affect a later one that looks the same")
    func staleMark() throws {
        let (temporary, library, plan) = try world(Self.stories[0])
        _ = try library.moves.carryOut(plan)
        // The transaction committed, and a kill came before the mark went.
        let back = try #require(try MovePlan.plan(plan.moves.map { (from: $0.from, to: $0.to) }))
        _ = try library.moves.carryOut(back)
        #expect(temporary.files(under: "library") == Self.stories[0].before)
    }

    @Test("files that no plan knows are reported, and never touched")
    func stranded() throws {
        let (temporary, library, plan) = try world(Self.stories[0])
        try temporary.write("lost", to: "library/.coursefetch/moving/0123456789abcdef-3")
        _ = try library.moves.carryOut(plan)
        #expect(try library.stranded.files(besides: [plan]) == [".coursefetch/moving/0123456789abcdef-3"])
        #expect(temporary.read("library/.coursefetch/moving/0123456789abcdef-3") == "lost")
    }

    @Test("a link in the way of one move doesn't affect the others")
    func link() throws {
        let temporary = TemporaryFolder()
        try temporary.make("outside")
        try temporary.write("a", to: "library/C/a")
        try temporary.write("b", to: "library/C/b")
        try temporary.link("library/L", to: temporary.at("outside").string)
        let library = try LibraryFolder.testing(temporary.at("library"))
        let plan = try #require(
            try MovePlan.plan([(from: "C/a", to: "L/a"), (from: "C/b", to: "D/b"), (from: "L/x", to: "E/x")]))
        let leadsOut = LibraryError.leadsOut(path: "L")
        #expect(
            try library.moves.carryOut(plan) == [.stayed("C/a", leadsOut), .moved("D/b"), .stayed("L/x", leadsOut)])
        #expect(temporary.files(under: "library") == ["C/a": "a", "D/b": "b"])
        #expect(temporary.files(under: "outside").isEmpty)
    }

    @Test("a file that was collected before a kill is not forgotten when a link has taken its place")
    func linkAfterCollecting() throws {
        let (temporary, library, plan) = try world(Self.stories[4])
        #expect(try interrupt(library, plan, after: 0))
        #expect(!temporary.has("library/c/a.mp4"))
        try temporary.link("library/c/a.mp4", to: "/")
        #expect(try library.moves.carryOut(plan) == [.moved("C/A.mp4")])
        #expect(temporary.files(under: "library") == ["C/A.mp4": "a"])
        #expect(try library.stranded.files(besides: []).isEmpty)
    }

    @Test("a file that can go neither way stays in moving/, known, and affects neither its plan nor others")
    func neitherWay() throws {
        let temporary = TemporaryFolder()
        for path in ["A/x", "B/y", "C/z"] { try temporary.write(path, to: "library/" + path) }
        let library = try LibraryFolder.testing(temporary.at("library"))
        let plan = try #require(try MovePlan.plan([(from: "A/x", to: "D/x"), (from: "B/y", to: "D/y")]))
        #expect(try interrupt(library, plan, after: 2))
        // Neither folder is one any more.
        for name in ["A", "B"] { try FileManager.default.removeItem(atPath: temporary.at("library/\(name)").string) }
        try temporary.write("in the way", to: "library/A")
        try temporary.write("in the way", to: "library/D")
        let again = try LibraryFolder.testing(temporary.at("library"))
        let results = try again.moves.carryOut(plan)
        #expect(results == [.unfinished(.notAFolder(path: "D")), .stayed("B/y", .notAFolder(path: "D"))])
        #expect(try again.moves.whereabouts(of: plan)["A/x"] == ".coursefetch/moving/\(plan.moves[0].id)")

        // Another plan is carried out and ended meanwhile.
        let other = try #require(try MovePlan.plan([(from: "C/z", to: "E/z")]))
        #expect(try again.moves.carryOut(other) == [.moved("E/z")])
        let left = MovePlan.plans(recorded: [plan.moves[0]])
        #expect(try again.stranded.files(besides: left).isEmpty)
        try again.moves.forgetMarks(besides: left)

        try FileManager.default.removeItem(atPath: temporary.at("library/D").string)
        let last = try LibraryFolder.testing(temporary.at("library"))
        #expect(try last.moves.carryOut(left[0]) == [.moved("D/x")])
        try last.moves.forgetMarks(besides: [])
        #expect(temporary.files(under: "library") == ["A": "in the way", "B/y": "B/y", "D/x": "A/x", "E/z": "C/z"])
        #expect(!temporary.names().contains { $0.hasPrefix("library/.coursefetch/moving/") })
    }

    @Test("moves that conflict are not planned together")
    func planning() throws {
        #expect(throws: MovePlanError.fromTwice("a")) {
            try MovePlan.plan([(from: "a", to: "b"), (from: "a", to: "c")])
        }
        #expect(throws: MovePlanError.toTwice("B")) { try MovePlan.plan([(from: "a", to: "b"), (from: "c", to: "B")]) }
        #expect(try MovePlan.plan([(from: "a", to: "a")]) == nil)
        #expect(MovePlan.plans(recorded: []).isEmpty)
        let one = try #require(try MovePlan.plan([(from: "a", to: "b")]))
        let two = try #require(try MovePlan.plan([(from: "a", to: "b")]))
        #expect(one.id != two.id && one.moves[0].id != two.moves[0].id)
        #expect(MovePlan.plans(recorded: two.moves + one.moves) == [one, two].sorted { $0.id < $1.id })
    }

    @Test("a mark survives its text form; a truncated one is invalid")
    func mark() {
        var mark = MoveMarker()
        mark.collected = ["x-0": .file(size: 1, modified: -5), "x-1": .missing, "x-2": .stayed]
        #expect(MoveMarker(text: mark.text) == mark)
        for count in 0..<mark.text.count { #expect(MoveMarker(text: String(mark.text.prefix(count))) == nil) }
        #expect(MoveMarker(text: "a b c\nend\n") == nil)
    }

    @Test(
        "a number is inserted before the extension",
        arguments: [
            ("A/b.mp4", "A/b [2].mp4"), ("b", "b [2]"), ("A.x/b", "A.x/b [2]"), ("A/b.en.vtt", "A/b.en [2].vtt"),
        ])
    func numbers(path: String, numbered: String) {
        #expect(LibraryPath.numbered(path, 2) == numbered)
        #expect(LibraryPath.numbered(path, 1) == path)
    }
}
