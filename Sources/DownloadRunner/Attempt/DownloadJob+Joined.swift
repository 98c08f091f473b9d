import CourseCatalog
import DownloadStore
import FileSystem
import Foundation
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
            begins: await work.begins())
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
            let old = recorded.values.map { StoredFile($0) } + [wanted.oldFile].compactMap(\.self)
            let ours = Dictionary(old.map { ($0.path, FileRecord($0)) }, uniquingKeysWith: { one, _ in one })
            func isFree(_ folder: String) throws -> Bool {
                try names.map { "\(folder)/\($0)" }.allSatisfy { path in
                    switch try library.proves(path, is: ours[path] ?? FileRecord(size: -1, modified: nil, sha256: nil))
                    {
                    case .missing, .ours: true
                    case .notOurs: false
                    }
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
            for number in parts.indices { parts[number].keepsName = true }
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
                    path: path, parts: parts + stream.subtitles))
        } catch { return unwritable(error) }
    }

    func unwritable(_ error: any Error) -> JobOutcome {
        if let error = error as? FileError {
            let failure = TransferFailure.file(errno: error.errno)
            let facts = DownloadError(kind: .disk, message: failure.sentence)
            return DownloadError.isFull(failure) ? .suspended(.disk, facts) : .failed(facts)
        }
        guard let error = error as? LibraryError else {
            return .failed(DownloadError(kind: .disk, message: "what belongs to it can't be written: \(error)"))
        }
        if DescriptorLimit.isExhausted(error.errno) { return DescriptorLimit.outcome }
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
}
