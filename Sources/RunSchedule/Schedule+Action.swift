package import DownloadStore
package import Foundation

extension Schedule {
    /// What is to be done because of an event, in this order.
    package enum Action: Sendable {
        /// A turn begins, with a file that may have its bytes; if that is proven nobody is asked.
        case start(DownloadID, Donor?, isProven: Bool)
        /// A turn begins in which its provider is asked what comes along, and no more.
        case ask(DownloadID)
        /// Its turn is to end; ``Event/turnEnded(_:_:)`` follows.
        case cancel(DownloadID)
        /// The answer to ``Event/claim(_:host:)`` and ``Event/enter(_:host:)``.
        case grant(Bool)
        /// A row changes.
        case record(DownloadChange)
        /// Something to tell.
        case emit(Notice)
        /// It gives its slot away: its partial is flushed and closed.
        case release(DownloadID)
        /// It failed: nothing is kept of it if nothing has ever arrived.
        case dropEmptyPartial(DownloadID)
        /// The run is through with it.
        case dismiss(DownloadID)
        /// It is to be brought in again, as the person said.
        case renew(DownloadID)
        /// The digest of a complete file is to be compared.
        case hash(DownloadID)
        /// A complete file is to be brought to its place.
        case place(DownloadID)
        /// The checksum was wrong: once more from the first byte, if that hasn't been tried.
        case restart(DownloadID)
        /// The data on the disk can't be trusted: the partial is to be emptied.
        case dropPartial(DownloadID)
        case fetch(sidecar: Int)
        /// Its fetch is to end.
        case cancelFetch(sidecar: Int)
        /// It isn't wanted any more.
        case forget(sidecar: Int)
        /// ``Event/wake`` is to come then; nil never.
        case wake(at: Date?)
        /// Rows are to change; ``Event/applied(_:_:)`` follows.
        case apply(Int, [DownloadID])
        case forgetCredentials(Int, of: String)
        case reloadCredentials(Int, of: String)
        case answer(Int, Command.Answer)
        /// The run is over.
        case end
    }

    /// Something to tell.
    package enum Notice: Sendable, Equatable {
        case finished(DownloadID)
        case failed(DownloadID, DownloadError, retryAt: Date?)
        case suspended(DownloadID, SuspendReason)
        case retrying(DownloadID, attempt: Int, DownloadError, delay: Duration)
        case waiting(DownloadID)
        case paused(DownloadID)
        case cancelled(DownloadID)
        case removed(DownloadID)
        case providerWaiting(String, until: Date, DownloadError)
        case hostWaiting(String, until: Date, DownloadError)
        /// The person has paused all there was to do: the run stays until then for a resume.
        case resumeWaiting(until: Date)
        /// A provider wants a login, for the first time in this run.
        case loginWanted(String, DownloadError)
        case sidecarFailed(Int, DownloadError)
        /// Its provider doesn't say what comes along.
        case sidecarsUnknown(DownloadID, DownloadError)
    }
}
