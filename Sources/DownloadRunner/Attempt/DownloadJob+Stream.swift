import CourseCatalog
import DownloadStore
import Foundation
import HLSMedia
import MediaTransfer
import ProviderKit
import Synchronization

/// A turn of a download whose provider answers with a playlist: read it, compare it with what was begun, fetch and join
/// what is missing, and make one file of it.
extension DownloadJob {
    /// Nil to go on at once.
    func streamTurn(_ connections: JobConnections) async -> JobOutcome? {
        guard var media else { return .stopped }
        let isFresh = media.uses == 0
        media.use()
        self.media = media
        policy.beginStream()
        transferStart = services.clock.now
        let access = access(media, connections)
        let source: StreamSource
        switch await StreamSource.load(
            media.resolution.url, wish: StreamWish(wanted.video.settings), access: access)
        {
        case .success(let loaded): source = loaded
        case .failure(.failure(let failure)): return await failed(failure, joined: 0, isFresh: isFresh)
        case .failure(.playlist(let error)): return .failed(DownloadError(.playlist(error)))
        case .failure(.refusal(let refusal)): return refused(refusal)
        }
        if let url = source.nextURL(live.withLock { $0.stream?.tracks.first?.assembler.position.next } ?? 0),
            let host = Origin(url: url)?.host
        {
            guard await connections.claim(host) else { return .parked(host: host) }
        }
        let work: StreamWork
        switch await openStream(source) {
        case .opened(let opened): work = opened
        case .another: return await another()
        case .outcome(let outcome): return outcome
        }
        await tell(source, media, connections)
        services.events.post(.downloadStarted(wanted.reference, resumeFrom: work.bytes))
        let (before, joined) = (work.received, work.bytes)
        var failure: StreamFailure?
        for (track, plan) in zip(work.tracks, source.tracks) where failure == nil {
            failure = await track.assembler.run(plan: plan, access: access)
        }
        received.add(work.received - before, ordering: .relaxed)
        guard let failure else { return await complete(work, source) }
        return await failed(failure, joined: work.bytes - joined, isFresh: isFresh)
    }

    private func access(_ media: ResolvedMedia, _ connections: JobConnections) -> StreamAccess {
        let knobs = services.knobs
        return StreamAccess(engine: services.engine) { url in
            media.streamRequest(url, limitRate: knobs.limitRate)
        } enter: { url in
            // One connection is what the rate of one download holds for.
            guard knobs.limitRate == nil, let host = Origin(url: url)?.host else { return false }
            return await connections.enter(host)
        } leave: { url in
            if let host = Origin(url: url)?.host { await connections.leave(host) }
        }
    }

    /// What was joined counts, not what came: a segment that is no good comes as often as it is asked for.
    private func failed(_ failure: StreamFailure, joined: Int64, isFresh: Bool) async -> JobOutcome? {
        let bytes = live.withLock { $0.stream?.bytes } ?? 0
        let error = DownloadError(failure)
        switch policy.next(
            after: failure, received: joined, length: bytes, isFresh: isFresh, jitter: .random(in: 0...1))
        {
        case .transfer:
            retrying(error, delay: .zero)
            return nil
        case .resolve(_, let status):
            retrying(error, delay: .zero)
            let isOver = media.map { !$0.isUsable(at: services.clock.now) } ?? false
            previous = .init(reason: isOver ? .expired : .rejected, status: status, bytes: bytes)
            media = nil
            return nil
        case .startOver:
            retrying(error, delay: .zero)
            return await startStreamOver()
        case .wait(let error, let delay, let hostFailed):
            return .waits(error, delay: delay, hostFailed: hostFailed ? media?.origin.host : nil)
        case .fail(let error): return .failed(error)
        case .suspend(let reason, let error): return .suspended(reason, error)
        case .stop, .verify: return .stopped
        }
    }

    private func refused(_ refusal: StreamRefusal) -> JobOutcome {
        let error = DownloadError(refusal)
        return refusal.isForNow ? .notReady(error, retryAfter: nil) : .failed(error)
    }

    // MARK: the partials

