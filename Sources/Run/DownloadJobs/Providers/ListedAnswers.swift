import Foundation
import ProviderKit

/// Answers that came with the listings of this run: each takes the place of the first question about its video, for the
/// quality `best`, while it is fresh. In memory only.
struct ListedAnswers: Sendable, PrintsRedacted {
    private struct Key: Hashable {
        var provider: String
        var course: String
        var video: String
    }

    private struct Entry {
        var resolution: Resolution
        /// What the provider would have been asked with.
        var parameters: [String: JSONValue]
        var listedAt: Date
        var bytes: Int
    }

    /// Bytes of all of them; what comes when it is reached is asked for.
    static let bound = 32 << 20
    /// Of an answer besides its texts.
    private static let cost = 640

    private var entries: [Key: Entry] = [:]
    private var bytes = 0

    /// Takes the answers of a page.
    mutating func take(_ page: Listing, of request: ListRequest, provider: String, at now: Date) {
        for videos in [page.videos] + page.chapters.map(\.videos) {
            for video in videos { take(video, of: request, provider: provider, at: now) }
        }
    }

    private mutating func take(_ video: Listing.Video, of request: ListRequest, provider: String, at now: Date) {
        // An answer of one provider is none of another's.
        guard let resolution = video.resolved, video.provider ?? provider == provider else { return }
        let parameters = request.course.parameters.merging(video.parameters) { $1 }
        let entry = Entry(
            resolution: resolution, parameters: parameters, listedAt: now, bytes: Self.cost + Self.size(of: resolution))
        // A video may be known by the id that it had formerly.
        for id in Set([video.id, video.formerly ?? video.id]) where bytes + entry.bytes <= Self.bound {
            let old = entries.updateValue(entry, forKey: Key(provider: provider, course: request.course.id, video: id))
            bytes += entry.bytes - (old?.bytes ?? 0)
        }
    }

    /// The answer to a question, if there is one that may be used now. It is used once.
    mutating func answer(to request: ResolveRequest, provider: String, at now: Date) -> Resolution? {
        let key = Key(provider: provider, course: request.course.id, video: request.video.id)
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        bytes -= entry.bytes
        guard request.previous == nil, entry.parameters == request.video.parameters,
            // A playlist has every quality; of a file the list doesn't know which one is wanted.
            entry.resolution.kind != .file || request.quality == ["best"],
            let media = ResolvedMedia(entry.resolution, at: entry.listedAt), media.isUsable(at: now),
            !media.isExpired(at: now)
        else { return nil }
        return entry.resolution
    }

    /// Forgets those of a provider: they were made with a login that is gone.
    mutating func forget(_ provider: String) {
        for (key, entry) in entries where key.provider == provider {
            entries[key] = nil
            bytes -= entry.bytes
        }
    }

    private static func size(of resolution: Resolution) -> Int {
        var texts = [resolution.url]
        texts += resolution.headers.flatMap { [$0.key, $0.value] }
        for token in resolution.everyToken {
            texts += [token.value, token.name, token.urlPrefix ?? ""] + token.origins
        }
        texts += resolution.streams.flatMap { stream in
            [stream.role, stream.url] + stream.headers.flatMap { [$0.key, $0.value] }
        }
        texts += (resolution.tracks + resolution.streams.flatMap(\.tracks)).flatMap { track in
            [track.url, track.lang ?? "", track.title ?? ""] + track.headers.flatMap { [$0.key, $0.value] }
        }
        texts += resolution.subtitles.flatMap { [$0.url, $0.text ?? "", $0.lang] }
        texts += resolution.attachments.flatMap { [$0.title, $0.url] }
        return texts.reduce(0) { $0 + 32 + $1.utf8.count }
    }
}
