import ProviderHTTP
import ProviderKit

/// A list that a host hands out in pages, and says how many entries it has.
///
/// An entry that is removed or moved between two pages shifts those behind it: one comes twice, or is missing. Such a
/// list is read once more, and is `unavailable` then, since what it lacks would count as gone.
struct PagedList {
    typealias Page = (entries: [JSONValue], total: Int64)
    /// Of a page by its number, from 0 on, and by the entries before it.
    typealias Ask = (_ number: Int, _ offset: Int) async throws(ProviderError) -> Page

    /// A host with more is broken.
    private static let bound = 200_000

    let server: WebAddress
    /// The entries of a page that isn't the last.
    let pageCount: Int
    /// Whether the host counts entries that it doesn't show. Then the last page is a short one.
    var countsHidden = false

    /// All entries.
    ///
    /// - Parameters:
    ///   - id: of an entry; throws for one that no host writes, and is nil for one that may come several times.
    func entries(
        id: (JSONValue) throws(ProviderError) -> String?, page: Ask
    ) async throws(ProviderError) -> [JSONValue] {
        for _ in 0..<2 {
            if let found = try await read(id, page) { return found }
        }
        throw ProviderError(
            .unavailable, "the list of \(server.host) changed while it was listed", server: server.origin)
    }

    /// Nil if the pages don't belong together.
    private func read(
        _ id: (JSONValue) throws(ProviderError) -> String?, _ page: Ask
    ) async throws(ProviderError) -> [JSONValue]? {
        var (found, ids): ([JSONValue], Set<String>) = ([], [])
        var (number, first): (Int, Int64?) = (0, nil)
        while found.count < Self.bound {
            let (entries, total) = try await page(number, found.count)
            number += 1
            for entry in entries {
                if let id = try id(entry), !ids.insert(id).inserted { return nil }
            }
            guard total == first ?? total else { return nil }
            first = total
            found += entries
            if found.count >= total { return found }
            if entries.isEmpty { return countsHidden && !found.count.isMultiple(of: pageCount) ? found : nil }
        }
        throw ProviderError(.unavailable, "the pages of \(server.host) don't end", server: server.origin)
    }
}
