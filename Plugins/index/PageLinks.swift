import ProviderHTTP

/// The links of an HTML page, each with what is written in it and behind it in its row. One pass over the page,
/// whatever is in it.
struct PageLinks {
    struct Link {
        /// The value of `href`, entities resolved.
        let reference: String
        /// The beginning of its text.
        fileprivate(set) var label: [UInt8] = []
        /// The beginning of what follows it, up to the next link or the end of its row.
        fileprivate(set) var after: [UInt8] = []
        /// The `datetime` of a `<time>` behind it.
        fileprivate(set) var time: String?
    }

    /// Whose text is read.
    private enum Place { case outside, label, after }

    private static let linkBound = 500_000
    private static let textBound = 512
    /// What ends a row: the next one, or the list itself.
    private static let rowEnds: Set<String> = [
        "/tr", "/li", "/pre", "/table", "/ul", "/dl", "/body", "tr", "li", "hr", "address", "footer",
    ]
    /// What has no links in it, whatever it looks like.
    private static let opaque: Set<String> = ["script", "style"]

    private let page: [UInt8]
    private var index = 0
    private var place = Place.outside
    private var isLineByLine = false
    private(set) var links: [Link] = []

    init(_ page: [UInt8]) {
        self.page = page
        while index < page.count, links.count < Self.linkBound {
            if page[index] == UInt8(ascii: "<"), readTag() { continue }
            take(page[index])
            index += 1
        }
    }

    private mutating func take(_ byte: UInt8) {
        guard !links.isEmpty else { return }
        let last = links.count - 1
        switch place {
        case .outside: break
        case .label: if links[last].label.count < Self.textBound { links[last].label.append(byte) }
        case .after:
            if isLineByLine, byte == UInt8(ascii: "\n") {
                place = .outside
            } else if links[last].after.count < Self.textBound {
                links[last].after.append(byte)
            }
        }
    }

    /// Reads the tag or comment that begins here; false for a `<` that is text.
    private mutating func readTag() -> Bool {
        if page[index...].starts(with: "<!--".utf8) {
            skip(behind: Array("-->".utf8))
            return true
        }
        let name = page[(index + 1)...].prefix(12).prefix { $0 > 0x20 && !"<>".utf8.contains($0) }
        guard let first = name.first, Self.isLetter(first) || first == UInt8(ascii: "/") else { return false }
        let tag = String(decoding: name, as: UTF8.self).lowercased()
        index = name.endIndex
        let attributes = readAttributes()
        if Self.opaque.contains(tag) {
            skip(behind: Array("</\(tag)".utf8))
            return true
        }
        switch tag {
        case "a":
            place = .outside
            if let reference = attributes.href {
                links.append(Link(reference: HTMLStripper.unescaped(reference)))
                place = .label
            }
        case "/a": if place == .label { place = .after }
        case "pre": isLineByLine = true
        case "time":
            if place != .outside, let time = attributes.datetime, time.utf8.count < 64 {
                links[links.count - 1].time = links[links.count - 1].time ?? HTMLStripper.unescaped(time)
            }
        case _ where Self.rowEnds.contains(tag):
            place = .outside
            if tag == "/pre" { isLineByLine = false }
        // Words on both sides of a tag are two.
        default: take(0x20)
        }
        return true
    }

    /// Reads to the end of a tag, or to the next one: one that doesn't end hides nothing.
    private mutating func readAttributes() -> (href: String?, datetime: String?) {
        var found: (href: String?, datetime: String?)
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
            guard name.count <= 8 else { continue }
            switch String(decoding: name, as: UTF8.self).lowercased() {
            case "href": found.href = String(decoding: value, as: UTF8.self)
            case "datetime": found.datetime = String(decoding: value, as: UTF8.self)
            default: break
            }
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
