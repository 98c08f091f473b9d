/// What a layout can put into a path.
package enum LayoutField: String, Sendable, Hashable, CaseIterable {
    // Of the course.
    case course
    case courseID = "course_id"

    // Of the chapter; empty for a video directly under its course, but for the season.
    case chapter
    case chapterID = "chapter_id"
    /// The chapter's place in its course, the videos directly under the course counted before it.
    case chapterNumber = "chapter_number"
    /// The chapter's place among the chapters. Videos directly under a course are 0, or 1 where there are no chapters.
    case season

    // Of the video.
    case title
    case id
    /// Its place in its chapter, or among the videos directly under the course.
    case number
    /// Its place in the whole course.
    case index
    /// `2026-10-05`; empty where the catalog has none.
    case date
    /// `2026`; empty where the catalog has no date.
    case year
    /// The provider's name; in the course's folder, of the course's first video.
    case provider
    /// What the catalog asks for first.
    case quality
    /// The file's extension; always the end.
    case ext

    /// Whose field it is.
    enum Owner { case course, chapter, video }

    var owner: Owner {
        switch self {
        case .course, .courseID: .course
        case .chapter, .chapterID, .chapterNumber, .season: .chapter
        case .title, .id, .number, .index, .date, .year, .provider, .quality, .ext: .video
        }
    }

    /// Whether it can be given a width.
    var isNumber: Bool {
        switch self {
        case .chapterNumber, .season, .number, .index, .year: true
        default: false
        }
    }

    /// Whether it tells a video from most others of its folder, and is never empty.
    var namesAVideo: Bool {
        switch self {
        case .title, .id, .number, .index: true
        default: false
        }
    }
}
