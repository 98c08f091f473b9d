import ProviderHTTP

/// Where the media in a piece of HTML are: the sources of its players, what it embeds, and its links, in their order.
enum HTMLMedia {
    private static let bound = 10_000

    /// As they are written, entities resolved; each once.
    static func references(in html: String) -> [String] {
        var cursor = HTMLCursor(Array(html.utf8))
        var found: [String] = []
        var seen: Set<String> = []
        while let byte = cursor.byte, found.count < bound {
            guard byte == UInt8(ascii: "<"), let tag = cursor.readTag(attributes: ["src", "href"]) else {
                cursor.advance()
                continue
            }
            let value: String? =
                switch tag.name {
                case "video", "audio", "source", "iframe", "embed": tag.attributes["src"]
                case "a": tag.attributes["href"]
                default: nil
                }
            guard let reference = value.map({ HTMLStripper.unescaped($0) }), seen.insert(reference).inserted else {
                continue
            }
            found.append(reference)
        }
        return found
    }
}
