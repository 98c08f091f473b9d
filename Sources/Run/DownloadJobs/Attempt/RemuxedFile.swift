import DownloadStore
import FilePlacement
import FileSystem
import HLSMedia
import Logging
import MediaLibrary
import MediaTransfer
import SyncFacts

/// The file that ffmpeg makes of a download's partials.
struct RemuxedFile: Sendable {
    enum End: Sendable {
        case made(ArrivedMedia)
        /// There is none, for this reason.
        case missing(because: RemuxLoss)
        case outcome(JobOutcome)
    }

    /// The playing time that it must have, of one kind of track.
    struct Length: Sendable {
        var kind: MovieLength.TrackKind
        var seconds: Double
    }

    /// Playlists round the durations of segments, down as well as up.
    private static let leastPart = 0.9

    let services: RunServices
    let name: PartialName
    /// The files that belong to the video, to be placed with it.
    var parts: [ArrivedFile] = []
    /// What is known of its length; given what it has, since some sound may be missing by right.
    let wanted: @Sendable (MovieLength) -> [Length]

    private var partials: Partials { services.library.partials }

    /// Runs ffmpeg.
    ///
    /// - Parameter bytes: of all inputs.
    func make(_ job: RemuxJob, with ffmpeg: FFmpeg, bytes: Int64) async throws -> End {
        // A file of ours, with our permissions, for ffmpeg's output.
        let open = try partials.open(name)
        var lacksRoom = false
        do throws(RemuxError) {
            let limit = RemuxJob.limit(bytes: bytes)
            if let complaint = try await job.run(with: ffmpeg, limit: limit, watch: services.providers.groupWatch) {
                // Most complaints don't matter; those that do make the file too short.
                services.logger.debug("ffmpeg: \(complaint)")
                lacksRoom = RemuxJob.tellsOfNoRoom(complaint)
            }
        } catch {
            try? partials.remove(name)
            if case .cancelled = error { return .outcome(.stopped) }
            return .missing(because: .ended(error))
        }
        let end = try checked(open)
        if lacksRoom, case .missing = end { return .missing(because: .ended(.noSpace)) }
        return end
    }

    /// What ffmpeg has written, if it is complete; otherwise it is removed.
    func checked(_ open: OpenPartial) throws -> End {
        let size = try open.facts().size
        let partial = try PartialFile(
            descriptor: try open.release(), length: size, hashes: services.options.checksums)
        if let loss = try loss(of: partial) {
            partial.close()
            try? partials.remove(name)
            return .missing(because: loss)
        }
        return .made(
            ArrivedMedia(
                partial: partial, partialName: name, size: size,
                fileExtension: .choose(.video, stated: "mp4", mediaType: nil, contentType: nil, url: nil),
                parts: parts))
    }

    /// The reason why ffmpeg's output can't be used; nil if it can. ffmpeg also exits with 0 after an unreadable
    /// fragment.
    private func loss(of output: PartialFile) throws(FileError) -> RemuxLoss? {
        let read = { (place: Int64, count: Int) throws(FileError) in try output.bytes(at: place, count: count) }
        guard try MP4Layout.isWhole(size: output.length, from: read), let length = try MovieLength.read(from: read)
        else { return .unreadable }
        for wanted in wanted(length) {
            let played = length.tracks.filter { $0.kind == wanted.kind }.compactMap(\.seconds).min() ?? 0
            if played < wanted.seconds * Self.leastPart - 2 {
                return .short(seconds: played, wanted: wanted.seconds, isPicture: wanted.kind == .video)
            }
        }
        return nil
    }
}

extension RemuxedFile {
    /// Of a view's partials.
    init(context: DownloadContext, parts: [ArrivedFile], wanted: @escaping @Sendable (MovieLength) -> [Length]) {
        self.init(
            services: context.services, name: context.name(.remuxed(context.id)), parts: parts, wanted: wanted)
    }
}
