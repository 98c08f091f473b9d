package import DownloadStore
package import Foundation

extension Schedule {
    /// The events of a run.
    package enum Event: Sendable {
        /// The turns of downloads begin.
        case begin
        /// The time of the last ``Action/wake(at:)`` has come.
        case wake
        /// Whether more downloads are expected: until then the run doesn't end by itself.
        case expectsMore(Bool)
        /// ``Action/admit(_:)`` is done: more downloads, with those of them that wait for others of them.
        case arrived(Int, [ScheduledDownload], followers: Followers)
        /// The run has to end.
        case stop(SuspendReason)
        /// The free space on the disk, the bytes that may still be transferred, and the progress of all turns. Nil for
        /// no limit.
        case measured(free: Int64?, quota: Int64? = nil, turns: [Measure])
        /// The bytes that have come from the network in this run, and whether there is a limit on the bandwidth; sent
        /// at each check of the progress if ``Schedule/findsJobs``.
        case received(Int64, isLimited: Bool)
        /// A turn requests its slot, if it has none, and its own connection to a host; answered by
        /// ``Action/grant(_:)``.
        case claim(DownloadID, host: String)
        /// A turn requests one more connection to a host; answered by ``Action/grant(_:)``.
        case enter(DownloadID, host: String)
        /// A turn requests one more connection for its file, which it gets only where no download could use it;
        /// answered by ``Action/grant(_:)``.
        case widen(DownloadID, host: String)
        /// A turn asks whether it may keep all connections that ``widen(_:host:)`` got; answered by
        /// ``Action/grant(_:)``.
        case keeps(DownloadID)
        /// A turn returns a connection that ``enter(_:host:)`` or ``widen(_:host:)`` got.
        case leave(DownloadID, host: String)
        /// Its provider has answered, and names these sidecars.
        case resolved(DownloadID, [SidecarQueue.Item], Answer = Answer())
        /// Bytes have arrived for it; sent at each check of the progress.
        case receives(DownloadID)
        /// A turn is over. `usableUntil`: until when its answer can be used for another one; nil if it has none.
        case turnEnded(DownloadID, TurnEnd, usableUntil: Date? = nil)
        /// A partial couldn't be flushed.
        case flushFailed(DownloadID)
        /// The result of ``Action/hash(_:)``.
        case hashed(DownloadID, HashResult)
        /// ``Action/restart(_:)`` is done; with an error if there is no other attempt.
        case restarted(DownloadID, DownloadError?)
        /// ``Action/dropPartial(_:)`` is done; with the number of times for this download.
        case partialDropped(DownloadID, losses: Int)
        /// ``Action/place(_:)`` is done. `isWhole`: the file has no other parts, so that it can be linked.
        case placed(DownloadID, StoredFile, request: RequestDigest?, isWhole: Bool)
        case notPlaced(DownloadID, PlacingProblem)
        /// Sidecars that the catalogs name: of a video, or covers.
        case sidecars([SidecarQueue.Item], of: DownloadID?, digest: ExtrasDigest)
        /// A download has its file, but its provider, which may name sidecars, hasn't been asked.
        case unasked(DownloadID)
        /// The result of ``Action/fetch(sidecar:)``.
        case sidecarFetched(Int, SidecarEnd)
        /// A sidecar is placed, or can't be.
        case sidecarPlaced(Int, of: DownloadID?, isStored: Bool)
        /// A command, or an arrival; answered by ``Action/answer(_:_:)``.
        case command(Int, Command.Kind)
        /// ``Action/apply(_:_:)`` is done, for these rows, or ``Action/forgetCredentials(_:of:)``, or
        /// ``Action/reloadCredentials(_:of:)``.
        case applied(Int, [SteeredRow])
    }

    /// A provider's answer.
    package struct Answer: Sendable, Equatable {
        /// The end of the time in which it can be used; nil without one.
        package var usableUntil: Date?
        /// Whether only one request can be made with it.
        package var isSingleUse: Bool

        package init(usableUntil: Date? = nil, isSingleUse: Bool = false) {
            self.usableUntil = usableUntil
            self.isSingleUse = isSingleUse
        }
    }

