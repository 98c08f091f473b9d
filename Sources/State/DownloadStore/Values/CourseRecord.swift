/// A course in the state.
package struct CourseRecord: Sendable, Equatable {
    package var id: String
    /// The catalog file of the course: absolute, symlinks resolved; empty once that was forgotten.
    package var file: String
    /// Its place in the order of the catalogs.
    package var ordinal: Int
    package var title: String
    /// Its folder, relative to the library.
    package var folder: String
    /// Digest of the cover in the library; nil without one.
    package var cover: CoverDigest?
    /// The cover's file; its source is unused.
    package var coverFile: StoredFile?
    /// The season of the videos directly under it; nil as long as there were none.
    package var season: Int?
    /// The template by which all of its videos are named; nil in an older state, or if some may follow another one.
    package var layout: String?

    package init(
        id: String, file: String, ordinal: Int, title: String, folder: String, cover: CoverDigest? = nil,
        coverFile: StoredFile? = nil, layout: String? = nil, season: Int? = nil
    ) {
        self.season = season
        self.layout = layout
        self.ordinal = ordinal
        self.id = Identifier.normalized(id)
        self.file = file
        self.title = title
        self.folder = folder
        self.cover = cover
        self.coverFile = coverFile
    }
}

/// A chapter in the state.
package struct ChapterRecord: Sendable, Equatable {
    /// The course's id.
    package var course: String
    package var id: String
    package var title: String
    /// 1-based among the course's chapters.
    package var position: Int
    /// Its number in the course; nil if an older list of files didn't say it.
    package var number: Int?
    /// Its number as a season; nil likewise.
    package var season: Int?
    /// Whether it keeps its season although its source has another: its folder is older than that of the source.
    package var keepsNumber: Bool
    /// Its folder, relative to the library.
    package var folder: String
    /// Digest of the cover that is in the library; nil without one.
    package var cover: CoverDigest?
    /// The cover's file; its source is unused.
    package var coverFile: StoredFile?

    package init(
        course: String, id: String, title: String, position: Int, folder: String, cover: CoverDigest? = nil,
        coverFile: StoredFile? = nil, number: Int? = nil, season: Int? = nil, keepsNumber: Bool = false
    ) {
        self.number = number
        self.season = season
        self.keepsNumber = keepsNumber
        self.course = Identifier.normalized(course)
        self.id = Identifier.normalized(id)
        self.title = title
        self.position = position
        self.folder = folder
        self.cover = cover
        self.coverFile = coverFile
    }
}
