package import CourseCatalog
import FileSystem
import Foundation
package import ProviderKit
package import SyncFacts
import TextFormats
package import YAMLSource

/// The pages of a listing, taken one after the other: a value without I/O.
///
/// Chapters that come twice are one, at their first place; of a video that comes twice the first one counts; one with
/// an id that can't be used is left out. Pages end:
/// a cursor that comes twice, and more than ``pageBound`` pages, ``videoBound`` videos or ``byteBound`` bytes of text,
/// are faults of the provider.
package struct ListingPages: Sendable {
    /// What follows a page.
    package enum Step: Sendable, Equatable {
        case next(cursor: String)
        /// ``ListingPages/listing`` is complete.
        case complete
        /// Nothing has changed since the last listing.
        case unchanged
    }

    static let pageBound = 10_000
    static let videoBound = 200_000
    /// Bytes of a listing in memory: its texts, and what a video, a chapter, a file or a parameter takes besides.
    static let byteBound = 96 << 20
    private static let videoCost = 320
    private static let chapterCost = 160
    private static let fileCost = 96
    private static let nodeCost = 160

    /// Bytes of a video's id.
    static let idBound = 1024
    /// Bytes of a video's description; a longer one is cut.
    static let descriptionBound = 65_536

    /// What has come so far.
    package private(set) var listing = CourseListing()
    /// The provider's text for the next listing.
    package private(set) var known: String?
    /// Videos that came again, and were left out.
    package private(set) var repeated = 0
    /// Videos with an id that can't be used, which were left out.
    package private(set) var unusable = 0
    /// Videos that belong to other providers.
    package private(set) var handOver: HandOver
    /// The position of the course, for its listed parameters.
    private let location: SourceLocation
    private let wasKnownSent: Bool
    /// Whether a video is known by an id that its provider no longer lists.
    private let isKept: @Sendable (String) -> Bool
    /// Whether a video is known as one of the provider that lists.
    private let isOwn: @Sendable (String) -> Bool
    private var pages = 0
    /// What it takes in memory.
    package private(set) var bytes = 0
    private var cursors: Set<String> = []
    private var chapters: [String: Int] = [:]
    private var ids = ListingIDs()

    /// - Parameters:
    ///   - location: The position of the course.
    ///   - handOver: Nothing handed over yet.
    ///   - wasKnownSent: Whether the provider may answer that nothing has changed.
    ///   - isKept: Whether a video is known by an id that the provider used formerly: it keeps it.
    ///   - isOwn: Whether a video is known as one of the provider that lists. Such a one stays so if it belongs to one
    ///     that isn't allowed: a host that lacks its own files for a night may name a copy elsewhere.
    package init(
        location: SourceLocation, handOver: HandOver, wasKnownSent: Bool,
        isKept: @escaping @Sendable (String) -> Bool = { _ in false },
        isOwn: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.location = location
        self.handOver = handOver
        self.isKept = isKept
        self.isOwn = isOwn
        self.wasKnownSent = wasKnownSent
    }

    package mutating func add(_ page: Listing) throws(ProviderError) -> Step {
        pages += 1
        known = page.known ?? known
        if page.unchanged {
            guard wasKnownSent, pages == 1 else { throw .unchangedWithoutKnown }
            return .unchanged
        }
        listing.title = listing.title ?? page.title
        listing.cover = listing.cover ?? page.cover.flatMap(Self.storable)
        for video in page.videos { try add(video, chapter: nil) }
        for chapter in page.chapters {
            let index = self.index(of: chapter)
            bytes +=
                Self.chapterCost + chapter.id.utf8.count + (chapter.title?.utf8.count ?? 0)
                + (chapter.cover?.utf8.count ?? 0)
            for video in chapter.videos { try add(video, chapter: index) }
        }
        bytes += page.next?.utf8.count ?? 0
        try checkBytes()
        guard let next = page.next else {
            (ids, cursors, chapters) = (ListingIDs(), [], [:])
            return .complete
        }
        guard cursors.insert(next).inserted else { throw .repeatedCursor }
        guard pages < Self.pageBound else { throw .tooManyPages(bound: Self.pageBound) }
        return .next(cursor: next)
    }

    private mutating func index(of chapter: Listing.Chapter) -> Int {
        var new = CourseListing.Chapter(
            id: chapter.id, title: chapter.title, cover: chapter.cover.flatMap(Self.storable))
        new.season = chapter.season
        if let index = chapters[new.id] {
            listing.chapters[index].title = listing.chapters[index].title ?? new.title
            listing.chapters[index].cover = listing.chapters[index].cover ?? new.cover
            listing.chapters[index].season = listing.chapters[index].season ?? new.season
            return index
        }
        chapters[new.id] = listing.chapters.count
        listing.chapters.append(new)
        return listing.chapters.count - 1
    }

    private mutating func add(_ video: Listing.Video, chapter: Int?) throws(ProviderError) {
        let id = video.formerly.flatMap { isKept($0) ? $0 : nil } ?? video.id
        guard (1...Self.idBound).contains(id.utf8.count), !id.utf8.contains(0) else { return unusable += 1 }
        var new = CourseListing.Video(id: id, chapter: chapter)
        new.parameters = Self.entries(video.parameters, at: location)
        switch handOver.taker(of: video.provider, new.parameters) {
        case .own: break
        case .other(let provider): new.provider = provider
        case .nobody where isOwn(id): new.parameters = []
        case .nobody: return
        }
        guard ids.insert(new.id, at: listing.videos.count, of: listing.videos) else { return repeated += 1 }
        guard listing.videos.count < Self.videoBound else { throw .tooManyVideos(bound: Self.videoBound) }
        new.title = video.title.flatMap { $0.isEmpty ? nil : $0 }
        new.summary = video.description.flatMap { $0.isEmpty ? nil : Self.cut($0) }
        new.publishedAt = video.publishedAt.map { $0.timeIntervalSince1970.rounded(.down) }
        new.date = video.publishedAt.map { String(Timestamp.text($0).prefix(10)) }
        new.duration = video.duration.flatMap { (0...1e9).contains($0) ? $0 : nil }
        new.cover = video.cover.flatMap(Self.storable)
        new.size = video.size
        new.episode = video.episode
        new.sha256 = video.sha256.flatMap(Self.digest)
        new.checksums = video.checksums.flatMap { PublishedChecksums($0) }
        new.availableAt = video.availableAt.map { $0.timeIntervalSince1970 }
        new.subtitleFiles = video.subtitleFiles.compactMap { file in
            Self.storable(file.url).map { SubtitleFile(language: file.lang, url: $0) }
        }
        new.attachments = video.attachments.compactMap { file in
            Self.storable(file.url).map { Attachment(title: file.title, url: $0) }
        }
        bytes += Self.videoCost + new.id.utf8.count + new.shownTitle.utf8.count + (new.summary?.utf8.count ?? 0)
        bytes += new.provider.map { Self.nodeCost + $0.utf8.count } ?? 0
        bytes += new.parameters.reduce(0) { $0 + Self.nodeCost + $1.key.utf8.count + Self.size(of: $1.value) }
        bytes += new.cover?.utf8.count ?? 0
        bytes += new.subtitleFiles.reduce(0) { $0 + Self.fileCost + $1.language.utf8.count + $1.url.utf8.count }
        bytes += new.attachments.reduce(0) { $0 + Self.fileCost + $1.title.utf8.count + $1.url.utf8.count }
        try checkBytes()
        listing.videos.append(new)
    }

    private func checkBytes() throws(ProviderError) {
        guard bytes <= Self.byteBound else { throw .tooLarge(bound: Self.byteBound) }
    }

    /// The URL, if it can be stored: one with a query, which may be signed, can't.
    private static func storable(_ url: String) -> String? {
        url.utf8.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "#") } ? nil : url
    }

    /// The beginning of a text that is longer than anybody reads.
    private static func cut(_ text: String) -> String {
        guard text.utf8.count > descriptionBound else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(descriptionBound / 4)))
    }

    /// What the user should know of the videos that it leaves out.
    package func warnings(about course: String) -> [SyncWarning.Listing] {
        var warnings: [SyncWarning.Listing] = []
        if repeated > 0 { warnings.append(.repeated(course: course, count: repeated)) }
        if unusable > 0 { warnings.append(.unusable(course: course, count: unusable)) }
        return warnings + handOver.refused.map { .refused(course: course, $0) }
    }

    private static func digest(_ text: String) -> [UInt8]? {
        text.utf8.count == 64 ? [UInt8](hex: text) : nil
    }

    private static func size(of node: YAMLNode) -> Int {
        switch node.value {
        case .string(let text): text.utf8.count
        case .sequence(let nodes): nodes.reduce(0) { $0 + nodeCost + size(of: $1) }
        case .mapping(let mapping): mapping.reduce(0) { $0 + nodeCost + $1.key.utf8.count + size(of: $1.value) }
        case .null, .bool, .int, .double: 8
        }
    }
}
