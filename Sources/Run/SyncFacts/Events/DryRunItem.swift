package import DownloadStore
package import Foundation

/// A sync's action for one download, with its reason.
package struct DryRunItem: Sendable {
    package enum Action: Sendable, Equatable {
        case download
        case resume(from: Int64)
        /// All of it had arrived when a run was killed: it only gets its name.
        case finish
        case move(from: String, to: String)
        case link(to: String)
        case adopt(path: String)
        case remove(path: String)
        case refetch
        /// Its provider is asked for missing sidecars.
        case ask
        /// Nothing: its time is after the end of the run.
        case wait(until: Date)
        /// Nothing.
        case keep
    }

    package indirect enum Reason: Sendable, Equatable {
        case new, notBegun, unfinished
        /// Every byte of it has arrived.
        case arrived
        /// It is downloaded again; its file stays until then.
        case fetchedAgain
        /// Its name or place changed.
        case renamed
        /// A file in its place may have the catalog's SHA-256.
        case fileInPlace
        /// The library has the same file.
        case sameFile
        /// The library may have the same file at this path; if not, the other reason applies.
        case perhapsSame(String, or: Reason)
        /// The same video of another course comes first.
        case follows
        /// A possible duplicate in another course comes first; if it isn't one, the other reason applies.
        case perhapsFollows(or: Reason)
        /// The catalog's size or checksum contradicts the file.
        case contradicted
        /// The catalog wants views that the video doesn't have; its file stays.
        case viewsMissing
        /// Its file is missing.
        case lost
        /// It failed, and the cause may be gone.
        case failedBefore(DownloadError?)
        /// A sidecar is missing.
        case incomplete
        /// It is done in the same run, but not before this time; then the other reason applies.
        case notBefore(Date, or: Reason)
        /// A host or a provider answered that it isn't available yet, or asked for time; with the last error, if known.
        case putOff(DownloadError?)
        /// It failed; `retryAt` is the time of the next try, nil for none.
        case failed(DownloadError?, retryAt: Date?)
        case paused, cancelled
        /// It is no longer in its catalog.
        case gone
        /// The same, and `--max-delete` prevents its removal.
        case goneHeld
        /// The same, and it stays while other downloads are failed.
        case goneUnfinished
    }

    package var reference: VideoReference
    package var action: Action
    package var why: Reason
    /// Bytes to download, if known.
    package var size: Int64?

    package init(reference: VideoReference, action: Action, why: Reason, size: Int64?) {
        self.reference = reference
        self.action = action
        self.why = why
        self.size = size
    }
}
