/// The number that a title brings along at its beginning: `01 - `, `3.2 `, `Lecture 3: `.
///
/// Only the title itself decides, so that no file moves because another one comes or goes.
package enum TitleNumber {
    /// A title without its number; the whole title if it has none, or nothing else.
    package static func left(outOf title: String) -> String { rest(of: title).map(String.init) ?? title }

    /// Whether a title may begin with a number. Never false if it does.
    package static func mayBegin(_ title: UnsafeRawBufferPointer) -> Bool {
        // The longest beginning up to its first digit: a few blanks, a word of nine letters, its point, more blanks.
        title.prefix(24).contains { ($0 >= 0x30 && $0 <= 0x39) || $0 >= 0x80 }
    }

    private static let digits = 3
    /// Of a number with a word before it, which can hardly be anything else.
    private static let digitsAfterWord = 5
    private static let blanks = 4

    private static let words: Set<String> = [
        "lecture", "lec", "lesson", "class", "session", "episode", "ep", "part", "chapter", "ch", "unit", "module",
        "section", "week", "video", "no",
        "vorlesung", "vl", "lektion", "sitzung", "folge", "teil", "kapitel", "einheit", "modul", "abschnitt", "woche",
        "nr",
        "leçon", "cours", "séance", "épisode", "partie", "chapitre", "unité", "semaine",
        "lección", "clase", "sesión", "episodio", "parte", "capítulo", "tema", "unidad", "semana",
        "aula", "lezione", "capitolo",
    ]
    /// What follows 第 and a number; a longer one before its own beginning.
    private static let counters = [
        "部分", "单元", "單元", "讲", "講", "课", "課", "节", "節", "章", "集", "回", "期", "话", "話", "篇", "部", "周", "週",
    ]
    private static let chineseDigits: Set<Character> = Set("零〇一二三四五六七八九十百千两")
    private static let brackets: [Character: Character] = ["(": ")", "[": "]", "（": "）", "【": "】"]

    private static func rest(of title: String) -> Substring? {
        let text = title.drop(while: \.isWhitespace)
        guard title.count - text.count <= blanks, let first = text.first, let rest = afterNumber(text, first) else {
            return nil
        }
        let kept = rest.drop { $0.isWhitespace || $0 == "_" }
        return kept.contains { $0.isLetter || $0.isNumber } ? kept : nil
    }

    private static func afterNumber(_ text: Substring, _ first: Character) -> Substring? {
        if first == "第" { return afterCounter(text.dropFirst()) }
        if let close = brackets[first] {
            guard let inside = afterDigits(text.dropFirst(), upTo: digits), inside.first == close else { return nil }
            let rest = inside.dropFirst()
            return close.isASCII ? separated(rest, byBlank: true) : separated(rest, byBlank: true) ?? rest
        }
        if first == "#" {
            return afterDigits(text.dropFirst(), upTo: digitsAfterWord).flatMap { separated($0, byBlank: false) }
        }
        if first.isLetter {
            guard let number = afterWord(text), let parts = afterParts(number, upTo: digitsAfterWord) else {
                return nil
            }
            return separated(parts.rest, byBlank: false)
        }
        guard let parts = afterParts(text, upTo: digits) else { return nil }
        return separated(parts.rest, byBlank: parts.count > 1)
    }

    /// What follows `讲` of `第3讲`.
    private static func afterCounter(_ text: Substring) -> Substring? {
        let chinese = text.prefix { chineseDigits.contains($0) }
        let rest =
            (1...digitsAfterWord).contains(chinese.count)
            ? text.dropFirst(chinese.count) : afterDigits(text, upTo: digitsAfterWord)
        guard let rest, let counter = counters.first(where: { rest.hasPrefix($0) }) else { return nil }
        return separated(rest.dropFirst(counter.count), byBlank: true)
    }

    /// What follows one of ``words``, its point and blanks.
    private static func afterWord(_ text: Substring) -> Substring? {
        let word = text.prefix(while: \.isLetter)
        guard words.contains(word.lowercased()) else { return nil }
        var rest = text.dropFirst(word.count)
        if rest.first == "." { rest = rest.dropFirst() }
        let blanks = rest.prefix(while: \.isWhitespace).count
        return blanks <= Self.blanks ? rest.dropFirst(blanks) : nil
    }

    /// What follows a number such as 3 or 3.2, and how many parts that has.
    private static func afterParts(_ text: Substring, upTo bound: Int) -> (rest: Substring, count: Int)? {
        guard var rest = afterDigits(text, upTo: bound) else { return nil }
        var count = 1
        while rest.first == ".", rest.dropFirst().first.map(isDigit) == true {
            // A day, or a version with a build: no place in a list.
            guard let next = afterDigits(rest.dropFirst(), upTo: digits) else { return nil }
            rest = next
            count += 1
        }
        return (rest, count)
    }

    private static func afterDigits(_ text: Substring, upTo bound: Int) -> Substring? {
        let count = text.prefix(while: isDigit).prefix(bound + 1).count
        return (1...bound).contains(count) ? text.dropFirst(count) : nil
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.unicodeScalars.first?.properties.numericType == .decimal
    }

    /// What follows the separator at the beginning of a text; nil without one. A blank is one if `byBlank`.
    private static func separated(_ text: Substring, byBlank: Bool) -> Substring? {
        let trimmed = text.drop(while: \.isWhitespace)
        let hasBlank = trimmed.startIndex > text.startIndex
        guard let sign = trimmed.first else { return nil }
        let rest = trimmed.dropFirst()
        let isApart = rest.first?.isWhitespace ?? false
        switch sign {
        // Chinese has no blank behind its points.
        case "." where !hasBlank && (isApart || isIdeograph(rest.first)): return rest
        case ")" where !hasBlank && isApart: return rest
        case ":", "-", "–", "—", "|":
            if isApart { return rest }
        case "_" where !hasBlank: return rest
        case "、", "：", "．": return rest
        default: break
        }
        return byBlank && hasBlank ? trimmed : nil
    }

    private static func isIdeograph(_ character: Character?) -> Bool {
        character?.unicodeScalars.first?.properties.isIdeographic ?? false
    }
}
