import ProviderHTTP
import ProviderKit

/// Courses that are items or collections of the Internet Archive.
struct InternetArchiveProvider: Provider {
    private static let home = "https://archive.org"
    /// The items of a collection that is one course.
    private static let itemBound = 1000

    private let pages = ListingPages()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let server = ArchiveServer(endpoint: try Endpoint(request))
        let source = try Self.source(parameters)
        return try await pages.page(request) { known throws(ProviderError) in
            if !source.isCollection {
                let item = try await server.item(source.id)
                return .whole(try Self.listing(item, at: server), validator: nil)
            }
            let members = try await server.members(of: source.id, ["movies", "audio"])
            if let known, known == members.version { return .unchanged }
            guard members.count <= Self.itemBound else {
                throw ProviderError(
                    .invalidParameters,
                    "\(source.id) has \(members.count) items: too many for one course; write courses_of in its place",
                    parameter: "collection")
            }
            let whole = try await server.item(source.id)
            guard whole.isCollection else {
                throw ProviderError(
                    .invalidParameters, "\(source.id) is an item: write item in place of collection",
                    parameter: "collection")
            }
            let items = try await server.items(members.map(\.id))
            return .whole(Self.listing(items, title: whole.title, at: server), validator: members.version)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let parameters = request.video.parameters
        let server = ArchiveServer(
            endpoint: try Endpoint(parameters, request.credentials, request.settings))
        let id = request.video.id
        guard let slash = id.firstIndex(of: "/"), Self.isIdentifier(id[..<slash]) else {
            throw ProviderError(.notFound, "the id of a video in the archive is IDENTIFIER/FILE")
        }
        let name = String(id[id.index(after: slash)...])
        let item = try await server.item(String(id[..<slash]))
        guard let recording = item.recordings.first(where: { $0.name == name }) else {
            guard item.isReady else { throw Self.notReady(item, at: server) }
            throw ProviderError(.notFound, "the item \(item.id) doesn't have this file")
        }
        var (resolution, isPrivate) = try Self.resolution(recording, request.quality, in: item, at: server)
        let isRefused = [401, 403].contains(request.previous?.status)
        guard isPrivate || isRefused else { return resolution }
        guard let login = ArchiveLogin(request.credentials, for: server.endpoint.address) else {
            throw ProviderError(
                .authRequired, "\(server.host) gives this file to some accounts only",
                server: server.endpoint.address.origin)
        }
        if isPrivate, isRefused {
            throw ProviderError(.forbidden, "\(server.host) doesn't give this file to your account")
        }
        resolution.token = login.token(for: item)
        return resolution
    }

    /// The items of a collection, or what the account has marked as its favourites.
    func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        let server = ArchiveServer(
            endpoint: try Endpoint(request.parameters, request.credentials, request.settings))
        let login = ArchiveLogin(request.credentials, for: server.endpoint.address)
        let collection: String
        if let given = request.parameters["collection"]?.string, Self.isIdentifier(given) {
            collection = given
        } else if let name = login?.name, Self.isIdentifier(name) {
            collection = "fav-\(name)"
        } else {
            throw ProviderError(
                .authRequired, "without a collection these are your favourites: \(server.host) wants a login for them",
                server: server.endpoint.address.origin)
        }
        let members = try await server.members(of: collection, ["movies", "audio", "collection"])
        // One that isn't there is an error, and no reason to take all courses for gone.
        if members.isEmpty { _ = try await server.item(collection) }
        return CourseList(
            courses: members.map { member in
                .init(
                    id: member.id, title: member.title,
                    parameters: [member.isCollection ? "collection" : "item": .string(member.id)])
            })
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard var endpoint = Endpoint(request) else { return Recognition() }
        let address = endpoint.address
        guard let match = address.path.wholeMatch(of: /\/(?:details|download|embed)\/([^\/]+)(?:\/(.+))?/),
            let id = PercentEncoding.decoded(match.output.1), Self.isIdentifier(id),
            let root = WebAddress(address.host == "www.archive.org" ? Self.home : address.origin)
        else { return Recognition() }
        endpoint.address = root
        let server = ArchiveServer(endpoint: endpoint)
        let item = try await server.item(id)
        var parameters: [String: JSONValue] = root.origin == Self.home ? [:] : ["endpoint": .string(root.origin)]
        if let rest = match.output.2, let name = PercentEncoding.decoded(rest) {
            guard let recording = item.recordings.first(where: { $0.media.contains { $0.name == name } }) else {
                return Recognition()
            }
            return Recognition(
                .init(
                    id: "\(id)/\(recording.name)", title: Self.title(of: recording, in: item), parameters: parameters))
        }
        parameters[item.isCollection ? "collection" : "item"] = .string(id)
        return Recognition(.init(title: item.title, parameters: parameters))
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login { try await ArchiveLogin.login(request) }

    // MARK: - Parameters

    private static func source(
        _ parameters: [String: JSONValue]
    ) throws(ProviderError) -> (id: String, isCollection: Bool) {
        let given = ["item", "collection"].filter { parameters[$0] != nil }
        guard given.count == 1, let id = parameters[given[0]]?.string, isIdentifier(id) else {
            throw ProviderError(
                .invalidParameters, "say either item or collection: the name behind /details/ in its address",
                parameter: given.last ?? "item")
        }
        return (id, given[0] == "collection")
    }

