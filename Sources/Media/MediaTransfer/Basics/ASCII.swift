/// The character classes of RFC 9110 §5.6, on bytes.
enum ASCII {
    static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0x21, 0x23, 0x24, 0x25, 0x26, 0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
        default: false
        }
    }

    static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// The value of a string of decimal digits that fits; nil otherwise (also for "" and "+1").
    static func number(_ text: some StringProtocol) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
        return Int64(text)
    }

    static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while let first = text.utf8.first, isBlank(first) { text.removeFirst() }
        while let last = text.utf8.last, isBlank(last) { text.removeLast() }
        return text
    }

    /// Lower case for ASCII letters only.
    static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte + 0x20 : byte }

    /// Lower case for ASCII letters only; names of fields, schemes and hosts contain no others.
    static func lowercased(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.map(lowercased), as: UTF8.self)
    }
}