    private enum Opening {
        case opened(StreamWork)
        /// What the partials hold is of another stream.
        case another
        case outcome(JobOutcome)
    }

    private func openStream(_ source: StreamSource) async -> Opening {
        if let work = live.withLock({ $0.stream }) {
            guard work.digest == source.digest else { return .another }
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
        let isKnown = known.map { Array($0.plan) == source.digest && $0.tracks.count == source.tracks.count } ?? false
        guard isKnown || (known == nil && !hasFileBytes && live.withLock { $0.partial == nil }) else { return .another }
        let isRemuxed = services.ffmpeg != nil
        isHashed = !isRemuxed && (services.options.checksums || expectedSHA256 != nil)
        do {
            var tracks: [StreamWork.Track] = []
            for (number, plan) in source.tracks.enumerated() {
                let record = isKnown ? known?.tracks[number] : nil
                let position = StreamPosition(next: record?.next ?? 0, bytes: record?.bytes ?? 0)
                guard let track = try openTrack(number, plan, position) else { return .another }
                tracks.append(track)
            }
            let work = StreamWork(digest: source.digest, tracks: tracks, seconds: source.seconds)
            live.withLock { $0.stream = work }
            return .opened(work)
        } catch { return .outcome(problem(error)) }
    }

    /// Nil if its partials don't hold what the row says.
    private func openTrack(
        _ number: Int, _ plan: StreamPlan, _ position: StreamPosition
    ) throws -> StreamWork.Track? {
        let (library, isPackage) = (services.library, services.options.container == .package)
        let name = PartialName.track(number, of: id)
        let open = try library.openPartial(name)
        guard position.bytes <= open.size, position.next <= plan.segments.count else { return nil }
        let partial = try PartialFile(descriptor: open.release(), length: position.bytes, hashes: isHashed)
        var index: PartialFile?
        if isPackage || (services.ffmpeg != nil && plan.hasParts) {
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
            concurrency: services.options.segmentsPerDownload, index: index, keepsTags: isPackage)
        return .init(name: name, partial: partial, assembler: assembler, index: index, times: plan.times)
    }

    private func problem(_ error: any Error) -> JobOutcome {
        guard let error = error as? LibraryError else { return PartialProblem("\(error)", endsRun: false).outcome }
        return PartialProblem(error.sentence, endsRun: error.isFull || error.isReadOnly).outcome
    }

    /// The playlist isn't the one begun with: once more from its first segment, but not for ever.
    private func another() async -> JobOutcome? {
        switch policy.streamChanged() {
        case .fail(let error): return .failed(error)
        default:
            retrying(
                DownloadError(kind: .identityChanged, message: "the playlist is another one than the one begun with"),
                delay: .zero)
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

    // MARK: what else the playlist says

    private func tell(_ source: StreamSource, _ media: ResolvedMedia, _ connections: JobConnections) async {
        guard !hasToldStream else { return }
        hasToldStream = true
        let gaps = source.tracks.first?.gaps ?? 0
        if gaps > 0 {
            services.events.post(
                .warning(
                    "the stream itself has \(gaps) gap\(gaps == 1 ? "" : "s"): its host marks these segments as missing",
                    wanted.reference))
        }
        if services.ffmpeg != nil, wanted.video.sha256 != nil || wanted.video.size != nil {
            services.events.post(
                .warning(
                    "the catalog's sha256 and size are of the joined stream: they are compared with --ffmpeg none only",
                    wanted.reference))
        }
        await connections.subtitles(SidecarPlan.wishes(of: wanted, source.subtitles, media))
    }
}

/// What a job asks of the dispatcher while its turn lasts.
struct JobConnections: Sendable {
    /// Asks for the job's own connection to a host; false if there is no room.
    var claim: @Sendable (String) async -> Bool
    /// Asks for one more connection to a host.
    var enter: @Sendable (String) async -> Bool
    /// Gives one of those back.
    var leave: @Sendable (String) async -> Void
    /// Tells of a new answer of the provider.
    var resolved: @Sendable (ResolvedMedia) async -> Void
    /// Tells of subtitles that a playlist names.
    var subtitles: @Sendable ([SidecarWish]) async -> Void
}
