/// A text as a JSON string, in quotes.
///
/// Related: RFC 8259 §7
package enum JSONString {
    package enum Escaping: Sendable {
        /// What JSON requires: quotes, backslashes, control characters up to U+001F.
        case required
        /// Everything that could control a terminal, too: other control characters, separators of lines, and marks that
        /// change the direction of text.
        case terminal
    }

    package static func append(_ text: String, to bytes: inout [UInt8], escaping: Escaping = .required) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            // Most text needs no escape and is appended as a whole.
            if utf8.allSatisfy({ isPlain($0) && (escaping == .required || $0 < 0x7F) }) {
                bytes.append(contentsOf: utf8)
            } else {
                for scalar in String(decoding: utf8, as: UTF8.self).unicodeScalars {
                    append(scalar, to: &bytes, escaping)
                }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    package static func append(_ text: String, to result: inout String) {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        result += String(decoding: bytes, as: UTF8.self)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8], _ escaping: Escaping) {
        switch scalar {
        case "\"": bytes.append(contentsOf: "\\\"".utf8)
        case "\\": bytes.append(contentsOf: "\\\\".utf8)
        case "\n": bytes.append(contentsOf: "\\n".utf8)
        case "\t": bytes.append(contentsOf: "\\t".utf8)
        case "\r": bytes.append(contentsOf: "\\r".utf8)
        default:
            switch scalar.value {
            case 0..<0x20: escape(scalar, &bytes)
            case 0x7F..<0xA0, 0x2028...0x202E,
                0x2066...0x2069 where escaping == .terminal:
                escape(scalar, &bytes)
            default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }

    private static func escape(_ scalar: Unicode.Scalar, _ bytes: inout [UInt8]) {
        bytes.append(contentsOf: "\\u".utf8)
        for shift in [12, 8, 4, 0] as [UInt32] { bytes.append(HexDigit.lower(UInt8(scalar.value >> shift & 15))) }
    }
}
