package import DownloadStore
import FileSystem
import MediaLibrary
import MediaTransfer
package import RunSchedule
import SyncFacts

/// How a job's turn ended.
package enum JobOutcome: Sendable {
    /// All bytes are in the partial, and what could be compared has been.
    case complete(CompletedVideo)
    /// Gives its slot away until `delay` is over.
    case waits(DownloadError, delay: Duration, hostFailed: String?)
    /// Resolved, but its host has no room; it keeps the answer.
    case parked(host: String)
    /// The provider wants to be left alone; the download isn't to blame.
    case providerWaits(DownloadError, delay: Duration)
    /// The provider can't be reached, or says that it can't answer; the download isn't to blame.
    case unavailable(DownloadError, retryAfter: Duration?)
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
    /// The provider has said what comes along, which was all that it was asked for.
    case answered

    /// Whether the download takes no other turn soon: what it holds in memory is better given up.
    var isLong: Bool {
        switch self {
        case .complete: false
        case .waits(_, let delay, _): delay > .seconds(10)
        default: true
        }
    }
}

/// What a job asks of the dispatcher while its turn lasts.
package struct JobConnections: Sendable {
    /// Asks for the job's own connection to a host; false if there is no room.
    var claim: @Sendable (String) async -> Bool
    /// Asks for one more connection to a host.
    var enter: @Sendable (String) async -> Bool
    /// Gives one of those back.
    var leave: @Sendable (String) async -> Void
    /// Tells of a new answer of the provider.
    var resolved: @Sendable (ResolvedMedia) async -> Void

    package init(
        claim: @escaping @Sendable (String) async -> Bool, enter: @escaping @Sendable (String) async -> Bool,
        leave: @escaping @Sendable (String) async -> Void, resolved: @escaping @Sendable (ResolvedMedia) async -> Void
    ) {
        self.claim = claim
        self.enter = enter
        self.leave = leave
        self.resolved = resolved
    }
}

// MARK: trouble with the disk

extension JobOutcome {
    /// A partial can't be opened.
    static func cannotOpenPartial(_ error: any Error, in library: LibraryFolder) -> JobOutcome {
        guard let error = error as? LibraryError else { return unopened("\(error)", endsRun: false) }
        if DescriptorLimit.isExhausted(error.errno) { return DescriptorLimit.outcome }
        // The whole library is out of reach.
        if let loss = library.loss() {
            return .suspended(.disk, DownloadError(loss: loss))
        }
        // All partials lie in one folder of ours: no other download would fare better.
        return unopened(error.sentence, endsRun: error.isFull || error.isReadOnly)
    }

    private static func unopened(_ message: String, endsRun: Bool) -> JobOutcome {
        let error = DownloadError.partialUnopened(message)
        return endsRun ? .suspended(.disk, error) : .failed(error)
    }

    /// What belongs to the video can't be written.
    static func cannotWrite(_ error: any Error) -> JobOutcome {
        if let error = error as? FileError {
            let failure = TransferFailure.file(errno: error.errno)
            let facts = DownloadError(kind: .disk, message: failure.sentence)
            return DownloadError.isFull(failure) ? .suspended(.disk, facts) : .failed(facts)
        }
        guard let error = error as? LibraryError else {
            return .failed(.unwritable(error))
        }
        if DescriptorLimit.isExhausted(error.errno) { return DescriptorLimit.outcome }
        let facts = DownloadError(error)
        return error.isFull ? .suspended(.disk, facts) : .failed(facts)
    }
}
