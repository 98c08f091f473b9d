package import DownloadStore
package import Foundation

extension Schedule {
    /// The actions after an event, in this order.
    package enum Action: Sendable {
        /// Begin a turn, with a file that may have its bytes; if that is proven no request is needed.
        case start(DownloadID, Donor?, isProven: Bool)
        /// Begin a turn in which its provider is only asked for sidecars.
        case ask(DownloadID)
        /// End its turn; ``Event/turnEnded(_:_:usableUntil:)`` follows.
        case cancel(DownloadID)
        /// The answer to a request for connections.
        case grant(Bool)
        /// Change a row.
        case record(DownloadChange)
        /// Report something.
        case emit(Notice)
        /// It releases its slot: flush and close its partial.
        case release(DownloadID)
        /// It failed: remove its partial if nothing has ever arrived.
        case dropEmptyPartial(DownloadID)
        /// The download has ended in this run.
        case dismiss(DownloadID)
        /// It joins the run again, by the user's command.
        case renew(DownloadID)
        /// Compare the digest of a complete file.
        case hash(DownloadID)
        /// Place a complete file.
        case place(DownloadID)
        /// The checksum was wrong: start over from the first byte, if that hasn't been tried.
        case restart(DownloadID)
        /// The data on the disk can't be trusted: empty the partial.
        case dropPartial(DownloadID)
        case fetch(sidecar: Int)
        /// End its download.
        case cancelFetch(sidecar: Int)
        /// The sidecar isn't wanted any more.
        case forget(sidecar: Int)
        /// Send ``Event/wake`` at that time; nil for never.
        case wake(at: Date?)
        /// Change rows; ``Event/applied(_:_:)`` follows.
        case apply(Int, [DownloadID])
        /// Compare the courses that have arrived; ``Event/arrived(_:_:followers:)`` follows.
        case admit(Int)
        case forgetCredentials(Int, of: String)
        case reloadCredentials(Int, of: String)
        case answer(Int, Command.Answer)
        /// The run is over.
        case end
    }

    package enum Notice: Sendable, Equatable {
        case finished(DownloadID)
        case failed(DownloadID, DownloadError, retryAt: Date?)
        case suspended(DownloadID, SuspendReason)
        case retrying(DownloadID, attempt: Int, DownloadError, delay: Duration)
        case waiting(DownloadID)
        case paused(DownloadID)
        case cancelled(DownloadID)
        case removed(DownloadID)
        case providerWaiting(ProviderServer, until: Date, DownloadError)
        case hostWaiting(String, until: Date, DownloadError)
        /// The user has paused all remaining work: the run waits until then for a resume.
        case resumeWaiting(until: Date)
        /// A provider's server requires a login, for the first time in this run.
        case loginWanted(ProviderServer, DownloadError)
        case sidecarFailed(Int, DownloadError)
        /// The sidecar is left to the next run.
        case sidecarWaits(Int, DownloadError)
        /// Its provider can't be asked for its sidecars.
        case sidecarsUnknown(DownloadID, DownloadError)
    }
}
