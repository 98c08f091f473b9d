import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads a feed out of its XML, as leniently as feeds are written.
struct FeedReader {
    /// Addresses that refer to a long base may have far more bytes than the feed.
    private static let addressBound = 64 << 20

    /// Where the feed was read: relative addresses refer to it, unless an `xml:base` is nearer.
    let address: WebAddress
    private let root: XMLElement
    private let elements: FeedElements

    /// Makes a reader of the feed whose outermost element is `root`.
    init(_ root: XMLElement, at address: WebAddress) {
        self.root = root
        self.address = address
        elements = FeedElements(own: root.namespace)
    }

    func feed() throws(ProviderError) -> Feed {
        let base = base(of: root, in: address)
        switch root.name {
        case "rss":
            let channel = elements.first("channel", in: root) ?? root
            return try rss(channel, items: elements.all("item", in: channel), base)
        case "RDF":
            // Its items and its picture are beside the channel.
            return try rss(elements.first("channel", in: root) ?? root, items: elements.all("item", in: root), base)
        case "feed" where ["", "atom"].contains(FeedVocabulary(namespace: root.namespace)?.rawValue):
            return try atom(base)
        default: throw ProviderError(.unavailable, "\(address.host) answers with XML that is no feed")
        }
    }

    private func rss(_ channel: XMLElement, items: [XMLElement], _ base: WebAddress) throws(ProviderError) -> Feed {
        let base = self.base(of: channel, in: base)
        let title = short(elements.text("title", in: channel))
        var feed = Feed(title: title, hasItems: !items.isEmpty, next: next(channel, base))
        feed.cover = image(of: channel, base) ?? picture(of: channel, base) ?? picture(of: root, base)
        feed.episodes = try episodes(items) { item in
            episode(
                item, id: elements.text("guid", in: item),
                description: elements.text("description", in: item) ?? elements.text("summary", .itunes, in: item), base
            )
        }
        return feed
    }

    private func atom(_ base: WebAddress) throws(ProviderError) -> Feed {
        let entries = elements.all("entry", in: root)
        let title = short(elements.text("title", in: root))
        var feed = Feed(title: title, hasItems: !entries.isEmpty, next: next(root, base))
        feed.cover =
            image(of: root, base) ?? reference(elements.text("logo", in: root), base)
            ?? reference(elements.text("icon", in: root), base)
        feed.episodes = try episodes(entries) { entry in
            episode(
                entry, id: elements.text("id", in: entry),
                description: elements.text("summary", in: entry) ?? elements.text("content", in: entry), base)
        }
        return feed
    }

    private func episodes(
        _ items: [XMLElement], _ episode: (XMLElement) -> Feed.Episode?
    ) throws(ProviderError) -> [Feed.Episode] {
        var (episodes, bytes) = ([Feed.Episode](), 0)
        for item in items {
            guard let episode = episode(item) else { continue }
            bytes += episode.id.utf8.count + episode.enclosure.text.utf8.count + (episode.cover?.utf8.count ?? 0)
            guard bytes <= Self.addressBound else {
                throw ProviderError(.unavailable, "the feed of \(address.host) is too large")
            }
            episodes.append(episode)
        }
        return episodes
    }

    private func episode(_ item: XMLElement, id: String?, description: String?, _ base: WebAddress) -> Feed.Episode? {
        let base = self.base(of: item, in: base)
        guard let media = medium(item, base) else { return nil }
        // Without a guid, the address is what stays the same; its query may not.
        let id = id ?? media.address.origin + media.address.path
        guard id.utf8.count <= 1024 else { return nil }
        let group = elements.first("group", .media, in: item) ?? item
        let season = elements.first("season", .podcast, in: item)
        let episode = elements.first("episode", .podcast, in: item)
        let description = description ?? elements.text("description", .media, in: group)
        return Feed.Episode(
            id: id, title: title(of: item, group).map { HTMLStripper.text(of: $0, bound: 1000) },
            description: description.map { HTMLStripper.text(of: $0) }.flatMap { $0.isEmpty ? nil : $0 },
            publishedAt: date(of: item),
            duration: elements.text("duration", .itunes, in: item).flatMap(Self.seconds) ?? media.duration
                ?? contents(of: item).lazy.compactMap { Self.duration(of: $0) }.first,
            season: (season?.words ?? elements.text("season", .itunes, in: item)).flatMap { Int($0) },
            seasonName: season?.attributes["name"],
            number: (episode?.words ?? elements.text("episode", .itunes, in: item)).flatMap { Double($0) },
            cover: image(of: item, base) ?? still(of: item, base),
            enclosure: media.address, mediaType: media.type, kind: media.kind)
    }

    /// A title as listings may have it.
    private func short(_ title: String?) -> String? {
        title.map { $0.utf8.count > 1024 ? HTMLStripper.text(of: $0, bound: 1000) : $0 }
    }

    private func title(of item: XMLElement, _ group: XMLElement) -> String? {
        elements.text("title", in: item) ?? elements.text("title", .itunes, in: item)
            ?? elements.text("title", .media, in: group) ?? elements.text("title", .media, in: item)
            ?? elements.text("title", .dublinCore, in: item)
    }

