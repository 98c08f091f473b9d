import ProviderHTTP
import ProviderKit

/// Courses that are folders of a Panopto site. The pictures of a session are views of one video.
struct PanoptoProvider: Provider {
    private static let folderBound = 500

    private let pages = ListingPages()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let site = PanoptoSite(
            try Endpoint.address(parameters), request.credentials, request.settings, now: request.now
        ) { server, make throws(ProviderError) in try await request.renewCredentials(at: server, make) }
        guard let folder = PanoptoPage.id(parameters["folder"]?.string) else {
            throw ProviderError(
                .invalidParameters, "say the folder's id, as in the address of its page", parameter: "folder")
        }
        let isDeep = parameters["subfolders"] != .bool(false)
        return try await pages.page(request) { _ throws(ProviderError) in
            .whole(try await Self.listing(of: folder, isDeep: isDeep, at: site), validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let site = PanoptoSite(
            try Endpoint.address(request.video.parameters), request.credentials, request.settings, now: request.now
        ) { server, make throws(ProviderError) in try await request.renewCredentials(at: server, make) }
        guard let id = PanoptoPage.id(request.video.id) else {
            throw ProviderError(.notFound, "this can't be the id of a session of Panopto")
        }
        let visit = try await Self.delivery(id, at: site)
        let delivery = visit.answer
        guard let main = delivery.views.first, !delivery.isLive, !delivery.isAwaited(at: request.now) else {
            throw ProviderError(
                .notReady,
                delivery.isLive
                    ? "this session is live" : "\(site.address.host) hasn't all files of this session yet")
        }
        let ownFiles = delivery.views.filter { $0.address.origin == site.address.origin }
        if !ownFiles.isEmpty { try Self.checkRefusal(request.previous, visit, at: site) }
        func tracks(of view: PanoptoDelivery.View) -> [Resolution.Track] {
            delivery.sound(of: view).map { [.init(.audio, url: $0.text)] } ?? []
        }
        return Resolution(
            url: main.address.text, kind: main.kind, duration: delivery.duration,
            subtitles: try await site.subtitles(of: id, visit),
            tokens: ownFiles.isEmpty
                ? []
                : visit.cookie.map { [Token($0, in: .header, name: "Cookie", origins: [site.address.origin])] } ?? [],
            title: delivery.title, tracks: tracks(of: main), role: main.role,
            streams: delivery.views.dropFirst().map { view in
                .init(view.role, url: view.address.text, kind: view.kind, tracks: tracks(of: view))
            })
    }

    func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        let site = PanoptoSite(
            try Endpoint.address(request.parameters), request.credentials, request.settings, now: request.now
        ) { server, make throws(ProviderError) in try await request.renewCredentials(at: server, make) }
        var ids: Set<String> = []
        return CourseList(
            courses: try await site.topFolders().filter { ids.insert($0.id).inserted }.map { folder in
                .init(id: folder.id, title: folder.title, parameters: ["folder": .string(folder.id)])
            })
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let address = WebAddress(request.address), let page = PanoptoPage(address, request.address) else {
            return Recognition()
        }
        let site = PanoptoSite(address, request.credentials, request.settings, now: request.now) {
            server, make throws(ProviderError) in
            try await request.renewCredentials(at: server, make)
        }
        let endpoint: [String: JSONValue] = ["endpoint": .string(site.address.text)]
        switch page {
        case .session(let id):
            return Recognition(.init(id: id, title: try await site.delivery(id).answer.title, parameters: endpoint))
        case .folder(let id):
            return Recognition(
                .init(title: try await site.title(of: id), parameters: endpoint.merging(["folder": .string(id)]) { $1 })
            )
        }
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login { try await PanoptoLogin.login(request) }

    // MARK: - Answers

    /// A folder, and with `isDeep` those in it as chapters, without those that have just gone.
    private static func listing(
        of root: String, isDeep: Bool, at site: PanoptoSite
    ) async throws(ProviderError) -> Listing {
        let own = try await site.folder(root)
        var listing = Listing(title: own.title, videos: own.sessions)
        if own.title == nil { listing.title = try await site.title(of: root) }
        var (known, sessions) = (Set([root]), Set(own.sessions.map(\.id)))
        // The next one is the last.
        var waiting: [(id: String, titles: [String], parent: String)] = []
        func add(_ folders: [(id: String, title: String)], beneath titles: [String], in parent: String) {
            waiting += folders.filter { known.insert($0.id).inserted }.reversed().map {
                ($0.id, titles + [$0.title], parent)
            }
        }
        if isDeep { add(own.folders, beneath: [], in: root) }
        while let next = waiting.popLast() {
            guard known.count <= folderBound else {
                throw ProviderError(
                    .invalidParameters,
                    "there are more than \(folderBound) folders in this one: write subfolders: false",
                    parameter: "subfolders")
            }
            let title = next.titles.joined(separator: " / ")
            do throws(ProviderError) {
                let folder = try await site.folder(next.id)
                let new = folder.sessions.filter { sessions.insert($0.id).inserted }
                if !new.isEmpty { listing.chapters.append(.init(id: next.id, title: title, videos: new)) }
                add(folder.folders, beneath: next.titles, in: next.id)
            } catch {
                guard [.forbidden, .notFound, .gone].contains(error.kind) else { throw error }
                if try await site.folder(next.parent).folders.contains(where: { $0.id == next.id }) {
                    throw ProviderError(
                        .unavailable,
                        """
                        \(site.address.host) lists the folder \(title) and refuses it: \(error.message); \
                        subfolders: false leaves the folders out
                        """, server: site.address.origin)
                }
                HostLog.write(.warning, "left out the folder \(title): \(error.message)")
            }
        }
        return listing
    }

    /// What the player gets to know; for a login of the API also the file that the site lets one download, if there is
    /// no other in which the pictures are together.
    private static func delivery(
        _ id: String, at site: PanoptoSite
    ) async throws(ProviderError) -> PanoptoSite.Visit<PanoptoDelivery> {
        do throws(ProviderError) {
            var visit = try await site.delivery(id)
            if site.access == .tokens, !visit.answer.hasCombined, !visit.answer.isLive,
                let file = try await site.value(["sessions", id])["Urls"]?["DownloadUrl"]?.string.flatMap(
                    site.address.resolving)
            {
                visit.answer.add(combined: file)
            }
            return visit
        } catch {
            // The API says which of both it is: not there, or not for this user.
            if error.kind == .notFound, site.access == .tokens { _ = try await site.value(["sessions", id]) }
            throw error
        }
    }

    /// The site refuses a file of its own both to somebody whose cookie has ended and where it allows no downloads.
    private static func checkRefusal(
        _ previous: ResolveRequest.Previous?, _ visit: PanoptoSite.Visit<PanoptoDelivery>, at site: PanoptoSite
    ) throws(ProviderError) {
        guard let previous, [401, 403].contains(previous.status), !visit.isNew,
            previous.server == nil || previous.server == site.address.origin
        else { return }
        if visit.cookie == nil { throw site.loginNeeded(for: "this file") }
        throw ProviderError(.forbidden, "\(site.address.host) doesn't let this login download the session (403)")
    }
}
