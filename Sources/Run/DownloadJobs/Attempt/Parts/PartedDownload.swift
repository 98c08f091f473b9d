import DownloadStore
import FilePlacement
import FileSystem
import MediaLibrary
import MediaTransfer
import ProviderKit
import RunSchedule
import SyncFacts
import Synchronization

/// A download that consists of several: each continues by itself, with its own validators, policy and place in the
/// row's record; at the end one thing is made of them.
actor PartedDownload<Plan: PartsPlan>: MediaDownload {
    static var kind: DownloadKind { Plan.kind }
    /// Its parts decide, not the kind of the answer.
    static var answers: Set<Resolution.Kind> { [] }

    static func spaceNeeded(for size: Int64, _ services: RunServices) -> Int64 {
        StreamDownload.spaceNeeded(for: size, services)
    }

    private struct Live: Sendable {
        /// Empty before the first attempt.
        var parts: [any MediaDownload] = []
        /// By the provider.
        var sizes: [Int64?] = []
        /// Nil before the first attempt.
        var progress: PartsProgress?
        /// The row's record of the partials at the run's start.
        var record: PartsRecord?
        /// Whether there are bytes of which the row has no record.
        var hasUnknownBytes = false
        /// Whether descriptors of complete parts are closed.
        var isClosed = false
    }

    let context: DownloadContext
    private let live: Mutex<Live>
    /// For each part.
    private var policies: [AttemptPolicy] = []
    /// Parts with all their bytes, by number, and where they came from. At another place their server is asked again
    /// whether they are the same.
    private var arrived: [Int: (media: ArrivedMedia, place: String)] = [:]

    init(_ context: DownloadContext, resume: ResumeRecord?) {
        self.context = context
        let record = resume?.position.flatMap(PartsRecord.init)
        live = Mutex(Live(record: record, hasUnknownBytes: record == nil && (resume?.durableBytes ?? 0) > 0))
    }

    // MARK: readable at any time

    nonisolated var progress: MediaProgress {
        let live = live.withLock { $0 }
        guard !live.parts.isEmpty else {
            return MediaProgress(bytes: live.record?.facts.bytes ?? 0, size: live.record?.facts.total)
        }
        let known = live.parts.map(\.progress)
        let sizes = zip(known, live.sizes).map { $0.size ?? $1 }
        let size = sizes.contains(nil) ? nil : sizes.compactMap(\.self).byteCount { $0 }.value
        return MediaProgress(bytes: known.byteCount { $0.bytes }.value, size: size, playing: known.first?.playing)
    }

    nonisolated var written: Int64 {
        let parts = live.withLock { $0.parts }
        let remuxed = try? context.services.library.partials.facts(of: context.name(.remuxed(context.id)))
        // A stream counts its own.
        let own = Plan.kind == .tracks ? remuxed?.size ?? 0 : 0
        return (parts.byteCount { $0.written } + ByteCount(own)).value
    }

    nonisolated func flush() throws(FileError) -> ProgressFacts? {
        let live = live.withLock { $0 }
        guard let progress = live.progress else { return nil }
        for (number, part) in live.parts.enumerated() {
            if let facts = try part.flush() { progress.note(facts, of: number) }
        }
        let facts = progress.facts
        return facts.bytes > 0 ? facts : nil
    }

    nonisolated func close() {
        let parts = live.withLock { live in
            live.isClosed = true
            return live.parts
        }
        for part in parts { part.close() }
    }

    nonisolated func startOver() throws(FileError) {
        let parts = live.withLock { live in
            defer { live = Live() }
            return live.parts
        }
        for part in parts { part.close() }
        context.removePartials(Self.kind.partials(of: context.id).all.map { context.name($0) })
    }

    func rest() async { for part in live.withLock({ $0.parts }) { await part.rest() } }

    // MARK: one attempt

    func hasBytes(of donor: Donor, _ attempt: inout Attempt) -> Bool { donor.request == attempt.answer.identity }

    func transfer(_ attempt: inout Attempt) async -> AttemptEnd {
        attempt.answer.isParked = false
        attempt.policy.begin()
        guard let parts = open(attempt.answer) else {
            return .follows(attempt.policy.beganAnother(), .otherParts)
        }
        if !context.isPart {
            context.services.events.post(.downloadStarted(context.wanted.reference, resumeFrom: progress.bytes))
        }
        // The video's own comes last: the others are small, and a mistake in one of them shows before it has come.
        for number in parts.indices.reversed() where arrived[number]?.place != place(of: number, attempt.answer) {
            if let end = await transfer(number, parts[number], &attempt) { return end }
        }
        return await finish(parts, &attempt)
    }

    /// Nil if the partials are of other parts.
    private func open(_ answer: ResolvedMedia) -> [any MediaDownload]? {
        let labels = Plan.labels(of: answer.resolution)
        let live = live.withLock { $0 }
        if let record = live.record, record.files.map(\.label) != labels { return nil }
        guard live.parts.isEmpty else {
            // What was closed is opened again.
            if live.isClosed { arrived = [:] }
            self.live.withLock { $0.isClosed = false }
            return live.parts
        }
        guard !live.hasUnknownBytes else { return nil }
        let record = live.record ?? PartsRecord(labels: labels)
        let progress = PartsProgress(record, whole: context.record)
        let resumes = record.files.map { $0.bytes > 0 || $0.startOvers > 0 ? $0.resume : nil }
        let parts = resumes.enumerated().map { number, resume in
            Plan.download(number, of: answer.resolution, context, resume: resume) { progress.change($0, of: number) }
        }
        policies = resumes.map { AttemptPolicy(retries: context.services.options.retries, record: $0) }
        arrived = [:]
        self.live.withLock { live in
            live.record = record
            live.progress = progress
            live.parts = parts
            live.sizes = labels.indices.map { Plan.answer(for: $0, in: answer).resolution.size }
            live.isClosed = false
        }
        return parts
    }

    /// Nil once the part is there, and right.
    private func transfer(
        _ number: Int, _ part: any MediaDownload, _ attempt: inout Attempt
    ) async -> AttemptEnd? {
        let media = Plan.answer(for: number, in: attempt.answer)
        let host = media.origin.text
        let name = Plan.name(of: number, in: attempt.answer.resolution)
        var own = Attempt(
            policy: policies[number], answer: media, connections: attempt.connections, began: attempt.began)
        guard media.isGood(at: context.services.clock.now) else {
            return .follows(.resolve(.expired, status: nil), nil)
        }
        guard await attempt.connections.claim(host) else {
            attempt.answer.isParked = true
            return .over(.parked(host: host))
        }
        let end: AttemptEnd
        if let proven = await (part as? FileDownload)?.proveWhole(&own) {
            end = proven
        } else {
            end = await part.transfer(&own)
        }
        Plan.put(own.answer, for: number, into: &attempt.answer)
        (attempt.began, attempt.url) = (own.began, own.url)
        attempt.received += own.received
        policies[number] = own.policy
        switch end {
        case .complete(let arrived):
            let mayBeText = Plan.mayBeText(number, in: attempt.answer.resolution)
            let fault: PartFault?
            do {
                fault = try await PartFault.found(
                    in: arrived, (part as? FileDownload)?.target.name, context, mayBeText: mayBeText,
                    at: media.resolution.url)
            } catch { return .over(.failed(.arrivedUnreadable(error))) }
            if let end = await check(number, part, fault?.about(name)) { return end }
            self.arrived[number] = (arrived, place(of: number, attempt.answer))
            return nil
        case .follows(.startOver, let error, _):
            return await startOver(number, part) ?? .follows(.transfer, error?.about(name))
        case .follows(let action, let error, let failed):
            return .follows(action.about(name), error?.about(name), host: failed ?? host)
        case .over(.failed(let error)): return .over(.failed(error.about(name)))
        case .over(.parked):
            attempt.answer.isParked = true
            return end
        case .over: return end
        }
    }

    /// The URL of a part without what changes with each signature.
    private func place(of number: Int, _ answer: ResolvedMedia) -> String {
        let url = Plan.answer(for: number, in: answer).resolution.url
        return String(url.prefix { $0 != "?" && $0 != "#" })
    }

    /// Starts a complete part over if it isn't right. Nil if it is.
    private func check(
        _ number: Int, _ part: any MediaDownload, _ fault: PartFault?
    ) async -> AttemptEnd? {
        guard let fault else { return nil }
        let action = policies[number].verificationFailed(fault.error)
        if let end = await startOver(number, part) { return end }
        if case .startOver = action { return .follows(fault.next, fault.error) }
        return .over(.failed(fault.error))
    }

    /// First the row forgets the part, then its partials are emptied. Nil to go on.
    private func startOver(_ number: Int, _ part: any MediaDownload) async -> AttemptEnd? {
        guard let progress = live.withLock({ $0.progress }) else { return .over(.stopped) }
        arrived[number] = nil
        policies[number].startedOver()
        let policy = policies[number]
        let failure = Mutex<FileError?>(nil)
        let isWritten = await context.services.bookkeeper.commit(progress.forget(number, policy)) {
            do throws(FileError) { try part.startOver() } catch { failure.withLock { $0 = error } }
            // A flush may have come between.
            _ = progress.forget(number, policy)
        }
        guard isWritten else { return .over(.stopped) }
        return failure.withLock { $0 }.map { .over(.failed(.partialKept($0))) }
    }

    private func finish(_ parts: [any MediaDownload], _ attempt: inout Attempt) async -> AttemptEnd {
        // ffmpeg may take long: progress is recorded before, and ffmpeg reads only durable bytes.
        let download = self
        do throws(FileError) {
            let facts = try await Blocking.run { _ in Result { () throws(FileError) in try download.flush() } }.get()
            if let facts { context.services.bookkeeper.note(context.record(facts)) }
        } catch { return .over(.cannotWrite(error)) }
        var complete: [ArrivedPart] = []
        for (number, part) in parts.enumerated() {
            guard let media = arrived[number]?.media else { return .over(.stopped) }
            complete.append(ArrivedPart(download: part, media: media))
        }
        let end = await Plan.finish(complete, attempt.answer, context)
        guard case .complete(var media) = end else { return end }
        // A file that was there before isn't of this request.
        guard media.settles == nil else { return end }
        media.proof = nil
        media.request = attempt.answer.identity
        return .complete(media)
    }
}

