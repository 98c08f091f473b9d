import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Courses of ILIAS, with the session of a browser.
struct IliasProvider: Provider {
    private let pages = ListingPages()
    private let seen = IliasMemory()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let site = try Self.site(parameters, request.credentials, request.settings, now: request.now)
        guard let number = parameters["course"]?.int else {
            throw ProviderError(.invalidParameters, "course is missing: the course's ref_id", parameter: "course")
        }
        let media = try MediaFiles(parameters)
        return try await pages.page(request) { _ throws(ProviderError) in
            var course = IliasCourse(at: site, media, now: request.now)
            try await course.read(number)
            await seen.note(course.items, of: site.address, number)
            var listing = Listing(title: course.title)
            for (place, chapter) in course.chapters.enumerated() {
                let videos = chapter.items.map { Self.video($0, at: site) }
                if place == 0 {
                    listing.videos = videos
                } else if !videos.isEmpty {
                    listing.chapters.append(.init(id: chapter.id, title: chapter.title, videos: videos))
                }
            }
            return .whole(listing, validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let parameters = request.video.parameters
        let site = try Self.site(parameters, request.credentials, request.settings, now: request.now)
        let id = request.video.id
        let known = await seen.item(id, of: site.address, parameters["course"]?.int ?? 0)
        guard let target = IliasTarget.named(id.prefix { $0 != "/" }) else {
            throw ProviderError(.notFound, "a video's id begins with the name of its object, such as file_123")
        }
        if target.name == id, target.type == "file" {
            return try await Self.file(target.ref, known, request, at: site)
        }
        if let known {
            switch known.place {
            case .event(let player): return try await Self.event(player, request.quality, at: site)
            case .media(let address, false) where request.previous == nil:
                return Self.resolution(known, at: address, site)
            default: break
            }
        }
        var course = IliasCourse(at: site, try MediaFiles(parameters), now: request.now)
        try await course.read(only: target)
        guard let item = course.items.first(where: { $0.id == id }) else {
            throw ProviderError(.notFound, "\(site.address.host) doesn't have this video any more")
        }
        switch item.place {
        case .event(let player): return try await Self.event(player, request.quality, at: site)
        case .media(let address, _):
            var resolution = Self.resolution(item, at: address, site)
            if address.path.contains("/deliver.php/") { resolution.expiresAt = Self.fullHour(after: request.now) }
            return resolution
        case .file(let ref, _): return try await Self.file(ref, item, request, at: site)
        case .elsewhere: throw ProviderError(.notFound, "this video is on another host, which is another provider's")
        }
    }

    func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        let site = try Self.site(request.parameters, request.credentials, request.settings, now: request.now)
        var refs: Set<Int64> = []
        let items = try await site.memberships().filter { refs.insert($0.target.ref).inserted }
        return CourseList(
            courses: items.map { item in
                .init(
                    id: "\(item.target.ref)", title: item.title, parameters: ["course": .int(item.target.ref)])
            })
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let address = WebAddress(request.address), let target = IliasTarget(address),
            target.type.map(IliasCourse.folders.contains) ?? true
        else { return Recognition() }
        let root = address.replacing(path: target.root + "/")
        let site = IliasSite(root, request.credentials, request.settings, now: request.now)
        let page = try await site.object(IliasTarget(type: target.type, ref: target.ref))
        guard let type = page.target?.type, IliasCourse.folders.contains(type) else { return Recognition() }
        return Recognition(
            .init(title: page.title, parameters: ["endpoint": .string(root.text), "course": .int(target.ref)]))
    }

