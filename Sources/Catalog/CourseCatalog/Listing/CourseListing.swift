package import FileSystem
package import YAMLSource

/// What a provider lists of a course: all pages, with ids in their one spelling, each once.
package struct CourseListing: Sendable {
    package struct Chapter: Sendable, Equatable {
        /// Unique in the listing, in the one spelling of ids.
        package let id: String
        /// The id as the provider spells it.
        package let writtenID: String
        /// Its title; nil if its id is the title.
        package var title: String?
        /// The URL of its cover.
        package var cover: String?
        /// Its number as a season.
        package var season: Int?

        /// A chapter; its id is normalized.
        package init(id: String, title: String? = nil, cover: String? = nil) {
            self.id = IdentifierSpelling.normal(id)
            writtenID = id
            self.title = title
            self.cover = cover
        }
    }

    package struct Video: Sendable {
        /// Unique in the listing, in the one spelling of ids.
        package let id: String
        /// The id as the provider spells it.
        package let writtenID: String
        /// The index of its chapter; nil directly under the course.
        package var chapter: Int?
        /// Its title; nil if its id is the title.
        package var title: String?
        /// Its description. (`description` is the redacted form of the whole value.)
        package var summary: String?
        /// When it was published, in seconds since 1970.
        package var publishedAt: Double?
        /// The day of that in UTC, as `2026-10-05`.
        package var date: String?
        /// Its length in seconds.
        package var duration: Double?
        /// The URL of its cover.
        package var cover: String?
        /// The provider that has it, if that is another one than the list's.
        package var provider: String?
        package var parameters: [YAMLMapping.Entry] = []
        /// Its size in bytes.
        package var size: Int64?
        /// The SHA-256 of its file: 32 bytes.
        package var sha256: [UInt8]?
        /// Other checksums of its file.
        package var checksums: PublishedChecksums?
        /// When it can be downloaded, in seconds since 1970; nil if it can be now.
        package var availableAt: Double?
        package var subtitleFiles: [SubtitleFile] = []
        /// Files that belong to it.
        package var attachments: [Attachment] = []
        /// Its number in its season.
        package var episode: Int?

        /// A video; its id is normalized.
        package init(id: String, chapter: Int? = nil) {
            self.id = IdentifierSpelling.normal(id)
            writtenID = id
            self.chapter = chapter
        }

        /// A video whose id is normalized.
        init(id: String, writtenID: String) {
            self.id = id
            self.writtenID = writtenID
        }

        package var shownTitle: String { title ?? id }
    }

    package var title: String?
    /// The URL of the course's cover.
    package var cover: String?
    /// Its chapters in order.
    package var chapters: [Chapter] = []
    /// All of its videos in order, those directly under the course too.
    package var videos = ListingVideos()

    /// An empty one.
    package init() {}
}

extension CourseListing: HidesAddress {}
extension CourseListing.Video: HidesAddress {}
extension CourseListing.Chapter: HidesAddress {}