/// Why a complete part isn't what it should be.
struct PartFault {
    var error: DownloadError
    /// What may help.
    var next: AttemptPolicy.Action

    /// Nil if it is right, as far as anybody knows.
    ///
    /// - Parameter name: of its partial; nil for one that was made of others.
    static func found(
        in media: ArrivedMedia, _ name: PartialName?, _ context: DownloadContext, mayBeText: Bool, at url: String
    ) async throws -> PartFault? {
        guard let partial = media.partial else { return nil }
        if let expected = media.expectedSHA256 {
            var found = try await partial.checksum()
            // Its first bytes came before anybody had said what to expect.
            if found == nil, let name {
                let again = try context.openPartial(name, length: partial.length, hashes: true)
                defer { again.close() }
                found = try await again.checksum()
            }
            if found != expected { return PartFault(error: .wrongChecksum, next: .transfer) }
        }
        if let checksums = media.checksums, let wrong = try await partial.contradiction(to: checksums) {
            return PartFault(error: .wrongChecksum(wrong), next: .transfer)
        }
        let isMedia = !mayBeText && media.expectedSHA256 == nil
        return FileRejection(ofPageIn: partial, isMedia: isMedia, at: url).map {
            PartFault(error: $0.error, next: .resolve(.rejected, status: $0.error.status))
        }
    }

    func about(_ name: String?) -> PartFault { PartFault(error: error.about(name), next: next) }
}

extension AttemptPolicy.Action {
    fileprivate func about(_ name: String?) -> Self {
        switch self {
        case .wait(let error, let delay, let hostFailed):
            .wait(error.about(name), delay: delay, hostFailed: hostFailed)
        case .fail(let error): .fail(error.about(name))
        case .giveUp(let error, let rest, let hostFailed):
            .giveUp(error.about(name), rest: rest, hostFailed: hostFailed)
        case .suspend(let reason, let error): .suspend(reason, error.about(name))
        default: self
        }
    }
}
