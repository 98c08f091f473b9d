import DownloadStore
import FileSystem
import MediaLibrary
package import RunAccess
import SearchIndex
package import SyncFacts
import SystemPackage
import UserState

/// A video that matches a search.
package struct SearchHit: Sendable {
    package var reference: VideoReference
    package var courseTitle: String
    /// Nil directly under its course.
    package var chapterTitle: String?
    /// The absolute path of its file.
    package var path: String
    /// Whether its titles or its description have the words.
    package var isInTitle = false
    /// Where its subtitles have them.
    package var moments: [SubtitleMoment] = []

    package init(reference: VideoReference, courseTitle: String, chapterTitle: String?, path: String) {
        self.reference = reference
        self.courseTitle = courseTitle
        self.chapterTitle = chapterTitle
        self.path = path
    }
}

/// What a search has found.
package struct SearchResult: Sendable {
    /// The best ones first.
    package var hits: [SearchHit] = []
    /// Whether more match than the hits.
    package var hasMore = false
    /// Whether too many texts have the words of a phrase to read all of them for it.
    package var isPartlyRead = false
    /// Whether too many match to tell which are the best: then they are in the order of the catalogs.
    package var isUnranked = false
    /// Whether subtitles couldn't be read, because the library isn't there.
    package var isWithoutLibrary = false
    /// Shards that are left out.
    package var leftOut: [Refusal] = []

    package init() {}
}

/// The search in the titles, descriptions and subtitles of finished videos.
package enum LibrarySearch {
    /// The greatest limit.
    package static let mostHits = 10_000
    /// With fewer documents that have the words as they are, longer words that begin so count, too.
    private static let few = 20

    /// Brings the index up to date, and searches it. Nil without a word to search for.
    ///
    /// - Parameters:
    ///   - limit: videos, ``mostHits`` at most.
    ///   - begins: called with the number of texts to read, before a state's index is brought up to date.
    package static func run(
        _ text: String, _ location: StateLocation, limit: Int, begins: (Int) -> Void
    ) throws(Refusal) -> SearchResult? {
        guard let query = SearchQuery(text) else { return nil }
        let places = try location.resolveAll()
        var result = SearchResult()
        var hits: [(rank: Int, hit: SearchHit)] = []
        for place in places {
            try place.requireKnown()
            do throws(Refusal) {
                let found = try search(query, in: place, limit: limit, &result, begins: begins)
                hits += found.enumerated().map { ($0.offset, $0.element) }
            } catch {
                guard places.count > 1 else { throw error }
                result.leftOut.append(place.leftOut(error))
            }
        }
        if result.leftOut.count == places.count, let first = result.leftOut.first { throw first }
        // The best of each shard first.
        result.hits = hits.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .prefix(limit).map(\.element.hit)
        result.hasMore = result.hasMore || hits.count > limit
        return result
    }

    private static func search(
        _ query: SearchQuery, in place: StateLocation.Place, limit: Int, _ result: inout SearchResult,
        begins: (Int) -> Void
    ) throws(Refusal) -> [SearchHit] {
        guard let store = try place.openForReading() else { return [] }
        defer { store.close() }
        // A search of what is known needs no library.
        let library = try? LibraryOpening.openToLook(place, store)
        if library == nil { result.isWithoutLibrary = true }
        func find() throws -> Finding {
            let index = try upToDate(place, store, library, begins: begins)
            defer { index.close() }
            var finding = try Finding(place: place, store: store, library: library, limit: limit)
            try finding.add(query, in: index)
            let widened = query.widened
            if finding.documents < few, widened != query {
                try finding.add(widened, in: index)
            }
            return finding
        }
        do {
            let finding: Finding
            do { finding = try find() } catch StoreError.corrupt(let path, _)
                where path == place.folder.searchIndex.string
            {
                // It can be made anew, and may be made anew by another search at this moment.
                SearchIndex.remove(path)
                finding = try find()
            }
            result.hasMore = result.hasMore || finding.hasMore
            result.isPartlyRead = result.isPartlyRead || finding.isPartlyRead
            result.isUnranked = result.isUnranked || finding.isUnranked
            return finding.hits
        } catch { throw Refusal(any: error) }
    }

    /// Opens the index, and compares it with the state if that has changed.
    private static func upToDate(
        _ place: StateLocation.Place, _ store: DownloadStore, _ library: LibraryFolder?, begins: (Int) -> Void
    ) throws -> SearchIndex {
        let path = place.folder.searchIndex.string
        // Before its rows are read: what comes later is compared the next time.
        let mark = mark(of: place.folder, hasLibrary: library != nil)
        var index = try SearchIndex(path: path)
        guard try index.fact("state") != mark else { return index }
        let update = SearchUpdate(store: store, library: library)
        var isWhole = try update.run(index, begins: begins)
        if try index.isWorn() {
            index.close()
            SearchIndex.remove(path)
            index = try SearchIndex(path: path)
            isWhole = try update.run(index, begins: begins)
        }
        if isWhole { try index.setFact("state", mark) }
        return index
    }

    /// It changes when the files of the state do.
    private static func mark(of folder: StateFolder, hasLibrary: Bool) -> String {
        let files = ["", "-wal"].map { suffix in
            // Opening the state makes an empty journal.
            guard let facts = FileFacts(at: folder.database.string + suffix), facts.size > 0 else { return "" }
            return "\(facts.size) \(facts.modified)"
        }
        return (files + [hasLibrary ? "library" : ""]).joined(separator: ", ")
    }
}
