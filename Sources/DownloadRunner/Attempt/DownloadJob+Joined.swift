import CourseCatalog
import DownloadStore
import Foundation
import HLSMedia
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
    /// How long it plays by its playlist, gaps aside.
    var seconds: Double
    /// When each track begins on the stream's clock, as far as that can be told.
    var begins: [MediaTime?] = []

    /// How long after the beginning of the file a track begins, in seconds: tracks that aren't much apart stay so.
    func delay(of track: Int) -> Double {
        let known = begins.compactMap(\.self)
        guard known.count == tracks.count, known.count > 1 else { return 0 }
        let delays = known.map { MediaClock.offset(from: known[0], to: $0) }
        let delay = delays[track] - (delays.min() ?? 0)
        return delay <= Self.largestDelay ? delay : 0
    }

    /// Beyond this the clocks have nothing to do with each other.
    private static let largestDelay = 10.0
}

/// The end of a stream: one file that plays, or a package.
extension DownloadJob {
    func complete(_ work: StreamWork, _ source: StreamSource) async -> JobOutcome? {
        // ffmpeg may take its time: what is there is noted before it, and ffmpeg reads nothing that has been lost.
        let job = self
        switch await Blocking.run({ _ in Result { () throws(FileError) in try job.flush() } }) {
        case .success(let facts): if let facts { services.bookkeeper.note(.progress(id, facts)) }
        case .failure(let error): return await another("what was joined didn't reach the disk: \(error)")
        }
        var stream = JoinedStream(
            tracks: [], language: source.audioLanguage, codecs: source.codecs, subtitles: [],
            seconds: source.tracks.map { $0.seconds - $0.gapSeconds }.max() ?? 0)
        for (track, plan) in zip(work.tracks, source.tracks) {
            guard let kind = await track.assembler.container else {
                return .failed(DownloadError(kind: .notMedia, message: "the stream has no segment that holds media"))
            }
            do throws(FileError) {
                let pieces = try track.index.map { index throws(FileError) in
                    try JoinedPiece.read(plan.segments.count, from: index)
                }
                stream.tracks.append(
                    .init(name: track.name, partial: track.partial, kind: kind, plan: plan, pieces: pieces ?? []))
            } catch {
                return .failed(DownloadError(kind: .disk, message: "its index can't be read: \(error)"))
            }
        }
        stream.begins = await work.begins()
        do { stream.subtitles = try subtitleParts(source) } catch { return unwritable(error) }
        if services.options.container == .package { return await pack(stream) }
        guard let ffmpeg = services.ffmpeg else {
            if stream.tracks.count > 1 {
                warn("its sound is a file of its own: there is no ffmpeg to put both into one")
            }
            return await keep(stream)
        }
        return await remux(stream, with: ffmpeg)
    }

    /// The joined file as it is, and separate sound beside it.
    func keep(_ stream: JoinedStream) async -> JobOutcome {
        await finished(stream) { library, recorded in
            var parts: [ArrivedFile] = []
            if stream.tracks.count > 1 {
                let track = stream.tracks[1]
                let path = LibraryName.sound(
                    beside: wanted.stem, language: stream.language, fileExtension: track.fileExtension(isSound: true))
                parts.append(part("audio", track.name, track.partial, at: path, recorded))
            }
            return (nil, parts)
        }
    }

    /// The joined files in a folder of their own, with playlists that lead a player to them.
    private func pack(_ stream: JoinedStream) async -> JobOutcome {
        await finished(stream) { library, recorded in
            let package = StreamPackage(
                video: packed(stream.tracks[0], "video"),
                audio: stream.tracks.count > 1 ? packed(stream.tracks[1], "audio") : nil, language: stream.language,
                codecs: stream.codecs)
            let playlists = package.playlists
            let names = [package.video.file] + [package.audio?.file].compactMap(\.self) + playlists.map(\.name)
            let ours = Set(recorded.values.map(\.path) + [wanted.oldFile?.path].compactMap(\.self))
            func isFree(_ folder: String) throws -> Bool {
                try names.map { "\(folder)/\($0)" }.allSatisfy { path in
                    try ours.contains(path) || library.facts(of: path) == nil
                }
            }
            let known = recorded[StreamPackage.index].map { LibraryPathParts.split($0.path).folder }
            let folder =
                if let known, try isFree(known) { known } else {
                    try LibraryName.package(beside: wanted.stem, id: wanted.reference.video, isFree: isFree)
                }
            var parts: [ArrivedFile] = []
            if let audio = package.audio {
                let track = stream.tracks[1]
                parts.append(part("audio", track.name, track.partial, at: "\(folder)/\(audio.file)", recorded))
            }
            // What a player opens comes last.
            for (number, playlist) in playlists.enumerated().reversed() {
                let name = PartialName.playlist(number, of: id)
                let partial = try writePartial(name, Array(playlist.text.utf8), hashes: true)
                parts.append(part(playlist.name, name, partial, at: "\(folder)/\(playlist.name)", recorded))
            }
            return ("\(folder)/\(package.video.file)", parts)
        }
    }

