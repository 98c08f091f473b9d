/// Recognizes a web page by its first bytes: hosts serve login pages with other types, too.
package enum WebPageSignature {
    /// The number of bytes that are enough: templates put many blanks before a page.
    package static let length = 16384

    /// Whether a file with this beginning is HTML: blanks and comments, then its doctype or its root element.
    package static func isHTML(_ beginning: [UInt8]) -> Bool {
        if let text = TextDetector.narrowed(Array(beginning.prefix(length))) { return isPage(text) }
        return isPage(beginning)
    }

    private static func isPage(_ beginning: [UInt8]) -> Bool {
        // The first byte excludes media. A question mark stands for the byte order mark of a narrowed text.
        guard let first = beginning.first(where: { $0 > 0x20 }), "<?".utf8.contains(first) || first == 0xEF else {
            return false
        }
        var text = ASCII.lowercased(String(decoding: beginning.prefix(length), as: UTF8.self))[...]
        if text.first == "\u{FEFF}" || text.first == "?" { text.removeFirst() }
        while true {
            text = text.drop { $0.isWhitespace }
            guard text.hasPrefix("<!--"), let end = text.firstRange(of: "-->") else { break }
            text = text[end.upperBound...]
        }
        return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
    }
}
