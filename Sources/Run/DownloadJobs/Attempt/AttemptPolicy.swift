package import DownloadStore
import Foundation
package import MediaTransfer
import RunSchedule
package import SyncFacts

/// Decides what a download does next: a value that takes a report and returns an action.
///
/// It lives from the first attempt of a run to the end of the download, over any number of back-offs in between.
package struct AttemptPolicy: Sendable {
    /// The next action.
    package enum Action: Sendable, Equatable {
        /// The same URL again, at once.
        case transfer
        /// A new URL first; the status is the server's answer to the old one.
        case resolve(ResolveReason, status: Int?)
        /// The row forgets the partial, then the partial is emptied, then the same URL is requested again.
        case startOver
        /// The header of the whole file is requested. If it is valid the download starts over; otherwise this action
        /// follows.
        indirect case askWhole(otherwise: Action)
        /// The slot is released until `delay` is over; `hostFailed` pauses the whole host for that time.
        case wait(DownloadError, delay: Duration, hostFailed: Bool)
        case fail(DownloadError)
        /// It fails, and rests for as long as requested; `hostFailed` pauses the whole host, too.
        case giveUp(DownloadError, rest: Duration?, hostFailed: Bool)
        case suspend(SuspendReason, DownloadError)
        /// All bytes are there: make every possible check.
        case verify
        /// Cancelled from outside.
        case stop
    }

    /// The reason why one of many requests failed.
    package struct Failure: Sendable {
        var verdict: RetryVerdict
        var error: DownloadError
        /// The disk has no room.
        var isFull: Bool
        /// There was no answer at all.
        var isSilent: Bool

        package init(verdict: RetryVerdict, error: DownloadError, isFull: Bool, isSilent: Bool) {
            self.verdict = verdict
            self.error = error
            self.isFull = isFull
            self.isSilent = isSilent
        }
    }

    private static let mostSmallParts = 64
    /// Consecutive invalid answers to a range after which the whole file is requested.
    private static let fewRanges = 3

    /// Attempts without progress after which the download fails.
    let retries: Int
    /// The validators of the partial's bytes.
    private(set) var validators: Validators
    private(set) var total: Int64?
    /// The media type that the server sent for these bytes.
    private(set) var mediaType: String?
    private(set) var validatorFailures: Int
    private(set) var startOvers: Int
    /// Whether it was started over because no range was answered correctly: that happens once.
    private(set) var hasGivenUpRanges: Bool
    private var hasGivenUpSplitting = false
    /// Attempts of this run, for the events.
    package private(set) var attempt = 0

    private(set) var highWater: Int64
    private var withoutProgress = 0
    /// Parts of a file of unknown size that have arrived since the last progress.
    private var smallParts = 0
    private var uselessRanges = 0
    private var refusals = 0
    private var freshRefusals = 0
    private var checksumFailed = false
    /// Whether an unexpected status has been asked again.
    private var hasRetriedOnce = false

    package init(retries: Int, record: ResumeRecord?) {
        self.retries = retries
        validators = record?.validators ?? Validators()
        total = record?.total
        mediaType = record?.mediaType
        validatorFailures = record?.validatorFailures ?? 0
        startOvers = record?.startOvers ?? 0
        hasGivenUpRanges = record?.hasGivenUpRanges ?? false
        highWater = record?.highWater ?? 0
    }

    /// The start of the next transfer with `length` bytes in the partial; nil if they can't be continued.
    ///
    /// Related: RFC 9110 §13.1.5 (If-Range requires a strong validator), and docs/invariants.md.
    mutating func start(length: Int64, hasChecksum: Bool) -> TransferRequest.Start? {
        attempt += 1
        guard length > 0 else {
            startedOver()
            return .beginning
        }
        guard let condition = condition(hasChecksum: hasChecksum) else { return nil }
        return .resume(at: length, total: total, condition: condition)
    }

    private func condition(hasChecksum: Bool) -> ResumeCondition? {
        if validatorFailures < 2 {
            if let etag = validators.etag { return .etag(etag) }
            if let lastModified = validators.lastModified { return .lastModified(lastModified) }
        }
        return hasChecksum && !checksumFailed ? .checksum : nil
    }

    /// A response has been accepted: it identifies the bytes that follow, and those before.
    mutating func accepted(_ head: ResponseHead, startedAt offset: Int64) {
        if offset == 0 {
            validators = Validators(etag: head.etag, lastModified: head.lastModified)
            total = head.total
            mediaType = head.contentType
        } else {
            total = total ?? head.total
            mediaType = mediaType ?? head.contentType
        }
    }

    /// The partial is empty again.
    mutating func startedOver() {
        validators = Validators()
        total = nil
        mediaType = nil
    }

    /// The entity tag of all bytes in the partial; nil if they were proven in another way.
    var provenTag: String? { validatorFailures < 2 ? validators.etag : nil }

    /// The action after a transfer that began at `offset`.
    ///
    /// `url`: its URL; `isFresh`: the URL had never been used before; `isExpired`: the expiry that the provider
    /// announced has passed. `jitter` is from 0 to 1.
    mutating func next(
        after report: TransferReport, at url: String? = nil, startedAt offset: Int64, isFresh: Bool, isExpired: Bool,
        hasChecksum: Bool, jitter: @autoclosure () -> Double
    ) -> Action {
        let hasProgressed = progress(report.received, report.length)
        guard let failure = report.failure else { return .verify }
        if case .lengthUnknown(let framed) = failure, framed || hasChecksum { return .verify }
        // The rest after a partial response is requested at once, but not endlessly from a host that sends a few bytes
        // at a time.
        if failure == .partOnly, report.received > 0 {
            smallParts = hasProgressed ? 0 : smallParts + 1
            if smallParts <= Self.mostSmallParts { return .transfer }
        }
        let error = DownloadError(failure, at: url)
        // No answer at all is a failure of the host, not of this file.
        let isSilent = report.head == nil && error.kind == .network
        var action = next(
            failure.verdict, error, isFull: DownloadError.isFull(failure), wasConditional: offset > 0, isFresh: isFresh,
            isExpired: isExpired, isSilent: isSilent, hasProgressed: hasProgressed, jitter: jitter())
        // With other validators it would be another version.
        if failure == .rangeIgnored, case .fail = action,
            let head = report.head, validators == Validators(etag: head.etag, lastModified: head.lastModified)
        {
            action = .fail(.noRanges)
        }
        return offset > 0 && failure.isNoPart ? withoutRange(otherwise: action) : action
    }

    /// Bounds the requests to a host that answers every range incorrectly.
    private mutating func withoutRange(otherwise action: Action) -> Action {
        uselessRanges += 1
        let isLast = if case .fail = action { true } else { false }
        return !hasGivenUpRanges && (isLast || uselessRanges == Self.fewRanges) ? .askWhole(otherwise: action) : action
    }

    /// The host serves the whole file correctly, but no part of it: start from the first byte.
    mutating func giveUpRanges() {
        hasGivenUpRanges = true
        highWater = 0
        refusals = 0
        freshRefusals = 0
        withoutProgress = 0
    }

    /// More connections than one are of no use for it.
    mutating func giveUpSplitting() { hasGivenUpSplitting = true }

    /// Whether it may be transferred over more connections than one: not what is to come in one piece.
    var maySplit: Bool { !hasGivenUpSplitting && !hasGivenUpRanges && validatorFailures < 2 }

    /// The action when a download of many requests can't go on: `length` of all its partials, `received` the bytes
    /// added to them since its URL was requested, `size` the expected total if known.
    package mutating func next(
        after failure: Failure, received: Int64, length: Int64, size: Int64?, isFresh: Bool, isExpired: Bool,
        jitter: @autoclosure () -> Double
    ) -> Action {
        let hasProgressed = progress(received, length, of: size)
        return next(
            failure.verdict, failure.error, isFull: failure.isFull, wasConditional: false, isFresh: isFresh,
            isExpired: isExpired, isSilent: failure.isSilent, hasProgressed: hasProgressed, jitter: jitter())
    }

    /// An attempt of many requests begins.
    package mutating func begin() { attempt += 1 }

    /// Counts received bytes. Returns whether they are enough to reset the count of attempts.
    private mutating func progress(_ received: Int64, _ length: Int64, of size: Int64? = nil) -> Bool {
        if received > 0 {
            uselessRanges = 0
            refusals = 0
            freshRefusals = 0
        }
        let step = min(1 << 20, (size ?? total ?? .max) / 100)
        let hasProgressed = length > highWater + step || (length > highWater && length == total)
        if hasProgressed {
            highWater = length
            withoutProgress = 0
        }
        return hasProgressed
    }

    private mutating func next(
        _ verdict: RetryVerdict, _ error: DownloadError, isFull: Bool, wasConditional: Bool, isFresh: Bool,
        isExpired: Bool, isSilent: Bool, hasProgressed: Bool, jitter: Double
    ) -> Action {
        switch verdict {
        case .stopped: return .stop
        // It came too late, which says nothing about the next one; but a provider whose URLs always do isn't asked
        // endlessly.
        case .resolveAgain where isFresh && isExpired: return pause(error, jitter)
        case .resolveAgain: return refused(error, isFresh: isFresh)
        case .startOver: return identityLost(error, wasConditional: wasConditional)
        case .disk: return isFull ? .suspend(.disk, error) : .fail(error)
        case .final: return .fail(error)
        case .retry:
            if hasProgressed { return .transfer }
            withoutProgress += 1
            guard withoutProgress < retries else { return .fail(error) }
            let delay = Backoff.delay(attempt: withoutProgress, jitter: jitter)
            return .wait(error, delay: delay, hostFailed: isSilent)
        case .retryOnce where hasRetriedOnce: return .fail(error)
        case .retryOnce:
            hasRetriedOnce = true
            return .wait(error, delay: Backoff.delay(attempt: 1, jitter: jitter), hostFailed: false)
        case .retryHost(let after):
            withoutProgress += 1
            guard withoutProgress < retries else { return .giveUp(error, rest: after, hostFailed: true) }
            let delay = Backoff.delay(attempt: withoutProgress, jitter: jitter, atLeast: after)
            return .wait(error, delay: delay, hostFailed: true)
        }
    }

    /// A failed attempt without a failure of the host.
    private mutating func pause(_ error: DownloadError, _ jitter: Double) -> Action {
        withoutProgress += 1
        guard withoutProgress < retries else { return .fail(error) }
        return .wait(error, delay: Backoff.delay(attempt: withoutProgress, jitter: jitter), hostFailed: false)
    }

    /// A refused URL is resolved again: a fresh one only once. The third refusal without a new byte fails.
    private mutating func refused(_ error: DownloadError, isFresh: Bool) -> Action {
        refusals += 1
        if isFresh { freshRefusals += 1 }
        guard refusals < 3, freshRefusals < 2 else { return .fail(error) }
        return .resolve(.rejected, status: error.status)
    }

    /// The partial can't be continued: the server has another file, or can't or won't tell.
    private mutating func identityLost(_ error: DownloadError, wasConditional: Bool) -> Action {
        if wasConditional, validators.etag != nil || validators.lastModified != nil { validatorFailures += 1 }
        guard startOvers < 3 else { return .fail(.otherVersion(status: error.status)) }
        startOvers += 1
        highWater = 0
        return .startOver
    }

    /// The answer leads to another kind of download than the one begun.
    mutating func beganAnother() -> Action {
        identityLost(DownloadError(kind: .identityChanged, message: ""), wasConditional: false)
    }

    /// There are bytes that can't be continued: start over; counted as a restart only if validators failed, otherwise
    /// as an attempt without progress.
    mutating func cannotResume() -> Action {
        validatorFailures >= 2
            ? identityLost(DownloadError(kind: .identityChanged, message: ""), wasConditional: false)
            : .startOver
    }

    /// The whole file is there and its checksum or size is wrong. A file made from several responses is downloaded once
    /// more in one piece.
    mutating func verificationFailed(_ error: DownloadError) -> Action {
        guard !checksumFailed else { return .fail(error) }
        checksumFailed = true
        validatorFailures = 2
        highWater = 0
        return .startOver
    }
}
