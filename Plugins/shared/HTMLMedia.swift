import ProviderHTTP

/// Where the media in a piece of HTML are: the sources of its players, what it embeds, and its links, in their order.
enum HTMLMedia {
    /// What is played, embedded or linked.
    struct Link {
        /// As it is written, entities resolved.
        var reference: String
        var title: String?
        /// Whether it is the source of a player.
        var isPlayed: Bool
    }

    private static let bound = 10_000

    /// As they are written, entities resolved; each once.
    static func references(in html: String) -> [String] { links(in: html).map(\.reference) }

    /// Those of ``references(in:)`` with what their first tags say of them.
    static func links(in html: String) -> [Link] {
        var cursor = HTMLCursor(Array(html.utf8))
        var found: [Link] = []
        var seen: Set<String> = []
        while let byte = cursor.byte, found.count < bound {
            guard byte == UInt8(ascii: "<"), let tag = cursor.readTag(attributes: ["src", "href", "title"]) else {
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
            found.append(
                Link(
                    reference: reference, title: tag.attributes["title"].map { HTMLStripper.unescaped($0) },
                    isPlayed: ["video", "audio", "source"].contains(tag.name)))
        }
        return found
    }
}
