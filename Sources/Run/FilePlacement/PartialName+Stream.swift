package import DownloadStore
package import MediaLibrary

/// The partials of a stream, or of a file with tracks, beside the video's own.
extension PartialName {
    /// The partial of a track: the first is the video's own.
    package static func track(_ number: Int, of download: DownloadID) -> PartialName {
        switch number {
        case 0: PartialName(download: download.rawValue)
        case 1: PartialName(download: download.rawValue, sidecar: trackMark)
        default: PartialName(download: download.rawValue, sidecar: "\(trackMark)\(number)")
        }
    }

    /// The positions of a track's segments.
    package static func index(_ number: Int, of download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: indexMarks[min(number, 1)])
    }

    /// The segments of a track that was recorded while it was live.
    package static func recorded(_ number: Int, of download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: recordedMarks[min(number, 1)])
    }

    /// The list of a track's parts for ffmpeg.
    package static func list(_ number: Int, of download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: "list\(number)")
    }

    /// A playlist of a package.
    package static func playlist(_ number: Int, of download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: "playlist\(number)")
    }

    /// Subtitles of a stream, by their order in its playlist.
    package static func subtitle(_ number: Int, of download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: "subtitle\(number)")
    }

    /// The output of ffmpeg.
    package static func remuxed(_ download: DownloadID) -> PartialName {
        PartialName(download: download.rawValue, sidecar: "remux")
    }

    /// The name of another view's partial that is called so for the main view.
    package func inView(_ view: Int) -> PartialName {
        guard view > 0 else { return self }
        return PartialName(download: download, sidecar: "view\(view)" + (sidecar.map { "-\($0)" } ?? ""))
    }

    private static var trackMark: String { "audio" }
    private static var indexMarks: [String] { ["index", "audio-index"] }
    private static var recordedMarks: [String] { ["recorded", "audio-recorded"] }
}
