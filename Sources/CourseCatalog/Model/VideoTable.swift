import YAMLSource

/// All videos of one file, in two blocks of memory: fixed-size records, and the bytes of their texts. A catalog of
/// 100,000 videos has no 100,000 objects, and none of its strings exists before somebody asks for it.
final class VideoTable: Sendable {
    /// The file's name in messages.
    let source: SourceName
    /// The catalog's folder, or the address of it, to which covers are relative.
    let folder: String
    /// The videos in the order of the file.
    let records: [VideoRecord]
    /// UTF-8 of ids, titles and covers; the 32 bytes of checksums.
    let text: [UInt8]
    /// What records point to.
    let settings: [Settings]
    /// What records point to.
    let extras: [VideoExtras]

    /// A table of what was decoded.
    init(
        source: SourceName, folder: String, records: [VideoRecord], text: [UInt8], settings: [Settings],
        extras: [VideoExtras]
    ) {
        self.source = source
        self.folder = folder
        self.records = records
        self.text = text
        self.settings = settings
        self.extras = extras
    }

    /// The text at a place.
    func string(_ place: TextPlace) -> String {
        String(decoding: text[Int(place.offset)..<Int(place.offset) + Int(place.count)], as: UTF8.self)
    }
}

/// A stretch of a table's text.
struct TextPlace {
    /// Bytes before it.
    var offset: UInt32 = 0
    /// Its bytes.
    var count: UInt32 = 0
}

/// One video. Holds no reference, so that a table of them is copied and freed as one block.
struct VideoRecord {
    /// Stands for an index that isn't there.
    static let none = UInt32.max

    /// Empty only where a mistake was found.
    var id = TextPlace()
    /// The id's place where none is given.
    var title = TextPlace()
    /// Empty for none.
    var cover = TextPlace()
    /// Where the id stands.
    var position: SourcePosition
    /// Negative for none.
    var size: Int64 = -1
    /// Offset of a checksum in the text.
    var digest = none
    /// Index of what is inherited; while decoding, of what the video itself says.
    var settings = none
    /// Index of what few videos have.
    var extras = none
    /// Its own or, once all is decoded, the inherited one.
    var priority: Int32 = 0
    /// Whether the priority is its own.
    var hasPriority = false
}

/// What few videos have.
struct VideoExtras: Sendable {
    /// As the catalog names them.
    var subtitleFiles: [SubtitleFile] = []
    /// As the catalog names them.
    var attachments: [Attachment] = []
    /// The id as the catalog spells it, where that isn't its one spelling.
    var writtenID: String?
    /// What it is about.
    var description: String?
    /// When it was published: `2026-10-05`.
    var date: String?
}
