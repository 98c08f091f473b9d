import DownloadStore
import FilePlacement
import MediaTransfer
import ProviderKit
import SyncFacts

/// A video whose picture, sound and subtitles its host serves as a file each: ffmpeg makes one of them.
enum TracksPlan: PartsPlan {
    static let kind = DownloadKind.tracks

    static func labels(of resolution: Resolution) -> [String] { resolution.trackLabels }

    static func name(of number: Int, in resolution: Resolution) -> String? {
        number == 0 ? nil : resolution.tracks[number - 1].name
    }

    static func mayBeText(_ number: Int, in resolution: Resolution) -> Bool {
        number > 0 && resolution.tracks[number - 1].kind == .subtitle
    }

    static func answer(for number: Int, in answer: ResolvedMedia) -> ResolvedMedia {
        number == 0 ? answer : answer.tracks[number - 1]
    }

    static func put(_ answer: ResolvedMedia, for number: Int, into whole: inout ResolvedMedia) {
        if number == 0 { whole = answer } else { whole.tracks[number - 1] = answer }
    }

    static func download(
        _ number: Int, of resolution: Resolution, _ context: DownloadContext, resume: ResumeRecord?,
        record: @escaping @Sendable (ProgressFacts) -> DownloadChange
    ) -> any MediaDownload {
        FileDownload(context, FileTarget(context, number: number, record: record), resume: resume)
    }

    static func finish(
        _ parts: [ArrivedPart], _ answer: ResolvedMedia, _ context: DownloadContext
    ) async -> AttemptEnd {
        let files = parts.enumerated().compactMap { number, part in
            part.media.partial.map { partial in
                JoinedTracks.File(
                    context.name(.track(number, of: context.id)), part.media, of: partial,
                    number == 0 ? nil : answer.resolution.tracks[number - 1])
            }
        }
        return await JoinedTracks(context: context, files: files).finish()
    }
}

extension Resolution.Track {
    /// For messages.
    fileprivate var name: String {
        let kind =
            switch kind {
            case .audio: "sound"
            case .subtitle: "subtitles"
            }
        return lang.map { "\(kind) (\($0))" } ?? kind
    }
}

typealias TracksDownload = PartedDownload<TracksPlan>
