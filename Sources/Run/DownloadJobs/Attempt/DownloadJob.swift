import CourseCatalog
package import DownloadStore
import FilePlacement
package import Foundation
package import MediaLibrary
package import MediaTransfer
import ProviderKit
package import RunSchedule
package import SyncFacts
package import Synchronization

/// One download of this run: asks its provider, downloads its bytes as a file or a stream, and lets
/// ``AttemptPolicy`` decide what follows.
///
/// Its kind is known from the provider's first answer, or from the row of an earlier run. From then on a
/// ``MediaDownload`` of that kind does everything that differs between kinds. The job keeps it and the answer over
/// back-offs. Runs in one task at a time.
package actor DownloadJob: WatchedDownload {
    /// The part that bookkeeper and dispatcher read during a turn.
    package struct Live: Sendable {
        /// Nil until the kind of download is known.
        var media: (any MediaDownload)?
        /// During its turn only the job itself closes its partials.
        var isRunning = false
        /// The same once all bytes are there, until the file is placed or the bytes turn out to be wrong: the digest is
        /// being computed.
        var isComplete = false
        /// The time at which its first turn got a slot.
        package var startedAt: Date?
        /// Digest of the URL and headers of its request.
        package var request: RequestDigest?
        /// Over the last seconds, for the events.
        package var bytesPerSecond: Int64?
    }

    nonisolated let context: DownloadContext
    /// Bytes received from the network in this run.
    package nonisolated let received = Atomic<Int64>(0)
    package nonisolated let live = Mutex(Live())
    /// Facts to compare the complete file with others.
    package private(set) var proof: FileProof?
    /// The start of the last transfer.
    package private(set) var lastStart: Date
    var policy: AttemptPolicy
    var answer = CurrentAnswer()
    var sharing = DonorOffer()
    /// Its claim of a video that several shards have.
    package nonisolated let claim = HeldClaim()
    package var losses = 0
    /// The row's record of the partials at the run's start, until a download of its kind continues them.
    var resume: ResumeRecord?

    package init(_ wanted: WantedDownload, services: RunServices) {
        context = DownloadContext(wanted: wanted, services: services)
        lastStart = services.clock.now
        policy = AttemptPolicy(retries: services.options.retries, record: wanted.resume)
        resume = wanted.resume
    }

    package nonisolated var id: DownloadID { context.id }
    package nonisolated var wanted: WantedDownload { context.wanted }
    nonisolated var services: RunServices { context.services }

    /// Transfers begun in this run.
    package var attempts: Int { policy.attempt }

    /// A file of the library that may have its bytes. If that is proven no request is needed.
    package func offer(_ donor: Donor, isProven: Bool) { sharing.make(donor, isProven: isProven) }

    /// The file of another shard that it was made from.
    package var donorOfOtherShard: Donor? { sharing.ofOtherShard }

    // MARK: readable at any time

    /// Bytes so far, and the size if it is known.
    package nonisolated var progress: (bytes: Int64, size: Int64?) {
        guard let progress = live.withLock({ $0.media })?.progress else { return (0, wanted.video.size) }
        return (progress.bytes, progress.size)
    }

    /// The played part, if the duration is known.
    package nonisolated var playing: PlayingTime? { live.withLock { $0.media }?.progress.playing }

    /// Its total need of disk space, if known, and the part already used.
    package nonisolated var space: (size: Int64?, written: Int64) {
        let media = live.withLock { $0.media }
        let size = progress.size ?? wanted.resume?.total
        guard let kind = media.map({ type(of: $0) }) ?? wanted.resume?.kind.type else { return (size, 0) }
        // Until its partials are open the row has their size.
        return (size.map { kind.spaceNeeded(for: $0, services) }, media?.written ?? wanted.resume?.heldBytes ?? 0)
    }

    /// The durable progress after a flush made by this call; nil if there is nothing to record. Blocks.
    package nonisolated func flush() throws(FileError) -> ProgressFacts? {
        let live = live.withLock { $0 }
        guard var facts = try live.media?.flush() else { return nil }
        facts.bytesPerSecond = live.bytesPerSecond
        return facts
    }

    /// Closes its descriptors while it waits; it continues later. May come late, after it has had another turn.
    package nonisolated func closePartial() {
        live.withLock { live in
            if !live.isRunning, !live.isComplete { live.media?.close() }
        }
    }

    /// Removes the source files of its file, once that is placed.
    package nonisolated func clearAway() {
        guard let media = live.withLock({ $0.media }) else { return }
        let names = type(of: media).kind.partials(of: id).all
        // Only its own partial has become the file.
        guard names.count > 1 else { return }
        media.close()
        context.removePartials(names)
    }

    // MARK: a turn

    /// Takes its turn: ends when the file is complete, or when it can't continue now.
    package func run(_ connections: JobConnections) async -> JobOutcome {
        live.withLock {
            $0.isRunning = true
            $0.isComplete = false
        }
        defer { live.withLock { $0.isRunning = false } }
        if let donor = sharing.takeProven() {
            noteStart()
            if let outcome = await share(donor) { return outcome }
        }
        if let outcome = await claimAmongShards() { return outcome }
        while true {
            if Task.isCancelled { return .stopped }
            if let outcome = await finishRecorded(at: .none) { return outcome }
            if let outcome = await resolveIfNeeded(connections) {
                return outcome.saysThereIsNone ? await finishRecorded(at: .provider) ?? outcome : outcome
            }
            guard let found = answer.media else { return .stopped }
            if let kept = answer.kept, found.resolution.streams.isEmpty { return await completeAsItIs(kept) }
            if !found.isRead, !found.isParked {
                guard await connections.claim(found.origin.text) else { return .parked(host: found.origin.text) }
            }
            noteStart()
            announceAnswer()
            let form = answer.kept == nil ? DownloadKind.type(for: found.resolution) : AddedViewsDownload.self
            if form != StreamDownload.self, let outcome = await finishRecorded(at: .otherMedia) { return outcome }
            if let outcome = await become(form) { return outcome }
            guard let media = live.withLock({ $0.media }) else { return .stopped }
            var attempt = Attempt(policy: policy, answer: found, connections: connections, began: lastStart)
            if sharing.donor != nil {
                if let outcome = await tryDonor(media, &attempt) { return outcome }
                continue
            }
            if type(of: media).kind.keepsBytes, sharing.mayLookAtPlace(),
                let donor = Donor.inPlace(for: found, context),
                let outcome = await share(donor)
            {
                return outcome
            }
            let end = await media.transfer(&attempt)
            take(attempt)
            guard
                let outcome = await outcome(of: end, at: attempt.url ?? found.resolution.url, host: found.origin.text)
            else { continue }
            // Its bytes in memory are kept while it is resolved again or waits a moment.
            if outcome.isLong { await media.rest() }
            return outcome
        }
    }

    /// Nil to go on: nobody else fetches it.
    private func claimAmongShards() async -> JobOutcome? {
        guard !claim.isHeld, let shared = services.shared else { return nil }
        switch await shared.turn(of: wanted) {
        case .own: return nil
        case .elsewhere: return .elsewhere
        case .claimed(let claimed, let donor):
            claim.take(claimed)
            guard let donor else { return nil }
            noteStart()
            let outcome = await share(donor)
            if case .complete = outcome { sharing.isMade(from: donor) }
            return outcome
        }
    }

    private func noteStart() { live.withLock { $0.startedAt = $0.startedAt ?? services.clock.now } }

    /// Nil to go on at once.
    func outcome(of end: AttemptEnd, at url: String, host: String) async -> JobOutcome? {
        switch end {
        case .complete(let arrived): complete(arrived)
        case .over(let outcome): outcome
        case .follows(let action, let error, let failed):
            await carryOut(action, error, at: url, host: failed ?? host)
        }
    }

    /// Takes over the results of an attempt.
    func take(_ attempt: Attempt) {
        policy = attempt.policy
        answer.media = attempt.answer
        lastStart = attempt.began
        received.add(attempt.received, ordering: .relaxed)
    }

    /// Nil to go on at once.
    private func carryOut(
        _ action: AttemptPolicy.Action, _ error: DownloadError?, at url: String, host: String
    ) async -> JobOutcome? {
        switch action {
        case .transfer, .resolve, .startOver:
            if let error { retrying(error) }
        default: break
        }
        switch action {
        case .transfer: return nil
        case .resolve(let reason, let status):
            answer.refuse(reason, status: status, bytes: progress.bytes, server: Origin(url: url)?.text)
            return nil
        case .startOver: return await startOver()
        case .wait(let error, let delay, let hostFailed):
            return .waits(error, delay: delay, hostFailed: hostFailed ? host : nil)
        case .fail(let error):
            // What is too large takes no room.
            if error.kind == .tooLarge { _ = await forgetPartials() }
            return .failed(error)
        case .giveUp(let error, let rest, let hostFailed):
            return .gaveUp(error, rest: rest, host: hostFailed ? host : nil)
        case .suspend(let reason, let error): return .suspended(reason, error)
        case .stop, .verify, .askWhole: return .stopped
        }
    }

    func retrying(_ error: DownloadError) {
        services.events.post(
            .downloadRetrying(wanted.reference, attempt: policy.attempt, error: error, delay: .zero))
    }

    /// The catalog wants no view that isn't there.
    private func completeAsItIs(_ kept: KeptViews) async -> JobOutcome {
        noteStart()
        announceAnswer()
        if resume != nil || live.withLock({ $0.media }) != nil {
            guard await forgetPartials() else { return .stopped }
        }
        return complete(kept.media)
    }

    /// Its bytes are all there.
    func complete(_ arrived: ArrivedMedia) -> JobOutcome {
        var media = arrived
        media.view = media.view ?? answer.media?.resolution.role
        proof = media.proof
        live.withLock {
            $0.request = media.request
            $0.isComplete = true
        }
        return .complete(CompletedVideo(job: self, media: media))
    }

    /// The rejection if a complete file is what a host says in place of it; nil otherwise.
    ///
    /// - Parameters:
    ///   - fileExtension: the one that it would get.
    ///   - isProven: whether its checksum is the expected one.
    package func pageRejection(
        _ partial: PartialFile, as fileExtension: FileExtension, isProven: Bool
    ) -> FileRejection? {
        FileRejection(
            ofPageIn: partial, isMedia: fileExtension.isMedia && !isProven, at: answer.media?.resolution.url)
    }

    /// The complete file is wrong, by its checksum or by a rejection: downloads it once more in one piece, if allowed,
    /// else fails. Returns nil to go on.
    package func refuse(_ rejection: FileRejection?) async -> JobOutcome? {
        let error = rejection?.error ?? .wrongChecksum
        switch policy.verificationFailed(error) {
        case .startOver where rejection?.isFinal != true:
            retrying(error)
            if rejection?.blamesURL == true { answer.refuse(.rejected, status: error.status, bytes: 0) }
            return await startOver()
        default:
            _ = await startOver()
            return .failed(error)
        }
    }
}
