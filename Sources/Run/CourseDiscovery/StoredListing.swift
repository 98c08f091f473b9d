package import CourseCatalog
import Crypto
package import DownloadStore
import FileSystem
import Foundation
import ProviderKit
import TextFormats
import YAMLSource

/// The listings in the state, and their form there.
package enum StoredListing {
    /// What the provider of a course is asked with.
    package static func question(of course: Course) -> ListingRequestDigest {
        var list = LengthPrefixed(.decimal(UInt8(ascii: ":")))
        list.add([course.settings.provider?.name ?? "", course.writtenID, course.settings.parametersJSON])
        // What it may name decides what is kept of it.
        let others = Set((course.discovery?.handOver ?? []).map(\.name))
        if !others.isEmpty { list.add(others.sorted()) }
        return ListingRequestDigest(SHA256.hash(data: list.bytes).prefix(16))
    }

    /// The last listing of a course, from the state.
    package static func read(
        _ record: ListingRecord, of course: Course, _ store: DownloadStore
    ) throws(StoreError) -> CourseListing {
        try read(record, of: course, store) { $0 }
    }

    /// The last listing of a course, from the state, without what nobody needs for ``ListingGuard``, and whether
    /// `other` lists the same, in the same order.
    package static func outline(
        _ record: ListingRecord, of course: Course, comparedWith other: CourseListing, _ store: DownloadStore
    ) throws(StoreError) -> (listing: CourseListing, isSame: Bool) {
        var count = 0
        var isSame = true
        let listing = try read(record, of: course, store) { video in
            isSame = isSame && count < other.videos.count && video.isSame(as: other.videos[count])
            count += 1
            var outline = CourseListing.Video(id: video.writtenID, chapter: video.chapter)
            outline.title = video.title
            outline.publishedAt = video.publishedAt
            return outline
        }
        isSame =
            isSame && count == other.videos.count && listing.title == other.title && listing.cover == other.cover
            && listing.chapters == other.chapters
        return (listing, isSame)
    }

    /// Gives the videos of a new listing that have no title the title and the date of the last one: a host that has no
    /// name for a video or a course today had one before.
    static func fill(
        _ listing: inout CourseListing, from record: ListingRecord, of course: Course, _ store: DownloadStore
    ) throws(StoreError) {
        let nameless = listing.videos.indices.filter { !listing.videos.hasTitle($0) }
        guard !nameless.isEmpty else { return }
        let (videos, ids) = (listing.videos, ListingIDs(nameless, of: listing.videos))
        var known: [String: (title: String, publishedAt: Date?)] = [:]
        _ = try store.listings.each(of: record.course) { video in
            let id = Identifier.normalized(video.id)
            if let title = video.title, ids.contains(id, in: videos) { known[id] = (title, video.publishedAt) }
        }
        for place in nameless {
            guard let (title, publishedAt) = known[videos.id(place)] else { continue }
            listing.videos[place].title = title
            guard let publishedAt, videos.publishedAt(place) == nil else { continue }
            listing.videos[place].publishedAt = publishedAt.timeIntervalSince1970
            listing.videos[place].date = String(Timestamp.text(publishedAt).prefix(10))
        }
    }

    /// `kept`: what to keep of a video.
    private static func read(
        _ record: ListingRecord, of course: Course, _ store: DownloadStore,
        kept: (CourseListing.Video) -> CourseListing.Video
    ) throws(StoreError) -> CourseListing {
        var listing = CourseListing()
        listing.title = record.title
        listing.cover = record.cover
        let chapters = try store.listings.each(of: record.course) { video in
            var listed = CourseListing.Video(id: video.id, chapter: video.chapter)
            listed.title = video.title
            listed.summary = video.description
            listed.publishedAt = video.publishedAt?.timeIntervalSince1970
            listed.date = video.publishedAt.map { String(Timestamp.text($0).prefix(10)) }
            listed.duration = video.duration
            listed.cover = video.cover
            listed.parameters = ListingPages.entries(stored: video.parameters, at: course.location)
            listed.size = video.size
            listed.episode = video.episode
            listed.sha256 = video.sha256.map { Array($0) }
            if let text = video.extras { fill(&listed, from: text) }
            listing.videos.append(kept(listed))
        }
        listing.chapters = chapters.map { stored in
            var chapter = CourseListing.Chapter(id: stored.id, title: stored.title, cover: stored.cover)
            chapter.season = stored.season
            return chapter
        }
        return listing
    }

    /// Replaces the listing of a course in the state.
    static func write(_ listing: CourseListing, _ record: ListingRecord, _ store: DownloadStore) throws(StoreError) {
        var record = record
        record.title = listing.title
        record.cover = listing.cover
        try store.listings.replace(
            record,
            chapters: listing.chapters.lazy.map {
                ListedChapter(id: $0.writtenID, title: $0.title, cover: $0.cover, season: $0.season)
            },
            videos: listing.videos.lazy.map { video in
                var listed = ListedVideo(id: video.writtenID)
                listed.chapter = video.chapter
                listed.title = video.title
                listed.description = video.summary
                listed.publishedAt = video.publishedAt.map { Date(timeIntervalSince1970: $0) }
                listed.duration = video.duration
                listed.cover = video.cover
                listed.parameters = ListingPages.storedText(video.parameters)
                listed.size = video.size
                listed.episode = video.episode
                listed.sha256 = video.sha256.map { Data($0) }
                listed.extras = storedText(video)
                return listed
            })
    }

    private static func storedText(_ video: CourseListing.Video) -> String? {
        var extras: [String: JSONValue] = [:]
        if !video.subtitleFiles.isEmpty {
            extras["subtitle_files"] = .array(video.subtitleFiles.map { [.string($0.language), .string($0.url)] })
        }
        if !video.attachments.isEmpty {
            extras["attachments"] = .array(video.attachments.map { [.string($0.title), .string($0.url)] })
        }
        extras["checksums"] = video.checksums.map { .string($0.text) }
        extras["provider"] = video.provider.map { .string($0) }
        extras["available_at"] = video.availableAt.map { .double($0) }
        guard !extras.isEmpty else { return nil }
        return (try? JSONEncoder().encode(extras)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func fill(_ video: inout CourseListing.Video, from text: String) {
        guard let value = try? JSONReader.value(of: text.utf8) else { return }
        func pairs(_ key: String) -> [(String, String)] {
            (value[key]?.array ?? []).compactMap { pair in
                guard let parts = pair.array?.compactMap(\.string), parts.count == 2 else { return nil }
                return (parts[0], parts[1])
            }
        }
        video.subtitleFiles = pairs("subtitle_files").map { SubtitleFile(language: $0.0, url: $0.1) }
        video.attachments = pairs("attachments").map { Attachment(title: $0.0, url: $0.1) }
        video.checksums = value["checksums"]?.string.flatMap(PublishedChecksums.init(text:))
        video.availableAt = value["available_at"]?.double
        video.provider = value["provider"]?.string
    }
}

extension Catalog {
    /// The catalog with the last lists of courses and the last listings of its courses, without asking anybody.
    /// Courses that were never listed, or with other parameters, stay as they are.
    package func addingStoredListings(_ store: DownloadStore) throws(StoreError) -> Catalog {
        var catalog = try CourseSourceRound.stored(self, store).catalog
        guard catalog.courses.contains(where: \.discover) else { return catalog }
        let records = try store.listings.records()
        for (index, course) in catalog.courses.enumerated() where course.discover {
            guard let record = records[course.id], record.question == StoredListing.question(of: course) else {
                continue
            }
            let listing = ListingSelection(try StoredListing.read(record, of: course, store), of: course).listing
            catalog.replace(index, with: course.adding(listing))
        }
        return catalog
    }
}

extension CourseListing.Video {
    /// Whether both are the same, byte by byte.
    fileprivate func isSame(as other: CourseListing.Video) -> Bool {
        writtenID.utf8.elementsEqual(other.writtenID.utf8) && chapter == other.chapter && title == other.title
            && summary == other.summary && publishedAt == other.publishedAt && duration == other.duration
            && cover == other.cover && size == other.size && sha256 == other.sha256
            && checksums == other.checksums && availableAt == other.availableAt && provider == other.provider
            && subtitleFiles == other.subtitleFiles && attachments == other.attachments && episode == other.episode
            && Self.isSame(ListingPages.storedText(parameters), ListingPages.storedText(other.parameters))
    }

    /// Whether two texts have the same bytes: for Swift two spellings of é are equal, for a server they aren't.
    private static func isSame(_ text: String?, _ other: String?) -> Bool {
        guard let text, let other else { return text == nil && other == nil }
        return text.utf8.elementsEqual(other.utf8)
    }
}
