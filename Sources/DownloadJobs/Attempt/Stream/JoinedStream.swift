import DownloadStore
import HLSMedia
import MediaLibrary
import MediaTransfer

/// A stream of which every segment is there.
struct JoinedStream: Sendable {
    struct Track: Sendable {
        var name: PartialName
        var partial: PartialFile
        var kind: MediaKind
        var plan: StreamPlan
        /// What each segment brought; empty where nobody needs to know.
        var pieces: [JoinedPiece]

        /// What files of it are called, as separate sound or as the video.
        func fileExtension(isSound: Bool) -> String {
            isSound && kind == .fragmentedMP4 ? "m4a" : kind.fileExtension ?? "bin"
        }
    }

    /// Picture, with or without its sound; then separate sound.
    var tracks: [Track]
    /// Of separate sound.
    var language: String?
    var codecs: [String]?
    /// Files beside the video.
    var subtitles: [ArrivedFile]
    /// When its tracks begin on its own clock.
    var begins: TrackBegins

    /// Whether nothing but ffmpeg could make one file of it.
    var hasParts: Bool { tracks.contains { JoinedPiece.parts(of: $0.pieces).count > 1 } }

    /// Why there is none.
    struct Problem: Error {
        var outcome: JobOutcome

        init(outcome: JobOutcome) { self.outcome = outcome }

        init(_ error: DownloadError) { outcome = .failed(error) }
    }
}