    /// The first of the item's dates that is one.
    private func date(of item: XMLElement) -> Date? {
        let places: [(name: String, vocabulary: FeedVocabulary)] = [
            ("pubDate", .own), ("published", .own), ("issued", .own), ("date", .dublinCore), ("published", .atom),
            ("issued", .terms), ("updated", .own), ("modified", .own), ("updated", .atom), ("created", .own),
        ]
        return places.lazy.compactMap { elements.text($0.name, $0.vocabulary, in: item).flatMap(WebDate.date) }.first
    }

    /// A media file that an item offers.
    private struct Medium {
        var address: WebAddress
        var type: String?
        var duration: Double?
        var height: Int
        var kind = Resolution.Kind.file
    }

    /// The first enclosure that is media, otherwise the largest `media:content`.
    private func medium(_ item: XMLElement, _ base: WebAddress) -> Medium? {
        for found in elements.all("enclosure", in: item) + elements.links("enclosure", in: item) {
            if let medium = medium(found, at: found.attributes["url"] ?? found.attributes["href"], base) {
                return medium
            }
        }
        let media = contents(of: item).compactMap { medium($0, at: $0.attributes["url"], base) }
        return media.max { $0.height < $1.height }
    }

    /// The files of Media RSS, alone and in groups.
    private func contents(of item: XMLElement) -> [XMLElement] {
        ([item] + elements.all("group", .media, in: item)).flatMap { elements.all("content", .media, in: $0) }
    }

    private func medium(_ element: XMLElement, at reference: String?, _ base: WebAddress) -> Medium? {
        guard let reference, let address = self.base(of: element, in: base).resolving(reference) else { return nil }
        let type = element.attributes["type"]?.lowercased()
        let name = address.path.split(separator: "/").last.map(String.init) ?? ""
        var kind = Resolution.Kind.file
        if type?.hasSuffix("mpegurl") == true || name.hasSuffix(".m3u8") { kind = .hls }
        if type == "application/dash+xml" || name.hasSuffix(".mpd") { kind = .dash }
        let isNamedMedia = MediaFiles.fileExtension(name).map(MediaFiles.extensions.contains) == true
        let isMedia: Bool
        if let type, type.hasPrefix("video/") || type.hasPrefix("audio/") {
            isMedia = true
        } else {
            // Of any other type, or none: the name tells.
            isMedia = isNamedMedia || ["video", "audio"].contains(element.attributes["medium"])
        }
        guard isMedia || kind != .file else { return nil }
        return Medium(
            address: address, type: type.flatMap { $0.contains("/") && $0 != "application/octet-stream" ? $0 : nil },
            duration: Self.duration(of: element),
            height: element.attributes["height"].flatMap { Int($0) } ?? 0, kind: kind)
    }

    private func next(_ channel: XMLElement, _ base: WebAddress) -> WebAddress? {
        elements.links("next", in: channel).first?.attributes["href"].flatMap(base.resolving)
    }

    /// The picture by iTunes' element, or by Media RSS's.
    private func image(of element: XMLElement, _ base: WebAddress) -> String? {
        let image = elements.first("image", .itunes, in: element)
        return reference(image?.attributes["href"] ?? image?.attributes["url"] ?? image?.words, base)
            ?? reference(elements.first("thumbnail", .media, in: element)?.attributes["url"], base)
    }

    /// The picture by RSS's own element, which has its address in one of its own.
    private func picture(of element: XMLElement, _ base: WebAddress) -> String? {
        reference(elements.first("image", in: element).flatMap { elements.text("url", in: $0) }, base)
    }

    /// The picture within the groups and files of Media RSS, or a file of it that is one.
    private func still(of item: XMLElement, _ base: WebAddress) -> String? {
        let contents = contents(of: item)
        let places = elements.all("group", .media, in: item) + contents
        if let image = places.lazy.compactMap({ image(of: $0, base) }).first { return image }
        let pictures = contents.filter {
            $0.attributes["medium"] == "image" || $0.attributes["type"]?.hasPrefix("image/") == true
        }
        return pictures.lazy.compactMap { reference($0.attributes["url"], base) }.first
    }

    private static func duration(of content: XMLElement) -> Double? { content.attributes["duration"].flatMap(seconds) }

    /// An empty reference isn't one to the feed itself.
    private func reference(_ text: String?, _ base: WebAddress) -> String? {
        text.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : base.resolving($0) }?.text
    }

    private func base(of element: XMLElement, in outer: WebAddress) -> WebAddress {
        element.attributes["xml:base"].flatMap(outer.resolving) ?? outer
    }

    /// Longer no episode is: a listing takes none that is.
    private static let longest = 1e9

    /// `3723`, `62:03`, `1:02:03`, with a fraction or not.
    static func seconds(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
        guard (1...3).contains(parts.count) else { return nil }
        var seconds = 0.0
        for part in parts {
            guard let part, part >= 0 else { return nil }
            seconds = seconds * 60 + part
        }
        return seconds > 0 && seconds <= longest ? seconds : nil
    }
}
