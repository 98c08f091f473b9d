import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The videos of a course: its modules as chapters, and what of its files and media objects is in none of them.
struct CanvasCourse {
    /// What the server answers about a course.
    struct Parts {
        /// With the items of each.
        var modules: [JSONValue]
        /// By the names in their addresses.
        var pages: [String: JSONValue]
        /// Empty, as the next, where the course doesn't show its files.
        var files: [CanvasFile]
        var media: [JSONValue]
    }

    private let server: WebAddress
    private let kinds: MediaFiles
    private let hasPatterns: Bool
    private let pages: [String: JSONValue]
    private let files: [String: CanvasFile]
    private let media: [String: JSONValue]
    /// The files that were uploaded for media objects, by the ids of these.
    private let filesOfMedia: [String: CanvasFile]
    private var ids: Set<String> = []
    private(set) var chapters: [Listing.Chapter] = []
    private(set) var others: [Listing.Video] = []

    init(_ parts: Parts, at server: WebAddress, _ parameters: [String: JSONValue]) throws(ProviderError) {
        self.server = server
        kinds = try MediaFiles(parameters)
        hasPatterns = parameters["files"] != nil
        pages = parts.pages
        files = parts.files.reduce(into: [:]) { $0[$1.id] = $1 }
        media = parts.media.reduce(into: [:]) { if let id = $1["media_id"]?.string { $0[id] = $1 } }
        filesOfMedia = Self.filesOfMedia(parts)
        for module in parts.modules { add(module) }
        let names = parts.files.map { (id: $0.id, order: NaturalOrder($0.name)) }.sorted { $0.order < $1.order }
        others += new(names.compactMap { video(file: $0.id) })
        let lone = parts.media.compactMap { $0["media_id"]?.string }.filter { filesOfMedia[$0] == nil }
        others += new(lone.map { video(media: $0) })
    }

    /// Of several files of a media object, the first that isn't locked.
    private static func filesOfMedia(_ parts: Parts) -> [String: CanvasFile] {
        var found: [String: CanvasFile] = [:]
        for file in parts.files {
            if let media = file.media, found[media].map({ $0.lock != nil && file.lock == nil }) != false {
                found[media] = file
            }
        }
        // A file that doesn't say which media object is its own has the name of it.
        let nameless = parts.files.filter { $0.media == nil }.reduce(into: [:]) { $0[$1.name] = $1 }
        for media in parts.media {
            if let id = media["media_id"]?.string, found[id] == nil, let name = media["title"]?.string {
                found[id] = nameless[name]
            }
        }
        return found
    }

    private mutating func add(_ module: JSONValue) {
        guard let id = CanvasServer.id(module["id"]) else { return }
        var videos = new((module["items"]?.list ?? []).flatMap(videos))
        if module["state"]?.string == "locked", let opens = module["unlock_at"]?.string.flatMap(WebDate.date) {
            for place in videos.indices { videos[place].availableAt = videos[place].availableAt ?? opens }
        }
        if !videos.isEmpty { chapters.append(.init(id: id, title: module["name"]?.string, videos: videos)) }
    }

    /// Those that aren't in the course already. A media object is the same as its file.
    private mutating func new(_ videos: [Listing.Video]) -> [Listing.Video] {
        videos.filter { ids.insert($0.formerly ?? $0.id).inserted }
    }

    private func videos(of item: JSONValue) -> [Listing.Video] {
        let title = item["title"]?.string
        switch item["type"]?.string {
        case "File":
            guard let id = CanvasServer.id(item["content_id"]) else { return [] }
            let details = item["content_details"]
            let name = details?["display_name"]?.string ?? title
            guard var video = video(file: id, named: name, title: title.map(MediaFiles.title)) else { return [] }
            video.availableAt = CanvasLock(details)?.availableAt ?? video.availableAt
            return [video]
        case "Page":
            guard let page = item["page_url"]?.string.flatMap({ pages[$0] }), let html = page["body"]?.string else {
                return []
            }
            return HTMLMedia.links(in: html).compactMap { link in
                server.resolving(link.reference).flatMap {
                    video(at: $0, named: link.title, isPlayed: link.isPlayed, title: title)
                }
            }
        case "ExternalUrl", "ExternalTool":
            guard let address = item["external_url"]?.string.flatMap({ server.resolving($0) }) else { return [] }
            return [video(at: address, named: title, title: title)].compactMap(\.self)
        default:
            return []
        }
    }

    /// What an address leads to. `title` is that of the page or item.
    private func video(
        at address: WebAddress, named name: String?, isPlayed: Bool = false, title: String?
    ) -> Listing.Video? {
        guard address.origin == server.origin else {
            return HandOver(address).map { other in
                let place = address.text.drop { $0 != "/" }.dropFirst(2)
                return Listing.Video(
                    id: other.id ?? String(place), title: title, parameters: other.parameters,
                    provider: other.provider)
            }
        }
        switch CanvasAddress(address)?.content {
        case .file(let id): return video(file: id, named: name, isMedia: isPlayed, title: isPlayed ? title : nil)
        case .player(let id): return video(file: id, isMedia: true, title: title)
        case .media(let id): return video(media: id, title: title)
        default: return nil
        }
    }

    /// A file, if it is a video. `name` is for one that the course doesn't list.
    private func video(
        file id: String, named name: String? = nil, isMedia: Bool = false, title: String? = nil
    ) -> Listing.Video? {
        let file = files[id]
        let name = file?.name ?? name
        let hasType = !hasPatterns && file?.mediaType?.contains(/^(?:video|audio)\//) == true
        guard isMedia || hasType || name.map(kinds.includes) == true else { return nil }
        var video = Listing.Video(
            id: "file-\(id)", title: title ?? name.map(MediaFiles.title), publishedAt: file?.createdAt,
            availableAt: file?.lock?.availableAt)
        guard let file, file.lock == nil else { return video }
        // With a media object the quality may choose another file.
        if file.media == nil { video.size = file.size }
        if let address = file.address, file.media.map({ hasNoSubtitles($0) }) != false {
            video.resolved = file.resolution(at: address)
        }
        return video
    }

    /// A media object. Its id is the same whether the file that was uploaded for it is listed or not.
    private func video(media id: String, title: String? = nil) -> Listing.Video {
        let own = media[id].flatMap { CanvasMedia($0, at: server) }?.title
        var video = Listing.Video(id: "media-\(id)", title: own ?? title)
        guard let file = filesOfMedia[id], let original = self.video(file: file.id, isMedia: true) else { return video }
        video.title = own ?? original.title
        // Somebody may have it by the id of the file, which is that of a file that no page plays.
        video.formerly = original.id
        guard file.lock == nil else { return video }
        video.publishedAt = original.publishedAt
        if file.media != nil { video.resolved = original.resolved }
        video.parameters = ["file": .string(file.id)]
        return video
    }

    private func hasNoSubtitles(_ id: String) -> Bool { media[id]?["media_tracks"]?.array?.isEmpty == true }
}
