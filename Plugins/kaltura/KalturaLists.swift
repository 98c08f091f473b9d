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
        return Listing(title: answers[0]["name"]?.string, videos: Self.videos(entries))
    }

    /// A category, the oldest entries first. The categories beneath it are chapters.
    func category(_ id: Int64) async throws(ProviderError) -> Listing {
        let answers = try await api.answers([
            .init(service: "category", action: "get", parameters: ["id": .int(id)]),
            .init(service: "category", action: "list", parameters: ["filter": ["ancestorIdIn": .string(String(id))]]),
        ])
        let own = answers[0]
        guard let below = answers[1]["objects"]?.array, let fullName = own["fullName"]?.string else {
            throw api.unknownAnswer
        }
        var listing = Listing(title: own["name"]?.string)
        listing.videos = try await entries(of: own)
        for child in below.sorted(by: {
            NaturalOrder($0["fullName"]?.string ?? "") < NaturalOrder($1["fullName"]?.string ?? "")
        }) {
            guard let number = child["id"]?.wholeNumber, let name = child["fullName"]?.string else { continue }
            let videos = try await entries(of: child)
            guard !videos.isEmpty else { continue }
            let title = name.hasPrefix(fullName + ">") ? String(name.dropFirst(fullName.count + 1)) : name
            listing.chapters.append(
                .init(id: String(number), title: title.split(separator: ">").joined(separator: " / "), videos: videos))
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
        return found.compactMap { category in
            guard let id = category["id"]?.wholeNumber,
                parent != nil || category["directEntriesCount"]?.wholeNumber ?? 0 > 0
            else { return nil }
            let title = (parent == nil ? category["fullName"] : category["name"])?.string
            return .init(
                id: String(id), title: title?.split(separator: ">").joined(separator: " / "),
                parameters: ["category": .int(id)])
        }
    }

    func title(ofCategory id: Int64) async throws(ProviderError) -> String? {
        try await api.answers([.init(service: "category", action: "get", parameters: ["id": .int(id)])])[0]["name"]?
            .string
    }

    func title(ofPlaylist id: String) async throws(ProviderError) -> String? {
        try await api.answers([.init(service: "playlist", action: "get", parameters: ["id": .string(id)])])[0]["name"]?
            .string
    }

    private func entries(of category: JSONValue) async throws(ProviderError) -> [Listing.Video] {
        guard category["directEntriesCount"]?.wholeNumber != 0, let id = category["id"]?.wholeNumber else { return [] }
        let found = try await all("baseEntry", ["categoriesIdsMatchOr": .string(String(id)), "orderBy": "+createdAt"])
        // A session that may not list gets an empty list.
        if found.isEmpty, category["directEntriesCount"]?.wholeNumber ?? 0 > 0 {
            throw ProviderError(
                .authRequired,
                api.login == nil
                    ? "\(api.server.host) lists the videos of a category for a login only"
                    : "this session of \(api.server.host) may not list the videos of a category: it lacks list:*",
                server: api.server.origin)
        }
        return Self.videos(found)
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
            let pager: JSONValue = ["pageSize": .int(Int64(Self.pageCount)), "pageIndex": .int(Int64(number + 1))]
            let answer = try await api.answers([
                .init(service: service, action: "list", parameters: ["filter": .object(filter), "pager": pager])
            ])[0]
            guard let objects = answer["objects"]?.array, let total = answer["totalCount"]?.wholeNumber else {
                throw api.unknownAnswer
            }
            return (objects, total)
        }
    }

    private static func videos(_ entries: [JSONValue]) -> [Listing.Video] {
        var ids: Set<String> = []
        return entries.compactMap(KalturaEntry.init).filter { $0.isListed && ids.insert($0.id).inserted }.map(\.listed)
    }
}
