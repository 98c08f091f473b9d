/// Recognizes text by its first bytes: what a host says in place of a picture or sound, under whatever type.
package enum TextBody {
    /// The number of bytes that are enough.
    package static let length = 1024
    /// More text than this has no control characters by chance.
    private static let sureLength = 64
    private static let utf8Mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Whether a file with this beginning is text: a page, JSON, XML, a sentence, in UTF-8, UTF-16 or an older encoding.
    /// Media have control characters from their first bytes on.
    package static func begins(_ beginning: [UInt8]) -> Bool {
        let bytes = beginning.prefix(length)
        guard let first = bytes.first else { return false }
        if bytes.count >= 2, let isBig = isBigEndian(Array(bytes.prefix(4))) { return isUTF16(bytes, isBig: isBig) }
        guard first >= 0x20 || isBlank(first), bytes.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || isBlank($0) }) else {
            return false
        }
        return bytes.count > sureLength || isUTF8(bytes, isCut: beginning.count > length)
    }

    /// The order of the bytes of UTF-16, by its mark or by an opening bracket; nil for anything else.
    private static func isBigEndian(_ bytes: [UInt8]) -> Bool? {
        switch (bytes[0], bytes[1]) {
        case (0xFE, 0xFF): true
        case (0xFF, 0xFE): false
        case (0, let second) where isOpening(second): true
        case (let first, 0) where isOpening(first): false
        default: nil
        }
    }

    private static func isUTF16(_ bytes: ArraySlice<UInt8>, isBig: Bool) -> Bool {
        let pairs = Array(bytes)
        var low = false
        for index in stride(from: 0, to: pairs.count - 1, by: 2) {
            let (high, other) = isBig ? (pairs[index], pairs[index + 1]) : (pairs[index + 1], pairs[index])
            // A pair of surrogates is one character; a single one is none.
            guard (0xDC...0xDF).contains(high) == low else { return false }
            low = (0xD8...0xDB).contains(high)
            if high == 0, other < 0x20 || other == 0x7F, !isBlank(other) { return false }
        }
        return true
    }

    private static func isUTF8(_ bytes: ArraySlice<UInt8>, isCut: Bool) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        // The last character may have lost its end.
        return !(isCut ? text.dropLast() : text[...]).unicodeScalars.contains("\u{FFFD}")
    }

    private static func isOpening(_ byte: UInt8) -> Bool { "<{[".utf8.contains(byte) || isBlank(byte) }

    private static func isBlank(_ byte: UInt8) -> Bool { (0x09...0x0D).contains(byte) || byte == 0x20 }
}
