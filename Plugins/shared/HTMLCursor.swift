/// Reads the tags of an HTML page one after the other, whatever is in it. Linear in its length.
struct HTMLCursor {
    /// A tag. Its name is in lower case, with a slash before it if it ends an element, and empty for a comment and for
    /// an element that has no tags in it.
    struct Tag {
        var name = ""
        /// The values of the attributes that were asked for, as they are written.
        var attributes: [String: String] = [:]
    }

    /// Elements whose content is no HTML.
    private static let opaque: Set<String> = ["script", "style"]
    private static let nameBound = 20

    private let page: [UInt8]
    private var index = 0

    init(_ page: [UInt8]) { self.page = page }

    /// The byte at this place; nil at the end.
    var byte: UInt8? { index < page.count ? page[index] : nil }

    mutating func advance() { index += 1 }

    /// Reads the tag or comment that begins here, and goes on behind it; nil for a `<` that is text.
    mutating func readTag(attributes wanted: Set<String>) -> Tag? {
        if page[index...].starts(with: "<!--".utf8) {
            skip(behind: Array("-->".utf8))
            return Tag()
        }
        let name = page[(index + 1)...].prefix(Self.nameBound).prefix { $0 > 0x20 && !"<>".utf8.contains($0) }
        guard let first = name.first, Self.isLetter(first) || first == UInt8(ascii: "/") else { return nil }
        let text = String(decoding: name, as: UTF8.self).lowercased()
        index = name.endIndex
        let attributes = readAttributes(wanted)
        if Self.opaque.contains(text) {
            skip(behind: Array("</\(text)".utf8))
            return Tag()
        }
        return Tag(name: text, attributes: attributes)
    }

    /// Reads to the end of a tag, or to the next one: one that doesn't end hides nothing.
    private mutating func readAttributes(_ wanted: Set<String>) -> [String: String] {
        var found: [String: String] = [:]
        while index < page.count, !"<>".utf8.contains(page[index]) {
            guard page[index] > 0x20 else {
                index += 1
                continue
            }
            let name = page[index...].prefix { $0 > 0x20 && !"=<>".utf8.contains($0) }
            index = name.endIndex
            skipBlanks()
            guard index < page.count, page[index] == UInt8(ascii: "=") else { continue }
            index += 1
            skipBlanks()
            let value = readValue()
            guard name.count <= Self.nameBound else { continue }
            let text = String(decoding: name, as: UTF8.self).lowercased()
            if wanted.contains(text) { found[text] = String(decoding: value, as: UTF8.self) }
        }
        if index < page.count, page[index] == UInt8(ascii: ">") { index += 1 }
        return found
    }

    private mutating func readValue() -> ArraySlice<UInt8> {
        guard index < page.count else { return [] }
        let quote = page[index]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            let value = page[index...].prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") }
            index = value.endIndex
            return value
        }
        let value = page[(index + 1)...].prefix { $0 != quote }
        index = min(value.endIndex + 1, page.count)
        return value
    }

    private mutating func skipBlanks() {
        while index < page.count, page[index] <= 0x20 { index += 1 }
    }

    /// Goes on behind `end`, whatever the case of its letters; to the end of the page without one.
    private mutating func skip(behind end: [UInt8]) {
        while index + end.count <= page.count {
            let isEnd = zip(page[index...], end).allSatisfy { Self.isLetter($0) ? $0 | 0x20 == $1 : $0 == $1 }
            if isEnd {
                index += end.count
                return
            }
            index += 1
        }
        index = page.count
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}
