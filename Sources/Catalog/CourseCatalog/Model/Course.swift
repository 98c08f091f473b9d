package import PathLayout
package import YAMLSource

/// A course of a catalog.
package struct Course: Sendable {
    /// Unique within a run, in the one spelling of ids (Unicode's normal form C); never empty.
    package let id: String
    /// The id as the catalog spells it, for providers.
    package let writtenID: String
    /// Its title for users; the id if there is none.
    package internal(set) var title: String
    /// Whether the catalog gives it a title.
    package let hasOwnTitle: Bool
    package let description: String?
    /// The layout of its videos: its own, else its catalog's; nil without any.
    package let layout: PathLayout?
    /// Its file, an index into ``Catalog/files``.
    package let file: Int
    /// The position of its id.
    package let location: SourceLocation
    /// The course's own cover, not an inherited one.
    package internal(set) var ownCover: CoverSource?
    /// Whether its folder has its id in the name, since another shard may have a course with an equal title.
    package internal(set) var hasIDInName = false
    /// How each sync asks the provider for the videos of the course; nil if it doesn't.
    package let discovery: Discovery?
    /// Whether ``videos`` and ``chapters`` include those that the provider listed. False as long as it never has.
    package internal(set) var isListed = false
    /// The settings of its direct videos without their own, and of discovered ones.
    package let settings: Settings
    /// The videos directly under it; they come before the chapters.
    package internal(set) var videos: VideoList
    /// Its chapters, with ids unique within the course.
    package internal(set) var chapters: [Chapter]

    /// Whether each sync asks the provider for the videos of the course.
    package var discover: Bool { discovery != nil }

    /// Whether it has videos that aren't known, since its provider has never listed them.
    package var isUnlisted: Bool { discover && !isListed }

    /// The course's cover: its own, by the catalog or its provider's listing, else that of the `defaults`.
    package var cover: CoverSource? { ownCover ?? settings.cover }

    /// Videos of the course and its chapters.
    package var videoCount: Int { chapters.reduce(videos.count) { $0 + $1.videos.count } }
}

package struct Chapter: Sendable {
    /// Unique within its course, in the one spelling of ids; never empty.
    package let id: String
    /// The id as the catalog spells it, for providers.
    package let writtenID: String
    /// Its title for users; the id if there is none.
    package let title: String
    /// Whether the catalog gives it a title.
    package let hasOwnTitle: Bool
    package let description: String?
    /// The position of its id.
    package let location: SourceLocation
    /// The chapter's own cover, not an inherited one.
    package let ownCover: CoverSource?
    /// Its number as a season, by the catalog or its provider; nil if neither says one.
    package let season: Int?
    /// The settings of its videos without their own.
    package let settings: Settings
    package internal(set) var videos: VideoList

    /// The chapter's cover: its own, else the nearest above it.
    package var cover: CoverSource? { settings.cover }
}
