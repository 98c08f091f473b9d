import CourseCatalog
import Crypto
import DownloadStore
import FilePlacement
import FileSystem
import HLSMedia
import MediaLibrary
import MediaMetadata
import TextFormats

/// Collects the facts for the files beside a course's media: titles, order, dates and texts from its catalog, the rest
/// from the state. Unfinished videos are left out; those that are gone stay where they were.
struct CourseFacts {
    /// Have the videos.
    let states: [DownloadStore]
    let library: LibraryFolder
    /// By id.
    let courses: [String: CourseRecord]
    /// By course and id.
    let chapters: [DownloadKey: ChapterRecord]

    /// - Parameters:
    ///   - store: has the courses.
    ///   - states: have the videos, and the covers.
    init(_ store: DownloadStore, _ states: [DownloadStore], _ library: LibraryFolder) throws(StoreError) {
        self.states = states
        self.library = library
        var courses = try store.catalogs.courses()
        var chapters = Dictionary(
            try store.catalogs.chapters().map { (DownloadKey(course: $0.course, video: $0.id), $0) },
            uniquingKeysWith: { first, _ in first })
        for state in states {
            for (id, course) in try state.catalogs.courses() where course.coverFile != nil {
                courses[id]?.coverFile = course.coverFile
            }
            for chapter in try state.catalogs.chapters() where chapter.coverFile != nil {
                chapters[DownloadKey(course: chapter.course, video: chapter.id)]?.coverFile = chapter.coverFile
            }
        }
        (self.courses, self.chapters) = (courses, chapters)
    }

    /// The facts about a course; nil if the state doesn't know it.
    func gathered(_ course: Course) throws(StoreError) -> MetadataCourse? {
        guard let record = courses[course.id] else { return nil }
        let all = try finished(in: course)
        let rows = Dictionary(all.map { ($0.row.key.video, $0) }, uniquingKeysWith: { first, _ in first })
        let written = Set(([course.videos] + course.chapters.map(\.videos)).joined().map(\.id))
        var gone = Dictionary(
            grouping: all.filter { !written.contains($0.row.key.video) }.map { (row: $0.row, facts: facts($0, nil)) },
            by: \.row.catalog.chapter
        ).mapValues { $0.map(\.facts) }

        func videos(_ list: VideoList, _ chapter: String?) -> [MetadataCourse.Video] {
            let present = list.compactMap { video in rows[video.id].map { facts($0, video) } }
            return NumberedOrder.merged(present, gone.removeValue(forKey: chapter) ?? [], by: \.number)
        }
        let direct = videos(course.videos, nil)
        var found: [MetadataCourse.Chapter] = []
        for chapter in course.chapters {
            let videos = videos(chapter.videos, chapter.id)
            let known = chapters[DownloadKey(course: course.id, video: chapter.id)]
            guard !videos.isEmpty, let known else { continue }
            found.append(Self.chapter(known, title: chapter.title, description: chapter.description, videos: videos))
        }
        let goneChapters = gone.compactMap { id, videos -> MetadataCourse.Chapter? in
            guard let id, let known = chapters[DownloadKey(course: course.id, video: id)] else { return nil }
            var chapter = Self.chapter(known, title: known.title, description: nil, videos: videos)
            chapter.isGone = true
            return chapter
        }
        found = NumberedOrder.merged(found, goneChapters, by: \.number)
        if !direct.isEmpty {
            found.insert(
                .init(
                    id: nil, title: course.title, folder: record.folder, number: 0,
                    season: record.season ?? (course.chapters.isEmpty ? 1 : 0), videos: direct), at: 0)
        }
        return MetadataCourse(
            id: course.id, title: course.title, description: course.description, folder: record.folder,
            cover: record.coverFile?.path, chapters: found)
    }

    /// The facts about all courses with a finished video, by their titles.
    ///
    /// - Parameters:
    ///   - seconds: the sums of their playing times; of other courses only those that the state has are counted.
    ///   - made: the paths of the files that were made of them.
    func library(seconds: [String: Double], made: [String: Set<String>]) throws(StoreError) -> MetadataLibrary {
        let given = try states.map { state throws(StoreError) in try state.downloads.givenTitles() }
        var all: [MetadataLibrary.Course] = []
        for (id, record) in courses {
            var rows: [DownloadRecord] = []
            for state in states { rows += try state.metadata.finished(in: id) }
            guard !rows.isEmpty else { continue }
            let videos = rows.map { row in
                // As the course's own page has it, also before the next sync has put it into the row.
                let title = given.lazy.compactMap { $0[id]?[row.key.video] }.first
                return MetadataLibrary.Video(
                    title: row.catalog.title == row.key.video ? title ?? row.catalog.title : row.catalog.title,
                    index: row.catalog.numberInCourse ?? 0)
            }
            all.append(
                .init(
                    id: id, title: record.title, folder: record.folder, cover: record.coverFile?.path,
                    hasPage: made[id]?.contains("\(record.folder)/index.html") ?? false,
                    seconds: seconds[id] ?? rows.compactMap(\.mediaSeconds).reduce(0, +),
                    videos: videos.sorted { ($0.index, $0.title) < ($1.index, $1.title) }))
        }
        return MetadataLibrary(courses: all.sorted { ($0.title.lowercased(), $0.id) < ($1.title.lowercased(), $1.id) })
    }

