package import CourseCatalog
import Crypto
import DownloadStore
import FileSystem
import Foundation
package import SyncFacts
import TextFormats

/// The videos that a run has of its catalogs as one numbered list, in catalog order, found by number or by key.
package struct CatalogEntries {
    /// A video's place in the catalogs.
    package struct Slot {
        var course: Int32
        /// Index among the course's chapters; -1 directly under the course.
        var chapter: Int32
        /// Index among the videos of its group.
        var video: Int32
        /// Index in its course.
        var ordinal: Int32
        /// Index of its siblings among all groups.
        var group: Int32
    }

    /// The videos of one chapter, or those directly under a course.
    private struct Group {
        var course: String
        var chapter: String?
        var videos: VideoList
    }

    let catalog: Catalog
    package private(set) var slots: [Slot] = []
    private var groups: [Group] = []
    private let courseIndex: [String: Int]
    private var byKey: [DownloadKey: Int]?
    private var digests = SourceDigests()

    package init(_ catalog: Catalog) {
        self.catalog = catalog
        courseIndex = Dictionary(
            catalog.courses.enumerated().map { ($0.element.id, $0.offset) }, uniquingKeysWith: { first, _ in first })
        slots.reserveCapacity(catalog.videoCount)
        for (index, course) in catalog.courses.enumerated() {
            var ordinal: Int32 = 0
            let chapters = course.chapters.enumerated().map { ($0, $1.id as String?, $1.videos) }
            for (chapter, id, videos) in [(-1, nil, course.videos)] + chapters {
                for video in videos.indices {
                    if catalog.shardOfVideos == nil || catalog.has(videos[video].id, in: course.id) {
                        slots.append(
                            Slot(
                                course: Int32(index), chapter: Int32(chapter), video: Int32(video), ordinal: ordinal,
                                group: Int32(groups.count)))
                    }
                    ordinal += 1
                }
                groups.append(Group(course: course.id, chapter: id, videos: videos))
            }
        }
    }

    package func course(_ slot: Slot) -> Course { catalog.courses[Int(slot.course)] }
    package func chapter(_ slot: Slot) -> Chapter? { slot.chapter < 0 ? nil : course(slot).chapters[Int(slot.chapter)] }
    func chapterID(_ slot: Slot) -> String? { groups[Int(slot.group)].chapter }
    package func video(_ slot: Slot) -> Video { groups[Int(slot.group)].videos[Int(slot.video)] }
    package func reference(_ slot: Slot) -> VideoReference {
        let video = video(slot)
        return VideoReference(
            course: course(slot).id, chapter: chapter(slot)?.id, video: video.id, title: video.title)
    }
    func index(of course: String) -> Int? { courseIndex[course] }
    func hasCourse(_ id: String) -> Bool { courseIndex[id] != nil }
    func isUnlisted(_ id: String) -> Bool { courseIndex[id].map { catalog.courses[$0].isUnlisted } ?? false }

    /// The slot of a scanned row: usually the one after the previous row's.
    mutating func find(_ row: ScannedDownload, guess: Int) -> Int? {
        if guess < slots.count {
            let slot = slots[guess]
            let isVideo = video(slot).withIDBytes { row.equals(.video, $0) }
            if isVideo, row.equals(.course, groups[Int(slot.group)].course) { return guess }
        }
        guard let course = row.string(.course), courseIndex[course] != nil, let video = row.string(.video) else {
            return nil
        }
        return find(DownloadKey(course: course, video: video))
    }

    /// The slot of a video.
    mutating func find(_ key: DownloadKey) -> Int? {
        let byKey = byKey ?? index()
        self.byKey = byKey
        return byKey[key]
    }

    private func index() -> [DownloadKey: Int] {
        var index: [DownloadKey: Int] = [:]
        index.reserveCapacity(slots.count)
        for (number, slot) in slots.enumerated() {
            index[DownloadKey(course: course(slot).id, video: video(slot).id)] = number
        }
        return index
    }

    /// The facts a run needs for an entry of which the state knows only id and name.
    mutating func wanted(_ number: Int, _ id: DownloadID, stem: String) -> WantedDownload {
        let slot = slots[number]
        let (course, chapter, video) = (course(slot), chapter(slot), video(slot))
        return WantedDownload(
            id: id, reference: reference(slot), video: video, courseTitle: course.title,
            writtenCourse: course.writtenID, writtenChapter: chapter?.writtenID, chapterTitle: chapter?.title,
            source: source(video), priority: video.priority, ordinal: Int64(number), stem: stem, failedRuns: 0,
            isNew: true, isNotReady: false, extras: Self.extras(video))
    }

    /// Digest of a video's source, without its id; with the id if the catalog spells it otherwise, since the provider
    /// gets that spelling.
    mutating func source(_ video: Video) -> SourceDigest {
        let source = digests.source(of: video.settings)
        guard video.isSpelledOtherwise else { return source }
        var list = LengthPrefixed(.littleEndian)
        source.withUnsafeBytes { list.add(withoutLength: $0.prefix(16)) }
        list.add(["id", video.writtenID])
        let own: SourceDigest = list.digest()
        return source.withUnsafeBytes { own.choosing($0.dropFirst(16)) }
    }

    /// Digest of the extras that the catalog names for the video; nil if there are none.
    static func extras(_ video: Video) -> ExtrasDigest? {
        let (cover, subtitles, attachments) = (video.ownCover, video.subtitleFiles, video.attachments)
        guard cover != nil || !subtitles.isEmpty || !attachments.isEmpty else { return nil }
        var list = LengthPrefixed(.littleEndian)
        if let cover { list.add(["cover", cover.text]) }
        for subtitle in subtitles { list.add(["subtitle", subtitle.language, subtitle.url]) }
        for attachment in attachments { list.add(["attachment", attachment.title, attachment.url]) }
        return list.digest()
    }

    /// Digest of a course's or a chapter's cover.
    static func digest(_ cover: CoverSource) -> CoverDigest {
        var list = LengthPrefixed(.littleEndian)
        list.add(["cover", cover.text])
        return list.digest()
    }
}