    /// With the session of a browser, which is kept for this server.
    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        let (credentials, address) = try HostLogins.adding(request, required: ["session"])
        let site = IliasSite(address, Secret(credentials), request.settings, now: request.now)
        _ = try await HostLogins.trying { () async throws(ProviderError) in
            do throws(ProviderError) {
                return try await site.memberships()
            } catch {
                guard error.kind == .notFound, site.address.path == "/" else { throw error }
                throw ProviderError(
                    .invalidParameters,
                    "\(address.host) has no ILIAS at its root: add the path, such as \(address.origin)/ilias",
                    parameter: "endpoint")
            }
        }
        return Login(credentials: credentials)
    }

    private static func site(
        _ parameters: [String: JSONValue], _ credentials: Secret<JSONValue>?, _ settings: HostSettings, now: Date
    ) throws(ProviderError) -> IliasSite {
        IliasSite(try Endpoint.address(parameters), credentials, settings, now: now)
    }

    // MARK: - Answers

    private static func video(_ item: IliasCourse.Item, at site: IliasSite) -> Listing.Video {
        var video = Listing.Video(
            id: item.id, title: item.title.isEmpty ? nil : item.title, duration: item.duration)
        switch item.place {
        case .elsewhere(let other):
            video.provider = other.provider
            video.parameters = other.parameters
        case .file(let ref, true): video.resolved = resolution(item, at: site.download(ref), site)
        case .media(let address, false): video.resolved = resolution(item, at: address, site)
        case .file, .event, .media: break
        }
        return video
    }

    /// A file has one address. If it was refused, the site says why to a request of its own.
    private static func file(
        _ ref: Int64, _ item: IliasCourse.Item?, _ request: ResolveRequest, at site: IliasSite
    ) async throws(ProviderError) -> Resolution {
        var isOpen = true
        if let item, case .file(_, false) = item.place { isOpen = false }
        if request.previous != nil || !isOpen { try await site.checkDownload(ref, isOpen: isOpen) }
        let item = item ?? IliasCourse.Item(id: "file_\(ref)", title: "", place: .file(ref: ref, isOpen: true))
        return resolution(item, at: site.download(ref), site)
    }

    private static func resolution(
        _ item: IliasCourse.Item, at address: WebAddress, _ site: IliasSite
    ) -> Resolution {
        var resolution = Resolution(
            url: address.text, fileExtension: item.name.flatMap(MediaFiles.fileExtension), duration: item.duration,
            tokens: site.tokens(for: [address]), title: item.title.isEmpty ? nil : item.title)
        for other in item.beside {
            BesideVideos.add(other.name, at: site.download(other.ref).text, of: item.name ?? "", to: &resolution)
        }
        return resolution
    }

    /// Until then at least a signed address is good.
    ///
    /// Related: components/ILIAS/FileDelivery/src/Services.php of ILIAS
    private static func fullHour(after now: Date) -> Date {
        Date(timeIntervalSince1970: ((now.timeIntervalSince1970 / 3600).rounded(.down) + 1) * 3600)
    }

    private static func event(
        _ page: WebAddress, _ quality: [String], at site: IliasSite
    ) async throws(ProviderError) -> Resolution {
        let player = try await site.player(page)
        let views = player.views(quality, at: page)
        guard let main = views.first, !player.isLive else {
            throw ProviderError(
                .notReady,
                player.isLive ? "this event is live, or will be" : "\(site.address.host) has no file of this event yet")
        }
        let subtitles = player.subtitles(at: page)
        let files = views.map(\.address) + subtitles.compactMap { WebAddress($0.url) }
        return Resolution(
            url: main.address.text, kind: main.kind,
            expiresAt: views.compactMap { OpencastPolicy.end(of: $0.address) }.min(), subtitles: subtitles,
            tokens: site.tokens(for: files), title: player.title, role: views.count > 1 ? main.role : nil,
            streams: views.dropFirst().map { .init($0.role, url: $0.address.text, kind: $0.kind) })
    }
}

/// What the last listings have seen, so that a video needs no second look at its course.
actor IliasMemory {
    private static let bound = 16

    private var courses: [(key: String, items: [String: IliasCourse.Item])] = []

    func note(_ items: [IliasCourse.Item], of site: WebAddress, _ course: Int64) {
        let key = "\(site.text) \(course)"
        courses.removeAll { $0.key == key }
        if courses.count >= Self.bound { courses.removeFirst() }
        courses.append((key, Dictionary(items.map { ($0.id, $0) }) { first, _ in first }))
    }

    func item(_ id: String, of site: WebAddress, _ course: Int64) -> IliasCourse.Item? {
        courses.first { $0.key == "\(site.text) \(course)" }?.items[id]
    }
}
