import YAMLSource

/// A decoded catalog file before its settings are worked out.
struct CatalogDraft {
    /// A file or files to include.
    struct Include {
        var pattern: String
        var location: SourceLocation
    }

    /// A course or chapter as written.
    struct Group {
        var id = ""
        var title: String?
        var position: SourcePosition
        var own = OwnSettings()
        var videos = 0..<0
    }

    /// A course as written.
    struct CourseGroup {
        var group: Group
        var discover = false
        var chapters: [Group] = []
    }

    var name: String?
    /// Whether a `provider` may be meant that couldn't be read; then the lack of one isn't worth a second error.
    var isProviderDoubtful = false
    /// Whether the text was decoded to its end.
    var isComplete = false
    var includes: [Include] = []
    var defaults = OwnSettings()
    var courses: [CourseGroup] = []
    var records: [VideoRecord] = []
    var text: [UInt8] = []
    /// What single videos say beyond `priority` and `cover`.
    var videoSettings: [OwnVideoSettings] = []
    var extras: [VideoExtras] = []

    /// Keeps bytes.
    mutating func keep(_ bytes: UnsafeRawBufferPointer) -> TextPlace {
        let place = TextPlace(offset: UInt32(clamping: text.count), count: UInt32(clamping: bytes.count))
        text.append(contentsOf: bytes)
        return place
    }
}
