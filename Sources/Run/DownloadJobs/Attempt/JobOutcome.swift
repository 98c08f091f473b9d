package import DownloadStore
import FileSystem
import MediaLibrary
import MediaTransfer
package import RunSchedule
import SyncFacts

/// The end of a job's turn.
package enum JobOutcome: Sendable {
    /// All bytes are in the partial, and every possible check has been made.
    case complete(CompletedVideo)
    /// Releases its slot until `delay` is over.
    case waits(DownloadError, delay: Duration, hostFailed: String?)
    /// Resolved, but its host has no free connection; it keeps the answer.
    case parked(host: String)
    /// Another shard fetches its bytes.
    case elsewhere
    /// The provider asks for a pause; no failure of the download. `server` of these three is the one that it names.
    case providerWaits(DownloadError, delay: Duration, server: String? = nil)
    /// The provider can't be reached, or can't answer; no failure of the download.
    case unavailable(DownloadError, retryAfter: Duration?, server: String? = nil)
    /// The provider requires a login.
    case loginNeeded(DownloadError, server: String? = nil)
    /// Not available yet; `retryAfter` nil means the next run.
    case notReady(DownloadError, retryAfter: Duration?)
    /// A file of the library that might have had its bytes is different; with what was seen of its own.
    case differs(Donor, SeenFile)
    case failed(DownloadError)
    /// Failed, and host or provider asked for a pause of `rest`; `host` is paused as a whole.
    case gaveUp(DownloadError, rest: Duration?, host: String?)
    case suspended(SuspendReason, DownloadError)
    case stopped
    /// The provider has named the sidecars, which was the purpose of the turn.
    case answered

    /// Whether the provider has told that it has no such video, or not yet, and not that it can't answer now.
    var saysThereIsNone: Bool {
        switch self {
        case .notReady: true
        case .failed(let error): [.notFound, .gone, .forbidden, .geoBlocked, .drm].contains(error.kind)
        default: false
        }
    }

    /// Whether the download has no other turn soon, so that it should release its memory.
    var isLong: Bool {
        switch self {
        case .complete: false
        case .waits(_, let delay, _): delay > .seconds(10)
        default: true
        }
    }
}

/// A job's calls to the dispatcher during its turn.
package struct JobConnections: Sendable {
    /// Requests the job's own connection to a host; false if there is none free.
    var claim: @Sendable (String) async -> Bool
    /// Requests one more connection to a host.
    var enter: @Sendable (String) async -> Bool
    /// Requests one more connection for a file, where no download could use it.
    var widen: @Sendable (String) async -> Bool
    /// Whether all connections that ``widen`` got may stay.
    var keeps: @Sendable () async -> Bool
    /// Returns a connection that ``enter`` or ``widen`` got.
    var leave: @Sendable (String) async -> Void
    /// Reports a new answer of the provider.
    var resolved: @Sendable (ResolvedMedia) async -> Void

    package init(
        claim: @escaping @Sendable (String) async -> Bool, enter: @escaping @Sendable (String) async -> Bool,
        widen: @escaping @Sendable (String) async -> Bool, keeps: @escaping @Sendable () async -> Bool,
        leave: @escaping @Sendable (String) async -> Void, resolved: @escaping @Sendable (ResolvedMedia) async -> Void
    ) {
        self.claim = claim
        self.enter = enter
        self.widen = widen
        self.keeps = keeps
        self.leave = leave
        self.resolved = resolved
    }
}

// MARK: errors of the disk

extension JobOutcome {
    /// A partial can't be opened.
    static func cannotOpenPartial(_ error: any Error, in library: LibraryFolder) -> JobOutcome {
        guard let error = error as? LibraryError else { return unopened("\(error)", endsRun: false) }
        if DescriptorLimit.isExhausted(error.errno) { return DescriptorLimit.outcome }
        // The whole library is unreachable.
        if let loss = library.loss() {
            return .suspended(.disk, DownloadError(loss: loss))
        }
        // All partials are in one folder: every other download would fail, too.
        return unopened(error.sentence, endsRun: error.isFull || error.isReadOnly)
    }

    private static func unopened(_ message: String, endsRun: Bool) -> JobOutcome {
        let error = DownloadError.partialUnopened(message)
        return endsRun ? .suspended(.disk, error) : .failed(error)
    }

    /// A part of the video can't be written.
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
