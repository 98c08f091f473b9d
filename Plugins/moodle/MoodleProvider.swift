import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Courses of a Moodle site. Their sections and folders are chapters.
struct MoodleProvider: Provider {
    private let pages = ListingPages()

    func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        let parameters = request.course.parameters
        let site = try MoodleSite(parameters, request.credentials, request.settings)
        let media = try MediaFiles(parameters)
        guard let course = parameters["course"]?.int else {
            throw ProviderError(
                .invalidParameters, "course is missing: the number in the address of its page, id=42",
                parameter: "course")
        }
        return try await pages.page(request) { _ throws(ProviderError) in
            let found = try await read(course, at: site, media)
            // Sections are there also in a course without anything in it.
            guard !found.chapters.isEmpty else {
                throw ProviderError(.forbidden, "\(site.address.host) shows nothing of this course to this account")
            }
            var listing = Listing(title: try await title(of: course, at: site))
            listing.chapters = found.chapters.compactMap { chapter in
                let videos = chapter.items.map { video($0, at: site) }
                return videos.isEmpty ? nil : .init(id: chapter.id, title: chapter.title, videos: videos)
            }
            return .whole(listing, validator: nil)
        }
    }

    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let parameters = request.video.parameters
        let site = try MoodleSite(parameters, request.credentials, request.settings)
        guard let module = Int(request.video.id.prefix { $0 != "/" }) else {
            guard request.video.id.hasPrefix("section "), let course = parameters["course"]?.int else {
                throw ProviderError(.notFound, "a video's id begins with the number of its activity")
            }
            return try resolution(
                try await read(course, at: site, MediaFiles(parameters)), request.video.id, at: site)
        }
        var course = parameters["course"]?.int
        if course == nil { course = try await self.course(of: module, at: site) }
        guard let course else { throw ProviderError(.notFound, "\(site.address.host) has no activity \(module)") }
        return try resolution(
            try await read(course, module: module, at: site, MediaFiles(parameters)), request.video.id, at: site)
    }

    func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        let site = try MoodleSite(request.parameters, request.credentials, request.settings)
        var user = site.user
        if user == nil { user = try await site.call("core_webservice_get_site_info")["userid"]?.wholeNumber }
        guard let user, let found = try await site.call("core_enrol_get_users_courses", [("userid", "\(user)")]).array
        else { throw site.unknownAnswer }
        var courses: [CourseList.Course] = []
        for course in found {
            guard let id = course["id"]?.wholeNumber else { throw site.unknownAnswer }
            courses.append(
                .init(
                    id: "\(id)", title: Self.title(course), parameters: ["course": .int(id)],
                    begins: Date(seconds: course["startdate"]), ends: Date(seconds: course["enddate"])))
        }
        return CourseList(courses: courses)
    }

    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        guard let address = WebAddress(request.address),
            let place = address.path.firstMatch(of: /^(.*?)\/(course|mod\/[a-z]+)\/view\.php$/),
            let id = address.query?.split(separator: "&").first(where: { $0.hasPrefix("id=") }).flatMap({
                Int($0.dropFirst(3))
            })
        else { return Recognition() }
        let root = address.replacing(path: "\(place.output.1)/")
        let site = MoodleSite(root, request.credentials, request.settings)
        guard try await site.isMoodle() else { return Recognition() }
        var parameters: [String: JSONValue] = ["endpoint": .string(root.text)]
        if place.output.2 == "course" {
            parameters["course"] = .int(Int64(id))
            return Recognition(
                .init(title: site.token == nil ? nil : try await title(of: Int64(id), at: site), parameters: parameters)
            )
        }
        guard let course = try await self.course(of: id, at: site) else { return Recognition() }
        parameters["course"] = .int(course)
        let items = try await read(course, module: id, at: site, MediaFiles([:])).items.filter { $0.provider == nil }
        guard items.count == 1 else {
            return Recognition(.init(title: try await title(of: course, at: site), parameters: parameters))
        }
        return Recognition(.init(id: items[0].id, title: items[0].title, parameters: parameters))
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login { try await MoodleLogin.login(request) }

    // MARK: - Reading

    /// A course, or one activity of it.
    private func read(
        _ course: Int64, module: Int? = nil, at site: MoodleSite, _ media: MediaFiles
    ) async throws(ProviderError) -> MoodleCourse {
        var arguments = [(name: "courseid", value: "\(course)")]
        if let module { arguments += [("options[0][name]", "cmid"), ("options[0][value]", "\(module)")] }
        let sections = try await site.call("core_course_get_contents", arguments)
        guard let all = sections.array else { throw site.unknownAnswer }
        let modules = all.flatMap { $0["modules"]?.list ?? [] }
        let hasPages = modules.contains { $0["modname"]?.string == "page" && $0["uservisible"] != .bool(false) }
        return try MoodleCourse(
            all, at: site, media, pages: hasPages ? try await texts(ofPagesIn: course, at: site) : [:])
    }

    /// The HTML of all pages of a course by their activities' numbers, in one request; none if the site doesn't give
    /// it to its app: the files of pages are in the course's contents, too.
    private func texts(ofPagesIn course: Int64, at site: MoodleSite) async throws(ProviderError) -> [Int: String] {
        do throws(ProviderError) {
            let answer = try await site.call("mod_page_get_pages_by_courses", [("courseids[0]", "\(course)")])
            guard let found = answer["pages"]?.array else { throw site.unknownAnswer }
            let pages = found.compactMap { page -> (Int, String)? in
                guard let module = page["coursemodule"]?.wholeNumber.flatMap({ Int(exactly: $0) }),
                    let text = page["content"]?.string
                else { return nil }
                return (module, text)
            }
            guard pages.count == found.count else { throw site.unknownAnswer }
            return Dictionary(pages) { first, _ in first }
        } catch {
            // What is on pages must not count as gone because of a bad minute of the site.
            guard [.notFound, .forbidden, .authRequired].contains(error.kind) else { throw error }
            HostLog.write(.debug, "can't read the pages of a course: \(error.message)")
            return [:]
        }
    }

    private func course(of module: Int, at site: MoodleSite) async throws(ProviderError) -> Int64? {
        try await site.call("core_course_get_course_module", [("cmid", "\(module)")])["cm"]?["course"]?.wholeNumber
    }

    private func title(of course: Int64, at site: MoodleSite) async throws(ProviderError) -> String? {
        let found = try await site.call(
            "core_course_get_courses_by_field", [("field", "id"), ("value", "\(course)")])
        return found["courses"]?.array?.first.flatMap(Self.title)
    }

    private static func title(_ course: JSONValue) -> String? {
        (course["displayname"] ?? course["fullname"])?.string.map { HTMLStripper.text(of: $0, bound: 1000) }
    }

    // MARK: - Answers

    private func video(_ item: MoodleCourse.Item, at site: MoodleSite) -> Listing.Video {
        var video = Listing.Video(
            id: item.id, title: item.title, publishedAt: item.modified, size: item.size)
        if let provider = item.provider {
            video.provider = provider.provider
            video.parameters = provider.parameters
        } else if let address = item.address {
            video.resolved = resolution(item, at: address, site)
        }
        return video
    }

    private func resolution(
        _ course: MoodleCourse, _ id: String, at site: MoodleSite
    ) throws(ProviderError) -> Resolution {
        guard let item = course.items.first(where: { $0.id == id }) else {
            // Of one activity; a section was read with the whole course.
            if !id.hasPrefix("section "), let reason = course.restriction {
                throw ProviderError(.notReady, "\(site.address.host) doesn't show this yet: \(reason)")
            }
            throw ProviderError(.notFound, "\(site.address.host) doesn't have this video in the course any more")
        }
        if let reason = item.restriction {
            throw ProviderError(.notReady, "\(site.address.host) doesn't show this yet: \(reason)")
        }
        guard let address = item.address else {
            throw ProviderError(.notFound, "this video is on another host, which is another provider's")
        }
        return resolution(item, at: address, site)
    }

    private func resolution(_ item: MoodleCourse.Item, at address: WebAddress, _ site: MoodleSite) -> Resolution {
        var resolution = Resolution(
            url: address.text,
            token: site.has(address) ? site.token.map { Token($0, in: .query, name: "token") } : nil, size: item.size,
            fileExtension: item.name.flatMap(MediaFiles.fileExtension), title: item.title)
        for other in item.beside {
            BesideVideos.add(other.name, at: other.address.text, of: item.name ?? "", to: &resolution)
        }
        return resolution
    }
}
