import YAMLSource

/// All videos of one file, in two blocks of memory: fixed-size records, and the bytes of their texts. A catalog of
/// 100,000 videos doesn't need 100,000 objects, and its strings are made only on request.
final class VideoTable: Sendable {
    /// The file's name in messages.
    let source: SourceName
    /// The catalog's folder, or the address of it; covers are relative to it.
    let folder: String
    /// The videos in the order of the file.
    let records: [VideoRecord]
    /// UTF-8 of ids, titles and covers; the 32 bytes of checksums.
    let text: [UInt8]
    /// Elements referred to by records.
    let settings: [Settings]
    /// Elements referred to by records.
    let extras: [VideoExtras]
    /// Whether a provider has listed them, with their addresses.
    let isListed: Bool

    /// A table of decoded videos.
    init(
        source: SourceName, folder: String, records: [VideoRecord], text: [UInt8], settings: [Settings],
        extras: [VideoExtras], isListed: Bool = false
    ) {
        self.source = source
        self.folder = folder
        self.records = records
        self.text = text
        self.settings = settings
        self.extras = extras
        self.isListed = isListed
    }

    /// The text at a position.
    func string(_ place: TextRange) -> String {
        String(decoding: text[Int(place.offset)..<Int(place.offset) + Int(place.count)], as: UTF8.self)
    }
}

/// A part of a table's text.
struct TextRange {
    /// Bytes before it.
    var offset: UInt32 = 0
    /// The length in bytes.
    var count: UInt32 = 0
}

/// One video. Contains no reference, so that a table of them is copied and freed as one block.
struct VideoRecord {
    /// A missing index.
    static let none = UInt32.max

    /// Empty only after a mistake.
    var id = TextRange()
    /// The id's position if there is none.
    var title = TextRange()
    /// Empty for none.
    var cover = TextRange()
    /// The position of the id.
    var position: SourcePosition
    /// Negative for none.
    var size: Int64 = -1
    /// Offset of a checksum in the text.
    var digest = none
    /// Index of the resolved settings; while decoding, of the video's own settings.
    var settings = none
    /// Index of its extras.
    var extras = none
    /// Its own or, once everything is decoded, the inherited one.
    var priority: Int32 = 0
    /// Whether the priority is its own.
    var hasPriority = false
    /// Whether its provider's listing says where it stands.
    var isPlacedByListing = false
    /// Its number in its season; negative for none.
    var episode: Int32 = -1
}

/// Values that few videos have.
struct VideoExtras: Sendable {
    /// From the catalog.
    var subtitleFiles: [SubtitleFile] = []
    /// From the catalog.
    var attachments: [Attachment] = []
    /// The id as the catalog spells it, if that isn't the normal spelling.
    var writtenID: String?
    var description: String?
    /// Its date of publication: `2026-10-05`.
    var date: String?

    var isEmpty: Bool {
        subtitleFiles.isEmpty && attachments.isEmpty && writtenID == nil && description == nil && date == nil
    }
}
