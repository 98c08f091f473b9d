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

    /// - Parameter early: what has run while the stream arrived.
    func run(with ffmpeg: FFmpeg, early: EarlyRemux?) async -> End {
        do {
            if let early, await early.finish(stream.begins) {
                let end = try checked(library.partials.open(output))
                if case .made = end { return end }
            }
            guard !Task.isCancelled else { return .outcome(.stopped) }
            return try await remuxed(with: ffmpeg)
        } catch { return .outcome(.cannotWrite(error)) }
    }

    private var output: PartialName { .remuxed(context.id) }
    private var library: LibraryFolder { context.services.library }

    private func remuxed(with ffmpeg: FFmpeg) async throws -> End {
        let services = context.services
        try library.partials.remove(output)
        guard let job = try job(writing: library.partials.path(of: output)) else {
            return .kept(because: .unknownKind)
        }
        // A file of ours, with our permissions, for ffmpeg's output.
        let open = try library.partials.open(output)
        do throws(RemuxError) {
            let limit = RemuxJob.limit(bytes: stream.tracks.reduce(0) { $0 + $1.partial.length })
            if let complaint = try await job.run(with: ffmpeg, limit: limit, watch: services.providers.groupWatch) {
                // Most complaints don't matter; those that do make the file too short.
                services.logger.debug("ffmpeg: \(complaint)")
            }
        } catch {
            try? library.partials.remove(output)
            return end(error)
        }
        return try checked(open)
    }

    /// ffmpeg's output, if it is complete; otherwise it is removed.
    private func checked(_ open: OpenPartial) throws -> End {
        let size = try open.facts().size
        let partial = try PartialFile(
            descriptor: try open.release(), length: size, hashes: context.services.options.checksums)
        if let loss = try shortness(of: partial) {
            partial.close()
            try? library.partials.remove(output)
            return .kept(because: loss)
        }
        return .made(
            ArrivedMedia(
                partial: partial, partialName: output, size: size,
                fileExtension: .choose(.video, stated: "mp4", mediaType: nil, contentType: nil, url: nil),
                parts: stream.subtitles))
    }

    private func end(_ error: RemuxError) -> End {
        switch error {
        case .cancelled: .outcome(.stopped)
        // The joined stream is playable, and needs no more space.
        case .noSpace where stream.hasParts:
            .outcome(.suspended(.disk, .noSpaceToRemux))
        default: .kept(because: .ended(error))
        }
    }

    /// The reason why ffmpeg's output is incomplete; nil if it isn't. ffmpeg also exits with 0 after an unreadable
    /// fragment.
    private func shortness(of output: PartialFile) throws(FileError) -> RemuxLoss? {
        let length = try MovieLength.read { place, count throws(FileError) in
            try output.bytes(at: place, count: count)
        }
        guard let length else { return .unreadable }
        // Sound within the picture's own segments may end earlier.
        let kinds: [MovieLength.TrackKind] =
            stream.tracks.count > 1 || length.tracks.contains { $0.kind == .video } ? [.video, .audio] : [.audio]
        for (kind, track) in zip(kinds, stream.tracks) {
            let wanted = track.plan.seconds - track.plan.gapSeconds
            let played = length.tracks.filter { $0.kind == kind }.compactMap(\.seconds).min() ?? 0
            if played < wanted * Self.leastPart - 2 {
                return .short(seconds: played, wanted: wanted, isPicture: kind == .video)
            }
        }
        return nil
    }

    /// Playlists round the durations of segments, down as well as up.
    private static let leastPart = 0.9

    /// Nil for formats that ffmpeg has no name for.
    private func job(writing output: FilePath) throws -> RemuxJob? {
        var inputs: [RemuxInput] = []
        for (number, track) in stream.tracks.enumerated() {
            let path = context.services.library.partials.path(of: track.name)
            var list: FilePath?
            let parts = JoinedPiece.parts(of: track.pieces)
            if parts.count > 1 {
                guard let text = RemuxInput.listText(of: path, parts: parts) else { return nil }
                let name = PartialName.list(number, of: context.id)
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