    /// A finished video, with the files beside it.
    private struct Finished {
        var row: DownloadRecord
        var beside: [SidecarRecord]
    }

    /// Those of a course, in the order of their numbers.
    private func finished(in course: Course) throws(StoreError) -> [Finished] {
        var all: [Finished] = []
        for state in states {
            let rows = try state.metadata.finished(in: course.id)
            let beside = Dictionary(grouping: try state.sidecars.files(of: rows.map(\.id)), by: \.download)
            all += rows.map { Finished(row: $0, beside: beside[$0.id] ?? []) }
        }
        guard states.count > 1 else { return all }
        return all.enumerated().sorted { one, other in
            let numbers = (one.element.row.catalog.numberInCourse ?? 0, other.element.row.catalog.numberInCourse ?? 0)
            return numbers.0 == numbers.1 ? one.offset < other.offset : numbers.0 < numbers.1
        }.map(\.element)
    }

    private static func chapter(
        _ known: ChapterRecord, title: String, description: String?, videos: [MetadataCourse.Video]
    ) -> MetadataCourse.Chapter {
        .init(
            id: known.id, title: title, description: description, folder: known.folder,
            number: known.number ?? known.position, season: known.season ?? known.position,
            cover: known.coverFile?.path, videos: videos)
    }

    /// Digest of the facts that only the catalog has: a change to them doesn't change the state.
    static func digest(of course: Course) -> String {
        var list = LengthPrefixed(.decimal(UInt8(ascii: " ")))
        list.add(course.description)
        for videos in [course.videos] + course.chapters.map(\.videos) {
            for video in videos where video.date != nil || video.description != nil {
                list.add(video.id)
                list.add(video.date)
                list.add(video.description)
            }
        }
        for chapter in course.chapters { list.add(chapter.description) }
        return SHA256.hash(data: list.bytes).hex
    }

    /// The facts about a finished video; `video` is nil if it is gone.
    private func facts(_ finished: Finished, _ video: Video?) -> MetadataCourse.Video {
        let row = finished.row
        let file = row.file ?? StoredFile(path: row.catalog.stem, size: 0, modified: nil, sha256: nil, source: [])
        var facts = MetadataCourse.Video(
            id: row.key.video, title: video?.title ?? row.catalog.title, description: video?.description,
            date: video?.date, provider: row.catalog.provider,
            quality: video?.settings.quality.first?.description ?? "", number: row.catalog.number ?? 0,
            index: row.catalog.numberInCourse ?? 0, path: file.path, size: file.size, sha256: file.sha256?.hex,
            seconds: row.mediaSeconds ?? length(of: file))
        facts.isGone = video == nil
        for sidecar in finished.beside.sorted(by: { ($0.name, $0.path) < ($1.name, $1.path) }) {
            switch sidecar.kind {
            case .cover: facts.cover = sidecar.path
            case .subtitle: facts.subtitles.append(.init(name: sidecar.name, path: sidecar.path))
            case .attachment: facts.attachments.append(.init(name: sidecar.name, path: sidecar.path))
            case .stream:
                if let role = sidecar.viewRole { facts.views.append(.init(name: role, path: sidecar.path)) }
            case .unasked: break
            }
        }
        return facts
    }

    /// The duration of an MP4; nil for other files and read errors.
    private func length(of file: StoredFile) -> Double? {
        guard file.path.hasSuffix(".mp4") || file.path.hasSuffix(".m4v") || file.path.hasSuffix(".m4a") else {
            return nil
        }
        let record = FileRecord(size: file.size, modified: file.modified, sha256: file.sha256)
        let length = try? MovieLength.read { (place: Int64, count: Int) throws(LibraryError) -> [UInt8] in
            let end = min(file.size, place + Int64(count))
            guard place < end else { return [] }
            return try library.files.bytes(of: file.path, record: record, place..<end) ?? []
        }
        return length?.seconds
    }
}
