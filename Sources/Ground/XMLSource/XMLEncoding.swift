/// Finds out in which encoding an XML document is, and converts it to UTF-8.
///
/// Related: XML 1.0 appendix F, RFC 7303 §3
enum XMLEncoding {
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The document as its own words say: a byte order mark, its declaration, or else `charset`, which came with it.
    static func utf8(_ bytes: [UInt8], charset: String?) throws(XMLMistake) -> [UInt8] {
        if let (charset, rest) = marked(bytes) {
            guard let text = charset.utf8(rest) else { throw XMLMistake("invalid UTF-16") }
            return text
        }
        if bytes.starts(with: mark) { return Array(bytes.dropFirst(mark.count)) }
        guard let name = declared(bytes) ?? charset, !isUnicode(name) else { return bytes }
        guard let charset = Charset(name) else { throw XMLMistake("unknown encoding, line 1") }
        guard let text = charset.utf8(bytes[...]) else { throw XMLMistake("it isn't in the encoding that it names") }
        return text
    }

    /// The document in the first encoding that fits: its own, that of `charset`, UTF-8. If none does, bytes that can't
    /// be read become U+FFFD, or letters of Western Europe if nothing is said.
    static func guessedUTF8(_ bytes: [UInt8], charset: String?) -> [UInt8] {
        if let (charset, rest) = marked(bytes) { return charset.utf8(rest, isReplacing: true) ?? [] }
        let named = [declared(bytes), charset].compactMap { $0.flatMap { Charset($0) } }
        for candidate in named + [.utf8] {
            if let text = candidate.utf8(bytes[...]) { return text }
        }
        return (named.first ?? .windows1252).utf8(bytes[...], isReplacing: true) ?? bytes
    }

    /// UTF-16, which shows in the first two bytes, and what follows its mark.
    private static func marked(_ bytes: [UInt8]) -> (Charset, ArraySlice<UInt8>)? {
        switch bytes.prefix(2) {
        case [0xFF, 0xFE]: (.utf16LE, bytes.dropFirst(2))
        case [0xFE, 0xFF]: (.utf16BE, bytes.dropFirst(2))
        case [0x3C, 0]: (.utf16LE, bytes[...])
        case [0, 0x3C]: (.utf16BE, bytes[...])
        default: nil
        }
    }

    /// UTF-8, and UTF-16, which this document isn't in, whatever it says.
    private static func isUnicode(_ name: String) -> Bool {
        name.lowercased().hasPrefix("utf-16") || Charset(name) == .utf8
    }

    /// The encoding in the document's declaration.
    private static func declared(_ bytes: [UInt8]) -> String? {
        let head = String(decoding: bytes.prefix(1024), as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        guard head.hasPrefix("<?xml"), let end = head.firstRange(of: "?>"),
            let key = head[..<end.lowerBound].firstRange(of: "encoding")
        else { return nil }
        let rest = head[key.upperBound..<end.lowerBound].drop(while: \.isWhitespace)
        let value = rest.dropFirst().drop(while: \.isWhitespace)
        guard rest.first == "=", let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        return String(value.dropFirst().prefix { $0 != quote })
    }
}
