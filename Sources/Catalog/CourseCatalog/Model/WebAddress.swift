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

    /// A relative path encoded for an address: everything except the unreserved characters of RFC 3986 §2.3 and `/` is
    /// percent-encoded.
    static func encoded(path: String) -> String {
        var text = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
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
