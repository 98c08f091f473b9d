import DownloadStore
import FilePlacement
import FileSystem
import HLSMedia
import MediaLibrary
import MediaTransfer
import SyncFacts

/// Opening a stream's partials.
extension StreamWork {
    /// The result of opening the partials.
    enum Opening {
        case opened(StreamWork)
        /// The contents of the partials can't be continued, for this reason.
        case another(DownloadError)
        case outcome(JobOutcome)
    }

    /// Opens the partials for the stream of these playlists.
    ///
    /// - Parameter record: the progress of an earlier run; nil to start over.
    static func open(
        _ source: StreamSource, _ record: StreamRecord?, _ context: DownloadContext, expectedSHA256: Checksum?
    ) -> Opening {
        let services = context.services
        let digest = layout(of: source.tracks, services).digest(of: source)
        if let record, StreamLayoutDigest(record.plan) != digest || record.tracks.count != source.tracks.count {
            return .another(.otherPlaylist)
        }
        let isRemuxed = services.streamFFmpeg != nil
        let isHashed = !isRemuxed && (services.options.checksums || expectedSHA256 != nil)
        do {
            var tracks: [Track] = []
            for (number, plan) in source.tracks.enumerated() {
                let known = record?.tracks[number]
                let position = StreamPosition(next: known?.next ?? 0, bytes: known?.bytes ?? 0)
                let layout = layout(of: [plan], services)
                guard
                    let track = try openTrack(
                        number, of: plan, at: position, in: context, as: layout, isHashed: isHashed)
                else {
                    return .another(.joinedLost)
                }
                tracks.append(track)
            }
            return .opened(
                StreamWork(digest: digest, tracks: tracks, seconds: source.seconds, isHashed: isHashed))
        } catch { return .outcome(.cannotOpenPartial(error, in: services.library)) }
    }

    /// Reopens the partials closed by ``close()``, for playlists that were read again.
    func reopen(for source: StreamSource, _ context: DownloadContext) -> Opening {
        guard digest == Self.layout(of: source.tracks, context.services).digest(of: source) else {
            return .another(.otherPlaylist)
        }
        return reopenFiles(context).map { .outcome($0) } ?? .opened(self)
    }

    /// Reopens the partials closed by ``close()``; the outcome if that fails.
    func reopenFiles(_ context: DownloadContext) -> JobOutcome? {
        let library = context.services.library
        do {
            for (number, track) in tracks.enumerated() where !track.partial.isOpen {
                try track.partial.reopen(descriptor: library.partials.open(track.name).release())
                let index = context.name(.index(number, of: context.id))
                try track.index?.reopen(descriptor: library.partials.open(index).release())
                let list = context.name(.recorded(number, of: context.id))
                try track.list?.reopen(descriptor: library.partials.open(list).release())
            }
        } catch { return .cannotOpenPartial(error, in: library) }
        return nil
    }

    private static func layout(of plans: [StreamPlan], _ services: RunServices) -> StreamLayout {
        if services.options.container == .package { return .package }
        return services.streamFFmpeg != nil && plans.contains(where: \.hasParts) ? .indexed : .plain
    }

    /// Nil if its partials don't match the row.
    static func openTrack(
        _ number: Int, of plan: StreamPlan, at position: StreamPosition, in context: DownloadContext,
        as layout: StreamLayout, isHashed: Bool
    ) throws -> Track? {
        let library = context.services.library
        let name = context.name(.track(number, of: context.id))
        let open = try library.partials.open(name)
        guard position.bytes <= open.size, position.next <= plan.segments.count else { return nil }
        let partial = try PartialFile(descriptor: open.release(), length: position.bytes, hashes: isHashed)
        var index: PartialFile?
        if layout != .plain {
            let open = try library.partials.open(context.name(.index(number, of: context.id)))
            let length = JoinedPiece.indexLength(position.next)
            guard length <= open.size else { return nil }
            let opened = try PartialFile(descriptor: open.release(), length: length, hashes: false)
            let pieces = try JoinedPiece.read(position.next, from: opened)
            guard pieces.reduce(0, { $0 + $1.bytes }) == position.bytes else { return nil }
            index = opened
        }
        let assembler = StreamAssembler(
            partial: partial, position: position, count: plan.segments.count,
            concurrency: context.services.options.segmentsPerDownload, index: index, keepsTags: layout == .package,
            keepsFile: context.services.streamFFmpeg == nil)
        return .init(
            name: name, partial: partial, assembler: assembler, index: index, times: plan.times,
            timeOffset: plan.timeOffset)
    }
}
