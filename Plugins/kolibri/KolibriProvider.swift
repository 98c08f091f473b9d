import ProviderHTTP
import ProviderKit

/// Courses that are channels of a Kolibri server. Its topics are chapters.
struct KolibriProvider: Provider {
    private let pages = ListingPages()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let server = KolibriServer(endpoint: try Endpoint(request))
        guard let channel = Self.id(parameters["channel"]) else {
            throw ProviderError(
                .invalidParameters, "channel is missing: the id in the address of the channel's page",
                parameter: "channel")
        }
        let topic = Self.id(parameters["topic"])
        return try await pages.page(request) { tag throws(ProviderError) in
            guard let found = try await server.nodes(of: channel, topic: topic, since: tag) else { return .unchanged }
            if found.nodes.isEmpty {
                guard let topic else {
                    throw ProviderError(.notFound, "\(server.endpoint.address.host) doesn't have this channel")
                }
                // One that isn't there is an error, and no reason to take all videos for gone.
                _ = try await server.node(topic)
            }
            return .whole(Self.listing(found.nodes, at: server), validator: found.tag)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let server = KolibriServer(endpoint: try Endpoint(request))
        guard let id = Self.id(.string(request.video.id)) else {
            throw ProviderError(.notFound, "the id of a video in Kolibri has 32 hexadecimal digits")
        }
        let node = try await server.node(id)
        return try Self.resolution(node, request.quality, at: server)
    }

    func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        let server = KolibriServer(
            endpoint: try Endpoint(request.parameters, request.credentials, request.settings))
        return CourseList(
            courses: try await server.channels().map { channel in
                .init(id: channel.id, title: channel.title, parameters: ["channel": .string(channel.id)])
            })
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard var endpoint = Endpoint(request) else { return Recognition() }
        // Its pages are at a path with the language, and have the rest behind the number sign.
        let names = endpoint.address.path.split(separator: "/")
        guard let place = names.firstIndex(of: "learn") ?? (names.isEmpty ? names.startIndex : nil),
            let root = WebAddress(endpoint.address.origin + "/"), place <= 1
        else { return Recognition() }
        endpoint.address = root
        let server = KolibriServer(endpoint: endpoint)
        guard try await server.isKolibri() else { return Recognition() }
        let channels = try await server.channels()
        let ids = request.address.lowercased().matches(of: /[0-9a-f]{32}/).map { String($0.output) }
        for id in ids {
            if let channel = channels.first(where: { $0.id == id }) { return Self.course(channel, at: root) }
            guard let node = try? await server.node(id), let own = node.channel else { continue }
            if node.isTopic { return Self.course((own, node.title), topic: node.parent == nil ? nil : id, at: root) }
            return Recognition(
                .init(id: id, title: node.title, parameters: ["endpoint": .string(root.text)]))
        }
        // Pages of the whole server; any other is about something that isn't known.
        let isWhole =
            names.count <= place + 1 && ids.isEmpty
            && request.address.wholeMatch(of: /[^#]*(?:#\/?(?:home|library|topics)?\/?(?:\?.*)?)?/) != nil
        return channels.count == 1 && isWhole ? Self.course(channels[0], at: root) : Recognition()
    }

    private static func course(
        _ channel: (id: String, title: String?), topic: String? = nil, at root: WebAddress
    ) -> Recognition {
        var parameters: [String: JSONValue] = ["endpoint": .string(root.text), "channel": .string(channel.id)]
        if let topic { parameters["topic"] = .string(topic) }
        return Recognition(.init(title: channel.title, parameters: parameters))
    }

    /// An id as the server writes it.
    private static func id(_ value: JSONValue?) -> String? {
        guard let id = value?.string?.lowercased().filter({ $0 != "-" }), id.wholeMatch(of: /[0-9a-f]{32}/) != nil
        else {
            return nil
        }
        return id
    }

    private static func listing(_ nodes: [KolibriNode], at server: KolibriServer) -> Listing {
        var listing = Listing()
        // By topic: its title with those above it, and where its chapter is.
        var titles: [String: [String]] = [:]
        var chapters: [String: Int] = [:]
        for node in nodes where node.isTopic {
            guard let parent = node.parent else {
                listing.title = node.title
                titles[node.id] = []
                continue
            }
            titles[node.id] = (titles[parent] ?? []) + [node.title ?? node.id]
        }
        for node in nodes where !node.isTopic && node.file(["best"]) != nil {
            let video = video(node, at: server)
            guard let parent = node.parent, let title = titles[parent], !title.isEmpty else {
                listing.videos.append(video)
                continue
            }
            if let place = chapters[parent] {
                listing.chapters[place].videos.append(video)
            } else {
                chapters[parent] = listing.chapters.count
                listing.chapters.append(.init(id: parent, title: title.joined(separator: " / "), videos: [video]))
            }
        }
        return listing
    }

    private static func video(_ node: KolibriNode, at server: KolibriServer) -> Listing.Video {
        var video = Listing.Video(
            id: node.id, title: node.title, description: node.description, duration: node.duration,
            cover: node.thumbnail.flatMap(server.address)?.text)
        video.resolved = try? resolution(node, ["best"], at: server)
        // Of several files the catalog's quality chooses.
        if node.media.count == 1 {
            video.size = video.resolved?.size
            video.checksums = video.resolved?.checksums
        }
        return video
    }

    private static func resolution(
        _ node: KolibriNode, _ quality: [String], at server: KolibriServer
    ) throws(ProviderError) -> Resolution {
        guard let file = node.file(quality), let address = server.address(of: file) else {
            throw ProviderError(.notFound, "there is no video and no sound of this id on the server")
        }
        return Resolution(
            url: address.text, size: file.size, fileExtension: file.fileExtension, duration: node.duration,
            subtitles: node.subtitles.compactMap { file in
                server.address(of: file).map { .init(lang: file.language ?? "und", url: $0.text) }
            },
            cover: node.thumbnail.flatMap(server.address)?.text,
            checksums: file.md5.map { Checksums(md5: $0) }, title: node.title)
    }
}
