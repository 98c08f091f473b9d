import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads a feed out of its XML, as leniently as feeds are written.
struct FeedReader {
    private static let atom = "http://www.w3.org/2005/Atom"
    private static let itunes = "http://www.itunes.com/dtds/podcast-1.0.dtd"
    private static let podcast = "https://podcastindex.org/namespace/1.0"
    private static let media = "http://search.yahoo.com/mrss/"
    private static let rss1 = "http://purl.org/rss/1.0/"
    private static let dublinCore = "http://purl.org/dc/elements/1.1/"

    /// Where the feed was read: relative addresses refer to it.
    let base: WebAddress

    /// The feed whose outermost element is `root`.
    func feed(_ root: XMLElement) throws(ProviderError) -> Feed {
        switch root.name {
        case "rss": return rss(channel: root.first("channel") ?? root, items: root.first("channel")?.all("item") ?? [])
        case "RDF":
            let channel = root.first("channel", in: Self.rss1) ?? root
            return rss(channel: channel, items: root.all("item", in: Self.rss1))
        case "feed" where root.namespace == Self.atom: return atom(root)
        default: throw ProviderError(.unavailable, "\(base.host) answers with XML that is no feed")
        }
    }

    private func rss(channel: XMLElement, items: [XMLElement]) -> Feed {
        var feed = Feed(title: text(channel, "title"), hasItems: !items.isEmpty, next: next(channel))
        feed.cover =
            address(channel.first("image", in: Self.itunes)?.attributes["href"])
            ?? address(channel.first("image").flatMap { text($0, "url") })
        feed.episodes = items.compactMap { item in
            let date = text(item, "pubDate") ?? item.text(of: "date", in: Self.dublinCore)
            return episode(
                item, id: text(item, "guid"), date: date,
                description: text(item, "description") ?? item.text(of: "summary", in: Self.itunes))
        }
        return feed
    }

    private func atom(_ root: XMLElement) -> Feed {
        let entries = root.all("entry", in: Self.atom)
        var feed = Feed(title: text(root, "title"), hasItems: !entries.isEmpty, next: next(root))
        feed.cover =
            address(root.first("image", in: Self.itunes)?.attributes["href"]) ?? address(text(root, "logo"))
        feed.episodes = entries.compactMap { entry in
            episode(
                entry, id: text(entry, "id"), date: text(entry, "published") ?? text(entry, "updated"),
                description: text(entry, "summary") ?? text(entry, "content"))
        }
        return feed
    }

    private func episode(_ item: XMLElement, id: String?, date: String?, description: String?) -> Feed.Episode? {
        guard let media = medium(item) else { return nil }
        let title = text(item, "title") ?? item.text(of: "title", in: Self.itunes)
        // Without a guid, the address is what stays the same; its query may not.
        let id = id ?? media.address.origin + media.address.path
        guard id.utf8.count <= 1024 else { return nil }
        let group = item.first("group", in: Self.media) ?? item
        let season = item.first("season", in: Self.podcast)
        let episode = item.first("episode", in: Self.podcast)
        let description = description ?? group.text(of: "description", in: Self.media)
        return Feed.Episode(
            id: id, title: title.map { PlainText.of(html: $0, bound: 1000) },
            description: description.map { PlainText.of(html: $0) }.flatMap { $0.isEmpty ? nil : $0 },
            publishedAt: date.flatMap(WebDate.date),
            duration: item.text(of: "duration", in: Self.itunes).flatMap(Self.seconds) ?? media.duration,
            season: (season?.words ?? item.text(of: "season", in: Self.itunes)).flatMap { Int($0) },
            seasonName: season?.attributes["name"],
            number: (episode?.words ?? item.text(of: "episode", in: Self.itunes)).flatMap { Double($0) },
            cover: address(item.first("image", in: Self.itunes)?.attributes["href"])
                ?? address(
                    (group.first("thumbnail", in: Self.media) ?? item.first("thumbnail", in: Self.media))?
                        .attributes["url"]),
            enclosure: media.address, mediaType: media.type, kind: media.isPlaylist ? .hls : .file)
    }

    /// A media file that an item offers.
    private struct Medium {
        var address: WebAddress
        var type: String?
        var duration: Double?
        var height: Int

        var isPlaylist: Bool { type?.hasSuffix("mpegurl") == true || address.path.hasSuffix(".m3u8") }
    }

    /// The first enclosure that is media, otherwise the largest `media:content`.
    private func medium(_ item: XMLElement) -> Medium? {
        let links = item.all("link", in: Self.atom).filter { $0.attributes["rel"] == "enclosure" }
        let enclosures = item.all("enclosure") + item.all("enclosure", in: Self.rss1) + links
        if let first = enclosures.lazy.compactMap({ medium($0, at: $0.attributes["url"] ?? $0.attributes["href"]) })
            .first
        {
            return first
        }
        let contents =
            item.all("content", in: Self.media)
            + item.all("group", in: Self.media).flatMap { $0.all("content", in: Self.media) }
        let media = contents.compactMap { medium($0, at: $0.attributes["url"]) }
        return media.max { $0.height < $1.height }
    }

    private func medium(_ element: XMLElement, at reference: String?) -> Medium? {
        guard let reference, let address = base.resolving(reference) else { return nil }
        let type = element.attributes["type"]?.lowercased()
        let name = address.path.split(separator: "/").last.map(String.init) ?? ""
        let isPlaylist = type?.hasSuffix("mpegurl") == true || name.hasSuffix(".m3u8")
        let isNamedMedia = MediaFiles.fileExtension(name).map(MediaFiles.extensions.contains) == true
        let isMedia: Bool
        if let type, type.hasPrefix("video/") || type.hasPrefix("audio/") {
            isMedia = true
        } else {
            // Of any other type, or none: the name tells.
            isMedia = isNamedMedia || ["video", "audio"].contains(element.attributes["medium"])
        }
        guard isMedia || isPlaylist else { return nil }
        return Medium(
            address: address, type: type.flatMap { $0.contains("/") && $0 != "application/octet-stream" ? $0 : nil },
            duration: element.attributes["duration"].flatMap(Self.seconds),
            height: element.attributes["height"].flatMap { Int($0) } ?? 0)
    }

    private func next(_ channel: XMLElement) -> WebAddress? {
        let link = channel.all("link", in: Self.atom).first { $0.attributes["rel"] == "next" }
        return link?.attributes["href"].flatMap(base.resolving)
    }

    private func address(_ reference: String?) -> String? { reference.flatMap(base.resolving)?.text }

    /// The text of an element of the feed's own vocabulary.
    private func text(_ element: XMLElement, _ name: String) -> String? {
        let namespace = element.namespace == Self.atom || element.namespace == Self.rss1 ? element.namespace : ""
        guard let found = element.first(name, in: namespace) else { return nil }
        // Atom's XHTML is elements.
        return found.words ?? (found.children.isEmpty ? nil : allText(found))
    }

    private func allText(_ element: XMLElement) -> String {
        element.children.reduce(element.text) { $0 + " " + allText($1) }
    }

    /// `3723`, `62:03`, `1:02:03`, with a fraction or not.
    static func seconds(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
        guard (1...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for part in parts {
            guard let part, part >= 0, part < 1e7 else { return nil }
            seconds = seconds * 60 + part
        }
        return seconds > 0 ? seconds : nil
    }
}
