/// Draws lines on a terminal: knows its own current lines and replaces them.
///
/// Pure: returns the text to write. Lines may contain colours and moves to a column; no live line may be wider than the
/// terminal, but a scrolled one may, and is wrapped by it.
package struct ScreenFrame: Sendable {
    /// The live lines on the terminal. The cursor is at the beginning of the last one: there the `^C` echoed by a
    /// terminal can't push it to another line.
    private var shown: [String] = []
    private var size: TerminalSize?
    /// Whether the terminal rewraps long lines when it gets narrower, as nearly all do.
    package let reflows: Bool

    package init(reflows: Bool) { self.reflows = reflows }

    /// Whether the terminal described by these variables rewraps long lines.
    package static func reflows(_ environment: [String: String]) -> Bool {
        environment["XTERM_VERSION"] == nil && environment["TERM"] != "linux"
    }

    /// Whether it has lines on the terminal.
    package var isShowing: Bool { !shown.isEmpty }

    /// The text that puts `scrolled` above and `live` below, or nil if the terminal already shows exactly that.
    package mutating func frame(scrolled: [String], live: [String], size: TerminalSize) -> String? {
        guard !scrolled.isEmpty || live != shown || size != self.size else { return nil }
        var text = "\u{1B}[?2026h\u{1B}[?25l\u{1B}[?7l" + toTop(at: size)
        if scrolled.isEmpty, size == self.size, live.count == shown.count {
            for (index, line) in live.enumerated() {
                let isLast = index == live.count - 1
                // The last one is where the terminal may have echoed a key.
                if isLast || line != shown[index] { text += "\u{1B}[K" + line }
                if !isLast { text += "\r\n" }
            }
        } else {
            // Without remaining old lines, erasing first is invisible: the frame appears at once.
            text += "\u{1B}[J"
            if !scrolled.isEmpty { text += "\u{1B}[?7h" + scrolled.map { $0 + "\r\n" }.joined() + "\u{1B}[?7l" }
            text += live.joined(separator: "\r\n")
        }
        text += "\r\u{1B}[?7h\u{1B}[?2026l"
        shown = live
        self.size = size
        return text
    }

    /// The text that removes the live lines, writes `scrolled` in their place and shows the cursor again.
    package mutating func end(scrolled: [String], size: TerminalSize) -> String {
        defer { shown = [] }
        return toTop(at: size) + "\u{1B}[J\u{1B}[?7h" + scrolled.map { $0 + "\r\n" }.joined() + "\u{1B}[?25h"
    }

    /// Moves to the beginning of the first live line, wherever a resize has moved it.
    private func toTop(at size: TerminalSize) -> String {
        let above = shown.dropLast()
        var rows = above.count
        if reflows, let old = self.size, size.columns < old.columns {
            rows = above.reduce(0) { rows, line in
                let width = DisplayWidth.ofLine(line)
                return rows + max(1, (width + size.columns - 1) / max(1, size.columns))
            }
        }
        let up = min(rows, max(0, size.rows - 1))
        return up > 0 ? "\r\u{1B}[\(up)A" : "\r"
    }
}
