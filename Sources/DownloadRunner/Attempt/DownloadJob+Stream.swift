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
        let failedURL = FailedURL()
        let access = access(media, connections, failed: failedURL)
        let source: StreamSource
        switch await load(media, access) {
        case .success(let loaded): source = loaded
        case .failure(.failure(let failure)):
            return await failed(failure, joined: 0, isFresh: isFresh, at: failedURL.host)
        case .failure(.playlist(let error)): return .failed(DownloadError(.playlist(error)))
        case .failure(.refusal(let refusal)): return refused(refusal)
        }
        if let url = source.nextURL(live.withLock { $0.stream?.tracks.first?.assembler.position.next } ?? 0),
            let host = Origin(url: url)?.host
        {
            guard await connections.claim(host) else {
                loaded = source
                return .parked(host: host)
            }
        }
        let work: StreamWork
        switch await openStream(source) {
        case .opened(let opened): work = opened
        case .another(let reason): return await another(reason)
        case .outcome(let outcome): return outcome
        }
        tell(source)
        services.events.post(.downloadStarted(wanted.reference, resumeFrom: work.bytes))
        let (before, joined) = (work.received, work.bytes)
        var failure: StreamFailure?
        for (track, plan) in zip(work.tracks, source.tracks) where failure == nil {
            failure = await track.assembler.run(plan: plan, access: access)
            // Nothing more comes for it, and what follows may take its time.
            if failure == nil { await track.assembler.rest() }
        }
        received.add(work.received - before, ordering: .relaxed)
        guard let failure else {
            while let missed = await fetchSubtitles(source, work, access) {
                let outcome = await failed(
                    missed.failure, joined: work.bytes - joined, isFresh: false, at: failedURL.host)
                guard case .failed(let error)? = outcome else { return outcome }
                give(up: missed.key, missed.name, error.message)
            }
            proof = .stream(source.contentDigest)
            live.withLock { $0.request = media.identity }
            return await complete(work, source)
        }
        return await failed(
            failure, joined: work.bytes - joined, isFresh: isFresh, at: failedURL.host,
            size: work.estimatedSize)
    }

    /// Whether a stream of these segments is what the answer leads to. Its playlists are kept for the turn.
    func hasSegments(_ digest: [UInt8], _ media: ResolvedMedia, _ connections: JobConnections) async -> Bool {
        self.media?.use()
        guard case .success(let source) = await load(media, access(media, connections, failed: FailedURL())) else {
            return false
        }
        loaded = source
        return source.contentDigest == digest
    }

    /// The playlists, read in this turn or in the one that found no room.
    private func load(
        _ media: ResolvedMedia, _ access: StreamAccess
    ) async -> Result<StreamSource, StreamSource.Problem> {
        if let loaded {
            self.loaded = nil
            return .success(loaded)
        }
        return await StreamSource.load(
            media.resolution.url, wish: StreamWish(wanted.video.settings), access: access)
    }

    /// One that waits for long holds no segments in memory.
    func rest(after outcome: JobOutcome) async {
        switch outcome {
        case .complete: return
        case .waits(_, let delay, _) where delay <= .seconds(10): return
        default: break
        }
        guard let work = live.withLock({ $0.stream }) else { return }
        for track in work.tracks { await track.assembler.rest() }
    }

    private func access(
        _ media: ResolvedMedia, _ connections: JobConnections, failed: FailedURL
    ) -> StreamAccess {
        let services = services
        return StreamAccess(engine: services.engine) { url in
            media.streamRequest(url, limitRate: services.knobs.limitRate)
        } enter: { url in
            // One connection is what the rate of one download holds for.
            guard services.knobs.limitRate == nil, let host = Origin(url: url)?.host else { return false }
            return await connections.enter(host)
        } leave: { url in
            if let host = Origin(url: url)?.host { await connections.leave(host) }
        } isUsable: {
            media.mayGoOn(at: services.clock.now)
        } failed: { url in
            failed.note(url)
        } answered: { head in
            self.note(head)
        }
    }

    /// What was joined counts, not what came: a segment that is no good comes as often as it is asked for.
    private func failed(
        _ failure: StreamFailure, joined: Int64, isFresh: Bool, at host: String?, size: Int64? = nil
    ) async -> JobOutcome? {
        let bytes = live.withLock { $0.stream?.bytes } ?? 0
        let error = DownloadError(failure)
        switch policy.next(
            after: failure, received: joined, length: bytes, size: size, isFresh: isFresh, jitter: .random(in: 0...1))
        {
        case .transfer:
            retrying(error, delay: .zero)
            return nil
        case .resolve(_, let status):
            retrying(error, delay: .zero)
            let isOver = media.map { !$0.isInTime(at: services.clock.now) } ?? false
            previous = .init(reason: isOver ? .expired : .rejected, status: status, bytes: bytes)
            media = nil
            return nil
        case .startOver:
            retrying(error, delay: .zero)
            return await startStreamOver()
        case .wait(let error, let delay, let hostFailed):
            return .waits(error, delay: delay, hostFailed: hostFailed ? host ?? media?.origin.host : nil)
        case .fail(let error): return .failed(error)
        case .giveUp(let error, let rest, let hostFailed):
            return .gaveUp(error, rest: rest, host: hostFailed ? host ?? media?.origin.host : nil)
        case .suspend(let reason, let error): return .suspended(reason, error)
        case .stop, .verify, .askWhole: return .stopped
        }
    }

    private func refused(_ refusal: StreamRefusal) -> JobOutcome {
        let error = DownloadError(refusal)
        return refusal.isForNow ? .notReady(error, retryAfter: nil) : .failed(error)
    }

    // MARK: what the playlists say

    private func tell(_ source: StreamSource) {
        guard !hasToldStream else { return }
        hasToldStream = true
        tellGaps(source.tracks.reduce(0) { $0 + $1.gaps }, in: "the stream")
        if source.isFallback {
            warn("the stream has nothing of the quality that the catalog asks for: what comes nearest is taken")
        }
        if services.ffmpeg != nil, wanted.video.sha256 != nil || wanted.video.size != nil {
            warn("the catalog's sha256 and size are of the joined stream: they are compared without ffmpeg only")
        }
    }

    /// Segments that the host itself marks as missing.
    func tellGaps(_ count: Int, in what: String) {
        if count > 0 {
            warn("\(what) itself has \(count) gap\(count == 1 ? "" : "s"): its host marks these segments as missing")
        }
    }

    func warn(_ message: String) { services.events.post(.warning(message, wanted.reference)) }
}

/// Where the first request of a turn failed.
private final class FailedURL: Sendable {
    private let first = Mutex<String?>(nil)

    func note(_ url: String) { first.withLock { $0 = $0 ?? url } }

    /// Nil if none did.
    var host: String? { first.withLock { $0 }.flatMap { Origin(url: $0)?.host } }
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
}
