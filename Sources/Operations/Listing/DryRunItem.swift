package import DownloadStore
package import Foundation
package import SyncFacts

/// What a sync would do with one download, and why.
package struct DryRunItem: Sendable {
    /// What would be done.
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
        /// Its provider is asked for what isn't there beside it.
        case ask
        /// Nothing: its time comes when the run is over.
        case wait(until: Date)
        /// Nothing.
        case keep
    }

    /// Why it would be done.
    package indirect enum Reason: Sendable, Equatable {
        case new, notBegun, unfinished
        /// Every byte of it has arrived.
        case arrived
        /// To be fetched again; its file stays until then.
        case fetchedAgain
        /// Its name or place changed.
        case renamed
        /// A file stands at its place that may have the catalog's SHA-256.
        case standing
        /// The library has the same file.
        case sameFile
        /// The library may have the same file at this path; if not, the other reason holds.
        case perhapsSame(String, or: Reason)
        /// The same video of another course comes first.
        case follows
        /// What may be the same video of another course comes first; if it isn't, the other reason holds.
        case perhapsFollows(or: Reason)
        /// The catalog's size or checksum contradicts the file.
        case contradicted
        /// Its file is missing.
        case lost
        /// It failed, and the cause may be gone.
        case failedBefore(DownloadError?)
        /// Something is missing that belongs beside it.
        case incomplete
        /// It is done in the same run, but not before then; else the other reason holds.
        case notBefore(Date, or: Reason)
        /// A host or a provider said that it isn't there yet, or asked for time; the last error, if one is known.
        case putOff(DownloadError?)
        /// It failed; `retryAt` is when a sync will try again, nil if none will.
        case failed(DownloadError?, retryAt: Date?)
        case paused, cancelled
        /// It is no longer in its catalog.
        case gone
        /// So it is, and `--max-delete` holds it.
        case goneHeld
        /// So it is, and it stays while others are failed.
        case goneUnfinished
    }

    /// Which video.
    package var reference: VideoReference
    /// What would be done.
    package var action: Action
    /// Why.
    package var why: Reason
    /// Bytes that would come from the network, if known.
    package var size: Int64?

    package init(reference: VideoReference, action: Action, why: Reason, size: Int64?) {
        self.reference = reference
        self.action = action
        self.why = why
        self.size = size
    }
}
