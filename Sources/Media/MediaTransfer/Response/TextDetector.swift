/// Recognizes text by its first bytes: what a host says in place of a picture or sound, under whatever type.
package enum TextDetector {
    /// The number of bytes that are enough.
    package static let length = 1024
    /// So many characters of ASCII at the beginning show the size of the units.
    private static let sureLength = 8

    /// The units of UTF-16 and UTF-32, in bytes, and their order.
    private struct Units {
        var width: Int
        var isBig: Bool
    }

    /// Whether a file with this beginning is text: a page, JSON, XML, a sentence, in UTF-8, UTF-16, UTF-32 or an older
    /// encoding. Media have control characters in their first bytes.
    package static func begins(_ beginning: [UInt8]) -> Bool {
        let bytes = Array(beginning.prefix(length))
        guard !bytes.isEmpty else { return false }
        if let units = units(of: bytes) { return isText(values(of: bytes, units)) }
        return bytes.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || isBlank(UInt32($0)) }
    }

    /// The ASCII characters of a text in UTF-16 or UTF-32, a question mark for each other one; nil for any other file.
    static func narrowed(_ beginning: [UInt8]) -> [UInt8]? {
        guard let units = units(of: beginning) else { return nil }
        return values(of: beginning, units).map { $0 < 0x80 ? UInt8($0) : UInt8(ascii: "?") }
    }

    /// By a mark, an opening bracket or blank, or several characters of ASCII; nil for anything else.
    private static func units(of bytes: [UInt8]) -> Units? {
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return Units(width: 4, isBig: false) }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return Units(width: 4, isBig: true) }
        if bytes.starts(with: [0xFF, 0xFE]) { return Units(width: 2, isBig: false) }
        if bytes.starts(with: [0xFE, 0xFF]) { return Units(width: 2, isBig: true) }
        for width in [4, 2] {
            for isBig in [false, true] {
                let units = Units(width: width, isBig: isBig)
                let first = values(of: bytes.prefix(sureLength * width), units)
                guard let opening = first.first, first.count > 1, opening < 0x80 else { continue }
                let isSure = first.allSatisfy { ($0 >= 0x20 && $0 < 0x7F) || isBlank($0) }
                if isSure || (width == 2 && ("<{[".unicodeScalars.contains { $0.value == opening } || isBlank(opening)))
                {
                    return units
                }
            }
        }
        return nil
    }

    private static func values(of bytes: some Collection<UInt8>, _ units: Units) -> [UInt32] {
        var (found, value, count) = ([UInt32](), UInt32(0), 0)
        found.reserveCapacity(bytes.count / units.width)
        for byte in bytes {
            value |= UInt32(byte) << UInt32(8 * (units.isBig ? units.width - 1 - count : count))
            count += 1
            if count == units.width {
                found.append(value)
                (value, count) = (0, 0)
            }
        }
        return found
    }

    private static func isText(_ values: [UInt32]) -> Bool {
        var isHalf = false
        for value in values {
            // A pair of surrogates is one character; a single one is none.
            guard (0xDC00...0xDFFF).contains(value) == isHalf, value <= 0x10FFFF else { return false }
            isHalf = (0xD800...0xDBFF).contains(value)
            if value < 0x20 || value == 0x7F, !isBlank(value) { return false }
        }
        return true
    }

    private static func isBlank(_ value: UInt32) -> Bool { (0x09...0x0D).contains(value) || value == 0x20 }
}
