/// The abilities of a terminal: colours or not, UTF-8 or ASCII.
package struct TerminalStyle: Sendable, Equatable {
    /// Whether colours are wanted and supported.
    package var hasColor: Bool
    /// Whether it supports UTF-8.
    package var hasUnicode: Bool

    package init(hasColor: Bool, hasUnicode: Bool) {
        self.hasColor = hasColor
        self.hasUnicode = hasUnicode
    }

    /// Reads the usual variables: `NO_COLOR` (https://no-color.org), `TERM`, `LC_ALL` before `LC_CTYPE` before `LANG`.
    package init(environment: [String: String]) {
        let term = environment["TERM"] ?? ""
        hasColor = (environment["NO_COLOR"] ?? "").isEmpty && term != "dumb" && !term.isEmpty
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let charset = locale.uppercased().filter { $0 != "-" }
        hasUnicode = charset.contains("UTF8")
    }

    /// Whether a live view is possible: a dumb terminal can't move its cursor.
    package static func canMoveCursor(environment: [String: String]) -> Bool {
        let term = environment["TERM"] ?? ""
        return !term.isEmpty && term != "dumb"
    }

    /// The meaning of a piece of text; only this type decides its look.
    package enum Role {
        case plain, bold, dim, good, bad, notice, bar, finishing

        /// The SGR parameters. The sixteen basic colours follow the user's own theme.
        fileprivate var sgr: String? {
            switch self {
            case .plain: nil
            case .bold: "1"
            case .dim: "2"
            case .good: "32"
            case .bad: "31"
            case .notice: "33"
            case .bar: "36"
            case .finishing: "32"
            }
        }
    }

    /// The text with the escape sequences of its role, if there are colours.
    package func paint(_ text: String, _ role: Role) -> String {
        guard hasColor, let sgr = role.sgr, !text.isEmpty else { return text }
        return "\u{1B}[\(sgr)m\(text)\u{1B}[0m"
    }

    /// Text from outside, made printable and limited to the terminal's character set.
    package func text(_ raw: String) -> String {
        let printable = TerminalFormat.printable(raw)
        return hasUnicode ? printable : TerminalFormat.ascii(printable)
    }

    package var ellipsis: String { hasUnicode ? "…" : "..." }
    package var done: String { hasUnicode ? "✓" : "+" }
    package var failed: String { hasUnicode ? "✗" : "x" }
    package var warned: String { "!" }
    package var separator: String { hasUnicode ? "·" : "-" }
}
