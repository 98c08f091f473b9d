/// What the parts of a decoded catalog take, in bytes; upper estimates like those of `YAMLCost`.
enum CatalogCost {
    /// A video's record and its place among the ids, text aside.
    static let video = 144
    /// Settings of a video's own that are parameters only, which are counted where they are read.
    static let parameters = 160
    /// Settings of a video's own beyond parameters.
    static let settings = 480
    /// What few videos have, the files aside.
    static let extras = 128
    /// A subtitle file or an attachment, its texts aside.
    static let sideFile = 64
    /// A chapter, its texts and videos aside.
    static let chapter = 640
    /// A course, its texts, chapters and videos aside.
    static let course = 1000
    /// An item of `quality`, `audio` or `subtitles`, text aside.
    static let item = 32
}
