import FileSystem
import YAMLSource

/// All videos of one file: records of 64 bytes, and the bytes of their texts. A catalog of a million videos doesn't
/// need a million objects, and its strings are made only on request.
final class VideoTable: Sendable {
    /// The file's name in messages.
    let source: SourceName
    /// The catalog's folder, or the address of it; covers are relative to it.
    let folder: String
    /// The videos in the order of the file.
    let records: RecordBlocks
    /// UTF-8 of ids, titles and covers; the 32 bytes of checksums.
    let text: TextBlocks
    /// Elements referred to by records.
    let settings: [Settings]
    /// Elements referred to by records.
    let extras: [VideoExtras]
    /// Whether a provider has listed them, with their addresses.
    let isListed: Bool

    /// A table of decoded videos.
    init(
        source: SourceName, folder: String, records: RecordBlocks, text: TextBlocks, settings: [Settings],
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
}

/// One video. Contains no reference, so that a block of them is freed at once.
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
    /// The place of a checksum in the text.
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
    /// That its host publishes.
    var checksums: PublishedChecksums?
    /// When it can be downloaded, in seconds since 1970.
    var availableAt: Double?

    var isEmpty: Bool {
        subtitleFiles.isEmpty && attachments.isEmpty && writtenID == nil && description == nil && date == nil
            && checksums == nil && availableAt == nil
    }
}
