import CourseCatalog
import DownloadStore
import Foundation
import HLSMedia
import MediaLibrary
import MediaTransfer
import ProviderKit
import Synchronization

/// How a job's turn ended.
enum JobOutcome: Sendable {
    /// All bytes are in the partial, and what could be compared has been.
    case complete(CompletedVideo)
    /// Gives its slot away until `delay` is over.
    case waits(DownloadError, delay: Duration, hostFailed: String?)
    /// Resolved, but its host has no room; it keeps the answer.
    case parked(host: String)
    /// The provider wants to be left alone; the download isn't to blame.
    case providerWaits(DownloadError, delay: Duration)
    /// The provider wants a login.
    case loginNeeded(DownloadError)
    /// Not there yet; `retryAfter` nil is the next run.
    case notReady(DownloadError, retryAfter: Duration?)
    /// A file of the library that might have had its bytes hasn't.
    case differs(Donor)
    case failed(DownloadError)
    /// Failed, and whoever was asked wants to be left alone for `rest`; `host` is left alone as a whole.
    case gaveUp(DownloadError, rest: Duration?, host: String?)
    case suspended(SuspendReason, DownloadError)
    case stopped
}

/// One download of this run: resolves just in time, transfers, and decides with ``AttemptPolicy`` what follows.
///
/// Keeps its partial, digest and answer over back-offs. Runs in one task at a time.
actor DownloadJob {
    /// What the bookkeeper reads while a transfer runs.
    struct Live: Sendable {
        var partial: PartialFile?
        /// In the place of the partial: of a download that is a stream.
        var stream: StreamWork?
        /// While it takes its turn nobody else closes its partial.
        var isRunning = false
        var progress: TransferProgress?
        var validators = Validators()
        var total: Int64?
        var mediaType: String?
        /// Digest of the URL and headers under which its bytes come.
        var request: [UInt8]?
        /// Where the transfer in progress began.
        var startedAt: Int64 = 0
        /// Over the last seconds, as the events tell it.
        var bytesPerSecond: Int64?
    }

    nonisolated let wanted: WantedDownload
    nonisolated let startedAt: Date
    /// Bytes that came from the network for it in this run.
    nonisolated let received = Atomic<Int64>(0)
    nonisolated let live = Mutex(Live())
    nonisolated let services: RunServices
    var policy: AttemptPolicy
    var media: ResolvedMedia?
    var lastOrigin: Origin?
    var resolves = 0
    var previous: ResolveRequest.Previous?
    var transferStart: Date
    var losses = 0
    /// Whether a digest of the partial is made.
    var isHashed = false
    /// Whether the video's place has been looked at.
    var hasLookedAtPlace = false
    /// Whether the person has been told what is worth telling of the stream.
    var hasToldStream = false
    /// The playlists of a stream that waits for room at the host of its segments.
    var loaded: StreamSource?
    /// What has come of the stream's subtitles; nil for those that are given up.
    var subtitles: [String: SubtitleStream?] = [:]
    var subtitleAttempts: [String: Int] = [:]
    /// What the row said of a stream at the run's start; nil once that has been given up.
    var streamRecord: StreamRecord?
    /// Whether the partial held bytes of a file at the run's start, which no stream may follow.
    var hasFileBytes = false
    /// A file of the library that may have its bytes; nil once that is decided.
    var donor: Donor?
    var isDonorProven = false
    /// What the complete file can be compared by.
    var proof: FileProof?

    init(_ wanted: WantedDownload, services: RunServices) {
        self.wanted = wanted
        self.services = services
        startedAt = services.clock.now
        transferStart = startedAt
        policy = AttemptPolicy(retries: services.options.retries, record: wanted.resume)
        streamRecord = wanted.resume?.stream
        hasFileBytes = streamRecord == nil && (wanted.resume?.durableBytes ?? 0) > 0
    }

    nonisolated var id: DownloadID { wanted.id }

    /// Transfers begun in this run.
    var attempts: Int { policy.attempt }

    /// When the transfer that ended last began.
    var lastStart: Date { transferStart }

    /// What is durable after a flush that this call makes; nil if there is nothing to tell. Blocks.
    nonisolated func flush() throws(FileError) -> ProgressFacts? {
        let live = live.withLock { $0 }
        if let stream = live.stream {
            var facts = try stream.flush()
            facts.bytesPerSecond = live.bytesPerSecond
            return facts.bytes > 0 ? facts : nil
        }
        guard let partial = live.partial, partial.isOpen else { return nil }
        let identity = live.identity
        let bytes = try partial.flush()
        guard bytes > 0 else { return nil }
        return ProgressFacts(
            bytes: bytes, total: identity.total, validators: identity.validators, bytesPerSecond: live.bytesPerSecond,
            mediaType: identity.mediaType)
    }

    /// Bytes so far, and the size where it is known.
    nonisolated var progress: (bytes: Int64, size: Int64?) {
        let live = live.withLock { $0 }
        if let stream = live.stream { return (stream.bytes, stream.estimatedSize) }
        return (live.partial?.length ?? 0, live.identity.total ?? wanted.video.size)
    }

    /// Of a stream, as far as its playlists have been read.
    nonisolated var playing: PlayingTime? {
        live.withLock { $0.stream }.map { PlayingTime(seconds: $0.playedSeconds, total: $0.seconds) }
    }

    /// Takes its turn: ends when the file is complete, or when nothing more can be done now.
    func run(_ connections: JobConnections) async -> JobOutcome {
        live.withLock { $0.isRunning = true }
        defer { live.withLock { $0.isRunning = false } }
        if let outcome = await takeProven() { return outcome }
        while true {
            if Task.isCancelled { return .stopped }
            let known = resolves
            if let outcome = await resolveIfNeeded() { return outcome }
            if resolves != known, let media { await connections.resolved(media) }
            guard var media else { return .stopped }
            if loaded == nil {
                guard await connections.claim(media.origin.host) else { return .parked(host: media.origin.host) }
            }
            if donor != nil {
                if let outcome = await tryDonor(media, connections) { return outcome }
                continue
            }
            if media.resolution.kind == .hls {
                guard let outcome = await streamTurn(connections) else { continue }
                await rest(after: outcome)
                return outcome
            }
            // The provider had a stream of it before.
            if live.withLock({ $0.stream != nil }) || streamRecord != nil {
                if let outcome = await startStreamOver() { return outcome }
                continue
            }
            if let outcome = await adoptStanding(media.resolution) { return outcome }
            let partial: PartialFile
            switch await openPartial() {
            case .success(let opened): partial = opened
            case .failure(let problem): return problem.outcome
            }
            let hasChecksum = expectedSHA256 != nil && isHashed
            guard let start = policy.start(length: partial.length, hasChecksum: hasChecksum) else {
                switch policy.cannotResume() {
                case .fail(let error): return .failed(error)
                default:
                    if let outcome = await startOver(partial) { return outcome }
                    continue
                }
            }
            let offset = partial.length
            let isFresh = media.uses == 0
            media.use()
            self.media = media
            let progress = TransferProgress()
            live.withLock { live in
                live.partial = partial
                live.progress = progress
                live.validators = policy.validators
                live.total = policy.total
                live.mediaType = policy.mediaType
                live.startedAt = offset
            }
            services.events.post(.downloadStarted(wanted.reference, resumeFrom: offset))
            transferStart = services.clock.now
            let request = media.request(
                start: start, expectedSize: wanted.video.size, limitRate: services.knobs.limitRate)
            let report = await services.engine.fetch(request, into: partial, progress: progress)
            received.add(report.received, ordering: .relaxed)
            if let head = report.head { note(head) }
            if let head = progress.head {
                policy.accepted(head, startedAt: offset)
                live.withLock { $0.request = media.identity }
            }
            live.withLock { live in
                live.progress = nil
                live.validators = policy.validators
                live.total = policy.total
                live.mediaType = policy.mediaType
            }
            let action = policy.next(
                after: report, startedAt: offset, isFresh: isFresh, hasChecksum: hasChecksum,
                jitter: .random(in: 0...1))
            if let outcome = await carryOut(action, partial, report) { return outcome }
        }
    }

    /// Nil to go on at once.
    private func carryOut(
        _ action: AttemptPolicy.Action, _ partial: PartialFile, _ report: TransferReport
    ) async -> JobOutcome? {
        switch action {
        case .transfer:
            if let failure = report.failure, failure != .partOnly { retrying(DownloadError(failure), delay: .zero) }
            return nil
        case .resolve(let reason, let status):
            if let failure = report.failure { retrying(DownloadError(failure), delay: .zero) }
            previous = .init(reason: reason == .expired ? .expired : .rejected, status: status, bytes: partial.length)
            media = nil
            return nil
        case .startOver:
            if let failure = report.failure { retrying(DownloadError(failure), delay: .zero) }
            return await startOver(partial)
        case .askWhole(let otherwise):
            guard await servesWhole() else {
                return Task.isCancelled ? .stopped : await carryOut(otherwise, partial, report)
            }
            if let failure = report.failure { retrying(DownloadError(failure), delay: .zero) }
            policy.giveUpRanges()
            return await startOver(partial)
        case .wait(let error, let delay, let hostFailed):
            return .waits(error, delay: delay, hostFailed: hostFailed ? media?.origin.host : nil)
        case .fail(let error): return .failed(error)
        case .giveUp(let error, let rest, let hostFailed):
            return .gaveUp(error, rest: rest, host: hostFailed ? media?.origin.host : nil)
        case .suspend(let reason, let error): return .suspended(reason, error)
        case .stop: return .stopped
        case .verify: return await complete(partial, report)
        }
    }

    func retrying(_ error: DownloadError, delay: Duration) {
        services.events.post(
            .downloadRetrying(wanted.reference, attempt: policy.attempt, error: error, delay: delay))
    }

    // MARK: the end

    private func complete(_ partial: PartialFile, _ report: TransferReport) async -> JobOutcome {
        guard let media else { return .stopped }
        let wantedSize = wanted.video.size ?? media.resolution.size
        if let wantedSize, partial.length != wantedSize {
            return .failed(
                DownloadError(
                    kind: .sizeMismatch, message: "the file has \(partial.length) bytes instead of \(wantedSize)"))
        }
        let fileExtension = FileExtension.choose(
            .video, stated: media.resolution.fileExtension, mediaType: media.resolution.mediaType,
            contentType: policy.mediaType ?? report.head?.contentType, url: media.resolution.url)
        proof = policy.provenTag.map { .etag($0) }
        return .complete(
            CompletedVideo(
                job: self, partial: partial, size: partial.length, expectedSHA256: expectedSHA256,
                fileExtension: fileExtension))
    }

    /// The checksum of the complete file is wrong: once more in one piece, or that was it. Returns nil to go on.
    func checksumFailed(_ partial: PartialFile) async -> JobOutcome? {
        let error = DownloadError(
            kind: .checksumMismatch, message: "the file that arrived doesn't have the expected SHA-256")
        switch policy.verificationFailed(error) {
        case .startOver:
            retrying(error, delay: .zero)
            return await startOver(partial)
        default:
            _ = await startOver(partial)
            return .failed(error)
        }
    }

    nonisolated func note(_ head: ResponseHead) {
        guard let skew = services.serverClocks.note(head) else { return }
        let seconds = Int(skew.timeInterval.rounded())
        services.events.post(
            .warning(
                "the clock of \(head.origin.host) is \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") this machine's",
                nil))
    }
}

extension DownloadJob.Live {
    /// The identity of the bytes in the partial: of the answer in progress if it has been accepted, else what is known.
    var identity: (validators: Validators, total: Int64?, mediaType: String?) {
        guard let head = progress?.head else { return (validators, total, mediaType) }
        guard startedAt == 0 else { return (validators, total ?? head.total, mediaType ?? head.contentType) }
        return (Validators(etag: head.etag, lastModified: head.lastModified), head.total, head.contentType)
    }
}

/// A video whose bytes are all there.
struct CompletedVideo: Sendable {
    let job: DownloadJob
    /// Nil for one that was linked or copied from a donor.
    let partial: PartialFile?
    /// Where it is; nil for the download's own partial.
    var partialName: PartialName?
    let size: Int64
    /// The donor's; nil where the partial's digest tells.
    var sha256: [UInt8]?
    let expectedSHA256: [UInt8]?
    let fileExtension: FileExtension
    /// Where it belongs, relative to the library; nil for its stem and extension.
    var path: String?
    /// Separate sound that nothing can put into it, or the playlists of its package.
    var parts: [ArrivedFile] = []
}
