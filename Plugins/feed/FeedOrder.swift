import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The order of a feed's episodes in its course.
enum FeedOrder: String {
    case oldest, newest, feed

    /// The feed as a listing: a season is a chapter.
    ///
    /// - Parameter hidesAddresses: leaves the addresses of the media out, since listings are stored. Those with a query
    ///   are never in it.
    func listing(_ feed: Feed, hidesAddresses: Bool) -> Listing {
        var seasons: [Int: [Feed.Episode]] = [:]
        var direct: [Feed.Episode] = []
        var seen: Set<String> = []
        for episode in feed.episodes where seen.insert(episode.id).inserted {
            if let season = episode.season {
                seasons[season, default: []].append(episode)
            } else {
                direct.append(episode)
            }
        }
        func video(_ episode: Feed.Episode) -> Listing.Video {
            var parameters: [String: JSONValue] = [:]
            if !hidesAddresses, episode.enclosure.query == nil {
                parameters["enclosure"] = .string(episode.enclosure.text)
                parameters["media_type"] = episode.mediaType.map { .string($0) }
                if episode.kind != .file { parameters["kind"] = .string(episode.kind.rawValue) }
            }
            let id = EpisodeID.listed(episode.id, ofPrivateFeed: hidesAddresses)
            return Listing.Video(
                id: id, formerly: id == episode.id ? nil : episode.id, title: episode.title,
                description: episode.description,
                publishedAt: episode.publishedAt, duration: episode.duration,
                cover: shown(episode.cover, hidesAddresses), parameters: parameters,
                episode: episode.number.flatMap(Self.number))
        }
        let numbers = self == .newest ? seasons.keys.sorted(by: >) : seasons.keys.sorted()
        return Listing(
            title: feed.title, cover: shown(feed.cover, hidesAddresses),
            chapters: numbers.map { number in
                let episodes = sorted(seasons[number] ?? [])
                let name = episodes.lazy.compactMap(\.seasonName).first
                return Listing.Chapter(
                    id: "season-\(number)", title: name ?? "Season \(number)", videos: episodes.map(video),
                    season: Self.number(Double(number)))
            },
            videos: sorted(direct).map(video))
    }

    /// A number as a listing has it; nil for one and a half, and for one that is a date.
    private static func number(_ number: Double) -> Int? {
        Int(exactly: number).flatMap { (0...99_999_999).contains($0) ? $0 : nil }
    }

    private func shown(_ cover: String?, _ hidesAddresses: Bool) -> String? {
        cover.flatMap { hidesAddresses && $0.contains("?") ? nil : $0 }
    }

    /// By the episodes' numbers if all have one, otherwise by their dates if all have one, otherwise as in a feed,
    /// which begins with the newest.
    private func sorted(_ episodes: [Feed.Episode]) -> [Feed.Episode] {
        guard self != .feed else { return episodes }
        // The feed's own order decides between equals, for which Swift's sort is stable enough only by an index.
        let indexed = Array(episodes.reversed().enumerated())
        let upwards: [Feed.Episode]
        if episodes.allSatisfy({ $0.number != nil }) {
            upwards = indexed.sorted { ($0.element.number ?? 0, $0.offset) < ($1.element.number ?? 0, $1.offset) }
                .map(\.element)
        } else if episodes.allSatisfy({ $0.publishedAt != nil }) {
            upwards = indexed.sorted { a, b in
                (a.element.publishedAt?.timeIntervalSince1970 ?? 0, a.offset)
                    < (b.element.publishedAt?.timeIntervalSince1970 ?? 0, b.offset)
            }.map(\.element)
        } else {
            upwards = indexed.map(\.element)
        }
        return self == .newest ? upwards.reversed() : upwards
    }
}
