/// Checks addresses on the web.
enum WebAddress {
    /// Whether text begins with `http://` or `https://`, letter case ignored.
    static func hasScheme(_ text: some Sequence<UInt8>) -> Bool {
        schemeLength(text) != nil
    }

    /// The reason why text isn't an http or https URL; nil if it is one.
    static func mistake(in text: UnsafeRawBufferPointer) -> String? {
        guard let length = schemeLength(text) else { return "begins neither with http:// nor with https://" }
        let rest = text.dropFirst(length)
        guard let first = rest.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "?"), first != UInt8(ascii: "#")
        else { return "has no host" }
        guard !text.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            return "contains a space or a control character; percent-encode it"
        }
        return nil
    }

    private static func schemeLength(_ text: some Sequence<UInt8>) -> Int? {
        var bytes = text.makeIterator()
        for expected in "http".utf8 {
            guard let byte = bytes.next(), byte | 0x20 == expected else { return nil }
        }
        var next = bytes.next()
        var length = 7
        if let byte = next, byte | 0x20 == UInt8(ascii: "s") {
            next = bytes.next()
            length = 8
        }
        guard next == UInt8(ascii: ":"), bytes.next() == UInt8(ascii: "/"), bytes.next() == UInt8(ascii: "/") else {
            return nil
        }
        return length
    }
}
