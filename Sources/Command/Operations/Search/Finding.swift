import DownloadStore
import MediaLibrary
import RunAccess
import SearchIndex
import SyncFacts
import SystemPackage

extension LibrarySearch {
    /// The hits in one state: what its index finds, proven by the texts themselves.
    struct Finding {
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
        /// The texts that have what was asked for.
        private var proven: Set<SearchIndex.Source> = []
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
            var matches = try index.matches(query)
            documents += matches.count
            isUnranked = isUnranked || !matches.isRanked
            var moments = SubtitleMoments(query)
            var (read, isRich) = (0, query.phrases.isEmpty)
            while true {
                // Without a phrase nearly each video is a hit; one more tells whether there are more.
                let wanted = isRich ? min(Self.batch, limit + 1 - found.count) : Self.batch
                let texts = try index.next(wanted, of: &matches)
                if texts.isEmpty {
                    // The index names no more than it can rank.
                    if !matches.isRanked { (hasMore, isPartlyRead) = (true, !query.phrases.isEmpty) }
                    return
                }
                if !query.phrases.isEmpty, read >= mostRead {
                    (hasMore, isPartlyRead) = (true, true)
                    return
                }
                let before = found.count
                read += texts.count
                guard try look(at: texts, &moments) else {
                    hasMore = true
                    return
                }
                if found.count == before { isRich = false }
            }
        }

        /// Videos that are read for a phrase, the best ones of those that have its words. If none of these has it, more
        /// are read: to find nothing would be worse than to wait.
        private var mostRead: Int { max(found.isEmpty ? 2000 : 200, 10 * limit) }

        /// Adds the hits among these texts, each video's together. Returns false if there is one beyond the limit.
        private mutating func look(at texts: [[SearchIndex.Match]], _ moments: inout SubtitleMoments) throws -> Bool {
            var new: [DownloadID: [SearchIndex.Match]] = [:]
            for matches in texts {
                let unseen = matches.filter { !proven.contains($0.source) && (library != nil || $0.path == nil) }
                if let first = unseen.first { new[first.source.download] = unseen }
            }
            let ids = texts.map { $0[0].source.download }.filter { new[$0] != nil }
            let records = try readRecords(ids)
            let subtitles = try store.texts.subtitles(of: ids)
            var files: [SubtitleFile] = []
            var places: [SearchIndex.Source: Int] = [:]
            for match in new.values.joined() where match.path != nil {
                let source = match.source
                guard let file = subtitles[source.download]?.first(where: { $0.name == source.language })
                else { continue }
                places[source] = files.count
                files.append(file)
            }
            let said = moments.find(in: files, of: library)
            for record in records {
                let known = found.firstIndex { $0.id == record.id }
                guard known != nil || found.count < limit else { return false }
                guard var hit = known.map({ found[$0].hit }) ?? hit(of: record) else { continue }
                let before = (hit.isInTitle, hit.moments.count)
                for match in new[record.id] ?? [] {
                    if match.path == nil {
                        guard try isInTitle(of: record, hit, &moments) else { continue }
                        hit.isInTitle = true
                    } else {
                        guard let moments = places[match.source].flatMap({ said[$0] }) else { continue }
                        hit.moments += moments
                    }
                    proven.insert(match.source)
                }
                if let known {
                    found[known].hit = hit
                } else if (hit.isInTitle, hit.moments.count) != before {
                    found.append((record.id, hit))
                }
            }
            return true
        }

        /// Reads their courses and chapters, too.
        private mutating func readRecords(_ ids: [DownloadID]) throws(StoreError) -> [DownloadRecord] {
            let records = try store.downloads.records(ids)
            let new = Set(records.map(\.key.course)).subtracting(courses.keys)
            courses.merge(try store.catalogs.courses(new)) { $1 }
            chapters.merge(try store.catalogs.chapterTitles(of: new)) { $1 }
            return records
        }

        private func isInTitle(
            of record: DownloadRecord, _ hit: SearchHit, _ moments: inout SubtitleMoments
        ) throws(StoreError) -> Bool {
            let description = try store.texts.description(of: record.key)
            let texts = [hit.courseTitle, hit.chapterTitle ?? "", record.catalog.title, description ?? ""]
            return moments.proves(texts.joined(separator: "\n"))
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
