import CourseCatalog
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import HLSMedia
import MediaLibrary
import MediaTransfer
import ProviderKit
import RunSchedule
import SyncFacts
import Synchronization

/// A video that its host serves in segments: reads the playlist, compares it with the begun one, downloads and joins
/// the missing segments, and makes one file of them.
actor StreamDownload: MediaDownload {
    static let kind = DownloadKind.stream
    static let answers: Set<Resolution.Kind> = [.hls, .dash]

    static func spaceNeeded(for size: Int64, _ services: RunServices) -> Int64 {
        // ffmpeg writes it once more, beside the joined file.
        services.streamFFmpeg == nil ? size : (ByteCount(size) + ByteCount(size)).value
    }

    private struct Live: Sendable {
        /// Nil until its playlists have been read.
        var work: StreamWork?
        /// Of a stream that is still live.
        var recording: StreamRecording?
        /// The row's record of the partials at the run's start.
        var record: StreamRecord?
        /// Whether there are bytes of which the row has no record.
        var hasUnknownBytes = false
        var subtitles = StreamSubtitles()
    }

    let context: DownloadContext
    private let live: Mutex<Live>
    /// The playlists of an answer that has been read and not used yet.
    var loaded: StreamSource?
    /// Whether warnings about the stream have been reported.
    var hasTold = false
    private var attempts = 0
    /// In later attempts ffmpeg waits for the whole stream.
    private static let earlyAttempts = 3

    init(_ context: DownloadContext, resume: ResumeRecord?) {
        self.context = context
        let record = resume?.position.flatMap(StreamRecord.init)
        live = Mutex(Live(record: record, hasUnknownBytes: record == nil && (resume?.durableBytes ?? 0) > 0))
    }

    // MARK: readable at any time

    nonisolated var progress: MediaProgress {
        guard let work = live.withLock({ $0.work }) else { return MediaProgress(size: context.size) }
        return MediaProgress(
            bytes: work.bytes, size: work.estimatedSize,
            playing: PlayingTime(seconds: work.playedSeconds, total: work.seconds))
    }

    nonisolated var written: Int64 {
        let remuxed = try? context.services.library.partials.facts(of: context.name(.remuxed(context.id)))
        return progress.bytes + (remuxed?.size ?? 0)
    }

    nonisolated func flush() throws(FileError) -> ProgressFacts? {
        guard let work = live.withLock({ $0.work }) else { return nil }
        let facts = try work.flush()
        return facts.bytes > 0 ? facts : nil
    }

    nonisolated func close() { live.withLock { $0.work }?.close() }

    nonisolated func startOver() throws(FileError) {
        let work = live.withLock { live in
            defer { live = Live() }
            return live.work
        }
        work?.close()
        context.removePartials(Self.kind.partials(of: context.id).all.map { context.name($0) })
    }

    func rest() async {
        guard let work = live.withLock({ $0.work }) else { return }
        for track in work.tracks { await track.assembler.rest() }
    }

    // MARK: one attempt

    /// The same request, or the same segments. A second name of the donor's file has no subtitles beside it, so none
    /// may be wanted.
    func hasBytes(of donor: Donor, _ attempt: inout Attempt) async -> Bool {
        guard donor.file.source == context.wanted.source, context.wanted.video.settings.subtitles == .none else {
            return false
        }
        if donor.request == attempt.answer.identity { return true }
        guard case .stream(let digest)? = donor.file.proof else { return false }
        let access = access(attempt, failed: FailedURL())
        attempt.answer.use()
        guard case .success(let source) = await load(&attempt, access) else { return false }
        keep(source, &attempt)
        if !source.isLive { attempt.seen.stream = source.contentDigest }
        return !source.isLive && source.contentDigest == digest
    }

    func transfer(_ attempt: inout Attempt) async -> AttemptEnd {
        let isFresh = attempt.answer.uses == 0
        attempt.answer.use()
        attempt.policy.begin()
        attempt.began = context.services.clock.now
        let failed = FailedURL()
        let access = access(attempt, failed: failed)
        let source: StreamSource
        let result = await loadPatiently(isFresh: isFresh, access, &attempt)
        if case .failure(let problem) = result, isStale(after: problem), isFresh || !problem.isOfAnswer,
            let end = await finishRecorded(at: .playlist(hasEnded: problem == .refusal(.empty)))
        {
            return end
        }
        switch result {
        case .success(let loaded): source = loaded
        case .failure where Task.isCancelled: return .over(.stopped)
        case .failure(let problem) where isRecording && isFresh && problem.isAway:
            return .over(.notReady(DownloadError(problem), retryAfter: .seconds(60)))
        case .failure(.failure(let failure)):
            return end(after: failure, joined: 0, isFresh: isFresh, at: failed, &attempt)
        case .failure(.playlist(let error)): return .over(.failed(DownloadError(.playlist(error))))
        case .failure(.presentation(let error)): return .over(.failed(DownloadError(error)))
        case .failure(.refusal(let refusal)): return .over(refusal.outcome)
        }
        if let host = nextHost(of: source), await !attempt.connections.claim(host) {
            keep(source, &attempt)
            return .over(.parked(host: host))
        }
        if source.isLive || isRecording {
            return await record(source, access, isFresh: isFresh, failed: failed, &attempt)
        }
        switch open(source, attempt.answer) {
        case .opened(let work):
            return await join(source, to: work, access, isFresh: isFresh, failed: failed, &attempt)
        case .another(let error): return .follows(attempt.policy.beganAnother(), error)
        case .outcome(let outcome): return .over(outcome)
        }
    }

    private func join(
        _ source: StreamSource, to work: StreamWork, _ access: StreamAccess, isFresh: Bool, failed: FailedURL,
        _ attempt: inout Attempt
    ) async -> AttemptEnd {
        // It begins at the first byte again in each attempt.
        let early = attempts < Self.earlyAttempts ? EarlyRemux(source, work, context) : nil
        attempts += 1
        let end = await join(
            source, to: work, access, isFresh: isFresh, failed: failed, early: early, &attempt)
        await early?.cancel()
        return end
    }

    private func join(
        _ source: StreamSource, to work: StreamWork, _ access: StreamAccess, isFresh: Bool, failed: FailedURL,
        early: EarlyRemux?, _ attempt: inout Attempt
    ) async -> AttemptEnd {
        tell(source)
        if !context.isPart {
            context.services.events.post(.downloadStarted(context.wanted.reference, resumeFrom: work.bytes))
        }
        let (before, joined) = (work.received, work.bytes)
        var failure: StreamFailure?
        // Separate sound first: it is small, and ffmpeg has it when the picture arrives.
        for number in work.tracks.indices.reversed() where failure == nil {
            let (track, plan) = (work.tracks[number], source.tracks[number])
            // The picture may be at another host.
            if let host = plan.host(of: track.assembler.position.next), await !attempt.connections.claim(host) {
                attempt.received += work.received - before
                keep(source, &attempt)
                return .over(.parked(host: host))
            }
            failure = await track.assembler.run(plan: plan, access: access) { if number == 0 { early?.joined($0) } }
            if number == 0, failure?.verdict == .disk, let early {
                // Without ffmpeg's output there may be room.
                await early.cancel()
                failure = await track.assembler.run(plan: plan, access: access)
            }
            // Nothing more arrives for it, and the next steps may take long.
            if failure == nil { await track.assembler.rest() }
        }
        attempt.received += work.received - before
        if let failure {
            return end(
                after: failure, joined: work.bytes - joined, isFresh: isFresh, at: failed,
                size: work.estimatedSizeOfBegun, &attempt)
        }
        return await complete(source, work, with: access, at: failed, early: early, &attempt)
    }

    /// Downloads the subtitles of a stream whose segments are joined, and makes a file of it.
    func complete(
        _ source: StreamSource, _ work: StreamWork, with access: StreamAccess, at failed: FailedURL, early: EarlyRemux?,
        _ attempt: inout Attempt
    ) async -> AttemptEnd {
        var subtitles = live.withLock { $0.subtitles }
        let end = await fetch(&subtitles, of: source, work, with: access, at: failed, &attempt)
        live.withLock { $0.subtitles = subtitles }
        if let end { return end }
        return await finish(source, work, subtitles: subtitles, early: early, &attempt)
    }

    /// Nil when all subtitles are there or given up.
    func fetch(
        _ subtitles: inout StreamSubtitles, of source: StreamSource, _ work: StreamWork, with access: StreamAccess,
        at failed: FailedURL, _ attempt: inout Attempt
    ) async -> AttemptEnd? {
        while let missed = await subtitles.fetch(of: source, work, access, in: context, received: &attempt.received) {
            let end = end(
                after: missed.failure, joined: 0, isFresh: false, at: failed, &attempt)
            switch end {
            case .follows(.fail(let error), _, _), .follows(.giveUp(let error, _, _), _, _):
                subtitles.give(up: missed.key, missed.name, .failed(error), context)
            default: return end
            }
        }
        return nil
    }

    /// Records the progress of joined bytes, durably; the error if that fails.
    func flushJoined() async -> FileError? {
        let download = self
        switch await Blocking.run({ _ in Result { () throws(FileError) in try download.flush() } }) {
        case .success(let facts):
            if let facts { context.services.bookkeeper.note(context.record(facts)) }
            return nil
        case .failure(let error): return error
        }
    }

    private func finish(
        _ source: StreamSource, _ work: StreamWork, subtitles: StreamSubtitles, early: EarlyRemux?,
        _ attempt: inout Attempt
    ) async -> AttemptEnd {
        // ffmpeg may take long: progress is recorded meanwhile.
        async let flushed = flushJoined()
        let finish = StreamFinish(context: context, answer: attempt.answer, isHashed: work.isHashed)
        let stream: JoinedStream
        do throws(JoinedStream.Problem) { stream = try await finish.joined(source, work, subtitles) } catch {
            return .over(error.outcome)
        }
        let made = await early?.made(StreamRemux(context: context, stream: stream))
        let failure = await flushed
        let end: AttemptEnd
        if let made {
            end = .complete(made)
        } else if let failure {
            // ffmpeg reads only durable bytes.
            return .follows(attempt.policy.beganAnother(), .joinedUnflushed(failure))
        } else {
            end = await finish.run(stream)
        }
        guard case .complete(var media) = end else { return end }
        media.proof = .stream(source.contentDigest)
        media.request = attempt.answer.identity
        return .complete(media)
    }

    /// Only joined bytes count as progress: an invalid segment may be received repeatedly.
    func end(
        after failure: StreamFailure, joined: Int64, isFresh: Bool, at failed: FailedURL, size: Int64? = nil,
        _ attempt: inout Attempt
    ) -> AttemptEnd {
        var action = attempt.policy.next(
            after: .init(failure, at: failed.url), received: joined, length: live.withLock { $0.work }?.bytes ?? 0,
            size: size,
            isFresh: isFresh, isExpired: attempt.answer.isExpired(at: context.services.clock.now),
            jitter: .random(in: 0...1))
        if case .resolve(_, let status) = action {
            let isInTime = attempt.answer.isInTime(at: context.services.clock.now)
            action = .resolve(isInTime ? .rejected : .expired, status: status)
        }
        return .follows(action, DownloadError(failure, at: failed.url), host: failed.host)
    }

    /// The host of the first segment to request, of separate sound first; of the last segment if all are joined.
    private func nextHost(of source: StreamSource) -> String? {
        if source.isLive || isRecording { return source.tracks.first.flatMap { $0.host(of: $0.segments.count - 1) } }
        let (work, record) = live.withLock { ($0.work, $0.record) }
        let next = work?.tracks.map { $0.assembler.position.next } ?? record?.tracks.map(\.next) ?? []
        for (number, plan) in source.tracks.enumerated().reversed() {
            if let host = plan.host(of: next.indices.contains(number) ? next[number] : 0) { return host }
        }
        return source.tracks.first.flatMap { $0.host(of: $0.segments.count - 1) }
    }

    // MARK: recording

    /// Whether a part of it was recorded while it was live.
    var isRecording: Bool { live.withLock { $0.recording != nil || $0.record?.recording != nil } }

    /// Whether it may be recorded. One of several views is downloaded once it has ended.
    var mayRecord: Bool { isRecording || (context.wanted.video.settings.live == .record && !context.isPart) }

    /// The source that the catalog named when it began.
    var recordedSource: String? {
        live.withLock { live in
            (live.recording?.work.recording ?? live.record?.recording)?.source
        }
    }

    /// When its last segment came; nil without one.
    var grownAt: Date? {
        live.withLock { live in
            live.recording?.grownAt ?? live.record?.recording.map { Date(timeIntervalSince1970: $0.grownAt) }
        }
    }

    /// The recording of this run, that of an earlier one, or a new one.
    ///
    /// - Parameter source: nil if its playlists are gone.
    func openRecording(_ source: StreamSource?) -> StreamRecording.Opening {
        let (recording, record, hasUnknownBytes) = live.withLock { ($0.recording, $0.record, $0.hasUnknownBytes) }
        let count = source?.tracks.count ?? record?.tracks.count ?? recording?.tracks.count ?? 1
        if let recording {
            guard recording.tracks.count == count else { return .another(.otherPlaylist) }
            return recording.work.reopenFiles(context).map { .outcome($0) } ?? .opened(recording)
        }
        guard record != nil || !hasUnknownBytes else { return .another(.joinedUnknown) }
        if let record, record.tracks.count != count { return .another(.otherPlaylist) }
        return StreamRecording.open(record, tracks: count, like: source, context)
    }

    func keep(_ recording: StreamRecording) {
        live.withLock { ($0.work, $0.recording) = (recording.work, recording) }
    }

    private func open(_ source: StreamSource, _ answer: ResolvedMedia) -> StreamWork.Opening {
        let (work, record, hasUnknownBytes) = live.withLock { ($0.work, $0.record, $0.hasUnknownBytes) }
        let opening =
            if let work {
                work.reopen(for: source, context)
            } else if record == nil, hasUnknownBytes {
                StreamWork.Opening.another(.joinedUnknown)
            } else {
                StreamWork.open(source, record, context, expectedSHA256: context.expectedSHA256(answer))
            }
        if case .opened(let work) = opening { live.withLock { $0.work = work } }
        return opening
    }
}
