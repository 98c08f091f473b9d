import ProviderHTTP
import ProviderKit

/// A topic, video or sound of a channel.
///
/// Related: kolibri/core/content/api.py of Kolibri 0.19
struct KolibriNode: Sendable {
    struct File: Sendable {
        /// What it is for: `high_res_video`, `low_res_video`, `audio`, `video_subtitle`, `video_thumbnail`, …
        var preset: String
        var path: String
        var fileExtension: String?
        var size: Int64?
        var md5: String?
        var language: String?
    }

    var id: String
    var channel: String?
    var kind: String
    var title: String?
    var description: String?
    /// Of the topic above; nil for the channel's own.
    var parent: String?
    var duration: Double?
    var files: [File]

    /// Nil if this isn't a node.
    init?(_ node: JSONValue) {
        guard let id = node["id"]?.string, id.wholeMatch(of: /[0-9a-f]{32}/) != nil,
            let kind = node["kind"]?.string, let files = node["files"]?.array
        else { return nil }
        self.id = id
        self.kind = kind
        channel = node["channel_id"]?.string
        title = node["title"]?.string.map { HTMLStripper.text(of: $0, bound: 1000) }
        description = node["description"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        parent = node["parent"]?.string
        duration = node["duration"]?.number.flatMap { $0 > 0 ? $0 : nil }
        self.files = files.compactMap { file in
            guard let path = file["storage_url"]?.string, file["available"] != .bool(false) else { return nil }
            return File(
                preset: file["preset"]?.string ?? "", path: path, fileExtension: file["extension"]?.string,
                size: file["file_size"]?.wholeNumber.flatMap { $0 > 0 ? $0 : nil },
                md5: file["checksum"]?.string.flatMap { $0.count == 32 ? $0 : nil },
                language: file["lang"]?["id"]?.string)
        }
    }

    var isTopic: Bool { kind == "topic" }

    /// Its files to choose among. Kolibri tells no heights: its own tools make the low resolution with 480 lines.
    var media: [Rendition<File>] {
        files.compactMap { file in
            switch file.preset {
            case "high_res_video", "video_dependency": Rendition(media: file, height: 720)
            case "low_res_video": Rendition(media: file, height: 480)
            case "audio": Rendition(media: file, hasPicture: false)
            default: nil
            }
        }
    }

    /// Its file for these qualities.
    func file(_ quality: [String]) -> File? { RenditionChoice.of(media, quality: quality) }

    /// Its subtitles, with their languages.
    var subtitles: [File] { files.filter { $0.preset == "video_subtitle" && $0.language != nil } }

    var thumbnail: File? { files.first { $0.preset.hasSuffix("_thumbnail") } }
}
