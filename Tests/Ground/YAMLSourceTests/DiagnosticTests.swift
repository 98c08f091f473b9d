import Testing
import YAMLSource

@Suite("Diagnostics of a YAML text") struct DiagnosticTests {
    private func report(_ text: String) -> String { report(bytes: Array(text.utf8)) }

    private func report(bytes: [UInt8]) -> String {
        do {
            return try YAMLNode.parse(bytes: bytes, file: "t.yaml").json
        } catch {
            return error.diagnostics.map(\.text).joined(separator: "\n")
        }
    }

    @Test(
        "invalid YAML is reported in plain words, with the line and a caret",
        arguments: [
            ("a: 1\n\tb: 2\n", "t.yaml:2:1: error: a tab can't indent or separate here; use spaces\n     b: 2\n    ^"),
            (
                "a: b: c\n",
                "t.yaml:1:5: error: a ': ' isn't allowed here; put the value in quotes, or the key on a line of its own\n"
                    + "    a: b: c\n        ^"
            ),
            (
                "a: 1\n b: 2\n",
                "t.yaml:2:3: error: a ': ' isn't allowed here; put the value in quotes, or the key on a line of its own\n"
                    + "     b: 2\n      ^"
            ),
            (
                "a:\n  - x\n  y: 1\n",
                "t.yaml:3:3: error: a '- ' was expected here; is it indented like the list above? "
                    + "(in the list that begins on line 2)\n      y: 1\n      ^"
            ),
            (
                "a: [1, 2\nb: 3\n",
                "t.yaml:2:2: error: a ',' or ']' was expected here (in the […] that begins on line 1)\n    b: 3\n     ^"
            ),
            (
                "a: \"x\n",
                "t.yaml:2:1: error: the file ends in the middle of this (in the quoted text that begins on line 1)"
            ),
            (
                "a: \"\\q\"\n",
                "t.yaml:1:5: error: this escape doesn't exist; write '\\\\' for a backslash, or use single quotes\n"
                    + "    a: \"\\q\"\n        ^"
            ),
            (
                "a: @x\n",
                "t.yaml:1:4: error: this character can't begin a value; put the value in quotes\n    a: @x\n       ^"
            ),
            (
                "a: !foo x\n",
                "t.yaml:1:4: error: the tag !foo has no meaning here; if the ! is part of the value, quote it\n"
                    + "    a: !foo x\n       ^"
            ),
            ("a: !!int [1]\n", "t.yaml:1:4: error: the tag !!int doesn't fit this value\n    a: !!int [1]\n       ^"),
            (
                "a: !!int x\n",
                "t.yaml:1:4: error: the tag asks for an integer, but this is x; quote it to keep it as text\n"
                    + "    a: !!int x\n       ^"
            ),
            (
                "a: *b\nc: 1\nc: 2\n",
                "t.yaml:1:4: error: there is no &b before this alias\n    a: *b\n       ^\n"
                    + "t.yaml:3:1: error: the key 'c' is used twice in this mapping, first on line 2; keep one of them\n"
                    + "    c: 2\n    ^"
            ),
            (
                "a: &base 1\nb: *bsae\n",
                "t.yaml:2:4: error: there is no &bsae before this alias; did you mean '*base'?\n    b: *bsae\n       ^"
            ),
            (
                "a: &a [*a]\n",
                "t.yaml:1:8: error: *a is inside &a and would repeat itself forever\n    a: &a [*a]\n           ^"
            ),
            ("<<: 1\n", "t.yaml:1:5: error: << takes a mapping, or a list of mappings\n    <<: 1\n        ^"),
            ("[a]: 1\n", "t.yaml:1:1: error: a key must be text\n    [a]: 1\n    ^"),
            (
                "a: -.INF\n",
                "t.yaml:1:4: error: -.INF is a number that JSON can't express; quote it to keep it as text\n"
                    + "    a: -.INF\n       ^"
            ),
            (
                "a: 1e999\n",
                "t.yaml:1:4: error: 1e999 is a number that JSON can't express; quote it to keep it as text\n"
                    + "    a: 1e999\n       ^"
            ),
            (
                "a: 9007199254740993\n",
                "t.yaml:1:4: error: 9007199254740993 is an integer beyond ±2^53, which JSON readers round; "
                    + "quote it to keep it as text\n    a: 9007199254740993\n       ^"
            ),
            (
                "a: 1\n---\nb: 2\n",
                "t.yaml:3:1: error: a second document begins here; only one is allowed\n    b: 2\n    ^"
            ),
            (
                "a: \u{7}\n",
                "t.yaml:1:4: error: the control character U+7 isn't allowed; write it as an escape in double quotes\n    a: ␇\n       ^"
            ),
        ])
    func messages(text: String, expected: String) {
        #expect(report(text) == expected)
    }

