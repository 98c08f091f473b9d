/// Text in the form that a URL needs: an id may contain anything, blanks and slashes too.
///
/// Related: RFC 3986 §2
public enum PercentEncoding {
    /// `text` with everything percent-encoded but letters, digits, `-`, `.`, `_`, `~` and the ASCII characters in
    /// `keeping`.
    public static func encoded(_ text: String, keeping: String = "") -> String {
        let kept = Array(keeping.utf8)
        return encoded(text) { isUnreserved($0) || kept.contains($0) }
    }

    /// `text` with each `%XX` replaced by its byte; nil if that isn't UTF-8. A `%` without two digits stays as it is.
    public static func decoded(_ text: some StringProtocol) -> String? {
        String(validating: bytes(of: Array(text.utf8)[...]), as: UTF8.self)
    }

    /// A relative or absolute path: like ``encoded(_:keeping:)``, but its slashes stay.
    ///
    /// Related: RFC 3986 §3.3
    package static func encoded(path: String) -> String { encoded(path, keeping: "/") }

    /// A URL or a part of one that somebody wrote by hand: only what may stand nowhere in a URL is encoded (blanks,
    /// control characters, ``"<>\^`{|}``, everything beyond ASCII). A percent sign is taken as an existing encoding.
    package static func repaired(_ text: some StringProtocol) -> String {
        encoded(text) { byte in
            switch byte {
            case 0...0x20, 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B...0x7D, 0x7F...0xFF: false
            default: true
            }
        }
    }

    /// `text` with every byte percent-encoded but those for which `isKept` is true.
    package static func encoded(_ text: some StringProtocol, where isKept: (UInt8) -> Bool) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isKept(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), HexDigit.upper(byte >> 4), HexDigit.upper(byte)]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The bytes of `text`, with each `%XX` replaced by its byte. A `%` without two digits stays as it is.
    package static func bytes(of text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = text.startIndex
        while index < text.endIndex {
            if let byte = byte(at: index, of: text) {
                result.append(byte)
                index += 3
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return result
    }

    /// The byte that a `%XX` at this index stands for; nil if there is none.
    package static func byte(at index: Int, of text: ArraySlice<UInt8>) -> UInt8? {
        guard text[index] == UInt8(ascii: "%"), text.endIndex - index > 2, let high = HexDigit.value(text[index + 1]),
            let low = HexDigit.value(text[index + 2])
        else { return nil }
        return high << 4 | low
    }

    /// Related: RFC 3986 §2.3
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
