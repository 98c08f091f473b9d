import Foundation

/// What an `.info.json` says of its video.
struct YtDlpInfo {
    /// More than any real one has; comments are in it, too.
    static let longest = 32 << 20

    private static let wanted: Set<String> = [
        "_type", "id", "extractor", "extractor_key", "webpage_url", "original_url", "url", "title", "playlist_id",
        "playlist_title", "chapter", "chapter_id", "thumbnail", "duration", "ext", "filesize", "protocol", "_filename",
        "filename",
    ]

    private let fields: [String: FieldValue]
    /// Identifies it at its extractor.
    let id: String

    /// Nil for the file of a playlist.
    init?(_ data: Data) throws {
        let fields: Result<[String: FieldValue], FormatFault> = data.withUnsafeBytes { bytes in
            do throws(FormatFault) {
                return .success(try JSONFields.of(bytes, wanted: Self.wanted))
            } catch { return .failure(error) }
        }
        self.fields = try fields.get()
        if let type = self.fields["_type"]?.text, type != "video" { return nil }
        switch self.fields["id"] {
        case .text(let id) where !id.isEmpty: self.id = id
        case nil, .null, .text: throw RecordFault.missing(field: "id")
        default: throw RecordFault.wrongType(field: "id")
        }
    }

    /// As the archive has it.
    var line: String? { text("extractor_key").map { "\($0.lowercased()) \(id)" } }

    /// The last components of what yt-dlp called the file, without their endings: the paths are relative to where it
    /// ran.
    var stems: [String] {
        ["filename", "_filename"].compactMap { text($0) }.compactMap {
            MediaFileName.split(MediaFileName.last($0))?.stem
        }
    }

    /// The ending of the file.
    var ending: String? { text("ext") }

    /// Of the file, while it is loaded as it is; nil if it is put together from pieces, or nobody knows.
    var total: Int64? {
        guard ["http", "https"].contains(text("protocol") ?? "http"), let size = fields["filesize"]?.integer, size > 0
        else { return nil }
        return size
    }

    /// Fills in everything but the files.
    func fill(_ record: inout SourceRecord) {
        let isGeneric = text("extractor_key") == "Generic" || text("extractor") == "generic"
        let addresses = [isGeneric ? "url" : nil, "webpage_url", "original_url", "url"].compactMap(\.self)
        record.url = addresses.lazy.compactMap { text($0) }.first { SourceAddress($0) != nil }
        record.video = id
        record.course = text("playlist_id")
        record.courseTitle = text("playlist_title")
        record.chapter = text("chapter_id")
        record.chapterTitle = text("chapter")
        record.title = text("title")
        record.cover = text("thumbnail").flatMap { SourceAddress($0) == nil ? nil : $0 }
        if let duration = fields["duration"]?.number, duration.isFinite, duration >= 0 { record.duration = duration }
        let names = [line, id, text("webpage_url"), text("original_url"), record.url]
        for name in names.compactMap(\.self) where !record.names.contains(name) { record.names.append(name) }
    }

    private func text(_ name: String) -> String? { fields[name]?.text.flatMap { $0.isEmpty ? nil : $0 } }
}