    @Test("a byte that isn't UTF-8 is reported at its place")
    func invalidUTF8() {
        #expect(
            report(bytes: Array("ä: 1\nb: x".utf8) + [0xFF, 0x0A])
                == "t.yaml:2:5: error: invalid UTF-8 (invalid leading UTF-8 octet); save the file as UTF-8\n    b: x<FF>\n        ^"
        )
    }

    @Test("UTF-16 is refused, a UTF-8 byte order mark is not")
    func byteOrderMarks() {
        #expect(
            report(bytes: [0xFF, 0xFE, 0x61, 0]).hasPrefix("t.yaml:1:1: error: the file is UTF-16; save it as UTF-8"))
        #expect(report(bytes: [0xEF, 0xBB, 0xBF] + Array("a: 1".utf8)) == #"{"a":1}"#)
        #expect(
            report(bytes: [0xEF, 0xBB, 0xBF] + Array("a: .nan".utf8))
                == "t.yaml:1:4: error: .nan is a number that JSON can't express; quote it to keep it as text\n    a: .nan\n       ^"
        )
    }

    @Test(
        "the source line is safe to print and the caret is under the place",
        arguments: [
            ("日本: x", 5, "日本: x", 6),
            ("e\u{301}: x", 4, "e\u{301}: x", 2),
            ("a\tb", 3, "a b", 2),
            ("a\u{1B}[2Jb", 6, "a␛[2Jb", 5),
            ("a\u{202E}b", 3, "a<U+202E>b", 9),
            ("x\u{85}y", 1, "x", 0),
            ("👩‍👩‍👧 x", 7, "👩‍👩‍👧 x", 7),
        ])
    func excerpts(text: String, column: Int, line: String, indent: Int) throws {
        let bytes = Array(text.utf8)
        let excerpt = try #require(
            bytes.withUnsafeBytes { SourceExcerpt(of: SourcePosition(line: 1, column: column), in: $0) })
        #expect(excerpt.line == line)
        #expect(excerpt.indent == indent)
    }

    @Test("a long line is cut around the place", arguments: [1, 50, 110, 111, 5000, 9950, 10_000])
    func longLines(column: Int) throws {
        let bytes =
            [UInt8](repeating: 0x78, count: column - 1) + Array("!".utf8)
            + [UInt8](repeating: 0x79, count: 10_000 - column)
        let excerpt = try #require(
            bytes.withUnsafeBytes { SourceExcerpt(of: SourcePosition(line: 1, column: column), in: $0) })
        #expect(excerpt.line.count <= SourceExcerpt.widest + 2)
        #expect(Array(excerpt.line)[excerpt.indent] == "!")
    }

    @Test("lines are counted as libyaml counts them")
    func lineBreaks() throws {
        let bytes = Array("a\r\nb\rc\u{85}d\u{2028}e\nf: x".utf8)
        for (line, text) in [(1, "a"), (2, "b"), (3, "c"), (4, "d"), (5, "e"), (6, "f: x")] {
            let excerpt = bytes.withUnsafeBytes { SourceExcerpt(of: SourcePosition(line: line, column: 1), in: $0) }
            #expect(excerpt?.line == text)
        }
        #expect(bytes.withUnsafeBytes { SourceExcerpt(of: SourcePosition(line: 7, column: 1), in: $0) } == nil)
    }

    @Test("the same mistake, repeated by an alias, is reported once")
    func repeatedByAlias() {
        #expect(report("a: &a {x: .nan}\nb: *a\nc: [*a, *a]\n").split(separator: "\n").count == 3)
    }

    @Test(
        "similar names are suggested", arguments: [("titel", "title"), ("TITLE", "title"), ("vidoes", "videos")])
    func nearNames(name: String, expected: String) {
        #expect(NearestName.suggestion(for: name, among: ["id", "title", "videos"]) == expected)
        #expect(NearestName.suggestion(for: "unrelated", among: ["id", "title", "videos"]) == nil)
    }
}
