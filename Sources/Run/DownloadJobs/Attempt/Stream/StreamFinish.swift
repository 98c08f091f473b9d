import CourseCatalog
import DownloadStore
import FilePlacement
import HLSMedia
import MediaLibrary
import MediaTransfer
import SyncFacts

/// The end of a complete stream: one playable file, or a package.
struct StreamFinish: Sendable {
    let context: DownloadContext
    /// Nil for what was recorded of a stream that is gone.
    let answer: ResolvedMedia?
    /// Whether digests of the joined files have been computed on the way.
    let isHashed: Bool

    private var services: RunServices { context.services }

    /// Makes a file of the joined stream, whose bytes are durable.
    func run(_ stream: JoinedStream) async -> AttemptEnd {
        if services.options.container == .package { return pack(stream) }
        guard let ffmpeg = services.streamFFmpeg else {
            guard stream.tracks.count > 1 else { return keep(stream) }
            context.warn(.separateSound)
            return keep(stream).joinedLater(join(of: stream))
        }
        switch await StreamRemux(context: context, stream: stream).run(with: ffmpeg) {
        case .made(let media): return .complete(media)
        case .kept(let loss): return keep(stream, because: loss)
        case .outcome(let outcome): return .over(outcome)
        }
    }

    /// The files of a stream whose segments are all there.
    func joined(
        _ source: StreamSource, _ work: StreamWork, _ subtitles: StreamSubtitles
    ) async throws(JoinedStream.Problem) -> JoinedStream {
        var stream = JoinedStream(
            tracks: [], language: source.audioLanguage, codecs: source.codecs, subtitles: [],
            begins: await work.begins())
        for (track, plan) in zip(work.tracks, source.tracks) {
            guard let kind = await track.assembler.container else {
                throw .init(.noMedia)
            }
            do throws(FileError) {
                let pieces = try track.index.map { index throws(FileError) in
                    try JoinedPiece.read(plan.segments.count, from: index)
                }
                stream.tracks.append(
                    .init(name: track.name, partial: track.partial, kind: kind, plan: plan, pieces: pieces ?? []))
            } catch { throw .init(.indexUnreadable(error)) }
        }
        do { if let answer { stream.subtitles = try subtitles.parts(source, answer, context) } } catch {
            throw .init(outcome: .cannotWrite(error))
        }
        return stream
    }

    /// ffmpeg can't make one file of it: the joined stream is kept, if it is playable.
    private func keep(_ stream: JoinedStream, because loss: RemuxLoss) -> AttemptEnd {
        if stream.hasParts { return .over(.failed(.severalParts(loss))) }
        context.warn(.notRemuxed(because: loss.sentence))
        return keep(stream)
    }

    /// The joined file unchanged, with separate sound beside it.
    private func keep(_ stream: JoinedStream) -> AttemptEnd {
        finished(stream) { recorded in
            guard stream.tracks.count > 1 else { return (nil, []) }
            let track = stream.tracks[1]
            let path = LibraryName.sound(
                beside: context.wanted.stem, language: stream.language,
                fileExtension: track.fileExtension(isSound: true))
            return (nil, [part("audio", named: track.name, track.partial, at: path, recorded: recorded)])
        }
    }

    /// What a later run with ffmpeg makes of it; nil for several parts.
    private func join(of stream: JoinedStream) -> LateJoin? {
        guard !stream.hasParts, stream.tracks.count == 2 else { return nil }
        let files = stream.tracks.enumerated().map { number, track in
            LateJoin.File(
                part: number == 0 ? nil : context.part("audio"), kind: track.kind.rawValue,
                language: number == 0 ? nil : stream.language, delay: stream.begins.delay(of: number))
        }
        let seconds = stream.tracks.map { $0.plan.seconds - $0.plan.gapSeconds }
        return LateJoin(
            picture: files[0], sound: [files[1]], keepsOwnSound: false, pictureSeconds: seconds[0],
            soundSeconds: seconds[1])
    }

