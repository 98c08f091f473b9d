import PathLayout
import YAMLSource

/// A decoded catalog file before its settings are worked out.
struct CatalogDraft {
    /// A file or files to include.
    struct Include {
        /// As written.
        var pattern: String
        /// Where it is written.
        var location: SourceLocation
    }

    /// A course or chapter as written.
    struct Group {
        /// Empty only where a mistake was found.
        var id = ""
        /// As the catalog spells it.
        var writtenID = ""
        /// Nil for the id.
        var title: String?
        /// What it is about.
        var description: String?
        /// Where the id stands.
        var position: SourcePosition
        /// What it says itself.
        var own = OwnSettings()
        /// The rows of its direct videos.
        var videos = 0..<0
    }

    /// A course as written.
    struct CourseGroup {
        /// What it has in common with a chapter.
        var group: Group
        /// Whether the provider is asked what it has.
        var discover = false
        /// How its videos are named.
        var layout: PathLayout?
        /// In the order of the file.
        var chapters: [Group] = []
    }

    /// The catalog's `name`.
    var name: String?
    /// The catalog's `layout`.
    var layout: PathLayout?
    /// Whether a `provider` may be meant that couldn't be read; then the lack of one isn't worth a second error.
    var isProviderDoubtful = false
    /// Whether the text was decoded to its end.
    var isComplete = false
    /// In the order of the file.
    var includes: [Include] = []
    /// What everything in the file inherits.
    var defaults = OwnSettings()
    /// In the order of the file.
    var courses: [CourseGroup] = []
    /// All videos in the order of the file.
    var records: [VideoRecord] = []
    /// Texts and checksums of the videos.
    var text: [UInt8] = []
    /// What single videos say beyond `priority` and `cover`.
    var videoSettings: [OwnVideoSettings] = []
    /// What few videos have.
    var extras: [VideoExtras] = []

    /// Keeps bytes.
    mutating func keep(_ bytes: UnsafeRawBufferPointer) -> TextPlace {
        let place = TextPlace(offset: UInt32(clamping: text.count), count: UInt32(clamping: bytes.count))
        text.append(contentsOf: bytes)
        return place
    }
}
