import Foundation

/// `.info.json` files, with the keys of yt-dlp if it has an equivalent. They contain no address, and no parameters of a
/// provider.
enum InfoJSON {
    /// With Swift names; the keys are written as `playlist_id`.
    private struct Info: Encodable {
        var id: String
        var title: String
        var description: String?
        /// As `20261005`.
        var uploadDate: String?
        var duration: Double?
        var ext: String
        var filesize: Int64
        var sha256: String?
        /// The provider.
        var extractor: String
        /// The catalog's first preference.
        var format: String
        // The course.
        var playlist: String
        var playlistID: String
        var playlistIndex: Int
        var chapter: String?
        var chapterID: String?
        var chapterNumber: Int?
        var seasonNumber: Int
        var episodeNumber: Int
        /// The file's name.
        var filename: String
        /// By language.
        var subtitles: [String: [Subtitle]]?
        var attachments: [Attachment]?
        /// Other views of the video.
        var streams: [Stream]?
    }

    private struct Subtitle: Encodable {
        var ext: String
        var filename: String
    }

    private struct Stream: Encodable {
        var role: String
        var filename: String
    }

    private struct Attachment: Encodable {
        var title: String
        var filename: String
    }

    static func files(of course: MetadataCourse) -> [MetadataFile] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return course.chapters.flatMap { chapter in
            chapter.videos.compactMap { video in
                guard let data = try? encoder.encode(info(video, chapter, course)) else { return nil }
                return MetadataFile(
                    path: video.stem + ".info.json", text: String(decoding: data, as: UTF8.self) + "\n",
                    isKept: video.isGone)
            }
        }
    }

    private static func info(
        _ video: MetadataCourse.Video, _ chapter: MetadataCourse.Chapter, _ course: MetadataCourse
    ) -> Info {
        var info = Info(
            id: video.id, title: video.title, description: video.description,
            uploadDate: video.date?.replacing("-", with: ""), duration: video.seconds, ext: video.fileExtension,
            filesize: video.size, sha256: video.sha256, extractor: video.provider, format: video.quality,
            playlist: course.title, playlistID: course.id, playlistIndex: video.index, seasonNumber: chapter.season,
            episodeNumber: video.number, filename: RelativePath.name(video.path))
        if let id = chapter.id {
            (info.chapter, info.chapterID, info.chapterNumber) = (chapter.title, id, chapter.number)
        }
        if !video.subtitles.isEmpty {
            info.subtitles = Dictionary(grouping: video.subtitles, by: \.name).mapValues { files in
                files.map {
                    Subtitle(
                        ext: String($0.path.split(separator: ".").last ?? ""), filename: RelativePath.name($0.path))
                }
            }
        }
        if !video.views.isEmpty {
            info.streams = video.views.map { Stream(role: $0.name, filename: RelativePath.name($0.path)) }
        }
        if !video.attachments.isEmpty {
            info.attachments = video.attachments.map {
                Attachment(title: $0.name, filename: RelativePath.name($0.path))
            }
        }
        return info
    }
}