    /// Checks the catalog's facts about the joined file; then it goes to `place`'s path, nil for the usual one, with
    /// parts.
    ///
    /// - Parameter place: gets the parts that the download had before, by name.
    private func finished(
        _ stream: JoinedStream,
        place: (_ recorded: [String: SidecarRecord]) throws -> (path: String?, [ArrivedFile])
    ) -> AttemptEnd {
        let track = stream.tracks[0]
        let size = track.partial.length
        // After a failure of ffmpeg the user hasn't been told that these apply.
        if services.streamFFmpeg == nil, let wantedSize = context.size, size != wantedSize {
            return .over(.failed(.joinedSize(size, instead: wantedSize)))
        }
        do {
            let recorded = try services.store.sidecars.files(of: [context.id]).filter { $0.kind == .stream }
            let (path, parts) = try place(
                Dictionary(recorded.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first }))
            var partial = track.partial
            if !isHashed, services.options.checksums {
                partial = try context.openPartial(track.name, length: size, hashes: true)
            }
            return .complete(
                ArrivedMedia(
                    partial: partial, size: size, expectedSHA256: isHashed ? context.expectedSHA256(answer) : nil,
                    checksums: services.streamFFmpeg == nil ? context.expectedChecksums(answer) : nil,
                    fileExtension: .choose(
                        .video, stated: track.fileExtension(isSound: false), mediaType: nil, contentType: nil,
                        url: nil),
                    path: path, parts: parts + stream.subtitles))
        } catch { return .over(.cannotWrite(error)) }
    }

    private func part(
        _ name: String, named partialName: PartialName, _ partial: PartialFile, at path: String,
        recorded: [String: SidecarRecord]
    ) -> ArrivedFile {
        ArrivedFile(
            role: .sidecar(context.id, .stream, name: context.part(name)), partialName: partialName, partial: partial,
            size: partial.length, sha256: nil, path: path, id: context.wanted.reference.video,
            old: recorded[context.part(name)].map { StoredFile($0) })
    }

    // MARK: a package

    /// The joined files in their own folder, with playlists for a player.
    private func pack(_ stream: JoinedStream) -> AttemptEnd {
        finished(stream) { recorded in
            let package = StreamPackage(
                video: packed(stream.tracks[0], "video"),
                audio: stream.tracks.count > 1 ? packed(stream.tracks[1], "audio") : nil, language: stream.language,
                codecs: stream.codecs)
            let folder = try folder(for: package, recorded)
            var parts: [ArrivedFile] = []
            if let audio = package.audio {
                let track = stream.tracks[1]
                parts.append(
                    part("audio", named: track.name, track.partial, at: "\(folder)/\(audio.file)", recorded: recorded))
            }
            // The playlist that a player opens comes last.
            for (number, playlist) in package.playlists.enumerated().reversed() {
                let name = context.name(.playlist(number, of: context.id))
                let partial = try context.writePartial(name, Array(playlist.text.utf8), hashes: true)
                parts.append(
                    part(playlist.name, named: name, partial, at: "\(folder)/\(playlist.name)", recorded: recorded))
            }
            for number in parts.indices { parts[number].keepsName = true }
            return ("\(folder)/\(package.video.file)", parts)
        }
    }

    private func packed(_ track: JoinedStream.Track, _ name: String) -> StreamPackage.Track {
        .init(
            plan: track.plan, pieces: track.pieces,
            file: "\(name).\(track.fileExtension(isSound: name == "audio"))")
    }

    /// The folder of the package: the present one, or one without files of others.
    private func folder(for package: StreamPackage, _ recorded: [String: SidecarRecord]) throws -> String {
        let names = [package.video.file] + [package.audio?.file].compactMap(\.self) + package.playlists.map(\.name)
        let old = recorded.values.map { StoredFile($0) } + [context.wanted.oldFile].compactMap(\.self)
        let ours = Dictionary(old.map { ($0.path, FileRecord($0)) }, uniquingKeysWith: { one, _ in one })
        func isFree(_ folder: String) throws -> Bool {
            try names.map { "\(folder)/\($0)" }.allSatisfy { path in
                let record = ours[path] ?? FileRecord(size: -1, modified: nil, sha256: nil)
                switch try services.library.files.proves(path, is: record) {
                case .missing, .ours: return true
                case .notOurs: return false
                }
            }
        }
        let known = recorded[context.part(StreamPackage.index)].map { LibraryPathParts.split($0.path).folder }
        if let known, try isFree(known) { return known }
        return try LibraryName.package(
            beside: context.wanted.stem, id: context.wanted.reference.video, isFree: isFree)
    }
}

extension AttemptEnd {
    fileprivate func joinedLater(_ join: LateJoin?) -> AttemptEnd {
        guard case .complete(var media) = self, let join else { return self }
        media.joins = [join]
        return .complete(media)
    }
}
