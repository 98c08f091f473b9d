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

    private var cursor: HTMLCursor
    private var place = Place.outside
    private var isLineByLine = false
    private(set) var links: [Link] = []

    init(_ page: [UInt8]) {
        cursor = HTMLCursor(page)
        while let byte = cursor.byte, links.count < Self.linkBound {
            if byte == UInt8(ascii: "<"), readTag() { continue }
            take(byte)
            cursor.advance()
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
        guard let tag = cursor.readTag(attributes: ["href", "datetime"]) else { return false }
        switch tag.name {
        case "a":
            place = .outside
            if let reference = tag.attributes["href"] {
                links.append(Link(reference: HTMLStripper.unescaped(reference)))
                place = .label
            }
        case "/a": if place == .label { place = .after }
        case "pre": isLineByLine = true
        case "time":
            if place != .outside, let time = tag.attributes["datetime"], time.utf8.count < 64 {
                links[links.count - 1].time = links[links.count - 1].time ?? HTMLStripper.unescaped(time)
            }
        case _ where Self.rowEnds.contains(tag.name):
            place = .outside
            if tag.name == "/pre" { isLineByLine = false }
        case "": break
        // Words on both sides of a tag are two.
        default: take(0x20)
        }
        return true
    }
}
