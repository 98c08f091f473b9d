import Checkout
import Foundation
import Testing

/// Calls can be read aloud, and functions without scrolling.
@Suite("Calls and functions")
struct CallTests {
    static let files = Checkout.swiftFiles(under: "Sources") + Checkout.swiftFiles(under: "Plugins")
    static let mostUnlabelled = 3
    static let mostLines = 60
    static let mostColumns = 120

    private static let functions = Dictionary(
        files.map { ($0, SwiftFunctions((try? Checkout.text($0)) ?? "").all) }, uniquingKeysWith: +)

    @Test("a call has at most three arguments without a label", arguments: files)
    func labels(file: String) {
        for function in Self.functions[file] ?? [] {
            #expect(function.unlabelled <= Self.mostUnlabelled, "\(file):\(function.line): \(function.name)")
        }
    }

    @Test("a function has at most sixty lines", arguments: files)
    func lengths(file: String) {
        for function in Self.functions[file] ?? [] {
            #expect(function.length <= Self.mostLines, "\(file):\(function.line): \(function.name)")
        }
    }

    @Test("a line has at most 120 columns, in comments and strings, too", arguments: files)
    func columns(file: String) throws {
        let lines = try Checkout.text(file).split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() where line.utf8.count > Self.mostColumns {
            #expect(line.count <= Self.mostColumns, "\(file):\(number + 1)")
        }
    }

    @Test("nearly every file has functions")
    func found() {
        let functions = Self.functions.values.joined()
        #expect(functions.count > 4000)
        #expect(functions.contains { $0.unlabelled == Self.mostUnlabelled })
        #expect(functions.contains { $0.length > Self.mostLines - 10 })
    }

    @Test(
        "a function's parameters without a label are counted",
        arguments: [
            ("func f() {}", ["f": 0]), ("func f(_ a: A, b: B, c d: D) {}", ["f": 1]),
            ("init(_ a: A, _ b: [B: C] = [:], _ c: (_ d: D, _ e: E) -> F) {}", ["init": 3]),
            ("init?(_ a: A) { nil }", ["init": 1]),
            ("func f<T: P<Q>>(\n    _ a: A,\n    _ b: B<C, D>\n) -> T", ["f": 2]),
            ("static func < (_ a: A, _ b: A) -> Bool { true }", ["<": 2]),
            ("func f(_ a: @escaping (A) -> B = { _ in c }, _ b: B)", ["f": 2]),
            ("// func f(_ a: A)\nlet text = \"func g(_ a: A)\"", [:]),
            ("let t = \"\\(call(a, \"func g(_ b: B)\"))\"; func h(_ a: A) {}", ["h": 1]),
            ("x.init(_ y: Z); self.init(a, b)", [:]),
            ("func f(_ a: A) {\n    func g(_ b: B, _ c: C) {}\n}", ["f": 1, "g": 2]),
        ] as [(String, [String: Int])])
    func parameters(code: String, expected: [String: Int]) {
        let functions = SwiftFunctions(code).all
        #expect(Dictionary(functions.map { ($0.name, $0.unlabelled) }, uniquingKeysWith: +) == expected)
    }

    @Test(
        "the lines between a function's braces are counted",
        arguments: [
            ("func f() { a }", 0), ("func f() {\n    a\n}", 1),
            ("func f(\n    a: A\n) -> B\nwhere A: B {\n    a\n\n    b\n}", 3),
            ("func f() {\n    if a {\n        b\n    }\n}\nlet c = 1\n", 3), ("func f(a: A) -> B\nfunc", 0),
            ("func f() {\n    let t = \"\"\"\n        }\n        \"\"\"\n}", 3), ("func f() {\n    // }\n    a\n}", 2),
            ("func f() {\n    let t = #\"\\(}\"#\n}", 1),
        ])
    func bodies(code: String, lines: Int) { #expect(SwiftFunctions(code).all.first?.length == lines) }
}