    /// The progress of a turn.
    package struct Measure: Sendable, Equatable {
        package var id: DownloadID
        /// The disk space of its file; nil if unknown.
        package var size: Int64?
        /// The bytes of ``size`` that are written already.
        package var written: Int64

        package init(id: DownloadID, size: Int64?, written: Int64) {
            self.id = id
            self.size = size
            self.written = written
        }
    }

    package enum TurnEnd: Sendable {
        /// All bytes are in the partial, and every possible check has been made.
        case complete
        /// Resolved, but there is no slot, or its host has no free connection.
        case parked(host: String)
        /// Another shard fetches its bytes.
        case elsewhere
        /// It tries again after `delay`; with a host to pause, and the time when the transfer from it began.
        case waits(DownloadError, delay: Duration, attempt: Int, failedHost: String?, began: Date)
        /// The provider asks for a pause; no failure of the download. `server` of these three: the one that the
        /// provider names; nil for the one of the download's parameters.
        case providerWaits(DownloadError, delay: Duration, server: String? = nil)
        /// The provider can't be reached, or can't answer.
        case unavailable(DownloadError, retryAfter: Duration?, server: String? = nil)
        /// The provider requires a login.
        case loginNeeded(DownloadError, server: String? = nil)
        /// Not available yet; `retryAfter` nil means the next run.
        case notReady(DownloadError, retryAfter: Duration?)
        /// A file of the library that might have had its bytes is different; with what was seen of its own.
        case differs(Donor, SeenFile = SeenFile())
        /// `isFinal`: another attempt would end in the same way.
        case failed(DownloadError, isFinal: Bool)
        /// Failed, and the host or provider asked for a pause of `rest`; a host as a whole, since the transfer from it
        /// that began at that time.
        case gaveUp(DownloadError, isFinal: Bool, rest: Duration?, host: String?, began: Date)
        case suspended(SuspendReason, DownloadError)
        case stopped
        /// The provider has named the sidecars, which was the purpose of the turn.
        case answered

        var isParked: Bool { if case .parked = self { true } else { false } }

        /// Whether it is an answer of the provider without a location.
        var isAnswer: Bool {
            switch self {
            case .loginNeeded, .notReady, .providerWaits, .failed(_, isFinal: true): true
            default: false
            }
        }

        /// The server that the provider's error names.
        var server: String? {
            switch self {
            case .providerWaits(_, _, let server), .unavailable(_, _, let server), .loginNeeded(_, let server): server
            default: nil
            }
        }
    }

    /// The end of a sidecar's download.
    package enum SidecarEnd: Sendable, Equatable {
        /// The sidecar has arrived, and is being placed.
        case arrived
        /// Another attempt may succeed, after `atLeast`; `hostFailed`: the transfer that began then failed in a way
        /// that concerns its whole host.
        case again(DownloadError, atLeast: Duration?, hostFailed: Bool, began: Date)
        /// Its address is no longer valid; `isFinal`: nor would a new one be.
        case refused(DownloadError, isFinal: Bool)
        /// The sidecar is left to the next run.
        case waits(DownloadError)
        case failed(DownloadError, isFinal: Bool)
        case suspended(SuspendReason, DownloadError)
        case stopped
    }

    /// The result of a complete file's digest.
    package enum HashResult: Sendable, Equatable {
        case right
        case wrong
        case unreadable(DownloadError)
    }

    /// The reason why a file isn't placed.
    package enum PlacingProblem: Sendable, Equatable {
        /// Its data couldn't be flushed and is lost.
        case lost(DownloadError)
        /// There is no space any more: the run ends.
        case suspended(SuspendReason, DownloadError)
        case failed(DownloadError)
        /// The state can't be written; the run ends because of that.
        case store
    }

    /// A row that a command has changed.
    package struct SteeredRow: Sendable {
        package var id: DownloadID
        package var before: DownloadState
        package var after: DownloadState
        package var priority: Int
        package var retryAt: Date?
        /// The run's download for it, if its catalogs have it.
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
