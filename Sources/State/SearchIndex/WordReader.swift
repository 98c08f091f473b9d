import Foundation

/// Splits text into the words that are indexed and asked for: letters, marks and digits, without case, accents and
/// widths. A run of Chinese, Japanese or Korean, which has no blanks between words, becomes its overlapping pairs of
/// characters, and its last character.
package struct WordReader {
    package enum Kind: Sendable {
        case word
        /// Two characters of a run.
        case pair
        /// The last character of a run, which is the only one if `isAlone`.
        case last(isAlone: Bool)
    }

    /// The longest word, in bytes of UTF-8; the rest of a longer one is left out.
    static let longest = 64

    private var folded: [UInt32: [UInt8]] = [:]
    private var word: [UInt8] = []
    private var run: [[UInt8]] = []

    package init() {}

    package mutating func read(_ text: String, _ body: (String, Kind) -> Void) {
        var text = text
        text.withUTF8 { read($0, body) }
    }

    /// Calls `body` with each word in the order of the text. What isn't UTF-8 separates words.
    package mutating func read(_ text: UnsafeBufferPointer<UInt8>, _ body: (String, Kind) -> Void) {
        var index = 0
        while index < text.count {
            let byte = text[index]
            if byte < 0x80 {
                index += 1
                if !run.isEmpty { endRun(body) }
                switch byte {
                case 0x61...0x7A, 0x30...0x39: word.append(byte)
                case 0x41...0x5A: word.append(byte | 0x20)
                default: endWord(body)
                }
            } else {
                let (scalar, length) = Self.scalar(text, at: index)
                index += length
                take(scalar, body)
            }
        }
        endRun(body)
        endWord(body)
    }

    private mutating func take(_ scalar: Unicode.Scalar?, _ body: (String, Kind) -> Void) {
        guard let scalar else {
            endRun(body)
            return endWord(body)
        }
        // Accents of their own, soft hyphens, joiners and variation selectors are part of what they stand in.
        if Self.isIgnored(scalar.value) { return }
        if Self.isIdeographic(scalar.value) {
            endWord(body)
            let folded = fold(scalar)
            if !folded.isEmpty { run.append(folded) }
            return
        }
        endRun(body)
        if Self.isLetter(scalar) { word += fold(scalar) } else { endWord(body) }
    }

    private mutating func endWord(_ body: (String, Kind) -> Void) {
        guard !word.isEmpty else { return }
        if word.count > Self.longest {
            var end = Self.longest
            while end > 0, word[end] & 0xC0 == 0x80 { end -= 1 }
            word.removeSubrange(end...)
        }
        body(String(decoding: word, as: UTF8.self), .word)
        word.removeAll(keepingCapacity: true)
    }

    private mutating func endRun(_ body: (String, Kind) -> Void) {
        guard let last = run.last else { return }
        for (one, next) in zip(run, run.dropFirst()) { body(String(decoding: one + next, as: UTF8.self), .pair) }
        body(String(decoding: last, as: UTF8.self), .last(isAlone: run.count == 1))
        run.removeAll(keepingCapacity: true)
    }

    /// Letters with a stroke, and ligatures, which no folding takes apart.
    private static let letters: [UInt32: String] = [
        0xC6: "ae", 0xE6: "ae", 0xD8: "o", 0xF8: "o", 0x0110: "d", 0x0111: "d", 0x0131: "i", 0x0141: "l", 0x0142: "l",
        0x0152: "oe", 0x0153: "oe",
    ]

    private mutating func fold(_ scalar: Unicode.Scalar) -> [UInt8] {
        if let known = folded[scalar.value] { return known }
        let options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive, .widthInsensitive]
        let bytes = Array((Self.letters[scalar.value] ?? String(scalar).folding(options: options, locale: nil)).utf8)
        folded[scalar.value] = bytes
        return bytes
    }

    /// The scalar of several bytes that begins there, and its length; nil for what isn't one.
    private static func scalar(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> (Unicode.Scalar?, Int) {
        let first = text[index]
        let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
        guard first >= 0xC2, first < 0xF5, index + length <= text.count else { return (nil, 1) }
        var value = UInt32(first) & (length == 4 ? 0x07 : length == 3 ? 0x0F : 0x1F)
        for next in text[(index + 1)..<(index + length)] {
            guard next & 0xC0 == 0x80 else { return (nil, 1) }
            value = value << 6 | UInt32(next & 0x3F)
        }
        return (Unicode.Scalar(value), length)
    }

    private static func isIgnored(_ value: UInt32) -> Bool {
        switch value {
        case 0xAD, 0x0300...0x036F, 0x200B...0x200F, 0x2060, 0xFE00...0xFE0F, 0xFEFF: true
        // The vowels of Hebrew and Arabic, which are mostly left out.
        case 0x0591...0x05BD, 0x05BF, 0x05C1...0x05C2, 0x05C4...0x05C5, 0x05C7, 0x0610...0x061A, 0x064B...0x065F,
            0x0670,
            0x06D6...0x06DC, 0x06DF...0x06E4, 0x06E7...0x06E8, 0x06EA...0x06ED:
            true
        default: false
        }
    }

    /// Whether its script has no blanks between words, or is asked for as if it had none.
    private static func isIdeographic(_ value: UInt32) -> Bool {
        switch value {
        // Thai, Lao, Burmese, Khmer.
        case 0x0E01...0x0E4E, 0x0E81...0x0ECD, 0x1000...0x103F, 0x1780...0x17D3: true
        case 0x2E80...0x2FDF, 0x3005...0x3007, 0x3040...0x30FF, 0x3105...0x318F, 0x31F0...0x31FF, 0x3400...0x4DBF,
            0x4E00...0x9FFF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFF66...0xFF9F, 0x20000...0x3FFFF:
            true
        default: false
        }
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark:
            true
        default: false
        }
    }
}
