import DownloadStore
import MediaLibrary
import RunAccess
import SearchIndex
import SyncFacts
import SystemPackage

extension LibrarySearch {
    /// The hits in one state: what its index finds, proven by the texts themselves.
    struct Finding {
        private let store: DownloadStore
        private let library: LibraryFolder?
        private let root: String?
        private let limit: Int
        private let courses: [String: CourseRecord]
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
            courses = try store.catalogs.courses()
        }

        var hits: [SearchHit] { found.map(\.hit) }
        /// How many texts have been looked at.
        var documents: Int { seen.count }

        /// Adds what an index has of a query, up to so many texts.
        mutating func add(_ query: SearchQuery, in index: SearchIndex, atMost most: Int) throws {
            let matches = try index.find(query, limit: most)
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
            for id in order {
                let known = found.firstIndex { $0.id == id }
                guard known != nil || found.count < limit else {
                    (hasMore, isPartlyRead) = (true, false)
                    break
                }
                guard let record = try store.downloads.record(id),
                    var hit = try known.map({ found[$0].hit }) ?? hit(of: record)
                else { continue }
                let before = (hit.isInTitle, hit.moments.count)
                for match in texts[id] ?? [] { try look(at: match, record, &moments, &hit) }
                if let known {
                    found[known].hit = hit
                } else if (hit.isInTitle, hit.moments.count) != before {
                    found.append((id, hit))
                }
            }
        }

        private func look(
            at match: SearchIndex.Match, _ record: DownloadRecord, _ moments: inout SubtitleMoments,
            _ hit: inout SearchHit
        ) throws {
            guard match.path != nil else {
                let description = try store.texts.description(of: record.key)
                let texts = [hit.courseTitle, hit.chapterTitle ?? "", record.catalog.title, description ?? ""]
                if moments.proves(texts.joined(separator: "\n")) { hit.isInTitle = true }
                return
            }
            guard
                let file = try store.texts.subtitles(of: record.id).first(where: {
                    $0.name == match.source.language
                }),
                let bytes = SearchUpdate.bytes(of: file, in: library),
                let places = moments.find(in: bytes, language: file.name)
            else { return }
            hit.moments += places
        }

        private mutating func hit(of record: DownloadRecord) throws -> SearchHit? {
            guard let file = record.file, let root else { return nil }
            let course = record.key.course
            if chapters[course] == nil { chapters[course] = try store.catalogs.chapterTitles(of: course) }
            return SearchHit(
                reference: record.reference, courseTitle: courses[course]?.title ?? course,
                chapterTitle: record.catalog.chapter.flatMap { chapters[course]?[$0] }, path: "\(root)/\(file.path)")
        }
    }
}
