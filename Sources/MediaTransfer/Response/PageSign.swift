/// A page for a browser, told by its first bytes: hosts give login pages other types, too.
package enum PageSign {
    /// How many bytes are enough to tell.
    package static let length = 1024

    /// Whether a file that begins so is HTML: blanks and comments, then its doctype or its root element.
    package static func isHTML(_ beginning: [UInt8]) -> Bool {
        // Media are told apart by their first byte.
        guard let first = beginning.first(where: { $0 > 0x20 }), first == UInt8(ascii: "<") || first == 0xEF else {
            return false
        }
        var text = ASCII.lowercased(String(decoding: beginning.prefix(length), as: UTF8.self))[...]
        if text.first == "\u{FEFF}" { text.removeFirst() }
        while true {
            text = text.drop { $0.isWhitespace }
            guard text.hasPrefix("<!--"), let end = text.firstRange(of: "-->") else { break }
            text = text[end.upperBound...]
        }
        return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
    }
}
