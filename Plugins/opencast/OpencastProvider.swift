import ProviderHTTP
import ProviderKit

/// Courses that are series of Opencast. The pictures of an event are views of one video.
struct OpencastProvider: Provider {
    private let pages = ListingPages()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let server = OpencastServer(
            try Endpoint.address(parameters), request.credentials, request.settings, now: request.now)
        guard let series = parameters["series"]?.string else {
            throw ProviderError(.invalidParameters, "series is missing: the series' id", parameter: "series")
        }
        return try await pages.page(request) { _ throws(ProviderError) in
            let events = try await server.events(of: series)
            var listing = Listing(title: events.lazy.compactMap(\.seriesTitle).first)
            if listing.title == nil { listing.title = try await server.series(series)?.title }
            listing.videos = events.map { event in
                var video = Listing.Video(
                    id: event.id, title: event.title, publishedAt: event.begins, duration: event.duration,
                    cover: nil)
                video.resolved = Self.resolution(event, ["best"], at: server)
                return video
            }
            return .whole(listing, validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let server = OpencastServer(
            try Endpoint.address(request.video.parameters), request.credentials, request.settings, now: request.now)
        let event = try await server.event(request.video.id)
        guard let resolution = Self.resolution(event, request.quality, at: server) else {
            throw ProviderError(
                .notReady,
                event.isLive
                    ? "this event is live, or will be" : "\(server.address.host) has no file of this event yet")
        }
        return resolution
    }

    func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        let server = OpencastServer(
            try Endpoint.address(request.parameters), request.credentials, request.settings, now: request.now)
        var ids: Set<String> = []
        return CourseList(
            courses: try await server.series().filter { ids.insert($0.id).inserted }.map { series in
                .init(id: series.id, title: series.title, parameters: ["series": .string(series.id)])
            })
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let address = WebAddress(request.address), let page = OpencastPage(address, request.address) else {
            return Recognition()
        }
        let root = address.replacing(path: "/")
        let server = OpencastServer(root, request.credentials, request.settings, now: request.now)
        guard try await server.userName().isOpencast else { return Recognition() }
        let endpoint: [String: JSONValue] = ["endpoint": .string(root.text)]
        switch page {
        case .series(let id):
            return Recognition(
                .init(
                    title: try await Self.title(of: id, at: server),
                    parameters: endpoint.merging(["series": .string(id)]) { $1 }))
        case .event(let id):
            return Recognition(.init(id: id, title: try await server.event(id).title, parameters: endpoint))
        }
    }

    /// With name and password, or with the session of a browser.
    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        let secrets = request.secrets.value
        var credentials = request.credentials?.value ?? .object([:])
        var address: WebAddress
        if secrets["username"] != nil {
            (credentials, address) = try HostLogins.adding(
                LoginRequest(
                    user: request.user, now: request.now, credentials: request.credentials, settings: request.settings,
                    parameters: request.parameters, secrets: secrets.filter { $0.key != "session" }),
                required: ["username", "password"])
        } else {
            address = try HostLogins.server(of: request)
        }
        if let session = secrets["session"] {
            var members = credentials.object ?? [:]
            members["session"] = .string(session)
            credentials = .object(members)
        }
        let server = OpencastServer(address, Secret(credentials), request.settings, now: request.now)
        let user = try await HostLogins.trying { () async throws(ProviderError) in try await server.userName() }
        guard user.isOpencast else {
            throw ProviderError(.invalidParameters, "\(address.host) isn't Opencast", parameter: "endpoint")
        }
        guard user.name != nil else {
            throw ProviderError(.authRequired, "\(address.host) refuses this login", server: address.origin)
        }
        return Login(credentials: credentials)
    }

    /// The title of a series, or of the series of its events: not every user who may see those may see the series.
    private static func title(of series: String, at server: OpencastServer) async throws(ProviderError) -> String? {
        if let found = try await server.series(series) { return found.title }
        let events = try await server.events(of: series)
        guard !events.isEmpty else {
            throw ProviderError(
                .notFound, "\(server.address.host) has no such series, or doesn't show it to this login")
        }
        return events.lazy.compactMap(\.seriesTitle).first
    }

    /// Nil as long as there is nothing to download.
    private static func resolution(
        _ event: OpencastEvent, _ quality: [String], at server: OpencastServer
    ) -> Resolution? {
        let views = event.views(quality)
        guard let main = views.first else { return nil }
        let subtitles = event.subtitles
        let files = (views.map(\.media.address.text) + subtitles.compactMap(\.url)).compactMap(WebAddress.init)
        return Resolution(
            url: main.media.address.text, kind: main.media.kind,
            expiresAt: views.compactMap { OpencastPolicy.end(of: $0.media.address) }.min(), size: main.media.size,
            mediaType: main.media.mediaType, duration: event.duration, subtitles: subtitles, cover: event.cover,
            tokens: server.tokens(for: files), checksums: main.media.checksums, title: event.title, role: main.role,
            streams: views.dropFirst().map { role, media in
                .init(
                    role, url: media.address.text, kind: media.kind, size: media.size, checksums: media.checksums,
                    mediaType: media.mediaType)
            })
    }
}
