package import PathLayout
package import YAMLSource

/// A course of a catalog.
package struct Course: Sendable {
    /// Unique within a run, in the one spelling of ids (Unicode's normal form C); never empty.
    package let id: String
    /// The id as the catalog spells it: what providers are told.
    package let writtenID: String
    /// What a person calls it; the id where none is given.
    package let title: String
    /// What it is about.
    package let description: String?
    /// How its videos are named: what it says itself, else its catalog; nil where nobody says anything.
    package let layout: PathLayout?
    /// The file that it is written in, an index into ``Catalog/files``.
    package let file: Int
    /// Where its id stands.
    package let location: SourceLocation
    /// The course's own picture, not the one that it inherits.
    package let ownCover: CoverSource?
    /// Whether each sync asks the provider for the videos of the course.
    package let discover: Bool
    /// What holds for its direct videos that say nothing else, and for what is discovered.
    package let settings: Settings
    /// The videos directly under it; they come before the chapters.
    package let videos: VideoList
    /// Its chapters; ids differ within the course.
    package let chapters: [Chapter]

    /// The course's picture: its own, else that of the `defaults`.
    package var cover: CoverSource? { settings.cover }

    /// Videos of the course and its chapters.
    package var videoCount: Int { chapters.reduce(videos.count) { $0 + $1.videos.count } }
}

/// A chapter of a course.
package struct Chapter: Sendable {
    /// Unique within its course, in the one spelling of ids; never empty.
    package let id: String
    /// The id as the catalog spells it: what providers are told.
    package let writtenID: String
    /// What a person calls it; the id where none is given.
    package let title: String
    /// What it is about.
    package let description: String?
    /// Where its id stands.
    package let location: SourceLocation
    /// The chapter's own picture, not the one that it inherits.
    package let ownCover: CoverSource?
    /// What holds for its videos that say nothing else.
    package let settings: Settings
    /// Its videos.
    package let videos: VideoList

    /// The chapter's picture: its own, else the nearest above it.
    package var cover: CoverSource? { settings.cover }
}
