import DownloadStore
import MediaLibrary
import RunAccess
import SearchIndex
import SyncFacts
import SystemPackage

extension LibrarySearch {
    /// The hits in one state: what its index finds, proven by the texts themselves.
    struct Finding {
        /// The texts of a state that are read for one search.
        private static let mostDocuments = 2000
        /// Videos whose rows are read at a time.
        private static let batch = 50

        private let store: DownloadStore
        private let library: LibraryFolder?
        private let root: String?
        private let limit: Int
        private var courses: [String: CourseRecord] = [:]
        private var chapters: [String: [String: String]] = [:]
        /// By their downloads, in the order in which they were found.
        private var found: [(id: DownloadID, hit: SearchHit)] = []
        private var seen: Set<SearchIndex.Source> = []
        private(set) var hasMore = false
        private(set) var isPartlyRead = false
        private(set) var isUnranked = false

        /// - Parameter limit: videos.
        init(place: StateLocation.Place, store: DownloadStore, library: LibraryFolder?, limit: Int) throws {
            (self.store, self.library, self.limit) = (store, library, limit)
            root = try place.library(in: store).path.string
        }

        var hits: [SearchHit] { found.map(\.hit) }
        /// How many texts have all words; of very many it is less.
        private(set) var documents = 0

        /// Adds what an index has of a query.
        mutating func add(_ query: SearchQuery, in index: SearchIndex) throws {
            // Without a phrase nearly each video is a hit.
            let videos = query.phrases.isEmpty ? 2 * limit : Self.mostDocuments
            let matches = try index.find(query, videos: videos, atMost: Self.mostDocuments)
            documents += matches.count
            isUnranked = isUnranked || !matches.isRanked
            hasMore = hasMore || matches.hasMore
            if matches.hasMore, !query.phrases.isEmpty { isPartlyRead = true }
            var moments = SubtitleMoments(query)
            // A video with several texts stands where the best of them does.
            var order: [DownloadID] = []
            var texts: [DownloadID: [SearchIndex.Match]] = [:]
            for match in matches.documents where seen.insert(match.source).inserted {
                if texts[match.source.download] == nil { order.append(match.source.download) }
                texts[match.source.download, default: []].append(match)
            }
            for start in stride(from: 0, to: order.count, by: Self.batch) {
                let ids = Array(order[start..<min(start + Self.batch, order.count)])
                let records = try readRecords(ids)
                let subtitles = try store.texts.subtitles(of: ids)
                for record in records {
                    let known = found.firstIndex { $0.id == record.id }
                    guard known != nil || found.count < limit else {
                        (hasMore, isPartlyRead) = (true, false)
                        return
                    }
                    guard var hit = known.map({ found[$0].hit }) ?? hit(of: record) else { continue }
                    let before = (hit.isInTitle, hit.moments.count)
                    for match in texts[record.id] ?? [] {
                        try look(at: match, of: record, subtitles[record.id] ?? [], &moments, &hit)
                    }
                    if let known {
                        found[known].hit = hit
                    } else if (hit.isInTitle, hit.moments.count) != before {
                        found.append((record.id, hit))
                    }
                }
            }
        }

        /// Reads their courses and chapters, too.
        private mutating func readRecords(_ ids: [DownloadID]) throws(StoreError) -> [DownloadRecord] {
            let records = try store.downloads.records(ids)
            let new = Set(records.map(\.key.course)).subtracting(courses.keys)
            courses.merge(try store.catalogs.courses(new)) { $1 }
            chapters.merge(try store.catalogs.chapterTitles(of: new)) { $1 }
            return records
        }

        private func look(
            at match: SearchIndex.Match, of record: DownloadRecord, _ subtitles: [SubtitleFile],
            _ moments: inout SubtitleMoments, _ hit: inout SearchHit
        ) throws {
            guard match.path != nil else {
                let description = try store.texts.description(of: record.key)
                let texts = [hit.courseTitle, hit.chapterTitle ?? "", record.catalog.title, description ?? ""]
                if moments.proves(texts.joined(separator: "\n")) { hit.isInTitle = true }
                return
            }
            guard let file = subtitles.first(where: { $0.name == match.source.language }),
                let bytes = SearchUpdate.bytes(of: file, in: library),
                let places = moments.find(in: bytes, language: file.name)
            else { return }
            hit.moments += places
        }

        private func hit(of record: DownloadRecord) -> SearchHit? {
            guard let file = record.file, let root else { return nil }
            let course = record.key.course
            return SearchHit(
                reference: record.reference, courseTitle: courses[course]?.title ?? course,
                chapterTitle: record.catalog.chapter.flatMap { chapters[course]?[$0] }, path: "\(root)/\(file.path)")
        }
    }
}
