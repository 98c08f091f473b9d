import Crypto
import DownloadStore
import Foundation
import HLSMedia
import MediaLibrary
import MediaTransfer
import Synchronization

/// What a stream is joined to.
extension DownloadJob {
    private static let otherPlaylist = "the playlist is another one than the one begun with"

    enum StreamOpening {
        case opened(StreamWork)
        /// What the partials hold can't be gone on with; why, as a sentence without its full stop.
        case another(String)
        case outcome(JobOutcome)
    }

    func openStream(_ source: StreamSource) async -> StreamOpening {
        let digest = layout(of: source.tracks).digest(of: source)
        if let work = live.withLock({ $0.stream }) {
            guard work.digest == digest else { return .another(Self.otherPlaylist) }
            do {
                for (number, track) in work.tracks.enumerated() where !track.partial.isOpen {
                    try track.partial.reopen(descriptor: services.library.openPartial(track.name).release())
                    let index = PartialName.index(number, of: id)
                    try track.index?.reopen(descriptor: services.library.openPartial(index).release())
                }
            } catch { return .outcome(problem(error)) }
            return .opened(work)
        }
        let known = streamRecord
        if let known {
            guard Array(known.plan) == digest, known.tracks.count == source.tracks.count else {
                return .another(Self.otherPlaylist)
            }
        } else if hasFileBytes || live.withLock({ $0.partial != nil }) {
            return .another("the provider has a stream now in the place of a file")
        }
        let isRemuxed = services.ffmpeg != nil
        isHashed = !isRemuxed && (services.options.checksums || expectedSHA256 != nil)
        do {
            var tracks: [StreamWork.Track] = []
            for (number, plan) in source.tracks.enumerated() {
                let record = known?.tracks[number]
                let position = StreamPosition(next: record?.next ?? 0, bytes: record?.bytes ?? 0)
                guard let track = try openTrack(number, plan, position) else {
                    return .another("what has been joined isn't there any more")
                }
                tracks.append(track)
            }
            let work = StreamWork(digest: digest, tracks: tracks, seconds: source.seconds)
            live.withLock { $0.stream = work }
            return .opened(work)
        } catch { return .outcome(problem(error)) }
    }

    private func layout(of plans: [StreamPlan]) -> StreamLayout {
        if services.options.container == .package { return .package }
        return services.ffmpeg != nil && plans.contains(where: \.hasParts) ? .indexed : .plain
    }

    /// Nil if its partials don't hold what the row says.
    private func openTrack(
        _ number: Int, _ plan: StreamPlan, _ position: StreamPosition
    ) throws -> StreamWork.Track? {
        let (library, layout) = (services.library, layout(of: [plan]))
        let name = PartialName.track(number, of: id)
        let open = try library.openPartial(name)
        guard position.bytes <= open.size, position.next <= plan.segments.count else { return nil }
        let partial = try PartialFile(descriptor: open.release(), length: position.bytes, hashes: isHashed)
        var index: PartialFile?
        if layout != .plain {
            let open = try library.openPartial(.index(number, of: id))
            let length = JoinedPiece.indexLength(position.next)
            guard length <= open.size else { return nil }
            let opened = try PartialFile(descriptor: open.release(), length: length, hashes: false)
            let pieces = try JoinedPiece.read(position.next, from: opened)
            guard pieces.reduce(0, { $0 + $1.bytes }) == position.bytes else { return nil }
            index = opened
        }
        let assembler = StreamAssembler(
            partial: partial, position: position, count: plan.segments.count,
            concurrency: services.options.segmentsPerDownload, index: index, keepsTags: layout == .package)
        return .init(name: name, partial: partial, assembler: assembler, index: index, times: plan.times)
    }

    private func problem(_ error: any Error) -> JobOutcome {
        guard let error = error as? LibraryError else { return PartialProblem("\(error)", endsRun: false).outcome }
        return PartialProblem(error.sentence, endsRun: error.isFull || error.isReadOnly).outcome
    }

    /// Once more from the first segment, but not for ever.
    func another(_ reason: String) async -> JobOutcome? {
        switch policy.streamChanged() {
        case .fail(let error): return .failed(error)
        default:
            retrying(DownloadError(kind: .identityChanged, message: reason), delay: .zero)
            return await startStreamOver()
        }
    }

    /// First the row says that there is nothing, then there is nothing.
    func startStreamOver() async -> JobOutcome? {
        let change = DownloadChange.startOver(
            id, validatorFailures: policy.validatorFailures, startOvers: policy.startOvers)
        let isWritten = await services.bookkeeper.commit(change) { self.dropTracks() }
        streamRecord = nil
        hasFileBytes = false
        subtitles = [:]
        policy.startedOver()
        return isWritten ? nil : .stopped
    }

    /// Removes every partial of the stream.
    nonisolated func dropTracks() {
        live.withLock { live in
            live.stream?.close()
            live.stream = nil
            live.partial?.close()
            live.partial = nil
        }
        for name in PartialName.all(of: id) { try? services.library.removePartial(name) }
    }
}
