/// Percent-encoding of RFC 3986 §2.1.
enum PercentEncoding {
    /// Decodes `%XX`; a percent sign without two digits stays, and invalid UTF-8 becomes U+FFFD.
    static func decoded(_ text: some StringProtocol) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count, let high = digit(bytes[index + 1]),
                let low = digit(bytes[index + 2])
            {
                result.append(high << 4 | low)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Encodes characters not allowed anywhere in a URI: spaces and control characters, non-ASCII characters, and
    /// ``"<>\^`{|}``. A percent sign is taken as an existing encoding.
    static func encoded(_ text: some StringProtocol) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0...0x20, 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B...0x7D, 0x7F...0xFF:
                result += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let digits = Array("0123456789ABCDEF".utf8)

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
