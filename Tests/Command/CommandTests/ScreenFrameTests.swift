import Testing

@testable import CommandOutput
@testable import CourseFetchCommands
@testable import Terminal

@Suite("Frames on a terminal")
struct ScreenFrameTests {
    private static let size = TerminalSize(columns: 80, rows: 24)
    private static let open = "\u{1B}[?2026h\u{1B}[?25l\u{1B}[?7l"
    private static let close = "\r\u{1B}[?7h\u{1B}[?2026l"

    @Test("the first frame, one that is the same, and one in which a line has changed")
    func frames() {
        var frame = ScreenFrame(reflows: true)
        #expect(
            frame.frame(scrolled: [], live: ["one", "two"], size: Self.size) == Self.open + "\r\u{1B}[Jone\r\ntwo"
                + Self.close)
        #expect(frame.frame(scrolled: [], live: ["one", "two"], size: Self.size) == nil)
        #expect(
            frame.frame(scrolled: [], live: ["one", "TWO"], size: Self.size)
                == Self.open + "\r\u{1B}[1A\r\n\u{1B}[KTWO" + Self.close)
    }

    @Test("final lines are printed above, where the terminal may wrap them")
    func scrolling() {
        var frame = ScreenFrame(reflows: true)
        _ = frame.frame(scrolled: [], live: ["one", "two", "three"], size: Self.size)
        #expect(
            frame.frame(scrolled: ["done"], live: ["two", "three"], size: Self.size)
                == Self.open + "\r\u{1B}[2A\u{1B}[J\u{1B}[?7hdone\r\n\u{1B}[?7ltwo\r\nthree" + Self.close)
    }

    @Test("after a resize it begins at the new position of the first line", arguments: [(true, 2), (false, 1)])
    func reflow(reflows: Bool, up: Int) {
        var frame = ScreenFrame(reflows: reflows)
        let wide = "\u{1B}[36m" + String(repeating: "━", count: 79) + "\u{1B}[0m"
        _ = frame.frame(scrolled: [], live: [wide, wide], size: Self.size)
        let text = frame.frame(scrolled: [], live: ["x"], size: TerminalSize(columns: 40, rows: 24))
        #expect(text == Self.open + "\r\u{1B}[\(up)A\u{1B}[Jx" + Self.close)
    }

    @Test("at the end the live lines are removed and the cursor is back")
    func ending() {
        var frame = ScreenFrame(reflows: true)
        _ = frame.frame(scrolled: [], live: ["one", "two"], size: Self.size)
        #expect(
            frame.end(scrolled: ["last"], size: Self.size) == "\r\u{1B}[1A\u{1B}[J\u{1B}[?7hlast\r\n\u{1B}[?25h")
        #expect(
            frame.frame(scrolled: [], live: ["again"], size: Self.size) == Self.open + "\r\u{1B}[Jagain" + Self.close)
    }
}
