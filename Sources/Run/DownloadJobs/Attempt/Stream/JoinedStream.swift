import DownloadStore
import FilePlacement
import HLSMedia
import MediaLibrary
import MediaTransfer

/// A stream with all of its segments.
struct JoinedStream: Sendable {
    struct Track: Sendable {
        var name: PartialName
        var partial: PartialFile
        var kind: MediaKind
        var plan: StreamPlan
        /// The parts of the joined file by segment; empty if they aren't needed.
        var pieces: [JoinedPiece]

        /// The extension of its file, as separate sound or as the video.
        func fileExtension(isSound: Bool) -> String {
            isSound && kind == .fragmentedMP4 ? "m4a" : kind.fileExtension ?? "bin"
        }
    }

    /// Picture, with or without its sound; then separate sound.
    var tracks: [Track]
    /// Of separate sound.
    var language: String?
    var codecs: [String]?
    /// Subtitle files beside the video.
    var subtitles: [ArrivedFile]
    /// The start times of its tracks on its own clock.
    var begins: TrackStartTimes

    /// Whether only ffmpeg can make one file of it.
    var hasParts: Bool { tracks.contains { JoinedPiece.parts(of: $0.pieces).count > 1 } }

    /// The reason why there is none.
    struct Problem: Error {
        var outcome: JobOutcome

        init(outcome: JobOutcome) { self.outcome = outcome }

        init(_ error: DownloadError) { outcome = .failed(error) }
    }
}
