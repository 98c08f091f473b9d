/// A bar one line high, with a resolution finer than a column.
package struct ProgressBar {
    private let style: TerminalStyle

    package init(style: TerminalStyle) { self.style = style }

    /// A bar `columns` wide, filled to `fraction`, which is clamped to 0…1.
    package func filled(_ fraction: Double, columns: Int, role: TerminalStyle.Role = .bar) -> String {
        guard columns > 0 else { return "" }
        let fraction = fraction.isFinite ? min(max(fraction, 0), 1) : 0
        guard style.hasUnicode else { return ascii(fraction, columns: columns) }
        // Half columns; full only when it is.
        let halves = fraction >= 1 ? columns * 2 : min(Int(fraction * Double(columns * 2)), columns * 2 - 1)
        let full = halves / 2
        let hasHalf = halves % 2 == 1
        let head = String(repeating: "━", count: full) + (hasHalf ? "╾" : "")
        return style.paint(head, role)
            + style.paint(String(repeating: "─", count: columns - full - (hasHalf ? 1 : 0)), .dim)
    }

    /// A bar for an unknown size: a piece that moves back and forth.
    package func wandering(at seconds: Double, columns: Int) -> String {
        guard columns > 0 else { return "" }
        let piece = max(1, min(columns / 4, 8))
        let way = columns - piece
        let turn = Int(seconds * 8) % max(1, way * 2)
        let start = turn <= way ? turn : way * 2 - turn
        let (light, heavy) = style.hasUnicode ? ("─", "━") : ("-", "=")
        return style.paint(String(repeating: light, count: start), .dim)
            + style.paint(String(repeating: heavy, count: piece), .bar)
            + style.paint(String(repeating: light, count: columns - start - piece), .dim)
    }

    private func ascii(_ fraction: Double, columns: Int) -> String {
        guard columns > 2 else { return String(repeating: "=", count: Int(fraction * Double(columns))) }
        let room = columns - 2
        let full = fraction >= 1 ? room : min(Int(fraction * Double(room)), room - 1)
        let head = String(repeating: "=", count: full) + (full < room ? ">" : "")
        return "[" + style.paint(head, .bar) + String(repeating: "-", count: room - head.count) + "]"
    }
}
