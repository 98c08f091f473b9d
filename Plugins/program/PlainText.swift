/// Text out of HTML.
enum PlainText {
    private static let names: [String: Character] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ndash": "–", "mdash": "—",
        "hellip": "…", "lsquo": "‘", "rsquo": "’", "ldquo": "“", "rdquo": "”", "bull": "•", "copy": "©", "auml": "ä",
        "ouml": "ö", "uuml": "ü", "Auml": "Ä", "Ouml": "Ö", "Uuml": "Ü", "szlig": "ß", "eacute": "é", "egrave": "è",
    ]

    /// `text` without tags, with entities resolved and blanks joined, at most `bound` bytes long.
    static func of(html text: String, bound: Int = 4096) -> String {
        var plain = ""
        var rest = text[...]
        while let open = rest.firstIndex(of: "<") {
            plain += rest[..<open]
            let inside = rest[rest.index(after: open)...]
            // A lone "<" is text.
            guard let next = inside.first, next.isLetter || next == "/" || next == "!",
                let close = inside.firstIndex(of: ">")
            else {
                plain += "<"
                rest = inside
                continue
            }
            plain += " "
            rest = inside[inside.index(after: close)...]
        }
        let words = unescaped(plain + rest).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard words.utf8.count > bound else { return words }
        var cut = words.utf8.index(words.utf8.startIndex, offsetBy: bound)
        while cut.samePosition(in: words) == nil { cut = words.utf8.index(before: cut) }
        return words[..<cut] + "…"
    }

    /// `text` with its entities resolved. What isn't one stays.
    static func unescaped(_ text: some StringProtocol) -> String {
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            let inside = rest[rest.index(after: mark)...]
            guard let end = inside.prefix(12).firstIndex(of: ";"), let character = character(inside[..<end]) else {
                result += "&"
                rest = inside
                continue
            }
            result.append(character)
            rest = inside[inside.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ name: some StringProtocol) -> Character? {
        guard name.hasPrefix("#") else { return names[String(name)] }
        let digits = name.dropFirst()
        let code = digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return code.flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
