import DownloadStore
import MediaLibrary

/// The partials of a stream, beside the video's own.
extension PartialName {
    /// The partial of a stream's track: the first is the video's own.
    static func track(_ number: Int, of download: DownloadID) -> PartialName {
        number == 0
            ? PartialName(download: download.rawValue) : PartialName(download: download.rawValue, sidecar: trackMark)
    }

    /// The positions of a track's segments.
    static func index(_ number: Int, of download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: indexMarks[min(number, 1)])
    }

    /// The list of a track's parts for ffmpeg.
    static func list(_ number: Int, of download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: "list\(number)")
    }

    /// A playlist of a package.
    static func playlist(_ number: Int, of download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: "playlist\(number)")
    }

    /// Subtitles of a stream, by their order in its playlist.
    static func subtitle(_ number: Int, of download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: "subtitle\(number)")
    }

    /// The output of ffmpeg.
    static func remuxed(_ download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: "remux")
    }

    private static var trackMark: String { "audio" }
    private static var indexMarks: [String] { ["index", "audio-index"] }
}

extension StreamDownload {
    static func partials(of download: DownloadID) -> DownloadPartials {
        DownloadPartials(
            kept: (0..<2).flatMap { [.track($0, of: download), .index($0, of: download)] },
            passing: (0..<2).map { .list($0, of: download) } + (0..<3).map { .playlist($0, of: download) }
                + [.remuxed(download)])
    }
}
