package import CourseCatalog
import Crypto
package import DownloadStore
import FileSystem
import Foundation
import ProviderKit
import YAMLSource

/// The listings in the state, and their form there.
package enum StoredListing {
    /// What the provider of a course is asked with.
    package static func question(of course: Course) -> ListingQuestion {
        var hash = SHA256()
        for part in [course.settings.provider?.name ?? "", course.writtenID, course.settings.parametersJSON] {
            hash.update(data: Data("\(part.utf8.count):\(part)".utf8))
        }
        return ListingQuestion(hash.finalize().prefix(16))
    }

    /// The last listing of a course, from the state.
    package static func read(
        _ record: ListingRecord, of course: Course, _ store: DownloadStore
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
            if let text = video.extras { (listed.subtitleFiles, listed.attachments) = extras(text) }
            listing.videos.append(listed)
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
        guard !video.subtitleFiles.isEmpty || !video.attachments.isEmpty else { return nil }
        let extras: JSONValue = [
            "subtitle_files": .array(video.subtitleFiles.map { [.string($0.language), .string($0.url)] }),
            "attachments": .array(video.attachments.map { [.string($0.title), .string($0.url)] }),
        ]
        return (try? JSONEncoder().encode(extras)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func extras(_ text: String) -> ([SubtitleFile], [Attachment]) {
        guard let value = try? JSONText.value(of: text.utf8) else { return ([], []) }
        func pairs(_ key: String) -> [(String, String)] {
            (value[key]?.array ?? []).compactMap { pair in
                guard let parts = pair.array?.compactMap(\.string), parts.count == 2 else { return nil }
                return (parts[0], parts[1])
            }
        }
        return (
            pairs("subtitle_files").map { SubtitleFile(language: $0.0, url: $0.1) },
            pairs("attachments").map { Attachment(title: $0.0, url: $0.1) }
        )
    }
}

extension Catalog {
    /// The catalog with the last listings of its courses, without asking anybody. Courses that were never listed, or
    /// with other parameters, stay as they are.
    package func addingStoredListings(_ store: DownloadStore) throws(StoreError) -> Catalog {
        guard courses.contains(where: \.discover) else { return self }
        let records = try store.listings.records()
        var listings: [Int: CourseListing] = [:]
        for (index, course) in courses.enumerated() where course.discover {
            guard let record = records[course.id], record.question == StoredListing.question(of: course) else {
                continue
            }
            listings[index] =
                ListingSelection(try StoredListing.read(record, of: course, store), of: course)
                .listing
        }
        return adding(listings)
    }
}
