/// The values of a layout's fields, for one video, or for a folder.
package struct LayoutValues: Sendable {
    package var course: (title: String, id: String)
    /// The chapter's title, id and number in its course; nil directly under the course.
    package var chapter: (title: String, id: String, number: Int)?
    /// See ``LayoutField/season``.
    package var season: Int
    package var provider: String
    /// The video; nil for a folder.
    package var video: Video?

    package struct Video: Sendable {
        package var title: String
        package var id: String
        /// In its season.
        package var number: Int
        /// In its course.
        package var index: Int
        /// As `2026-10-05`.
        package var date: String?
        package var quality: String
        /// The role of another view; empty for the video's own file.
        package var stream = ""

        package init(title: String, id: String, number: Int, index: Int, date: String?, quality: String) {
            self.title = title
            self.id = id
            self.number = number
            self.index = index
            self.date = date
            self.quality = quality
        }
    }

    package init(
        course: (title: String, id: String), chapter: (title: String, id: String, number: Int)? = nil, season: Int,
        provider: String, video: Video? = nil
    ) {
        self.course = course
        self.chapter = chapter
        self.season = season
        self.provider = provider
        self.video = video
    }

    /// A field's text; empty without a value.
    package func text(_ field: LayoutField, width: Int) -> String {
        switch field {
        case .course: course.title
        case .courseID: course.id
        case .chapter: chapter?.title ?? ""
        case .chapterID: chapter?.id ?? ""
        case .chapterNumber: chapter.map { Self.digits($0.number, width) } ?? ""
        case .season: Self.digits(season, width)
        case .title: video?.title ?? ""
        case .id: video?.id ?? ""
        case .number: video.map { Self.digits($0.number, width) } ?? ""
        case .index: video.map { Self.digits($0.index, width) } ?? ""
        case .date: video?.date ?? ""
        case .year: video?.date.map { String($0.prefix { $0 != "-" }) } ?? ""
        case .provider: provider
        case .quality: video?.quality ?? ""
        case .stream: video?.stream ?? ""
        case .ext: ""
        }
    }

    private static func digits(_ number: Int, _ width: Int) -> String {
        let digits = String(max(0, number))
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
