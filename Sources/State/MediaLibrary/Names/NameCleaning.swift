import Foundation

/// Turns text from outside into text that every file system accepts as part of a file name.
///
/// The result is in NFC, contains no separator and no character that is a problem on Windows or in a shell's listing,
/// begins with no dot and ends with no dot or blank. It is never empty.
///
/// Three kinds of characters are treated differently on purpose:
/// - **replaced** by `_`: characters that a name can't contain (`/ \ : * ? " < > |`, control characters, line and
///   paragraph separators, noncharacters). The replacement is visible.
/// - **dropped**: invisible characters without meaning in a name that can deceive a reader: bidirectional embeddings,
///   overrides and isolates (a name that shows as `…exe.mp4`), zero-width space, word joiner, byte order mark, soft
///   hyphen, tags.
/// - **kept**: the zero-width joiner and non-joiner, the implicit direction marks and variation selectors. Persian, the
///   scripts of India and emoji need them. They don't distinguish two names, see ``LibraryName/key(_:)``.
enum NameCleaning {
    /// The cleaned text, of any length.
    static func clean(_ text: String) -> String {
        if text.utf8.allSatisfy(isPlain) { return edges(text) }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch verdict(on: scalar) {
            case .keep: scalars.append(scalar)
            case .replace: scalars.append("_")
            case .drop: break
            }
        }
        return edges(composed(String(scalars)))
    }

    /// The longest beginning of cleaned text within `limit` bytes, cut between characters.
    ///
    /// A single character longer than any name (a letter under hundreds of accents) is cut between scalars.
    static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var bytes = 0
        var end = text.startIndex
        for index in text.indices {
            let count = text[index].utf8.count
            if bytes + count > limit { break }
            bytes += count
            end = text.index(after: index)
        }
        if end == text.startIndex {
            for index in text.unicodeScalars.indices {
                let count = UTF8.width(text.unicodeScalars[index])
                if bytes + count > limit { break }
                bytes += count
                end = text.unicodeScalars.index(after: index)
            }
        }
        return edges(String(text[..<end]))
    }

    /// Leading dots, and trailing dots and spaces, become `_`; so does empty text.
    private static func edges(_ text: String) -> String {
        guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last else { return "_" }
        guard first == "." || last == "." || last.properties.isWhitespace else { return text }
        var scalars = Array(text.unicodeScalars)
        for index in scalars.indices {
            guard scalars[index] == "." else { break }
            scalars[index] = "_"
        }
        for index in scalars.indices.reversed() {
            guard scalars[index] == "." || scalars[index].properties.isWhitespace else { break }
            scalars[index] = "_"
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// The text in NFC.
    static func composed(_ text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCanonicalMapping
    }

    private enum Verdict { case keep, replace, drop }

    private static func verdict(on scalar: Unicode.Scalar) -> Verdict {
        if scalar.isASCII { return isPlain(UInt8(scalar.value)) ? .keep : .replace }
        switch scalar.value {
        case 0x80...0x9F, 0x2028, 0x2029: return .replace
        case 0x00AD, 0x180E, 0x200B, 0x202A...0x202E, 0x2060...0x2064, 0x2066...0x206F, 0xFEFF, 0xFFF9...0xFFFB,
            0xE0000...0xE007F:
            return .drop
        default: return scalar.properties.isNoncharacterCodePoint ? .replace : .keep
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: ":"), UInt8(ascii: "*"), UInt8(ascii: "?"),
            UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "|"):
            return false
        default: return byte >= 0x20 && byte < 0x7F
        }
    }
}
