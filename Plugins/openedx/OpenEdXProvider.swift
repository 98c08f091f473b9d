import ProviderHTTP
import ProviderKit

/// Courses of an Open edX site. Their sections and subsections are chapters.
struct OpenEdXProvider: Provider {
    private let pages = ListingPages()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let site = OpenEdXSite(
            try Endpoint.address(parameters), request.credentials, request.settings, now: request.now
        ) { server, make throws(ProviderError) in try await request.renewCredentials(at: server, make) }
        guard let key = parameters["course"]?.string, OpenEdXSite.isCourse(key) else {
            throw ProviderError(
                .invalidParameters, "course is missing, or no key such as course-v1:ORG+NUMBER+RUN",
                parameter: "course")
        }
        return try await pages.page(request) { _ throws(ProviderError) in
            let course = try await site.course(key, now: request.now)
            var listing = Listing(title: course.title, videos: course.items.map { Self.video($0, at: site) })
            listing.chapters = course.chapters.compactMap { chapter in
                let videos = chapter.items.map { Self.video($0, at: site) }
                return videos.isEmpty ? nil : .init(id: chapter.id, title: chapter.title, videos: videos)
            }
            return .whole(listing, validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let parameters = request.video.parameters
        let site = OpenEdXSite(
            try Endpoint.address(parameters), request.credentials, request.settings, now: request.now
        ) { server, make throws(ProviderError) in try await request.renewCredentials(at: server, make) }
        let id = request.video.id
        // A link in a text has the text's id before it.
        let found = try await site.block(String(id.prefix { $0 != "#" }), in: parameters["course"]?.string)
        guard let item = found.all.first(where: { $0.id == id }) else {
            throw ProviderError(.notFound, "\(site.root.host) has no video there any more")
        }
        return try Self.resolution(item, request.quality, at: site)
    }

    func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        let site = OpenEdXSite(
            try Endpoint.address(request.parameters), request.credentials, request.settings, now: request.now
        ) { server, make throws(ProviderError) in try await request.renewCredentials(at: server, make) }
        var keys: Set<String> = []
        let enrolments = try await site.enrolments()
        guard enrolments.allSatisfy({ $0["course_details"]?["course_id"]?.string != nil }) else {
            throw site.unknownAnswer
        }
        return CourseList(
            courses: enrolments.compactMap { enrolment in
                let course = enrolment["course_details"]
                guard let key = course?["course_id"]?.string, OpenEdXSite.isCourse(key), keys.insert(key).inserted
                else { return nil }
                return .init(
                    id: key, title: OpenEdXCourse.text(course?["course_name"]), parameters: ["course": .string(key)],
                    begins: course?["course_start"]?.string.flatMap(WebDate.date),
                    ends: course?["course_end"]?.string.flatMap(WebDate.date))
            })
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let page = WebAddress(request.address).flatMap(OpenEdXPage.init) else { return Recognition() }
        for (place, root) in page.roots.enumerated() {
            let site = OpenEdXSite(root, request.credentials, request.settings, now: request.now) {
                server, make throws(ProviderError) in
                try await request.renewCredentials(at: server, make)
            }
            var about: OpenEdXSite.About?
            do throws(ProviderError) {
                about = try await site.about(page.course)
            } catch {
                // The others are guesses.
                if place == 0 { throw error }
            }
            guard let about else { continue }
            let parameters: [String: JSONValue] = ["endpoint": .string(root.text), "course": .string(page.course)]
            guard let video = page.video else {
                return Recognition(.init(title: about.title, parameters: parameters))
            }
            let item = try await site.block(video, in: page.course).all.first
            return Recognition(.init(id: video, title: item?.title, parameters: parameters))
        }
        return Recognition()
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login { try await OpenEdXLogin.login(request) }

    // MARK: - Answers

    private static func video(_ item: OpenEdXCourse.Item, at site: OpenEdXSite) -> Listing.Video {
        var video = Listing.Video(id: item.id, title: item.title, duration: item.video.duration)
        if let provider = item.video.provider {
            video.provider = provider.provider
            video.parameters = provider.parameters
        } else if let resolution = try? resolution(item, ["best"], at: site), resolution.tokens.isEmpty {
            video.resolved = resolution
            // Of several files the catalog's quality chooses.
            if item.video.files.count == 1, item.video.playlist == nil { video.size = resolution.size }
        }
        return video
    }

    private static func resolution(
        _ item: OpenEdXCourse.Item, _ quality: [String], at site: OpenEdXSite
    ) throws(ProviderError) -> Resolution {
        let host = site.root.host
        if let denial = item.denial { throw ProviderError(.forbidden, "\(host) says of this video: \(denial)") }
        if item.video.isForBrowsers {
            throw ProviderError(.forbidden, "\(host) shows this video on its pages only")
        }
        guard item.video.provider == nil else {
            throw ProviderError(.notFound, "this video is on another host, which is another provider's")
        }
        guard let media = item.video.media(quality) else {
            throw ProviderError(.notReady, "\(host) has no file of this video yet")
        }
        let name = media.address.lastName
        return Resolution(
            url: media.address.text, kind: media.kind, size: media.size,
            fileExtension: media.kind == .file && MediaFiles.isMedia(name) ? MediaFiles.fileExtension(name) : nil,
            duration: item.video.duration, subtitles: item.video.subtitles, tokens: site.tokens(for: [media.address]),
            title: item.title)
    }
}
