package import DownloadStore
package import Foundation

extension Schedule {
    /// What happens to a run.
    package enum Event: Sendable {
        /// The downloads begin to have their turns.
        case begin
        /// The time of the last ``Action/wake(at:)`` has come.
        case wake
        /// The run is to end.
        case stop(SuspendReason)
        /// How much is free on the disk, and how far the turns are: with all of them that there are.
        case measured(free: Int64, turns: [Measure])
        /// A turn asks for its own connection to a host; answered by ``Action/grant(_:)``.
        case claim(DownloadID, host: String)
        /// A turn asks for one more connection to a host; answered by ``Action/grant(_:)``.
        case enter(DownloadID, host: String)
        /// It gives that back.
        case leave(DownloadID, host: String)
        /// Its provider has answered, and names these sidecars.
        case resolved(DownloadID, [SidecarQueue.Item])
        /// Bytes have come for it; told as often as anybody looks.
        case receives(DownloadID)
        /// A turn is over.
        case turnEnded(DownloadID, TurnEnd)
        /// A partial failed to reach the disk.
        case flushFailed(DownloadID)
        /// What ``Action/hash(_:)`` found.
        case hashed(DownloadID, HashResult)
        /// ``Action/restart(_:)`` is done; with an error if there is no other attempt.
        case restarted(DownloadID, DownloadError?)
        /// ``Action/dropPartial(_:)`` is done; how often that happened to it.
        case partialDropped(DownloadID, losses: Int)
        /// What ``Action/place(_:)`` brought to its place. `isWhole`: the file is all there is of it, so that it can be linked.
        case placed(DownloadID, StoredFile, request: RequestDigest?, isWhole: Bool)
        case notPlaced(DownloadID, PlacingTrouble)
        /// Sidecars that the catalogs name: of a video, or covers.
        case sidecars([SidecarQueue.Item], of: DownloadID?, digest: ExtrasDigest)
        /// A download has its file without its provider having been asked, which may name something beside it.
        case unasked(DownloadID)
        /// What ``Action/fetch(sidecar:)`` came to.
        case sidecarFetched(Int, SidecarEnd)
        /// A sidecar is at its place, or can't be brought there.
        case sidecarPlaced(Int, of: DownloadID?, isStored: Bool)
        /// Somebody asks for something; answered by ``Action/answer(_:_:)``.
        case command(Int, Command.Kind)
        /// ``Action/apply(_:_:)`` is done, for these rows, or ``Action/forgetCredentials(_:of:)``, ``Action/reloadCredentials(_:of:)``.
        case applied(Int, [SteeredRow])
    }

    /// How far a turn is.
    package struct Measure: Sendable, Equatable {
        package var id: DownloadID
        /// Bytes that its file takes; nil if that isn't known.
        package var size: Int64?
        /// Bytes of those that are there.
        package var written: Int64

        package init(id: DownloadID, size: Int64?, written: Int64) {
            self.id = id
            self.size = size
            self.written = written
        }
    }

    /// How a turn ended.
    package enum TurnEnd: Sendable {
        /// All bytes are in the partial, and what could be compared has been.
        case complete
        /// Resolved, but its host has no room.
        case parked(host: String)
        /// It tries again after `delay`; with a host that is to be left alone, and when the transfer from it began.
        case waits(DownloadError, delay: Duration, attempt: Int, failedHost: String?, began: Date)
        /// The provider wants to be left alone; the download isn't to blame.
        case providerWaits(DownloadError, delay: Duration)
        /// The provider can't be reached, or says that it can't answer.
        case unavailable(DownloadError, retryAfter: Duration?)
        /// The provider wants a login.
        case loginNeeded(DownloadError)
        /// Not there yet; `retryAfter` nil is the next run.
        case notReady(DownloadError, retryAfter: Duration?)
        /// A file of the library that might have had its bytes hasn't.
        case differs(Donor)
        /// `isFinal`: no other attempt can end differently.
        case failed(DownloadError, isFinal: Bool)
        /// Failed, and whoever was asked wants to be left alone for `rest`; a host as a whole, since the transfer from it that
        /// began then.
        case gaveUp(DownloadError, isFinal: Bool, rest: Duration?, host: String?, began: Date)
        case suspended(SuspendReason, DownloadError)
        case stopped
        /// The provider has said what comes along, which was all that it was asked for.
        case answered
    }

    /// How the fetch of a sidecar ended.
    package enum SidecarEnd: Sendable, Equatable {
        /// It is there, and being placed.
        case arrived
        /// Another attempt may end differently, after `atLeast`; `hostFailed`: the transfer that began then failed in a way that
        /// concerns its whole host.
        case again(DownloadError, atLeast: Duration?, hostFailed: Bool, began: Date)
        /// Its address is no good any more; `isFinal`: nor would a new one be.
        case refused(DownloadError, isFinal: Bool)
        case failed(DownloadError, isFinal: Bool)
        case suspended(SuspendReason, DownloadError)
        case stopped
    }

    /// What the digest of a complete file says.
    package enum HashResult: Sendable, Equatable {
        case right
        case wrong
        case unreadable(DownloadError)
    }

    /// Why a file isn't at its place.
    package enum PlacingTrouble: Sendable, Equatable {
        /// Its data didn't reach the disk and are lost.
        case lost(DownloadError)
        /// Nothing has room any more: the run ends.
        case suspended(SuspendReason, DownloadError)
        case failed(DownloadError)
        /// The state can't be written; the run ends of that.
        case store
    }

    /// A row that a command has changed.
    package struct SteeredRow: Sendable {
        package var id: DownloadID
        package var before: DownloadState
        package var after: DownloadState
        package var priority: Int
        package var retryAt: Date?
        /// What the run makes of it, if its catalogs have it.
        package var wanted: ScheduledDownload?

        package init(
            id: DownloadID, before: DownloadState, after: DownloadState, priority: Int, retryAt: Date?,
            wanted: ScheduledDownload?
        ) {
            self.id = id
            self.before = before
            self.after = after
            self.priority = priority
            self.retryAt = retryAt
            self.wanted = wanted
        }
    }
}
