import CourseCatalog
import Crypto
import DownloadStore
import FileSystem
import HLSMedia
import MediaLibrary
import MediaMetadata

/// Collects the facts for the files beside a course's media: titles, order, dates and texts from its catalog, the rest
/// from the state. Unfinished videos are left out.
struct CourseFacts {
    let store: DownloadStore
    let library: LibraryFolder
    /// By id.
    let courses: [String: CourseRecord]
    /// By course and id.
    let chapters: [DownloadKey: ChapterRecord]

    init(_ store: DownloadStore, _ library: LibraryFolder) throws(StoreError) {
        self.store = store
        self.library = library
        courses = try store.catalogs.courses()
        chapters = Dictionary(
            try store.catalogs.chapters().map { (DownloadKey(course: $0.course, video: $0.id), $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The facts about a course; nil if the state doesn't know it.
    func gathered(_ course: Course) throws(StoreError) -> MetadataCourse? {
        guard let record = courses[course.id] else { return nil }
        let rows = Dictionary(
            try store.metadata.finished(in: course.id).map { ($0.key.video, $0) },
            uniquingKeysWith: { first, _ in first })
        let beside = Dictionary(grouping: try store.sidecars.files(of: rows.values.map(\.id)), by: \.download)
        var found: [MetadataCourse.Chapter] = []
        var index = 0
        let direct = videos(course.videos, rows, beside, from: &index)
        if !direct.isEmpty {
            found.append(
                .init(
                    id: nil, title: course.title, folder: record.folder, number: 0,
                    season: course.chapters.isEmpty ? 1 : 0, videos: direct))
        }
        for (number, chapter) in course.chapters.enumerated() {
            let videos = videos(chapter.videos, rows, beside, from: &index)
            let known = chapters[DownloadKey(course: course.id, video: chapter.id)]
            guard !videos.isEmpty, let known else { continue }
            found.append(
                .init(
                    id: chapter.id, title: chapter.title, description: chapter.description, folder: known.folder,
                    number: course.videos.count + number + 1, season: number + 1, cover: known.coverFile?.path,
                    videos: videos))
        }
        return MetadataCourse(
            id: course.id, title: course.title, description: course.description, folder: record.folder,
            cover: record.coverFile?.path, chapters: found)
    }

    /// Digest of the facts that only the catalog has: a change to them doesn't change the state.
    static func digest(of course: Course) -> String {
        var hash = SHA256()
        func add(_ text: String?) {
            hash.update(data: Array("\(text?.utf8.count ?? -1) ".utf8) + Array((text ?? "").utf8))
        }
        add(course.description)
        for videos in [course.videos] + course.chapters.map(\.videos) {
            for video in videos where video.date != nil || video.description != nil {
                add(video.id)
                add(video.date)
                add(video.description)
            }
        }
        for chapter in course.chapters { add(chapter.description) }
        return hash.finalize().hex
    }

    private func videos(
        _ videos: VideoList, _ rows: [String: DownloadRecord], _ beside: [DownloadID: [SidecarRecord]],
        from index: inout Int
    ) -> [MetadataCourse.Video] {
        var found: [MetadataCourse.Video] = []
        for (number, video) in videos.enumerated() {
            index += 1
            guard let row = rows[video.id], let file = row.file else { continue }
            var facts = MetadataCourse.Video(
                id: video.id, title: video.title, description: video.description, date: video.date,
                provider: row.catalog.provider, quality: video.settings.quality.first?.description ?? "",
                number: number + 1, index: index, path: file.path, size: file.size, sha256: file.sha256?.hex,
                seconds: row.mediaSeconds ?? length(of: file))
            for sidecar in (beside[row.id] ?? []).sorted(by: { ($0.name, $0.path) < ($1.name, $1.path) }) {
                switch sidecar.kind {
                case .cover: facts.cover = sidecar.path
                case .subtitle: facts.subtitles.append(.init(name: sidecar.name, path: sidecar.path))
                case .attachment: facts.attachments.append(.init(name: sidecar.name, path: sidecar.path))
                case .stream, .unasked: break
                }
            }
            found.append(facts)
        }
        return found
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
