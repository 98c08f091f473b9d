import CourseCatalog
import DownloadStore
import FilePlacement
import FileSystem
import HLSMedia
import MediaLibrary
import MediaTransfer
import ProviderKit
import SyncFacts

/// The files of a download, all complete: ffmpeg makes one of them, or they stay beside each other.
struct JoinedTracks: Sendable {
    struct File: Sendable {
        let name: PartialName
        let partial: PartialFile
        let fileExtension: FileExtension
        /// Nil for the picture.
        let track: Resolution.Track?
        /// Nil for what isn't known, such as subtitles in SubRip.
        let kind: MediaKind?

        var isSound: Bool { track?.kind == .audio }
    }

    let context: DownloadContext
    /// The picture, then the tracks.
    let files: [File]

    private var services: RunServices { context.services }
    private var tracks: ArraySlice<File> { files.dropFirst() }

    func finish() async -> AttemptEnd {
        do {
            let order = try order()
            guard let ffmpeg = services.ffmpeg else {
                context.warn(.separateSound)
                return keep(order.map { [$0.join] } ?? [])
            }
            try services.library.partials.remove(context.name(.remuxed(context.id)))
            let paths = order?.files.map { services.library.partials.path(of: $0.name) } ?? []
            let path = services.library.partials.path(of: context.name(.remuxed(context.id)))
            guard let order, let job = order.join.job(paths, writing: path) else { return keep(because: .unknownKind) }
            let output = RemuxedFile(context: context, parts: try parts(of: order.beside)) { _ in order.join.lengths }
            let bytes = files.reduce(0) { $0 + $1.partial.length }
            switch try await output.make(job, with: ffmpeg, bytes: bytes) {
            case .made(let media): return .complete(media)
            // A later run has room for it.
            case .missing(.ended(.noSpace)): return .over(.suspended(.disk, .noSpaceToRemux))
            case .missing(let loss): return keep(because: loss)
            case .outcome(let outcome): return .over(outcome)
            }
        } catch { return .over(.cannotWrite(error)) }
    }

    // MARK: one file

    /// What ffmpeg makes of the files.
    private struct Order {
        var join: LateJoin
        /// Those of ``join``, in their order.
        var files: [File]
        /// The tracks that ffmpeg can't read, which stay beside it.
        var beside: [File] = []
    }

    /// Nil if ffmpeg can't read picture or sound.
    private func order() throws(FileError) -> Order? {
        guard let picture = files.first, let own = input(picture) else { return nil }
        var order = Order(join: LateJoin(picture: own, keepsOwnSound: true), files: [picture])
        var texts: [File] = []
        for (file, name) in zip(tracks, Self.names(tracks).map(\.name)) {
            var input = input(file)
            input?.part = context.part(name)
            input?.title = file.track?.title
            switch (file.isSound, input) {
            case (true, nil): return nil
            case (true, let input?):
                order.join.sound.append(input)
                order.files.append(file)
            case (false, let input?):
                order.join.subtitles.append(input)
                texts.append(file)
            case (false, nil): order.beside.append(file)
            }
        }
        order.files += texts
        (order.join.pictureSeconds, order.join.soundSeconds) = try lengths()
        return order
    }

    private func input(_ file: File) -> LateJoin.File? {
        if file.track?.kind == .subtitle, !isText(file) { return nil }
        let language = file.track?.lang
        if let kind = file.kind {
            guard (kind == .webVTT) == (file.track?.kind == .subtitle), kind.isMedia else { return nil }
            return LateJoin.File(kind: kind.rawValue, language: language)
        }
        let beginning = (try? file.partial.prefix(1024)) ?? []
        guard file.track?.kind == .subtitle, Self.isSubRip(beginning) else { return nil }
        return LateJoin.File(language: language)
    }

    /// ffmpeg ends with subtitles in another encoding than UTF-8.
    private func isText(_ file: File) -> Bool {
        let bytes = (try? file.partial.prefix(8 << 20)) ?? []
        return String(validating: bytes, as: UTF8.self) != nil
    }

