import ProviderHTTP
import ProviderKit

/// Courses of Canvas. Their modules are chapters.
struct CanvasProvider: Provider {
    private let pages = ListingPages()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let server = CanvasServer(
            try Endpoint.address(parameters), request.credentials, request.settings
        ) { server, make throws(ProviderError) in try await request.renewCredentials(at: server, make) }
        guard let course = CanvasServer.id(parameters["course"]), CanvasAddress.isNumber(course) else {
            throw ProviderError(
                .invalidParameters, "course is missing: the number in the address of its page, /courses/42",
                parameter: "course")
        }
        return try await pages.page(request) { _ throws(ProviderError) in
            var listing = Listing(title: try await title(of: course, at: server))
            let found = try CanvasCourse(try await parts(of: course, at: server), at: server.address, parameters)
            listing.chapters = found.chapters
            listing.videos = found.others
            return .whole(listing, validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let server = CanvasServer(
            try Endpoint.address(request.video.parameters), request.credentials, request.settings
        ) { server, make throws(ProviderError) in try await request.renewCredentials(at: server, make) }
        let id = request.video.id
        if id.hasPrefix("file-"), CanvasAddress.isNumber(String(id.dropFirst(5))) {
            let file = try await server.file(String(id.dropFirst(5)))
            return try await resolve(file, of: file.media, request, at: server)
        }
        let name = String(id.dropFirst(6))
        guard id.hasPrefix("media-"), CanvasAddress.isMedia(name) else {
            throw ProviderError(.notFound, "the id of a video in Canvas is file-NUMBER or media-ID")
        }
        if let original = CanvasServer.id(request.video.parameters["file"]), CanvasAddress.isNumber(original) {
            return try await resolve(try await server.file(original), of: name, request, at: server)
        }
        let media = try await server.media(name)
        guard var resolution = try await resolution(media, request.quality, at: server) else {
            throw ProviderError(.notReady, "\(server.address.host) has no file of this video yet")
        }
        resolution.subtitles = try await server.subtitles(of: "media_objects", media.id)
        return resolution
    }

    /// The courses that the user is in, past ones too.
    func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        let server = CanvasServer(
            try Endpoint.address(request.parameters), request.credentials, request.settings
        ) { server, make throws(ProviderError) in try await request.renewCredentials(at: server, make) }
        var ids: Set<String> = []
        return CourseList(
            courses: try await courses(at: server).compactMap { course in
                // One that isn't open by its dates has no name.
                guard let id = CanvasServer.id(course["id"]), ids.insert(id).inserted else { return nil }
                return .init(
                    id: id, title: course["name"]?.string, parameters: ["course": Self.parameter(id)],
                    begins: course["start_at"]?.string.flatMap(WebDate.date),
                    ends: course["end_at"]?.string.flatMap(WebDate.date))
            })
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let address = WebAddress(request.address), let place = CanvasAddress(address) else {
            return Recognition()
        }
        let server = CanvasServer(address, request.credentials, request.settings) {
            server, make throws(ProviderError) in
            try await request.renewCredentials(at: server, make)
        }
        guard try await server.isCanvas() else { return Recognition() }
        var parameters: [String: JSONValue] = ["endpoint": .string(server.address.text)]
        var content = place.content
        if case .item(let id) = content, let course = place.course, server.hasLogin {
            content = try await file(ofItem: id, in: course, at: server).map { .file($0) } ?? .course
        }
        switch content {
        case .file(let id), .player(let id):
            let file = try await server.file(id)
            return Recognition(
                .init(id: "file-\(file.id)", title: MediaFiles.title(file.name), parameters: parameters))
        case .media(let id):
            return Recognition(
                .init(id: "media-\(id)", title: try await server.media(id).title, parameters: parameters))
        case .course, .item:
            guard let course = place.course else { return Recognition() }
            parameters["course"] = Self.parameter(course)
            let title = server.hasLogin ? try await title(of: course, at: server) : nil
            return Recognition(.init(title: title, parameters: parameters))
        }
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login { try await CanvasLogin.login(request) }

    // MARK: - Courses

    private func title(of course: String, at server: CanvasServer) async throws(ProviderError) -> String? {
        let found: JSONValue
        do throws(ProviderError) { found = try await server.value(["courses", course]) } catch {
            guard error.kind == .forbidden,
                try await courses(at: server).contains(where: {
                    CanvasServer.id($0["id"]) == course && Self.isClosed($0)
                })
            else { throw error }
            throw notOpen(at: server)
        }
        guard CanvasServer.id(found["id"]) != nil else { throw server.unknownAnswer }
        if Self.isClosed(found) { throw notOpen(at: server) }
        return found["name"]?.string
    }

    /// The courses that the user is in: those that are completed aren't among the others.
    private func courses(at server: CanvasServer) async throws(ProviderError) -> [JSONValue] {
        let found =
            try await server.all(["courses"])
            + (try await server.all(["courses"], [("enrollment_state", "completed")]))
        guard found.allSatisfy({ CanvasServer.id($0["id"]) != nil }) else { throw server.unknownAnswer }
        return found
    }

    private static func isClosed(_ course: JSONValue) -> Bool { course["access_restricted_by_date"] == .bool(true) }

    private func notOpen(at server: CanvasServer) -> ProviderError {
        ProviderError(.notReady, "\(server.address.host) doesn't open this course now")
    }

    /// What is missing or odd in an answer would look as if it was gone: then all of them are refused.
    private func parts(
        of course: String, at server: CanvasServer
    ) async throws(ProviderError) -> CanvasCourse.Parts {
        let path = ["courses", course]
        var modules = try await server.all(
            path + ["modules"], [("include[]", "items"), ("include[]", "content_details")])
        for place in modules.indices where Self.lacksItems(modules[place]) {
            // There are too many for the answer.
            guard let id = CanvasServer.id(modules[place]["id"]), var module = modules[place].object else {
                throw server.unknownAnswer
            }
            module["items"] = .array(
                try await server.all(path + ["modules", id, "items"], [("include[]", "content_details")]))
            modules[place] = .object(module)
        }
        let items = modules.flatMap { $0["items"]?.array ?? [] }
        guard modules.allSatisfy({ CanvasServer.id($0["id"]) != nil && !Self.lacksItems($0) }),
            items.allSatisfy(Self.isItem)
        else { throw server.unknownAnswer }
        // Locked pages have no text.
        let names = items.filter { $0["type"]?.string == "Page" && CanvasLock($0["content_details"]) == nil }
            .compactMap { $0["page_url"]?.string }
        let listed = try await server.allowed(path + ["files"])
        let files = (listed ?? []).compactMap(CanvasFile.init)
        // The list of media objects is refused where that of files is.
        let media =
            listed == nil
            ? [] : try await server.allowed(path + ["media_objects"], [("exclude[]", "sources")]) ?? []
        guard files.count == listed?.count ?? 0, media.allSatisfy({ $0["media_id"]?.string != nil }) else {
            throw server.unknownAnswer
        }
        return .init(
            modules: modules, pages: try await texts(of: names, in: path, at: server), files: files, media: media)
    }

    private static func lacksItems(_ module: JSONValue) -> Bool {
        guard let items = module["items"]?.array else { return true }
        return module["items_count"]?.int.map { items.count < $0 } == true
    }

    private static func isItem(_ item: JSONValue) -> Bool {
        switch item["type"]?.string {
        case nil: false
        case "File": CanvasServer.id(item["content_id"]) != nil
        case "Page": item["page_url"]?.string != nil
        default: true
        }
    }

    /// The pages with these names: of the course's list, or one by one where it has no texts, or not these pages.
    ///
    /// Related: lib/api/v1/wiki_page.rb of Canvas
    private func texts(
        of names: [String], in course: [String], at server: CanvasServer
    ) async throws(ProviderError) -> [String: JSONValue] {
        guard !names.isEmpty else { return [:] }
        let listed = try await server.allowed(course + ["pages"], [("include[]", "body")]) ?? []
        var pages: [String: JSONValue] = [:]
        for page in listed where page["body"]?.string != nil || CanvasLock(page) != nil {
            if let name = page["url"]?.string { pages[name] = page }
        }
        for name in names where pages[name] == nil {
            let page: JSONValue
            do throws(ProviderError) {
                page = try await server.value(course + ["pages", name])
            } catch {
                // Who may never see it still has the rest of the course; that it is named and isn't there is odd.
                if error.kind == .forbidden { continue }
                guard error.kind == .notFound else { throw error }
                throw ProviderError(
                    .unavailable, "\(server.address.host) names a page that isn't there",
                    server: server.address.origin)
            }
            // The text of an empty page is null; one that was made of blocks has them in its place.
            guard page["body"] != nil || page["block_editor_attributes"] != nil || CanvasLock(page) != nil else {
                throw server.unknownAnswer
            }
            pages[name] = page
        }
        return pages
    }

    /// The file that an item of a module is; nil for an item of another kind.
    ///
    /// Related: app/controllers/context_module_items_api_controller.rb of Canvas, `item_sequence`
    private func file(
        ofItem id: String, in course: String, at server: CanvasServer
    ) async throws(ProviderError) -> String? {
        let answer = try await server.value(
            ["courses", course, "module_item_sequence"], [("asset_type", "ModuleItem"), ("asset_id", id)])
        let item = answer["items"]?.array?.first?["current"]
        return item?["type"]?.string == "File" ? CanvasServer.id(item?["content_id"]) : nil
    }

    private static func parameter(_ course: String) -> JSONValue { Int64(course).map { .int($0) } ?? .string(course) }

    // MARK: - Videos

    /// The uploaded file is the best that there is. Others are those of its media object.
    private func resolve(
        _ file: CanvasFile, of media: String?, _ request: ResolveRequest, at server: CanvasServer
    ) async throws(ProviderError) -> Resolution {
        if let lock = file.lock { throw lock.error(at: server.address) }
        var resolution: Resolution?
        if let id = media, !["best", nil].contains(request.quality.first) {
            let media = try await CanvasServer.allowed { () async throws(ProviderError) in try await server.media(id) }
            if let media { resolution = try await self.resolution(media, request.quality, at: server) }
        }
        if resolution == nil {
            let address = request.previous?.reason == .rejected ? nil : file.address
            let place: WebAddress
            if let address { place = address } else { place = try await server.storage(of: file) }
            resolution = file.resolution(at: place)
        }
        guard var resolution else { throw server.unknownAnswer }
        resolution.title = MediaFiles.title(file.name)
        if media != nil { resolution.subtitles = try await server.subtitles(of: "media_attachments", file.id) }
        return resolution
    }

    /// Nil as long as the media service is at it.
    private func resolution(
        _ media: CanvasMedia, _ quality: [String], at server: CanvasServer
    ) async throws(ProviderError) -> Resolution? {
        guard let source = media.source(quality) else { return nil }
        return Resolution(
            url: try await server.place(of: source).text, fileExtension: source.fileExtension,
            mediaType: source.mediaType, title: media.title)
    }
}
