import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Categories, rooms and the whole account as courses.
struct BaiJiaYunLists: Sendable, PrintsRedacted {
    enum Source { case category(Int64), room(String), videos, playbacks }

    /// The most of a page, and of a page of a category.
    private static let (pageCount, categoryPageCount) = (1000, 100)

    let api: BaiJiaYunAPI

    /// The oldest first.
    func listing(_ source: Source) async throws(ProviderError) -> Listing {
        let found: [Found]
        switch source {
        case .category(let id):
            found = try await all(
                "video/getCategoryVideo", [("category_id", String(id))], .video,
                pagesOf: Self.categoryPageCount)
            // An unknown one may be as empty.
            if found.isEmpty { _ = try await categories(below: id) }
        case .room(let id):
            found = try await all("playback/getList", [("room_id", id)], .playback, pagesOf: Self.pageCount)
            if found.isEmpty { _ = try await api.call("playback/getBasicInfo", [("room_id", id)]) }
        case .videos: found = try await all("video/getVideoList", [], .video, pagesOf: Self.pageCount)
        case .playbacks: found = try await all("playback/getList", [], .playback, pagesOf: Self.pageCount)
        }
        var ids: Set<String> = []
        let videos = found.filter { Self.isListed($0.entry) && ids.insert($0.id.text).inserted }.map(listed)
        return Listing(
            videos: videos.sorted {
                ($0.publishedAt ?? .distantPast, NaturalOrder($0.id)) < (
                    $1.publishedAt ?? .distantPast, NaturalOrder($1.id)
                )
            })
    }

    /// The categories directly below one, or the topmost of the account.
    func categories(below parent: Int64?) async throws(ProviderError) -> [CourseList.Course] {
        guard var found = try await api.call("video/getCategoryList", [])["list"]?.array else {
            throw api.unknownAnswer
        }
        if let parent {
            guard let children = try children(of: parent, in: found) else {
                throw ProviderError(.notFound, "\(api.server.host) has no category with this number")
            }
            found = children
        }
        var courses: [CourseList.Course] = []
        for entry in found {
            let id = try number(of: entry)
            courses.append(.init(id: String(id), title: entry["name"]?.string, parameters: ["category": .int(id)]))
        }
        return courses
    }

    private func number(of category: JSONValue) throws(ProviderError) -> Int64 {
        guard let id = category["id"]?.wholeNumber, id > 0 else { throw api.unknownAnswer }
        return id
    }

    /// Nil if the category isn't in the tree.
    private func children(of id: Int64, in tree: [JSONValue]) throws(ProviderError) -> [JSONValue]? {
        for entry in tree {
            let below = entry["children"]?.list ?? []
            if try number(of: entry) == id { return below }
            if let found = try children(of: id, in: below) { return found }
        }
        return nil
    }

    // MARK: - Elements

    private typealias Found = (id: BaiJiaYunID, entry: JSONValue)

    private enum Kind { case video, playback }

    private func all(
        _ function: String, _ fields: [(name: String, value: String)], _ kind: Kind, pagesOf count: Int
    ) async throws(ProviderError) -> [Found] {
        // A page that isn't full is the last one, whatever the total says.
        var isOver = false
        let list = PagedList(server: api.server, pageCount: count, countsHidden: true)
        let entries = try await list.entries { entry throws(ProviderError) in
            let id = try id(of: entry, kind)
            // A playback may be there in several versions.
            return kind == .video ? id.text : entry["playback_id"]?.wholeNumber.map(String.init)
        } page: { number, _ throws(ProviderError) in
            let answer = try await api.call(
                function, fields + [("page", String(number + 1)), ("page_size", String(count))])
            guard let entries = answer["list"]?.array, let total = answer["total"]?.wholeNumber else {
                throw api.unknownAnswer
            }
            guard number == 0 || !isOver || entries.isEmpty else { throw api.unknownAnswer }
            isOver = entries.count < count
            return (entries, total)
        }
        var found: [Found] = []
        for entry in entries { found.append((try id(of: entry, kind), entry)) }
        return found
    }

    private func id(of entry: JSONValue, _ kind: Kind) throws(ProviderError) -> BaiJiaYunID {
        guard let id = kind == .video ? BaiJiaYunID.video(entry) : .playback(entry) else { throw api.unknownAnswer }
        return id
    }

    /// Failed uploads (30 to 32) and blocked videos (2) aren't; what is being converted is, and waits.
    private static func isListed(_ entry: JSONValue) -> Bool {
        ![30, 31, 32].contains(entry["status"]?.wholeNumber) && entry["publish_status"]?.wholeNumber != 2
    }

    private func listed(_ found: Found) -> Listing.Video {
        let entry = found.entry
        return Listing.Video(
            id: found.id.text, title: entry["name"]?.string.flatMap { $0.isEmpty ? nil : MediaFiles.title($0) },
            publishedAt: Self.date(entry["create_time"]),
            duration: entry["length"]?.number.flatMap { $0 > 0 ? $0 : nil },
            cover: api.picture(entry["preface_url"]), parameters: found.id.parameters)
    }

    /// Seconds, or the time of China's clocks.
    private static func date(_ value: JSONValue?) -> Date? {
        Date(seconds: value) ?? value?.string.flatMap { WebDate.date("\($0) +08:00") }
    }
}

extension BaiJiaYunAPI {
    /// The address of a picture. One with a query may be another each time.
    func picture(_ value: JSONValue?) -> String? {
        guard let text = value?.string, !text.isEmpty, let address = server.resolving(text) else { return nil }
        return address.query == nil ? address.text : nil
    }
}
