import ProviderHTTP
import ProviderKit

/// Categories and playlists as courses.
struct KalturaLists: Sendable, PrintsRedacted {
    /// The most that a page has; the server cuts more without a word.
    private static let pageCount = 500

    let api: KalturaAPI

    /// A playlist, in its order.
    func playlist(_ id: String) async throws(ProviderError) -> Listing {
        let answers = try await api.answers([
            .init(service: "playlist", action: "get", parameters: ["id": .string(id)]),
            .init(service: "playlist", action: "execute", parameters: ["id": .string(id)]),
        ])
        guard let entries = answers[1].array, answers[0]["id"] != nil else { throw api.unknownAnswer }
        return Listing(title: answers[0]["name"]?.string, videos: Self.videos(try api.entries(entries)))
    }

    /// A category, the oldest entries first. The categories beneath it are chapters.
    func category(_ id: Int64) async throws(ProviderError) -> Listing {
        let filter: [String: JSONValue] = ["ancestorIdIn": .string(String(id)), "orderBy": "+fullName"]
        let answers = try await api.answers([
            .init(service: "category", action: "get", parameters: ["id": .int(id)]),
            Self.page(0, of: "category", filter),
        ])
        let (own, first) = (try Category(answers[0], api), try counted(answers[1]))
        let below = Int64(first.entries.count) == first.total ? first.entries : try await all("category", filter)
        let children = try below.map { child throws(ProviderError) in try Category(child, api) }
            .sorted { NaturalOrder($0.fullName) < NaturalOrder($1.fullName) }
        var listing = Listing(title: answers[0]["name"]?.string)
        listing.videos = try await entries(of: own)
        for child in children {
            let videos = try await entries(of: child)
            guard !videos.isEmpty else { continue }
            let prefix = own.fullName + ">"
            let title = child.fullName.hasPrefix(prefix) ? child.fullName.dropFirst(prefix.count) : child.fullName[...]
            listing.chapters.append(.init(id: String(child.id), title: Self.title(title), videos: videos))
        }
        return listing
    }

    /// Categories as courses: those directly below one, or all that have videos of their own.
    func categories(below parent: Int64?) async throws(ProviderError) -> [CourseList.Course] {
        var filter: [String: JSONValue] = ["orderBy": "+fullName"]
        if let parent { filter["parentIdEqual"] = .int(parent) }
        let found = try await all("category", filter)
        if found.isEmpty, parent == nil || api.login == nil {
            throw ProviderError(
                .authRequired, "\(api.server.host) lists no categories without a login", server: api.server.origin)
        }
        let parents = Set(found.compactMap { $0["parentId"]?.wholeNumber })
        var courses: [CourseList.Course] = []
        for entry in found {
            let category = try Category(entry, api)
            // The counter of its own entries may be late. The other one tells of them, too, if nothing is beneath it.
            let hasVideos =
                category.ownCount > 0
                || entry["entriesCount"]?.wholeNumber != 0 && !parents.contains(category.id)
            guard parent != nil || hasVideos else { continue }
            let title = parent == nil ? category.fullName : entry["name"]?.string
            courses.append(
                .init(
                    id: String(category.id), title: title.map { Self.title($0[...]) },
                    parameters: ["category": .int(category.id)]))
        }
        return courses
    }

    func title(ofCategory id: Int64) async throws(ProviderError) -> String? {
        try await api.answers([.init(service: "category", action: "get", parameters: ["id": .int(id)])])[0]["name"]?
            .string
    }

    func title(ofPlaylist id: String) async throws(ProviderError) -> String? {
        try await api.answers([.init(service: "playlist", action: "get", parameters: ["id": .string(id)])])[0]["name"]?
            .string
    }

    // MARK: - Answers

    private struct Category {
        let id: Int64
        let fullName: String
        /// Of the entries that aren't in another one beneath it. It may be late.
        let ownCount: Int64

        init(_ category: JSONValue, _ api: KalturaAPI) throws(ProviderError) {
            guard let id = category["id"]?.wholeNumber, let fullName = category["fullName"]?.string else {
                throw api.unknownAnswer
            }
            (self.id, self.fullName) = (id, fullName)
            ownCount = category["directEntriesCount"]?.wholeNumber ?? 0
        }
    }

    private static func title(_ fullName: Substring) -> String {
        fullName.split(separator: ">").joined(separator: " / ")
    }

    private func entries(of category: Category) async throws(ProviderError) -> [Listing.Video] {
        let found = try await all(
            "baseEntry",
            [
                "categoriesIdsMatchOr": .string(String(category.id)), "orderBy": "+createdAt",
            ].merging(KalturaEntry.filter) { $1 })
        // A session that may not list gets an empty list, and so does everybody without a login.
        if found.isEmpty, api.login == nil || category.ownCount > 0 {
            throw ProviderError(
                .authRequired,
                api.login == nil
                    ? "\(api.server.host) lists the videos of a category for a login only"
                    : "this session of \(api.server.host) may not list the videos of a category: it lacks list:*",
                server: api.server.origin)
        }
        return Self.videos(try api.entries(found).sorted { $0.isOlder(than: $1) })
    }

    private func all(
        _ service: String, _ filter: [String: JSONValue]
    ) async throws(ProviderError) -> [JSONValue] {
        let list = PagedList(server: api.server, pageCount: Self.pageCount)
        return try await list.entries { entry throws(ProviderError) in
            guard let id = entry["id"]?.string ?? entry["id"]?.wholeNumber.map(String.init) else {
                throw api.unknownAnswer
            }
            return id
        } page: { number, _ throws(ProviderError) in
            try counted(try await api.answers([Self.page(number, of: service, filter)])[0])
        }
    }

    private static func page(_ number: Int, of service: String, _ filter: [String: JSONValue]) -> KalturaAPI.Action {
        let pager: JSONValue = ["pageSize": .int(Int64(pageCount)), "pageIndex": .int(Int64(number + 1))]
        return .init(service: service, action: "list", parameters: ["filter": .object(filter), "pager": pager])
    }

    private func counted(_ answer: JSONValue) throws(ProviderError) -> PagedList.Page {
        guard let objects = answer["objects"]?.array, let total = answer["totalCount"]?.wholeNumber else {
            throw api.unknownAnswer
        }
        return (objects, total)
    }

    private static func videos(_ entries: [KalturaEntry]) -> [Listing.Video] {
        var ids: Set<String> = []
        return entries.filter { $0.isListed && ids.insert($0.id).inserted }.map(\.listed)
    }
}
