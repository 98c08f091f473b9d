import YAMLSource

/// Text that may come from anywhere, made fit for a terminal.
package enum TerminalFormat {
    /// The text on one line without characters that control a terminal: controls, escape sequences and direction
    /// overrides become `�`, line breaks and tabs a blank.
    package static func printable(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x0B, 0x0C, 0x85, 0x2028, 0x2029: result.append(" ")
            case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069, 0xFFF9...0xFFFB: result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// The lines of a message, each as ``printable(_:)``, without the secrets of addresses.
    package static func printableLines(_ text: String) -> [String] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map {
            AddressRedactor.withoutSecrets(printable(String($0)))
        }
    }

    /// The text with every scalar beyond ASCII replaced by `?`, for terminals without UTF-8.
    package static func ascii(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        return String(text.map { $0.isASCII ? $0 : "?" })
    }

    /// The text, cut at its end to at most `columns`, ending with `mark` if it was cut.
    package static func cut(_ text: String, to columns: Int, mark: String = "…") -> String {
        guard DisplayWidth.of(text) > columns else { return text }
        let room = columns - DisplayWidth.of(mark)
        guard room >= 0 else { return String(repeating: ".", count: max(0, columns)) }
        return prefix(of: text, columns: room) + mark
    }

    /// A line of our own with colours, cut at its end to at most `columns`; the colours end with it.
    package static func cutStyled(_ line: String, to columns: Int) -> String {
        guard DisplayWidth.ofLine(line) > columns else { return line }
        var result = ""
        var width = 0
        var isEscape = false
        var hasEscape = false
        for character in line {
            if isEscape || character == "\u{1B}" {
                isEscape = character == "\u{1B}" || character == "[" || !character.isLetter
                hasEscape = true
            } else {
                width += DisplayWidth.of(character)
                guard width < columns else { break }
            }
            result.append(character)
        }
        return result + (columns > 0 ? "…" : "") + (hasEscape ? "\u{1B}[0m" : "")
    }

    /// The text, cut in its middle: the end of a path says more than its folders.
    package static func cutMiddle(_ text: String, to columns: Int, mark: String = "…") -> String {
        guard DisplayWidth.of(text) > columns else { return text }
        let room = columns - DisplayWidth.of(mark)
        guard room >= 8 else { return cut(text, to: columns, mark: mark) }
        let tail = room * 3 / 5
        return prefix(of: text, columns: room - tail) + mark + suffix(of: text, columns: tail)
    }

    /// The text, cut or filled up with blanks to exactly `columns`.
    package static func fit(_ text: String, to columns: Int, mark: String = "…") -> String {
        let cut = cut(text, to: columns, mark: mark)
        return cut + String(repeating: " ", count: max(0, columns - DisplayWidth.of(cut)))
    }

    /// The text with blanks before it, `columns` wide in all; never cut.
    package static func right(_ text: String, to columns: Int) -> String {
        String(repeating: " ", count: max(0, columns - DisplayWidth.of(text))) + text
    }

    /// Breaks a text at blanks into lines of at most `columns`; a longer word is broken wherever necessary.
    package static func wrap(_ text: String, to columns: Int) -> [String] {
        let columns = max(columns, 8)
        var lines: [String] = []
        var line = ""
        var width = 0
        // Two blanks in a row separate a title from the text before it.
        for word in text.split(separator: " ", omittingEmptySubsequences: false) where !(word.isEmpty && width == 0) {
            var word = String(word)
            var needed = DisplayWidth.of(word)
            if width > 0, width + 1 + needed <= columns {
                line += " " + word
                width += 1 + needed
                continue
            }
            if width > 0 { lines.append(trimmed(line)) }
            while needed > columns {
                let head = prefix(of: word, columns: columns)
                lines.append(head)
                word.removeFirst(head.count)
                needed = DisplayWidth.of(word)
            }
            (line, width) = (word, needed)
        }
        if width > 0 || lines.isEmpty { lines.append(trimmed(line)) }
        return lines
    }

    private static func trimmed(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }

    private static func prefix(of text: String, columns: Int) -> String {
        var result = ""
        var width = 0
        for character in text {
            width += DisplayWidth.of(character)
            guard width <= columns else { break }
            result.append(character)
        }
        return result
    }

    private static func suffix(of text: String, columns: Int) -> String {
        var result: [Character] = []
        var width = 0
        for character in text.reversed() {
            width += DisplayWidth.of(character)
            guard width <= columns else { break }
            result.append(character)
        }
        return String(result.reversed())
    }
}
