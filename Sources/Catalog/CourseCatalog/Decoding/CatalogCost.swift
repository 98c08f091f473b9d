/// The memory of the parts of a decoded catalog, in bytes; upper estimates like those of `YAMLCost`.
enum CatalogCost {
    /// A video's record and its entry among the ids while their table grows, without text.
    static let video = 64 + 16
    /// A video's own settings if they are parameters only; those are counted where they are read.
    static let parameters = 160
    /// A video's own settings beyond parameters.
    static let settings = 480
    /// Extras, which few videos have, without the files.
    static let extras = 128
    /// A subtitle file or an attachment, without its texts.
    static let sideFile = 64
    /// A chapter, without its texts and videos.
    static let chapter = 640
    /// A course, without its texts, chapters and videos.
    static let course = 1100
    /// A course of another shard, without its id, which is kept twice.
    static let otherCourse = 320
    /// An item of `quality`, `audio` or `subtitles`, without text.
    static let item = 32
}
