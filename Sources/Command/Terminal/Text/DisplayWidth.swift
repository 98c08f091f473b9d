/// The number of columns that text takes on a terminal.
package enum DisplayWidth {
    /// The columns of a text without control characters.
    package static func of(_ text: some StringProtocol) -> Int {
        // Nearly every title is ASCII: one byte, one column.
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    /// The width of a line without its escape sequences.
    package static func ofLine(_ line: String) -> Int {
        var plain = String.UnicodeScalarView()
        var isEscape = false
        for scalar in line.unicodeScalars {
            if isEscape {
                isEscape = !(scalar.value >= 0x40 && scalar.value < 0x7F && scalar != "[")
            } else if scalar == "\u{1B}" {
                isEscape = true
            } else {
                plain.append(scalar)
            }
        }
        return of(String(plain))
    }

    /// The columns of one character, however many scalars it has. An emoji of several parts takes two; letters that
    /// join, as in Devanagari, take the sum of their columns.
    package static func of(_ character: Character) -> Int {
        var columns = 0
        var hasWide = false
        for scalar in character.unicodeScalars {
            // Emoji presentation is requested: two columns, whatever its base has.
            if scalar.value == 0xFE0F, columns > 0 { return 2 }
            let more = of(scalar)
            hasWide = hasWide || more == 2
            columns += more
        }
        return hasWide ? 2 : columns
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value >= 0x20, scalar.value < 0x7F { return 1 }
        if WideScalars.contains(scalar) { return 2 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .control, .lineSeparator, .paragraphSeparator: return 0
        // The soft hyphen is the one format character that terminals give a column.
        case .format: return scalar.value == 0xAD ? 1 : 0
        default:
            // Vowels and finals of decomposed Hangul are drawn inside the block of the first part.
            return (0x1160...0x11FF).contains(scalar.value) || (0xD7B0...0xD7FF).contains(scalar.value) ? 0 : 1
        }
    }
}
