import CourseCatalog
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
package import HLSMedia
import Logging
import MediaLibrary
import MediaTransfer
import SyncFacts
import SystemPackage

/// Makes a joined stream into one file with ffmpeg.
struct StreamRemux: Sendable {
    enum End: Sendable {
        case made(ArrivedMedia)
        /// The joined stream is kept, for this reason.
        case kept(because: RemuxLoss)
        case outcome(JobOutcome)
    }

    let context: DownloadContext
    let stream: JoinedStream

    /// What ffmpeg has written, if it is complete; otherwise it is removed.
    func checked() -> ArrivedMedia? {
        guard case .made(let media)? = try? output.checked(library.partials.open(output.name)) else { return nil }
        return media
    }

    func run(with ffmpeg: FFmpeg) async -> End {
        do {
            guard !Task.isCancelled else { return .outcome(.stopped) }
            try library.partials.remove(output.name)
            guard let job = try job(writing: library.partials.path(of: output.name)) else {
                return .kept(because: .unknownKind)
            }
            let bytes = stream.tracks.reduce(0) { $0 + $1.partial.length }
            return end(try await output.make(job, with: ffmpeg, bytes: bytes))
        } catch { return .outcome(.cannotWrite(error)) }
    }

    private var library: LibraryFolder { context.services.library }

    private var output: RemuxedFile {
        let tracks = stream.tracks.map(\.plan)
        return RemuxedFile(context: context, parts: stream.subtitles) { length in
            // Sound within the picture's own segments may end earlier.
            let kinds: [MovieLength.TrackKind] =
                tracks.count > 1 || length.tracks.contains { $0.kind == .video } ? [.video, .audio] : [.audio]
            return zip(kinds, tracks).map { .init(kind: $0, seconds: $1.seconds - $1.gapSeconds) }
        }
    }

    private func end(_ end: RemuxedFile.End) -> End {
        switch end {
        case .made(let media): .made(media)
        // Several parts are of no use without it.
        case .missing(.ended(.noSpace)) where stream.hasParts:
            .outcome(.suspended(.disk, .noSpaceToRemux))
        case .missing(let loss): .kept(because: loss)
        case .outcome(let outcome): .outcome(outcome)
        }
    }

    /// Nil for formats that ffmpeg has no name for.
    private func job(writing output: FilePath) throws -> RemuxJob? {
        var inputs: [RemuxInput] = []
        for (number, track) in stream.tracks.enumerated() {
            let path = context.services.library.partials.path(of: track.name)
            var list: FilePath?
            let parts = JoinedPiece.parts(of: track.pieces)
            if parts.count > 1 {
                guard let text = RemuxInput.listText(of: path, parts: parts) else { return nil }
                let name = context.name(.list(number, of: context.id))
                try context.writePartial(name, Array(text.utf8), hashes: false).close()
                list = context.services.library.partials.path(of: name)
            }
            let isSound = number > 0 || stream.tracks.count == 1
            guard
                var input = RemuxInput(
                    path: path, kind: track.kind, list: list, language: isSound ? stream.language : nil)
            else { return nil }
            input.delay = stream.begins.delay(of: number)
            inputs.append(input)
        }
        return inputs.first.flatMap { RemuxJob(video: $0, audio: Array(inputs.dropFirst()), output: output) }
    }
}

extension FFmpegChoice {
    /// The program, if it exists.
    package var program: FFmpeg? {
        switch self {
        case .automatic: FFmpeg.find(.automatic(path: ProcessInfo.processInfo.environment["PATH"] ?? ""))
        case .path(let path): FFmpeg.find(.path(path))
        case .none: nil
        }
    }
}
