import XMLSource

/// Text out of HTML. Linear in its length, whatever it is.
public enum HTMLStripper {
    /// `text` without tags, with entities resolved and blanks joined, at most `bound` bytes long.
    public static func text(of text: String, bound: Int = 4096) -> String {
        var result = ""
        for word in unescaped(withoutTags(text)).unicodeScalars.split(whereSeparator: \.properties.isWhitespace) {
            if !result.isEmpty { result += " " }
            result.unicodeScalars += word
            if result.utf8.count > bound { return beginning(of: result, bound) + "…" }
        }
        return result
    }

    /// At most `bound` bytes of a longer text, whole characters. One character may be as long as the text, so that only
    /// its own part of the beginning is looked at.
    private static func beginning(of text: String, _ bound: Int) -> String {
        let scalars = text.unicodeScalars
        var cut = text.utf8.index(text.utf8.startIndex, offsetBy: bound)
        while cut.samePosition(in: scalars) == nil { cut = text.utf8.index(before: cut) }
        var beginning = String(scalars[..<cut])
        guard var last = beginning.last.map(String.init) else { return "" }
        last.unicodeScalars.append(scalars[cut])
        if last.count == 1 { beginning.removeLast() }
        return beginning
    }

    /// With a blank in the place of each tag. A lone `<` is text.
    private static func withoutTags(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var index = 0
        // Where there is none any more, the end isn't searched again for every "<".
        var hasEnds = true
        while index < bytes.count {
            if hasEnds, bytes[index] == UInt8(ascii: "<"), index + 1 < bytes.count, beginsTag(bytes[index + 1]) {
                if let end = bytes[index...].firstIndex(of: UInt8(ascii: ">")) {
                    plain.append(UInt8(ascii: " "))
                    index = end + 1
                    continue
                }
                hasEnds = false
            }
            plain.append(bytes[index])
            index += 1
        }
        return String(decoding: plain, as: UTF8.self)
    }

    private static func beginsTag(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "!")
    }

    /// `text` with its entities resolved. What isn't one stays.
    public static func unescaped(_ text: some StringProtocol) -> String {
        var result = ""
        var rest = Substring(text)
        while let mark = rest.utf8.firstIndex(of: UInt8(ascii: "&")) {
            result += rest[..<mark]
            let inside = rest[rest.utf8.index(after: mark)...]
            guard let end = inside.utf8.prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let character = HTMLEntity.character(inside[..<end])
            else {
                result += "&"
                rest = inside
                continue
            }
            result.unicodeScalars.append(character)
            rest = inside[inside.utf8.index(after: end)...]
        }
        return result + rest
    }
}