    /// A number, then a line with times.
    private static func isSubRip(_ beginning: [UInt8]) -> Bool {
        let lines = String(decoding: beginning, as: UTF8.self).split(whereSeparator: \.isNewline).prefix(2)
        guard lines.count == 2 else { return false }
        return lines[0].last?.isNumber == true && lines[1].contains(" --> ")
    }

    /// The playing time of picture and sound, as far as their files have it at their beginning.
    private func lengths() throws(FileError) -> (picture: Double?, sound: Double?) {
        var picture: [Double] = []
        var sound: [Double] = []
        for file in files where file.kind == .fragmentedMP4 {
            let length = try MovieLength.read { place, count throws(FileError) in
                try file.partial.bytes(at: place, count: count)
            }
            for track in length?.tracks ?? [] {
                guard let seconds = track.seconds else { continue }
                if track.kind == .audio { sound.append(seconds) }
                if track.kind == .video, file.track == nil { picture.append(seconds) }
            }
        }
        return (picture.min(), sound.min())
    }

    // MARK: several files

    private func keep(because loss: RemuxLoss) -> AttemptEnd {
        context.warn(.notJoined(because: loss.sentence, again: false))
        return keep()
    }

    /// The picture, with the tracks beside it.
    ///
    /// - Parameter joins: what a later run does with them.
    private func keep(_ joins: [LateJoin] = []) -> AttemptEnd {
        guard let picture = files.first else { return .over(.stopped) }
        do {
            let partial = try hashed(picture)
            let size = partial.length
            var media = ArrivedMedia(
                partial: partial, size: size, fileExtension: picture.fileExtension, parts: try parts(of: tracks))
            media.joins = joins
            return .complete(media)
        } catch { return .over(.cannotWrite(error)) }
    }

    /// A file that is placed as it is: its digest is recorded.
    private func hashed(_ file: File) throws -> PartialFile {
        guard services.options.checksums else { return file.partial }
        return try context.openPartial(file.name, length: file.partial.length, hashes: true)
    }

    /// The files of tracks beside the video.
    private func parts(of tracks: some Collection<File>) throws -> [ArrivedFile] {
        guard !tracks.isEmpty else { return [] }
        let recorded = Dictionary(
            try services.store.sidecars.files(of: [context.id]).filter { $0.kind == .stream }.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
        return try zip(tracks, Self.names(tracks)).map { file, found in
            let (name, label) = found
            return ArrivedFile(
                role: .sidecar(context.id, .stream, name: context.part(name)), partialName: file.name,
                partial: try hashed(file),
                size: file.partial.length, sha256: nil,
                path: LibraryName.sound(
                    beside: context.wanted.stem, language: label, fileExtension: file.extensionBeside),
                id: context.wanted.reference.video, old: recorded[context.part(name)].map { StoredFile($0) })
        }
    }

    /// The name of each in the state, and the word for it in the file's name. Equal ones are numbered.
    private static func names(_ tracks: some Collection<File>) -> [(name: String, label: String)] {
        var counts: [String: Int] = [:]
        return tracks.map { file in
            let word = file.track?.lang ?? file.track?.kind.rawValue ?? ""
            counts[word, default: 0] += 1
            let count = counts[word, default: 0]
            let label = count == 1 ? word : "\(word)-\(count)"
            return ("\(file.track?.kind.rawValue ?? "") \(label)", label)
        }
    }
}

extension JoinedTracks.File {
    /// A complete file; its kind is known from its beginning.
    init(_ name: PartialName, _ media: ArrivedMedia, of partial: PartialFile, _ track: Resolution.Track?) {
        self.name = name
        self.partial = partial
        fileExtension = media.fileExtension
        self.track = track
        kind = (try? partial.prefix(64 << 10)).flatMap { MediaKind.recognize($0) }
    }

    /// By its bytes, or else by what its server says.
    fileprivate var extensionBeside: String {
        if isSound, kind == .fragmentedMP4 { return "m4a" }
        return kind?.fileExtension ?? fileExtension.text
    }
}