/// Digests of (provider, quality, sound, streams, parameters), each computed once for all videos that share their
/// settings.
private struct SourceDigests {
    private var digests: [ObjectIdentifier: SourceDigest] = [:]
    private var last: (id: ObjectIdentifier, digest: SourceDigest)?

    mutating func source(of settings: Settings) -> SourceDigest {
        let id = ObjectIdentifier(settings)
        if let last, last.id == id { return last.digest }
        let digest = digests[id] ?? Self.compute(settings)
        digests[id] = digest
        last = (id, digest)
        return digest
    }

    private static func compute(_ settings: Settings) -> SourceDigest {
        var list = LengthPrefixed(.littleEndian)
        list.add([settings.provider?.name ?? ""] + settings.quality.map(\.description))
        list.add(settings.parametersUTF8)
        // Without a setting for sound the digest is the one from before sound counted.
        if !settings.audio.isEmpty { list.add(["audio"] + settings.audio) }
        let source: SourceDigest = list.digest()
        var views = LengthPrefixed(.littleEndian)
        switch settings.streams {
        case .main: return source
        case .all: views.add(["streams"])
        case .roles(let roles): views.add(["streams"] + roles)
        }
        let choice: SourceDigest = views.digest()
        return choice.withUnsafeBytes { source.choosing($0) }
    }
}

extension LengthPrefixed {
    fileprivate func digest<Subject>() -> DigestOf<Subject> {
        SHA256.hash(data: bytes).withUnsafeBytes { DigestOf(UnsafeRawBufferPointer(rebasing: $0.prefix(16))) }
    }
}

extension CoverSource {
    fileprivate var text: String {
        switch self {
        case .url(let url): url
        case .file(let path, let folder): folder == "/" ? "/\(path)" : "\(folder)/\(path)"
        }
    }
}
