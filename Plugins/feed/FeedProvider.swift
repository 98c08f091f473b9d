import ProviderHTTP
import ProviderKit

/// Courses that are feeds: RSS 2.0, RSS 1.0, Atom, podcasts. A video is an episode with an enclosure.
struct FeedProvider: Provider {
    private let pages = ListingPages()
    private let feeds = FeedStore()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let endpoint = try Endpoint(request)
        let order = FeedOrder(rawValue: request.course.parameters["order"]?.string ?? "") ?? .oldest
        return try await pages.page(request) { validator throws(ProviderError) in
            guard let feed = try await feeds.read(endpoint, since: validator) else { return .unchanged }
            if feed.episodes.isEmpty, feed.hasItems {
                HostLog.write(.warning, "the feed of \(endpoint.address.host) has items, but none with a media file")
            }
            return .whole(order.listing(feed, hidesAddresses: isPrivate(endpoint)), validator: feed.validator)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let parameters = request.video.parameters
        let endpoint = try Endpoint(request)
        if request.previous == nil, let text = parameters["enclosure"]?.string, let address = WebAddress(text) {
            let kind = parameters["kind"]?.string.flatMap(Resolution.Kind.init(rawValue:)) ?? .file
            return resolution(of: address, kind: kind, mediaType: parameters["media_type"]?.string, at: endpoint)
        }
        let feed = try await feeds.current(endpoint, isFresh: request.previous != nil)
        guard let episode = feed.episodes.first(where: { EpisodeID.isSame(request.video.id, as: $0.id) }) else {
            throw ProviderError(.notFound, "the feed of \(endpoint.address.host) doesn't have this episode any more")
        }
        var resolution = resolution(
            of: episode.enclosure, kind: episode.kind, mediaType: episode.mediaType, at: endpoint)
        resolution.duration = episode.duration
        resolution.cover = episode.cover
        return resolution
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let endpoint = Endpoint(request) else { return Recognition() }
        do throws(ProviderError) {
            guard let feed = try await feeds.read(endpoint, since: nil) else { return Recognition() }
            return Recognition(.init(title: feed.title, parameters: ["endpoint": .string(request.address)]))
        } catch {
            // It was read, and is no feed.
            guard error.kind == .invalidParameters else { throw error }
            return Recognition()
        }
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        try await HostLogins.login(request) { HTTPRequest("GET", $0.address, login: $0.login) }
    }

    private func resolution(
        of address: WebAddress, kind: Resolution.Kind, mediaType: String?, at endpoint: Endpoint
    ) -> Resolution {
        Resolution(
            url: address.text, kind: kind,
            token: address.origin == endpoint.address.origin ? endpoint.login?.token : nil,
            mediaType: mediaType)
    }

    /// Whether the addresses in the feed may be secrets of its reader.
    private func isPrivate(_ endpoint: Endpoint) -> Bool { endpoint.login != nil || endpoint.address.query != nil }
}
