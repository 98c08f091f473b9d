import Testing

@testable import CommandOutput
@testable import CourseFetchCommands
@testable import Terminal

@Suite("Columns of text on a terminal")
struct DisplayWidthTests {
    @Test(
        "narrow, wide, combined and invisible",
        arguments: [
            ("", 0), ("plain", 5), ("線形代数", 8), ("양자역학", 8), ("ｆｕｌｌ", 8), ("ﾊﾝｶｸ", 4), ("Cafe\u{301}", 4), ("é", 1),
            ("🚀", 2), ("🧑🏽‍🚀", 2), ("👨‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("ñ", 1), ("नमस्ते", 4),
            ("\u{200B}", 0), ("a\u{AD}b", 3), ("한", 2), ("…", 1), ("━╾─", 3), ("✓✗", 2), ("א", 1), ("𝄞", 1), ("①", 1),
        ])
    func widths(text: String, expected: Int) {
        #expect(DisplayWidth.of(text) == expected)
    }

    @Test("text is cut at its end, in its middle, and never through a character")
    func cutting() {
        #expect(TerminalFormat.cut("Position", to: 8) == "Position")
        #expect(TerminalFormat.cut("Position", to: 5) == "Posi…")
        #expect(TerminalFormat.cut("線形代数", to: 6) == "線形…")
        #expect(TerminalFormat.cut("線形代数", to: 5) == "線形…")
        #expect(TerminalFormat.cut("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", to: 3) == "👨‍👩‍👧‍👦…")
        #expect(TerminalFormat.cut("Position", to: 2, mark: "...") == "..")
        #expect(TerminalFormat.fit("線形代数", to: 6) == "線形… ")
        #expect(TerminalFormat.cutMiddle("Course/01 Chapter/02 Video.mp4", to: 20) == "Course/0…2 Video.mp4")
        #expect(TerminalFormat.right("5%", to: 4) == "  5%")
    }

    @Test("control characters don't reach the terminal")
    func printable() {
        #expect(TerminalFormat.printable("a\u{1B}[31mb\u{7}\tc\nd\u{9B}2Je\u{202E}f") == "a�[31mb� c d�2Je�f")
        #expect(TerminalFormat.ascii("Größe") == "Gr??e")
        #expect(TerminalFormat.printableLines("a\nb\u{1B}") == ["a", "b�"])
    }

    @Test("long text is broken at blanks, a long word wherever necessary")
    func wrapping() {
        #expect(TerminalFormat.wrap("one two three", to: 8) == ["one two", "three"])
        #expect(TerminalFormat.wrap("incomprehensible", to: 8) == ["incompre", "hensible"])
        #expect(TerminalFormat.wrap("線形代数入門 x", to: 8) == ["線形代数", "入門 x"])
        #expect(TerminalFormat.wrap("", to: 8) == [""])
    }

    @Test(
        "the terminal's abilities are read from the environment",
        arguments: [
            (["TERM": "xterm", "LANG": "de_DE.UTF-8"], true, true), (["TERM": "xterm", "LANG": "C"], true, false),
            (["TERM": "xterm", "LANG": "C.utf8", "NO_COLOR": "1"], false, true),
            (["TERM": "xterm", "LANG": "C.utf8", "NO_COLOR": ""], true, true),
            (["TERM": "dumb", "LC_ALL": "C.UTF-8"], false, true),
            (["LC_ALL": "POSIX", "LANG": "C.UTF-8"], false, false),
        ])
    func style(environment: [String: String], color: Bool, unicode: Bool) {
        #expect(TerminalStyle(environment: environment) == TerminalStyle(hasColor: color, hasUnicode: unicode))
        #expect(TerminalStyle.canMoveCursor(environment: environment) == (environment["TERM"] == "xterm"))
    }

    @Test("bars are finer than a column and full only at the end")
    func bars() {
        let bar = ProgressBar(style: TerminalStyle(hasColor: false, hasUnicode: true))
        #expect(bar.filled(0, columns: 4) == "────")
        #expect(bar.filled(0.124, columns: 4) == "────")
        #expect(bar.filled(0.125, columns: 4) == "╾───")
        #expect(bar.filled(0.25, columns: 4) == "━───")
        #expect(bar.filled(0.999, columns: 4) == "━━━╾")
        #expect(bar.filled(1, columns: 4) == "━━━━")
        #expect(bar.filled(.nan, columns: 2) == "──")
        #expect(bar.filled(0.5, columns: 0) == "")
        #expect(bar.wandering(at: 0, columns: 8) == "━━──────")
        #expect(bar.wandering(at: 0.75, columns: 8) == "──────━━")
        #expect(bar.wandering(at: 1, columns: 8) == "────━━──")
        let ascii = ProgressBar(style: TerminalStyle(hasColor: false, hasUnicode: false))
        #expect(ascii.filled(0.5, columns: 10) == "[====>---]")
        #expect(ascii.filled(1, columns: 10) == "[========]")
        let color = ProgressBar(style: TerminalStyle(hasColor: true, hasUnicode: true))
        #expect(color.filled(0.5, columns: 4) == "\u{1B}[36m━━\u{1B}[0m\u{1B}[2m──\u{1B}[0m")
    }
}
