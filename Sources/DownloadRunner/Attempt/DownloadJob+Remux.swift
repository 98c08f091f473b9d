import CourseCatalog
import DownloadStore
import Foundation
import HLSMedia
import Logging
import MediaTransfer
import SystemPackage

/// The end of a stream: one file that plays.
extension DownloadJob {
    func complete(_ work: StreamWork, _ source: StreamSource) async -> JobOutcome {
        guard let first = work.tracks.first, let kind = await first.assembler.container else {
            return .failed(DownloadError(kind: .notMedia, message: "the stream has no segment that holds media"))
        }
        // ffmpeg may take its time: what is there is noted before it.
        let job = self
        if let facts = await Blocking.run({ _ in try? job.flush() }) { services.bookkeeper.note(.progress(id, facts)) }
        var sound: MediaKind?
        if work.tracks.count > 1 { sound = await work.tracks[1].assembler.container }
        guard let ffmpeg = services.ffmpeg else { return keep(work, kind, sound, language: source.audioLanguage) }
        let output = PartialName.remuxed(id)
        let library = services.library
        guard let job = remux(work, kind, sound, source, library.partialPath(output)) else {
            return keep(work, kind, sound, language: source.audioLanguage)
        }
        do {
            try library.removePartial(output)
            // A file of ours, with our permissions, that ffmpeg fills.
            let open = try library.openPartial(output)
            do throws(RemuxError) {
                if let complaint = try await job.run(with: ffmpeg, watch: services.providers.groupWatch) {
                    services.logger.debug("ffmpeg: \(complaint)")
                }
            } catch {
                try? library.removePartial(output)
                return withoutRemux(error, work, kind, sound, source)
            }
            let size = try open.facts().size
            let partial = try PartialFile(
                descriptor: open.release(), length: size, hashes: services.options.checksums)
            return .complete(
                CompletedVideo(
                    job: self, partial: partial, partialName: output, size: size, expectedSHA256: nil,
                    fileExtension: .choose(.video, stated: "mp4", mediaType: nil, contentType: nil, url: nil)))
        } catch let error as LibraryError {
            let facts = DownloadError(kind: .disk, message: error.sentence)
            return error.isFull ? .suspended(.disk, facts) : .failed(facts)
        } catch {
            return .failed(DownloadError(kind: .disk, message: "what ffmpeg wrote can't be read: \(error)"))
        }
    }

    /// Nil for what ffmpeg has no name for.
    private func remux(
        _ work: StreamWork, _ kind: MediaKind, _ sound: MediaKind?, _ source: StreamSource, _ output: FilePath
    ) -> RemuxJob? {
        let library = services.library
        guard let video = RemuxInput(path: library.partialPath(work.tracks[0].name), kind: kind) else { return nil }
        var audio: [RemuxInput] = []
        if work.tracks.count > 1 {
            guard let sound,
                let input = RemuxInput(
                    path: library.partialPath(work.tracks[1].name), kind: sound, language: source.audioLanguage)
            else { return nil }
            audio = [input]
        }
        return RemuxJob(video: video, audio: audio, output: output)
    }

    private func withoutRemux(
        _ error: RemuxError, _ work: StreamWork, _ kind: MediaKind, _ sound: MediaKind?, _ source: StreamSource
    ) -> JobOutcome {
        switch error {
        case .cancelled: return .stopped
        case .noSpace:
            return .suspended(
                .disk, DownloadError(kind: .disk, message: "there is no room for what ffmpeg makes of the stream"))
        default:
            services.events.post(
                .warning("\(error.sentence); the joined stream is kept as it is", wanted.reference))
            return keep(work, kind, sound, language: source.audioLanguage)
        }
    }

    /// Without ffmpeg: the joined file, and separate sound beside it.
    private func keep(_ work: StreamWork, _ kind: MediaKind, _ sound: MediaKind?, language: String?) -> JobOutcome {
        let size = work.tracks[0].partial.length
        if isHashed, let wantedSize = wanted.video.size, size != wantedSize {
            return .failed(
                DownloadError(
                    kind: .sizeMismatch, message: "the joined stream has \(size) bytes instead of \(wantedSize)"))
        }
        var video = CompletedVideo(
            job: self, partial: work.tracks[0].partial, size: size, expectedSHA256: isHashed ? expectedSHA256 : nil,
            fileExtension: .choose(.video, stated: kind.fileExtension, mediaType: nil, contentType: nil, url: nil))
        if let sound, work.tracks.count > 1 {
            let track = work.tracks[1]
            let end = sound == .fragmentedMP4 ? "m4a" : sound.fileExtension ?? "bin"
            video.sound = ArrivedFile(
                role: .sidecar(id, .attachment, name: "audio"), partialName: track.name, partial: track.partial,
                size: track.partial.length, sha256: nil,
                path: LibraryName.sound(beside: wanted.stem, language: language, fileExtension: end),
                id: wanted.reference.video, old: nil)
            services.events.post(
                .warning("its sound is a file of its own: there is no ffmpeg to put both into one", wanted.reference))
        }
        return .complete(video)
    }
}

extension FFmpegChoice {
    /// The program, if it is there.
    var program: FFmpeg? {
        switch self {
        case .automatic: FFmpeg.find(.automatic(path: ProcessInfo.processInfo.environment["PATH"] ?? ""))
        case .path(let path): FFmpeg.find(.path(path))
        case .none: nil
        }
    }
}

extension RemuxError {
    /// For people.
    var sentence: String {
        switch self {
        case .notFound: "ffmpeg isn't there any more"
        case .failed(let exit, let line): "ffmpeg ended with \(exit)\(line.isEmpty ? "" : ": \(line)")"
        case .timedOut(let limit): "ffmpeg took longer than \(Int(limit.timeInterval)) s"
        case .cancelled: "ffmpeg was ended"
        case .noSpace: "there is no room for what ffmpeg writes"
        }
    }
}
