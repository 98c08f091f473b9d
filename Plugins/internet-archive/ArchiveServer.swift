import Crypto
import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The archive's metadata and its search.
struct ArchiveServer: Sendable, PrintsRedacted {
    /// An item as a search knows it.
    struct Member: Sendable {
        var id: String
        var title: String?
        var isCollection: Bool
        var publishedAt: String
        /// What changes if its files or its metadata change.
        var version: String
    }

    /// The most of a page of a search; fewer than 100 are refused.
    private static let pageCount = 1000
    private static let memberBound = 100_000
    private static let together = 8

    var endpoint: Endpoint

    /// The metadata of an item.
    func item(_ id: String) async throws(ProviderError) -> ArchiveItem {
        guard let address = endpoint.address.appending(["metadata", id]) else { throw Self.noSuch(id) }
        let answer = try await endpoint.client.get(address).json()
        // Of what isn't there, either.
        if answer == .object([:]) || answer == .array([]) { throw Self.noSuch(id) }
        if answer["is_dark"] == .bool(true) {
            throw ProviderError(.gone, "\(host) doesn't show the item \(id) any more")
        }
        guard answer["metadata"]?["identifier"] != nil, let files = answer["files"]?.array else {
            throw ProviderError(
                .unavailable, "the answer of \(host) isn't the metadata of an item", server: endpoint.address.origin)
        }
        // An item has at least files of the archive's own.
        guard files.count >= max(answer["files_count"]?.wholeNumber ?? 1, 1),
            files.allSatisfy({ $0["name"]?.string?.isEmpty == false })
        else {
            throw ProviderError(
                .unavailable, "\(host) doesn't name all files of the item \(id)", server: endpoint.address.origin)
        }
        return ArchiveItem(id, answer)
    }

    /// The metadata of several items of a collection, in their order.
    func items(_ ids: [String]) async throws(ProviderError) -> [ArchiveItem] {
        var found: [ArchiveItem] = []
        for start in stride(from: 0, to: ids.count, by: Self.together) {
            let part = ids[start..<min(start + Self.together, ids.count)]
            let results = await withTaskGroup(of: (Int, Result<ArchiveItem, ProviderError>).self) { group in
                for place in part.indices { group.addTask { (place, await self.member(part[place])) } }
                var results: [(Int, Result<ArchiveItem, ProviderError>)] = []
                for await result in group { results.append(result) }
                return results.sorted { $0.0 < $1.0 }
            }
            for (_, result) in results { found.append(try result.get()) }
        }
        return found
    }

    /// An item that the search still lists isn't gone because its metadata is missing for once.
    private func member(_ id: String) async -> Result<ArchiveItem, ProviderError> {
        do throws(ProviderError) {
            return .success(try await item(id))
        } catch {
            guard [.notFound, .gone].contains(error.kind) else { return .failure(error) }
            return .failure(
                ProviderError(
                    .unavailable,
                    "\(host) lists the item \(id) in the collection, but doesn't show it: \(error.message)",
                    server: endpoint.address.origin))
        }
    }

    /// The items of a collection, the oldest first.
    ///
    /// Related: https://archive.org/help/aboutsearch.htm
    func members(of collection: String, _ types: [String]) async throws(ProviderError) -> [Member] {
        let query = "collection:\(collection) AND mediatype:(\(types.joined(separator: " OR ")))"
        let fields = ["identifier", "title", "mediatype", "publicdate", "item_size", "files_count", "oai_updatedate"]
        let address = endpoint.address.replacing(path: "/services/search/v1/scrape").adding(query: [
            ("q", query), ("fields", fields.joined(separator: ",")), ("count", "\(Self.pageCount)"),
        ])
        var (members, cursor): ([Member], String?) = ([], nil)
        while members.count < Self.memberBound {
            let page = try await endpoint.client.get(
                cursor.map { address.adding(query: [("cursor", $0)]) } ?? address
            ).json()
            guard let items = page["items"]?.array, let total = page["total"]?.wholeNumber else { break }
            let found = items.compactMap(Member.init)
            guard found.count == items.count else { break }
            members += found
            guard let next = page["cursor"]?.string, next != cursor, !items.isEmpty else {
                // A search may end before its end.
                guard members.count >= total else { break }
                return members.sorted { ($0.publishedAt, $0.id) < ($1.publishedAt, $1.id) }
            }
            cursor = next
        }
        throw ProviderError(
            .unavailable, "\(host) doesn't list the collection \(collection) to its end",
            server: endpoint.address.origin)
    }

    /// The address from which a file is downloaded; nil for one whose name no server takes.
    func address(of name: String, in item: String) -> WebAddress? {
        endpoint.address.appending(
            ["download", item] + name.split(separator: "/", omittingEmptySubsequences: false).map(String.init))
    }

    var host: String { endpoint.address.host }

    static func noSuch(_ id: String) -> ProviderError {
        ProviderError(.notFound, "the archive has no item with the identifier \(id)")
    }
}

extension ArchiveServer.Member {
    init?(_ item: JSONValue) {
        guard let id = item["identifier"]?.string, !id.isEmpty else { return nil }
        self.id = id
        title = item["title"]?.list.first?.string
        isCollection = item["mediatype"]?.list.first?.string == "collection"
        publishedAt = item["publicdate"]?.list.first?.string ?? ""
        version =
            ["item_size", "files_count"].map { item[$0]?.wholeNumber.map(String.init) ?? "" }
            .joined(separator: " ") + (item["oai_updatedate"]?.list ?? []).compactMap(\.string).joined(separator: " ")
    }
}

extension [ArchiveServer.Member] {
    /// Another one if an item is added, removed or changed.
    var version: String {
        var hash = SHA256()
        for member in self { hash.update(data: Data("\(member.id) \(member.version)\n".utf8)) }
        return hash.finalize().prefix(16).hex
    }
}
