import ProviderHTTP
import ProviderKit

/// Courses that are channels, accounts or playlists of a PeerTube instance.
struct PeerTubeProvider: Provider {
    private let pages = ListingPages()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let instance = PeerTubeInstance(
            try Endpoint.address(parameters), request.credentials, request.settings
        ) { server, make throws(ProviderError) in try await request.renewCredentials(at: server, make) }
        let source = try Self.source(parameters)
        return try await pages.page(request) { _ throws(ProviderError) in
            var listing = Listing()
            let own = try await instance.value(source.path)
            listing.title = own["displayName"]?.string
            let found = try await instance.all(source.path + ["videos"], source.fields)
            // A playlist has elements, whose video is null if it isn't there any more, or not for this user.
            let videos = source.isPlaylist ? found.compactMap { $0["video"] }.filter { $0 != .null } : found
            guard videos.allSatisfy({ $0["uuid"]?.string?.isEmpty == false }) else { throw instance.unknownAnswer }
            // A playlist may have a video several times, each from another place on.
            var ids: Set<String> = []
            listing.videos = videos.map { PeerTubeVideo($0, at: instance).listed() }.filter {
                ids.insert($0.id).inserted
            }
            return .whole(listing, validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let instance = PeerTubeInstance(
            try Endpoint.address(request.video.parameters), request.credentials, request.settings
        ) { server, make throws(ProviderError) in try await request.renewCredentials(at: server, make) }
        guard Self.isID(request.video.id) else {
            throw ProviderError(.notFound, "this can't be the id of a video in PeerTube")
        }
        let video = PeerTubeVideo(try await instance.video(request.video.id), at: instance)
        if let delay = video.delay {
            throw ProviderError(.notReady, "\(instance.session.server.host) says of this video: \(delay)")
        }
        guard let media = video.media(request.quality) else {
            throw ProviderError(.notReady, "\(instance.session.server.host) has no file of this video yet")
        }
        var resolution = Resolution(
            url: media.address.text, kind: media.kind, size: media.size, duration: video.duration,
            cover: video.cover, title: video.title)
        if video.isProtected {
            let token = try await instance.fileToken(of: request.video.id)
            resolution.tokens = [
                Token(
                    token.value, in: .query, name: "videoFileToken", origins: [instance.session.server.origin])
            ]
            resolution.expiresAt = token.expiresAt
        }
        resolution.subtitles = await instance.captions(of: request.video.id).compactMap { caption in
            guard let lang = caption["language"]?["id"]?.string,
                let file = instance.file(caption["fileUrl"]) ?? instance.file(caption["captionPath"])
            else { return nil }
            return .init(lang: lang, url: file.text)
        }
        return resolution
    }

    /// The user's own channels and playlists, and the channels that they follow.
    func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        let instance = PeerTubeInstance(
            try Endpoint.address(request.parameters), request.credentials, request.settings
        ) { server, make throws(ProviderError) in try await request.renewCredentials(at: server, make) }
        let server = instance.session.server
        guard instance.session.hasLogin else {
            throw ProviderError(.authRequired, "\(server.host) asks for a login", server: server.origin)
        }
        guard let account = try await instance.value(["users", "me"])["account"]?["name"]?.string else {
            throw ProviderError(.unavailable, "\(server.host) doesn't say whose login this is", server: server.origin)
        }
        let own = try await instance.all(["accounts", account, "video-channels"])
        let followed = try await instance.all(["users", "me", "subscriptions"])
        var courses = (own + followed).compactMap { channel -> CourseList.Course? in
            guard let name = channel["name"]?.string else { return nil }
            let host = channel["host"]?.string ?? server.host
            let full = host == server.host ? name : "\(name)@\(host)"
            return .init(id: full, title: channel["displayName"]?.string, parameters: ["channel": .string(full)])
        }
        courses += try await instance.all(["accounts", account, "video-playlists"]).compactMap { playlist in
            guard let id = playlist["uuid"]?.string, playlist["videosLength"]?.wholeNumber != 0 else { return nil }
            return .init(id: id, title: playlist["displayName"]?.string, parameters: ["playlist": .string(id)])
        }
        var ids: Set<String> = []
        return CourseList(courses: courses.filter { ids.insert($0.id).inserted })
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let address = WebAddress(request.address), let root = WebAddress(address.origin + "/"),
            let kind = Self.kind(of: address.path)
        else { return Recognition() }
        let instance = PeerTubeInstance(root, request.credentials, request.settings) {
            server, make throws(ProviderError) in
            try await request.renewCredentials(at: server, make)
        }
        guard try await instance.isPeerTube() else { return Recognition() }
        let endpoint: [String: JSONValue] = ["endpoint": .string(root.text)]
        if kind.name == "video" {
            let video = PeerTubeVideo(try await instance.video(kind.id), at: instance)
            return Recognition(.init(id: video.id, title: video.title, parameters: endpoint))
        }
        let parameters = endpoint.merging([kind.name: .string(kind.id)]) { $1 }
        let title = try await instance.value(try Self.source(parameters).path)["displayName"]?.string
        return Recognition(.init(title: title, parameters: parameters))
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        try await PeerTubeLogin.login(request)
    }

    // MARK: - Names

    /// Where the videos of a course are in the API.
    private struct Source {
        var path: [String]
        var fields: [(name: String, value: String)]
        var isPlaylist = false
    }

    private static func source(_ parameters: [String: JSONValue]) throws(ProviderError) -> Source {
        let oldestFirst = [(name: "sort", value: "publishedAt"), (name: "nsfw", value: "both")]
        let given = ["channel", "account", "playlist"].filter { parameters[$0] != nil }
        guard given.count == 1, let id = parameters[given[0]]?.string, isID(id) else {
            throw ProviderError(
                .invalidParameters, "say one of channel, account and playlist",
                parameter: given.dropFirst().first ?? "channel")
        }
        return switch given[0] {
        case "channel": Source(path: ["video-channels", id], fields: oldestFirst)
        case "account": Source(path: ["accounts", id], fields: oldestFirst)
        default: Source(path: ["video-playlists", id], fields: [], isPlaylist: true)
        }
    }

    /// Whether a text may be a name of the API.
    private static func isID(_ text: String) -> Bool {
        text.wholeMatch(of: /[A-Za-z0-9_.@:\-]{1,200}/) != nil && text != "." && text != ".."
    }

    /// What a page of an instance shows.
    private static func kind(of path: String) -> (name: String, id: String)? {
        let forms: [(Regex<(Substring, Substring)>, String)] = [
            (
                /^\/(?:w\/p|videos\/watch\/playlist|(?:my-library\/)?video-playlists(?:\/embed)?)\/([^\/]+)/,
                "playlist"
            ),
            (/^\/(?:w|videos\/watch|videos\/embed)\/([^\/;]+)/, "video"),
            (/^\/(?:c|video-channels)\/([^\/]+)/, "channel"), (/^\/(?:a|accounts)\/([^\/]+)/, "account"),
        ]
        for (form, name) in forms {
            if let match = path.firstMatch(of: form), let id = PercentEncoding.decoded(match.output.1), isID(id) {
                return (name, id)
            }
        }
        return nil
    }
}