    private nonisolated func packed(_ track: JoinedStream.Track, _ name: String) -> StreamPackage.Track {
        .init(
            plan: track.plan, pieces: track.pieces,
            file: "\(name).\(track.fileExtension(isSound: name == "audio"))")
    }

    /// What the catalog says of the joined file holds; then it goes to `place`'s path, nil for the usual one, with parts.
    private func finished(
        _ stream: JoinedStream,
        place: @Sendable (LibraryFolder, _ recorded: [String: SidecarRecord]) throws -> (path: String?, [ArrivedFile])
    ) async -> JobOutcome {
        let track = stream.tracks[0]
        let size = track.partial.length
        // After ffmpeg has failed nobody has been told that these count.
        if services.ffmpeg == nil, let wantedSize = wanted.video.size, size != wantedSize {
            return .failed(
                DownloadError(
                    kind: .sizeMismatch, message: "the joined stream has \(size) bytes instead of \(wantedSize)"))
        }
        do {
            let recorded = Dictionary(
                try recordedParts().map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            let (path, parts) = try place(services.library, recorded)
            var partial = track.partial
            if !isHashed, services.options.checksums {
                let descriptor = try services.library.openPartial(track.name).release()
                partial = try PartialFile(descriptor: descriptor, length: size, hashes: true)
            }
            return .complete(
                CompletedVideo(
                    job: self, partial: partial, size: size, expectedSHA256: isHashed ? expectedSHA256 : nil,
                    fileExtension: .choose(
                        .video, stated: track.fileExtension(isSound: false), mediaType: nil, contentType: nil, url: nil),
                    path: path, parts: parts + stream.subtitles, obsolete: try obsoleteParts(besides: parts)))
        } catch { return unwritable(error) }
    }

    func unwritable(_ error: any Error) -> JobOutcome {
        guard let error = error as? LibraryError else {
            return .failed(DownloadError(kind: .disk, message: "what belongs to it can't be written: \(error)"))
        }
        let facts = DownloadError(kind: .disk, message: error.sentence)
        return error.isFull ? .suspended(.disk, facts) : .failed(facts)
    }

    private nonisolated func part(
        _ name: String, _ partialName: PartialName, _ partial: PartialFile, at path: String,
        _ recorded: [String: SidecarRecord]
    ) -> ArrivedFile {
        ArrivedFile(
            role: .sidecar(id, .stream, name: name), partialName: partialName, partial: partial, size: partial.length,
            sha256: nil, path: path, id: wanted.reference.video, old: recorded[name].map { StoredFile($0) })
    }

    /// A small file in a partial.
    nonisolated func writePartial(_ name: PartialName, _ bytes: [UInt8], hashes: Bool) throws -> PartialFile {
        let descriptor = try services.library.openPartial(name).release()
        let partial = try PartialFile(descriptor: descriptor, length: 0, hashes: hashes)
        try bytes.withUnsafeBytes { try partial.append($0) }
        return partial
    }

    // MARK: what the download had before

    private func recordedParts() throws(StoreError) -> [SidecarRecord] {
        try services.store.sidecars(of: [id]).filter { $0.kind == .stream }
    }

    func obsoleteParts(besides parts: [ArrivedFile]) throws(StoreError) -> [SidecarRecord] {
        let names = Set(
            parts.compactMap { part in
                if case .sidecar(_, .stream, let name) = part.role { name } else { nil }
            })
        return try recordedParts().filter { !names.contains($0.name) }
    }
}
