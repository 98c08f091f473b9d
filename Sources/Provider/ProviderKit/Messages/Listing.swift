#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One page of a course's contents, with the keys of the catalog.
public struct Listing: Sendable, Hashable, Codable, PrintsRedacted, CredentialedAnswer {
    /// A video of the course.
    public struct Video: Sendable, Hashable, Codable, PrintsRedacted {
        /// Its id, unique within the course. Stored and shown, so no secret.
        public var id: String
        /// The id under which an older version of the provider listed it. A video that is known by it keeps it.
        public var formerly: String?
        /// Its title; nil if its id is the title.
        public var title: String?
        public var description: String?
        /// When it was published.
        public var publishedAt: Date?
        /// Its length in seconds.
        public var duration: Double?
        /// The URL of its cover.
        public var cover: String?
        /// Parameters that the provider gets back when the video is resolved, merged over the course's own. For another
        /// ``provider`` they are all that it gets.
        public var parameters: [String: JSONValue]
        /// Its size in bytes.
        public var size: Int64?
        /// Its SHA-256, in hexadecimal.
        public var sha256: String?
        public var subtitleFiles: [Resolution.Subtitle]
        /// Other files that belong to it.
        public var attachments: [Resolution.Attachment]
        /// Its number in its season, as its publisher says it, from 0 to 99,999,999; nil if there is none.
        public var episode: Int?
        /// Other checksums of its file that its host publishes.
        public var checksums: Checksums?
        /// When it can be downloaded; nil if it can be now. Nobody asks for it before.
        public var availableAt: Date?
        /// The answer to a ``ResolveRequest`` for it with the quality `best`, if the list came with it. It is used in
        /// this run only, while it is fresh, and never stored.
        public var resolved: Resolution? {
            get { answer?.resolution }
            set { answer = newValue.map { Answer($0) } }
        }
        /// The provider that has the video, if that is another one than the list's: it is asked for it with
        /// ``parameters`` alone. Taken only where the user's catalog allows this provider (`hand_over`).
        public var provider: String?
        private var answer: Answer?

        /// Outside of the value, which few videos have.
        private final class Answer: Sendable, Hashable, PrintsRedacted {
            let resolution: Resolution
            init(_ resolution: Resolution) { self.resolution = resolution }
            static func == (one: Answer, other: Answer) -> Bool { one.resolution == other.resolution }
            func hash(into hasher: inout Hasher) { hasher.combine(resolution) }
        }

        public init(
            id: String, formerly: String? = nil, title: String? = nil, description: String? = nil,
            publishedAt: Date? = nil, duration: Double? = nil, cover: String? = nil,
            parameters: [String: JSONValue] = [:], size: Int64? = nil,
            sha256: String? = nil, subtitleFiles: [Resolution.Subtitle] = [],
            attachments: [Resolution.Attachment] = [], episode: Int? = nil, checksums: Checksums? = nil,
            availableAt: Date? = nil, resolved: Resolution? = nil, provider: String? = nil
        ) {
            self.id = id
            self.formerly = formerly
            self.title = title
            self.description = description
            self.publishedAt = publishedAt
            self.duration = duration
            self.cover = cover
            self.parameters = parameters
            self.size = size
            self.sha256 = sha256
            self.subtitleFiles = subtitleFiles
            self.attachments = attachments
            self.episode = episode
            self.checksums = checksums
            self.availableAt = availableAt
            self.provider = provider
            answer = resolved.map { Answer($0) }
        }

        enum CodingKeys: String, CodingKey {
            case id, formerly, title, description, duration, cover, parameters, size, sha256, attachments, episode
            case checksums, resolved, provider
            case availableAt = "available_at"
            case publishedAt = "published_at"
            case subtitleFiles = "subtitle_files"
        }
    }

    /// A chapter of the course. If it is split over two pages it has the same id on both.
    public struct Chapter: Sendable, Hashable, Codable, PrintsRedacted {
        /// Its id, unique within the course.
        public var id: String
        /// Its title; nil if its id is the title.
        public var title: String?
        /// The URL of its cover.
        public var cover: String?
        /// Its videos in order.
        public var videos: [Video]
        /// Its number as a season, as its publisher says it, from 0 to 99,999,999; nil if there is none.
        public var season: Int?

        public init(id: String, title: String? = nil, cover: String? = nil, videos: [Video], season: Int? = nil) {
            self.id = id
            self.title = title
            self.cover = cover
            self.videos = videos
            self.season = season
        }

        enum CodingKeys: String, CodingKey {
            case id, title, cover, videos, season
        }
    }

    /// The course's title.
    public var title: String?
    /// The URL of the course's cover.
    public var cover: String?
    /// Its chapters in order.
    public var chapters: [Chapter]
    /// Videos directly under the course, in order.
    public var videos: [Video]
    /// The cursor for the next page; nil if this is the last.
    public var next: String?
    /// A text of at most 4 KiB that the next listing's request has as its ``ListRequest/known``: an ETag, a date, a
    /// cursor. Not a secret: it is stored. Of several pages, the last one that has it counts.
    public var known: String?
    /// Whether nothing has changed since the listing that ``ListRequest/known`` belongs to. Then the rest of the answer
    /// is ignored, except ``credentials`` and a new ``known``.
    public var unchanged: Bool
    /// New credentials (a refreshed token) that replace the old ones.
    public var credentials: Secret<JSONValue>?

    public init(
        title: String? = nil, cover: String? = nil, chapters: [Chapter] = [], videos: [Video] = [],
        next: String? = nil, known: String? = nil, unchanged: Bool = false, credentials: Secret<JSONValue>? = nil
    ) {
        self.title = title
        self.cover = cover
        self.chapters = chapters
        self.videos = videos
        self.next = next
        self.known = known
        self.unchanged = unchanged
        self.credentials = credentials
    }

    enum CodingKeys: String, CodingKey {
        case title, cover, chapters, videos, next, known, unchanged, credentials
    }
}
