package enum LayoutField: String, Sendable, Hashable, CaseIterable {
    // Of the course.
    case course
    case courseID = "course_id"

    // Of the chapter; empty for a video directly under its course, except for the season.
    case chapter
    case chapterID = "chapter_id"
    /// The chapter's number in its course; where it is its place, videos directly under the course count before it.
    case chapterNumber = "chapter_number"
    /// The chapter's number as a season. Videos directly under a course are 0, or 1 if no chapter is.
    case season

    // Of the video.
    case title
    case id
    /// Its number in its season.
    case number
    /// Its number in the whole course.
    case index
    /// `2026-10-05`; empty if the catalog has none.
    case date
    /// `2026`; empty if the catalog has no date.
    case year
    /// The provider's name; in the course's folder, of the course's first video.
    case provider
    /// The catalog's first preference.
    case quality
    /// The role of another view; empty for the video's own file. Only in the file's name.
    case stream
    /// The file's extension; always at the end.
    case ext

    enum Owner { case course, chapter, video }

    var owner: Owner {
        switch self {
        case .course, .courseID: .course
        case .chapter, .chapterID, .chapterNumber, .season: .chapter
        case .title, .id, .number, .index, .date, .year, .provider, .quality, .stream, .ext: .video
        }
    }

    /// Whether it can be given a width.
    var isNumber: Bool {
        switch self {
        case .chapterNumber, .season, .number, .index, .year: true
        default: false
        }
    }

    /// Whether it distinguishes a video from most others of its folder, and is never empty.
    var namesAVideo: Bool {
        switch self {
        case .title, .id, .number, .index: true
        default: false
        }
    }
}