    private static func isIdentifier(_ text: some StringProtocol) -> Bool {
        String(text).wholeMatch(of: /[A-Za-z0-9_][A-Za-z0-9._\-]{0,100}/) != nil
    }

    // MARK: - Listings

    private static func listing(_ item: ArchiveItem, at server: ArchiveServer) throws(ProviderError) -> Listing {
        if item.isCollection {
            throw ProviderError(
                .invalidParameters, "\(item.id) is a collection: write collection in place of item", parameter: "item")
        }
        guard item.isReady else { throw notReady(item, at: server) }
        guard !item.recordings.isEmpty else {
            throw ProviderError(.notFound, "the item \(item.id) has no video and no sound")
        }
        var listing = listing([item], title: item.title, at: server)
        // Its files are the course itself.
        if let own = listing.chapters.first, own.id == item.id {
            listing.videos = own.videos
            listing.chapters.removeFirst()
        }
        for place in listing.chapters.indices {
            listing.chapters[place].title = listing.chapters[place].id.split(separator: "/").dropFirst()
                .joined(separator: " / ")
        }
        return listing
    }

    /// An item with one recording is a video, one with several a chapter, and one for each of its folders.
    private static func listing(_ items: [ArchiveItem], title: String?, at server: ArchiveServer) -> Listing {
        var listing = Listing(title: title)
        for item in items {
            if item.recordings.count == 1, item.recordings[0].folder.isEmpty {
                listing.videos.append(video(item.recordings[0], in: item, at: server))
                continue
            }
            for recording in item.recordings {
                let id = ([item.id] + recording.folder).joined(separator: "/")
                if listing.chapters.last?.id != id {
                    let title = ([item.title ?? item.id] + recording.folder).joined(separator: " / ")
                    listing.chapters.append(.init(id: id, title: title, videos: []))
                }
                listing.chapters[listing.chapters.count - 1].videos.append(video(recording, in: item, at: server))
            }
        }
        return listing
    }

    private static func title(of recording: ArchiveItem.Recording, in item: ArchiveItem) -> String {
        if item.recordings.count == 1, let title = item.title { return title }
        return recording.title ?? MediaFiles.title(String(recording.name.split(separator: "/").last ?? ""))
    }

    private static func video(
        _ recording: ArchiveItem.Recording, in item: ArchiveItem, at server: ArchiveServer
    ) -> Listing.Video {
        var video = Listing.Video(
            id: "\(item.id)/\(recording.name)", title: title(of: recording, in: item), publishedAt: item.publishedAt,
            duration: recording.duration)
        if let (resolution, isPrivate) = try? resolution(recording, ["best"], in: item, at: server), !isPrivate {
            video.resolved = resolution
            video.cover = resolution.cover
            // Of several files the catalog's quality chooses.
            if recording.candidates.count == 1 {
                video.size = resolution.size
                video.checksums = resolution.checksums
            }
        }
        return video
    }

    private static func resolution(
        _ recording: ArchiveItem.Recording, _ quality: [String], in item: ArchiveItem, at server: ArchiveServer
    ) throws(ProviderError) -> (Resolution, isPrivate: Bool) {
        guard let file = recording.file(quality), let address = server.address(of: file.name, in: item.id) else {
            throw ProviderError(.notFound, "the item \(item.id) has no file of this video that can be requested")
        }
        var resolution = Resolution(
            url: address.text, size: file.size, fileExtension: MediaFiles.fileExtension(file.name),
            duration: file.duration ?? recording.duration,
            cover: recording.picture.flatMap { server.address(of: $0.name, in: item.id)?.text },
            checksums: file.checksums, title: title(of: recording, in: item))
        addSubtitles(of: recording, in: item, at: server, to: &resolution)
        return (resolution, file.isPrivate)
    }

    /// Those that were made from the recording, and the files that have its name.
    private static func addSubtitles(
        of recording: ArchiveItem.Recording, in item: ArchiveItem, at server: ArchiveServer,
        to resolution: inout Resolution
    ) {
        let own = recording.derived.filter { MediaFiles.hasSubtitles($0.name) && !$0.isPrivate }.map(\.name)
        let uploaded = item.names.filter { !own.contains($0) && BesideVideos.belongs($0, to: recording.name) }
        var titles: Set<String> = []
        // The archive writes the same subtitles in several forms.
        for name in (own.sorted { $0.hasSuffix(".vtt") && !$1.hasSuffix(".vtt") })
        where titles.insert(MediaFiles.title(name)).inserted {
            if let url = server.address(of: name, in: item.id)?.text {
                resolution.subtitles.append(.init(lang: "und", url: url))
            }
        }
        for name in uploaded {
            if let url = server.address(of: name, in: item.id)?.text {
                BesideVideos.add(name, at: url, of: recording.name, to: &resolution)
            }
        }
    }

    private static func notReady(_ item: ArchiveItem, at server: ArchiveServer) -> ProviderError {
        ProviderError(
            .notReady, "\(server.host) has no files of the item \(item.id) yet", server: nil)
    }
}
