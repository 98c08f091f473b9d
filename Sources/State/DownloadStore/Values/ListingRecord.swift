package import FileSystem
package import Foundation

/// The subject of a ``ListingRequestDigest``.
package enum ListingSettings {}

/// What a listing was asked with: provider and parameters of its course; 16 bytes.
package typealias ListingRequestDigest = DigestOf<ListingSettings>

/// The last listing of a course, without its chapters and videos.
package struct ListingRecord: Sendable, Equatable {
    /// The course's id.
    package var course: String
    /// What the provider was asked with: the answer to another question says nothing about this course.
    package var question: ListingRequestDigest
    /// When the provider answered last.
    package var askedAt: Date
    /// The provider's own text, which it gets back.
    package var known: String?
    /// The course's title, as listed.
    package var title: String?
    /// The URL of the course's cover.
    package var cover: String?
    /// When a listing first came that had lost too much to be believed; nil if the last one was believed.
    package var doubtedAt: Date?
    /// What that listing had lost: eight bytes for each video.
    package var doubtedLoss: Data?

    package init(
        course: String, question: ListingRequestDigest, askedAt: Date, known: String? = nil, title: String? = nil,
        cover: String? = nil, doubtedAt: Date? = nil, doubtedLoss: Data? = nil
    ) {
        self.course = Identifier.normalized(course)
        self.question = question
        self.askedAt = askedAt
        self.known = known
        self.title = title
        self.cover = cover
        self.doubtedAt = doubtedAt
        self.doubtedLoss = doubtedLoss
    }
}

package struct ListedChapter: Sendable, Equatable {
    /// The id as the provider spells it.
    package var id: String
    /// Its title; nil if its id is the title.
    package var title: String?
    /// The URL of its cover.
    package var cover: String?
    /// Its number as a season; nil if there is none.
    package var season: Int?

    package init(id: String, title: String? = nil, cover: String? = nil, season: Int? = nil) {
        self.id = id
        self.title = title
        self.cover = cover
        self.season = season
    }
}

package struct ListedVideo: Sendable, Equatable {
    /// The id as the provider spells it.
    package var id: String
    /// The index of its chapter; nil directly under the course.
    package var chapter: Int?
    /// Its title; nil if its id is the title.
    package var title: String?
    package var description: String?
    /// When it was published.
    package var publishedAt: Date?
    /// Its length in seconds.
    package var duration: Double?
    /// The URL of its cover.
    package var cover: String?
    /// Its own parameters, a JSON object with sorted keys; nil without any.
    package var parameters: String?
    /// Its size in bytes.
    package var size: Int64?
    /// The SHA-256 of its file: 32 bytes.
    package var sha256: Data?
    /// Its subtitles and attachments, in JSON; nil without any.
    package var extras: String?
    /// Its number in its season; nil if there is none.
    package var episode: Int?

    package init(id: String) { self.id = id }
}
