import CourseCatalog
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import MediaLibrary
import MediaTransfer
import ProviderKit
import RunSchedule
import SyncFacts
import Synchronization

/// A video that its host serves as one file: continues at the end of its partial, as long as the host still has the
/// same bytes.
actor FileDownload: MediaDownload {
    static let kind = DownloadKind.file
    static let answers: Set<Resolution.Kind> = [.file]

    static func spaceNeeded(for size: Int64, _ services: RunServices) -> Int64 { size }

    fileprivate struct Live: Sendable {
        var partial: PartialFile?
        var transfer: TransferProgress?
        /// Its start offset.
        var startedAt: Int64 = 0
        var validators = Validators()
        var total: Int64?
        var mediaType: String?
        /// The bytes in the partial if they are another program's, which nothing has proven yet.
        var foreign: ForeignBytes?
        /// Whether the partial is another program's file, too, which is only read.
        var isShared = false
    }

    let context: DownloadContext
    let target: FileTarget
    private let resume: ResumeRecord?
    private let live = Mutex(Live())
    /// Whether a digest of the partial is computed.
    private var isHashed = false
    /// Its answers without a length.
    private var unsized = UnsizedResponses()
    /// Digest of the last request whose answer was accepted.
    private var request: RequestDigest?

    init(_ context: DownloadContext, resume: ResumeRecord?) {
        self.init(context, FileTarget(context), resume: resume)
    }

    init(_ context: DownloadContext, _ target: FileTarget, resume: ResumeRecord?) {
        self.context = context
        self.target = target
        self.resume = resume
        live.withLock { $0.foreign = ForeignBytes(position: resume?.position) }
    }

    // MARK: readable at any time

    nonisolated var progress: MediaProgress {
        let live = live.withLock { $0 }
        return MediaProgress(
            bytes: live.partial?.extents.count ?? 0, size: live.identity.total ?? target.size)
    }

    nonisolated var written: Int64 { progress.bytes }

    nonisolated func flush() throws(FileError) -> ProgressFacts? {
        let live = live.withLock { $0 }
        guard let partial = live.partial, partial.isOpen else { return nil }
        // Before the flush: bytes of another answer that follow it don't count yet.
        let identity = live.identity
        let extents = partial.extents
        _ = try partial.flush()
        guard extents.count > 0 else { return nil }
        return ProgressFacts(
            bytes: extents.length, total: identity.total, validators: identity.validators,
            position: live.foreign?.position ?? FileRanges(extents.beyond)?.position, mediaType: identity.mediaType)
    }

    nonisolated func close() { live.withLock { $0.partial?.close() } }

    nonisolated func startOver() throws(FileError) {
        let (partial, isShared) = live.withLock { live in
            live.validators = Validators()
            live.total = nil
            live.mediaType = nil
            live.foreign = nil
            defer { if live.isShared { (live.partial, live.isShared) = (nil, false) } }
            return (live.partial, live.isShared)
        }
        guard isShared else {
            try partial?.startOver()
            return
        }
        partial?.close()
        context.removePartials([target.name])
    }

    func rest() {}

    // MARK: one attempt

    func transfer(_ attempt: inout Attempt) async -> AttemptEnd {
        var partial: PartialFile
        do { partial = try await openPartial(attempt.answer) } catch {
            return .over(.cannotOpenPartial(error, in: context.services.library))
        }
        if partial.length > 0, let foreign = live.withLock({ $0.foreign }),
            let end = await prove(foreign, in: partial, &attempt)
        {
            return end
        }
        // It may be a copy since then.
        partial = live.withLock { $0.partial } ?? partial
        let hasChecksum = target.expectedSHA256(attempt.answer) != nil && isHashed
        let identity = partial.extents.beyond.isEmpty ? nil : FileTransfer.Identity(attempt.policy)
        if identity == nil, !partial.extents.beyond.isEmpty, let outcome = await dropBeyond(of: partial) {
            return .over(outcome)
        }
        let offset = partial.extents.count
        guard let start = attempt.policy.start(length: offset, hasChecksum: hasChecksum) else {
            return .follows(attempt.policy.cannotResume(), nil)
        }
        let isFresh = attempt.answer.uses == 0
        attempt.answer.use()
        attempt.began = context.services.clock.now
        var (report, isUnproven) = await fetch(start, into: partial, identity, &attempt)
        if isUnproven {
            if let outcome = await dropBeyond(of: partial) { return .over(outcome) }
            report.length = partial.length
        }
        let url = report.url ?? attempt.answer.resolution.url
        attempt.url = url
        if case .lengthUnknown(framed: false)? = report.failure, !hasChecksum, offset == 0 {
            return await judgeUnmeasured(partial, report, at: url, &attempt)
        }
        let action = attempt.policy.next(
            after: report, at: url, startedAt: offset, isFresh: isFresh,
            isExpired: attempt.answer.isExpired(at: context.services.clock.now), hasChecksum: hasChecksum,
            jitter: .random(in: 0...1))
        return await end(action, partial, after: report, at: url, &attempt)
    }

    /// Drops what follows the first gap. First the row forgets it, then the partial: other bytes would take its place,
    /// and wouldn't be durable. Nil to go on.
    private func dropBeyond(of partial: PartialFile) async -> JobOutcome? {
        let live = live.withLock { $0 }
        let identity = live.identity
        let failure = Mutex<FileError?>(nil)
        do throws(FileError) {
            let length = try await Blocking.run { _ in Result { () throws(FileError) in try partial.flush() } }.get()
            let facts = ProgressFacts(
                bytes: length, total: identity.total, validators: identity.validators,
                position: live.foreign?.position, mediaType: identity.mediaType)
            let isWritten = await context.services.bookkeeper.commit(target.record(facts)) {
                do throws(FileError) { try partial.dropBeyond() } catch { failure.withLock { $0 = error } }
            }
            return isWritten ? failure.withLock { $0 }.map { .cannotWrite($0) } : .stopped
        } catch { return .cannotWrite(error) }
    }

    /// Also tells whether what follows the first gap is to be dropped, since nothing will prove it.
    ///
    /// - Parameter identity: of ranges after a gap.
    private func fetch(
        _ start: TransferRequest.Start, into partial: PartialFile, _ identity: FileTransfer.Identity?,
        _ attempt: inout Attempt
    ) async -> (report: TransferReport, isUnproven: Bool) {
        let services = context.services
        let offset = partial.extents.count
        let progress = TransferProgress()
        note(progress, startedAt: offset, attempt.policy)
        if target.isOnly { services.events.post(.downloadStarted(context.wanted.reference, resumeFrom: offset)) }
        var transfer = FileTransfer(context, partial, attempt, target: target, progress: progress, identity: identity)
        let report = await transfer.run(start)
        if transfer.isInVain { attempt.policy.giveUpSplitting() }
        attempt.received += report.received
        if let head = report.head { context.note(head) }
        if let head = progress.head {
            attempt.policy.accepted(head, startedAt: offset)
            self.request = attempt.answer.identity
        }
        note(nil, startedAt: offset, attempt.policy)
        return (report, transfer.isUnproven)
    }

    private func note(_ transfer: TransferProgress?, startedAt offset: Int64, _ policy: AttemptPolicy) {
        live.withLock { live in
            live.transfer = transfer
            live.startedAt = offset
            live.validators = policy.validators
            live.total = policy.total
            live.mediaType = policy.mediaType
        }
    }

    /// The other program's bytes are proven to be those of the response that the policy has accepted.
    ///
    /// - Parameter isVersion: whether that is all: otherwise only their SHA-256 decides, and they stay another
    ///   program's.
    func noteProven(_ policy: AttemptPolicy, isVersion: Bool) {
        note(nil, startedAt: 0, policy)
        if isVersion { live.withLock { $0.foreign = nil } }
    }

    /// Whether the partial's bytes are another program's, and not proven yet.
    var isForeign: Bool { live.withLock { $0.foreign != nil } }

    /// Whether the partial is another program's file, too.
    var isShared: Bool { live.withLock { $0.isShared } }

    /// The partial's own copy replaces it.
    func forgetShared() {
        live.withLock { live in
            live.partial?.close()
            (live.partial, live.isShared) = (nil, false)
        }
    }

    /// Carries out what only this kind can.
    func end(
        _ action: AttemptPolicy.Action, _ partial: PartialFile, after report: TransferReport, at url: String,
        _ attempt: inout Attempt
    ) async -> AttemptEnd {
        let error = report.failure.map { DownloadError($0, at: url) }
        switch action {
        case .askWhole(let otherwise):
            guard await servesWhole(&attempt) else {
                return Task.isCancelled
                    ? .over(.stopped) : await end(otherwise, partial, after: report, at: url, &attempt)
            }
            attempt.policy.giveUpRanges()
            return .follows(.startOver, error)
        case .verify: return complete(partial, report, attempt)
        // The rest after a partial response is requested at once, without an error.
        case .transfer where report.failure == .partOnly: return .follows(.transfer, nil)
        default: return .follows(action, error)
        }
    }

    /// Whether the host would serve the whole file, by the header of its response: no byte of it is read. Not possible
    /// with a single-use URL.
    private func servesWhole(_ attempt: inout Attempt) async -> Bool {
        guard !attempt.answer.resolution.singleUse else { return true }
        attempt.answer.use()
        var request = attempt.answer.request(
            start: .beginning, expectedSize: target.size, limitRate: nil)
        request.maxSize = 0
        for _ in 1...2 {
            let failure = await context.services.engine.fetch(request, into: BodyBuffer()).failure
            // Otherwise it was valid.
            if failure == .tooLong(.maximum) { return true }
            // A broken connection proves nothing.
            guard failure?.verdict == .retry else { return false }
        }
        return false
    }

    /// An answer without a length has ended with its connection.
    private func judgeUnmeasured(
        _ partial: PartialFile, _ report: TransferReport, at url: String, _ attempt: inout Attempt
    ) async -> AttemptEnd {
        let error = report.failure.map { DownloadError($0, at: url) } ?? .otherVersion(status: nil)
        let found = await Blocking.run { _ in
            Result { () throws(FileError) in try UnsizedResponses.digest(of: partial) }
        }
        do throws(FileError) {
            switch unsized.take(try found.get()) {
            case .whole: return complete(partial, report, attempt)
            case .again: return .follows(.startOver, error)
            case .waits: return .over(.waits(error, delay: Backoff.nextRun(failedRuns: 1), hostFailed: nil))
            }
        } catch { return .over(.failed(.arrivedUnreadable(error))) }
    }

    func complete(_ partial: PartialFile, _ report: TransferReport?, _ attempt: Attempt) -> AttemptEnd {
        let resolution = attempt.answer.resolution
        if let size = target.size ?? resolution.size, partial.length != size {
            return .over(.failed(.wrongSize(partial.length, instead: size)))
        }
        return .complete(
            ArrivedMedia(
                partial: partial, size: partial.length, expectedSHA256: target.expectedSHA256(attempt.answer),
                checksums: target.expectedChecksums(attempt.answer),
                fileExtension: .choose(
                    .video, stated: resolution.fileExtension, mediaType: resolution.mediaType,
                    contentType: attempt.policy.mediaType ?? report?.head?.contentType, url: resolution.url),
                proof: attempt.policy.provenTag.map { .etag($0) }, request: request))
    }

    /// Where written bytes are recorded until they are flushed; nil for another program's, which nothing has proven.
    private var unflushed: PartialFile.Unflushed? {
        guard let record = context.services.unflushed, target.isOnly, !isForeign else { return nil }
        let source = context.wanted.source
        return PartialFile.Unflushed(record, download: context.id.rawValue) { [weak self] in
            self?.live.withLock { live in
                guard live.transfer?.head != nil else { return nil }
                let (validators, total, mediaType) = live.identity
                let facts = ProgressFacts(bytes: 0, total: total, validators: validators, mediaType: mediaType)
                return BytesIdentity(source: source, facts).bytes
            }
        }
    }

    /// - Parameter length: how many bytes of it count.
    func openPartial(_ answer: ResolvedMedia, length: Int64? = nil) async throws -> PartialFile {
        let library = context.services.library
        let name = target.name
        let (known, isShared) = live.withLock { ($0.partial, $0.isShared) }
        if let known {
            if !known.isOpen {
                let partials = library.partials
                let open = isShared ? try partials.openToRead(name, size: known.length) : try partials.open(name)
                guard let open else { throw FileError.replaced }
                try known.reopen(descriptor: open.release())
            }
            return known
        }
        isHashed = (target.isPlaced && context.services.options.checksums) || target.expectedSHA256(answer) != nil
        let durable = length ?? resume?.durableBytes ?? 0
        if let shared = try openShared(name, durable) {
            let partial = try PartialFile(descriptor: shared.release(), length: shared.size, hashes: isHashed)
            live.withLock { ($0.partial, $0.isShared) = (partial, true) }
            return partial
        }
        let open = try library.partials.open(name)
        let ranges = isForeign ? nil : FileRanges(position: resume?.position)
        // A file with gaps is longer than what is there: a row that contradicts itself counts for nothing.
        let isOdd = ranges.map { !$0.mayFollow(durable, of: resume?.total) } ?? false
        let length = isOdd ? 0 : min(open.size, durable)
        let beyond = isOdd ? nil : ranges?.extents(after: length, of: open.size)
        let partial = try PartialFile(
            descriptor: open.release(), length: length, beyond: beyond ?? [], hashes: isHashed, unflushed: unflushed)
        live.withLock { $0.partial = partial }
        // Somebody removed bytes that the row still claims: the row is corrected before others replace them.
        if let resume, length < resume.durableBytes {
            let facts = ProgressFacts(
                bytes: length, total: resume.total, validators: resume.validators, position: resume.position,
                mediaType: resume.mediaType)
            _ = await context.services.bookkeeper.commit(target.record(facts))
        }
        return partial
    }
}

extension FileDownload.Live {
    /// The identity of the bytes in the partial: from the response in progress if it has been accepted, else the known
    /// one.
    fileprivate var identity: (validators: Validators, total: Int64?, mediaType: String?) {
        guard let head = transfer?.head else { return (validators, total, mediaType) }
        guard startedAt == 0 else { return (validators, total ?? head.total, mediaType ?? head.contentType) }
        return (Validators(etag: head.etag, lastModified: head.lastModified), head.total, head.contentType)
    }
}
