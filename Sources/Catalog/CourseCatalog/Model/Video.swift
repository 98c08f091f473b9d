package import FileSystem
package import YAMLSource

/// A video of a course: a view into the compact table of its file. Cheap to copy; texts are made on request.
package struct Video: Sendable {
    /// The table of the video's file.
    let table: VideoTable
    /// Its row.
    let index: Int

    private var record: VideoRecord { table.records[index] }

    /// Unique within its course, in the one spelling of ids (Unicode's normal form C); never empty.
    package var id: String { table.text.string(record.id) }

    /// The id as the catalog spells it, for its provider.
    package var writtenID: String { extras?.writtenID ?? id }

    /// Whether the catalog's spelling of the id isn't the normal one.
    package var isSpelledOtherwise: Bool { extras?.writtenID != nil }

    /// Its title for users; the id if there is none.
    package var title: String { table.text.string(record.title) }

    /// The position of its id.
    package var location: SourceLocation { SourceLocation(table.source, record.position) }

    /// The video's own cover, not an inherited one.
    package var ownCover: CoverSource? {
        record.cover.count == 0 ? nil : CoverSource(table.text.string(record.cover), folder: table.folder)
    }

    /// The video's own cover as the catalog says it.
    var coverText: String? { record.cover.count == 0 ? nil : table.text.string(record.cover) }

    /// The video's cover: its own, else the nearest above it.
    package var cover: CoverSource? { ownCover ?? settings.cover }

    /// Higher goes first; its own, else the nearest above it.
    package var priority: Int { Int(record.priority) }

    /// All other inherited settings. Videos without their own values share one object.
    package var settings: Settings { table.settings[Int(record.settings)] }

    package var provider: ProviderReference {
        guard let provider = settings.provider else {
            fatalError("a catalog without errors gives each video a provider")
        }
        return provider
    }

    /// The expected SHA-256 of the finished file: 32 bytes.
    package var sha256: [UInt8]? {
        withSHA256Bytes { $0.map { Array($0) } }
    }

    /// Other checksums of the finished file.
    package var checksums: PublishedChecksums? { extras?.checksums }

    /// When its provider has it, in seconds since 1970; nil if it says nothing.
    package var availableAt: Double? { extras?.availableAt }

    /// The size of the finished file in bytes.
    package var size: Int64? { record.size < 0 ? nil : record.size }

    /// Subtitle files that the catalog itself names.
    package var subtitleFiles: [SubtitleFile] { extras?.subtitleFiles ?? [] }

    /// Files that belong to the video.
    package var attachments: [Attachment] { extras?.attachments ?? [] }

    /// Whether addresses that it has may be its provider's, by the listing of its course.
    package var isListed: Bool { table.isListed }

    package var description: String? { extras?.description }

    /// Its date of publication, as `2026-10-05`.
    package var date: String? { extras?.date }

    /// Its number in its season, by the catalog or its provider; nil if neither says one.
    package var episode: Int? { record.episode < 0 ? nil : Int(record.episode) }

    /// Whether its provider's listing says where it stands. Otherwise the catalog does.
    package var isPlacedByListing: Bool { record.isPlacedByListing }

    private var extras: VideoExtras? { record.extras == VideoRecord.none ? nil : table.extras[Int(record.extras)] }

    /// Calls `body` with the id's UTF-8 bytes, without making a string.
    package func withIDBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try table.text.withBytes(of: record.id, body)
    }

    /// Calls `body` with the title's UTF-8 bytes, without making a string.
    package func withTitleBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try table.text.withBytes(of: record.title, body)
    }

    /// Calls `body` with the 32 bytes of ``sha256``, without copying them.
    package func withSHA256Bytes<Result>(_ body: (UnsafeRawBufferPointer?) throws -> Result) rethrows -> Result {
        let digest = record.digest
        guard digest != VideoRecord.none else { return try body(nil) }
        return try table.text.withBytes(of: TextRange(offset: digest, count: 32)) { try body($0) }
    }
}

/// A subtitle file that a catalog names.
package struct SubtitleFile: Sendable, Hashable, HidesAddress {
    /// A language, as in BCP 47.
    package let language: String
    /// http or https.
    package let url: String

    package init(language: String, url: String) {
        self.language = language
        self.url = url
    }
}

/// A file that belongs to a video.
package struct Attachment: Sendable, Hashable, HidesAddress {
    package let title: String
    /// http or https.
    package let url: String

    /// A file that belongs to a video.
    package init(title: String, url: String) {
        self.title = title
        self.url = url
    }
}

/// Consecutive videos of a file.
package struct VideoList: Sendable, RandomAccessCollection {
    /// The table of the file.
    let table: VideoTable
    /// The rows.
    let range: Range<Int>

    package var startIndex: Int { 0 }
    package var endIndex: Int { range.count }
    package subscript(position: Int) -> Video {
        precondition(position >= 0 && position < range.count, "no such video")
        return Video(table: table, index: range.lowerBound + position)
    }

    /// Whether no video has a number by its source, and the catalog says where each of them stands; or the listing of
    /// their provider, if `isListed`.
    package func isUnnumbered(isListed: Bool) -> Bool {
        for index in range {
            let record = table.records[index]
            if record.episode >= 0 || record.isPlacedByListing != isListed { return false }
        }
        return true
    }
}
