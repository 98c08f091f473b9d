package import DownloadStore
package import FileSystem
package import Foundation

/// Something that happened during a sync. `sync --json`, the live view and the plain log are readers of the same events.
package enum SyncEvent: Sendable {
    /// Another sync of this user is at work; this one waits for its end, until then at the longest. Nil: it doesn't say
    /// who it is.
    case lockWaiting(LockHolder?, until: Date)
    /// The catalogs are read, the state and library are open, nothing is transferring yet.
    case started(SyncStart)
    /// A provider answered.
    case resolved(VideoReference, attempt: Int, reason: ResolveReason, expiresAt: Date?)
    /// Bytes are about to flow; `resumeFrom` is the offset, 0 for a fresh start.
    case downloadStarted(VideoReference, resumeFrom: Int64)
    /// At most twice a second for each active download; may be dropped for a slow reader.
    case progress(VideoReference, DownloadProgress)
    /// The file is at its place and durable.
    case downloadFinished(VideoReference, FinishedFile)
    /// The attempt failed and another one follows after `delay` in this run.
    case downloadRetrying(VideoReference, attempt: Int, error: DownloadError, delay: Duration)
    /// Once per run and download; `retryAt` nil means for good.
    case downloadFailed(VideoReference, error: DownloadError, retryAt: Date?)
    /// It goes on by itself later.
    case downloadSuspended(VideoReference, reason: SuspendReason)
    /// The person paused it.
    case downloadPaused(VideoReference)
    /// The person cancelled it.
    case downloadCancelled(VideoReference)
    /// Put back to waiting: its file is lost, it was retried, or its turn was taken.
    case downloadWaiting(VideoReference)
    /// No longer in its catalog; `path` is where its file stays, nil if it never had one.
    case downloadGone(VideoReference, path: String?)
    /// Its files are deleted.
    case downloadRemoved(VideoReference)
    /// Its file has another place; both relative to the library.
    case downloadMoved(VideoReference, from: String, path: String)
    /// Nothing is asked of this provider until then.
    case providerWaiting(provider: String, until: Date, kind: String)
    /// Nothing is asked of this host until then.
    case hostWaiting(host: String, until: Date, kind: String)
    /// The person has paused all there was to do; the sync stays until then for a resume.
    case resumeWaiting(until: Date)
    /// Something is wrong with its folder, so that nothing is done about it in this run.
    case courseHeld(HeldCourse)
    /// Something that deserves a look but stops nothing.
    case warning(SyncWarning, VideoReference?)
    /// A pass of a run that watches its catalogs is over; the next one begins then, or when something changes.
    case resting(SyncSummary, until: Date)
    /// Always the last one.
    case finished(SyncSummary)
}

/// Why a provider was asked.
package enum ResolveReason: String, Sendable {
    case first, expired, rejected
}

/// What a sync begins with.
package struct SyncStart: Sendable {
    /// The user's name.
    package var user: String
    /// The run's number in the history.
    package var run: Int64
    /// As they were given.
    package var catalogs: [String]
    /// The library's absolute path.
    package var library: String
    /// Downloads of these catalogs by state.
    package var downloads: [DownloadState: Int]
    /// The sizes of all that this run is to bring in; nil where not all of them are known.
    package var waitingBytes: Int64?
    /// What earlier runs have fetched of that.
    package var partials: [VideoReference: Partial]
    /// Of the videos that this run has to deal with.
    package var order = CatalogOrder()

    /// What has arrived of a video that isn't finished.
    package struct Partial: Sendable, Equatable {
        package var bytes: Int64
        /// The whole video's, if known.
        package var size: Int64?

        package init(bytes: Int64, size: Int64?) {
            self.bytes = bytes
            self.size = size
        }
    }

    package init(
        user: String, run: Int64, catalogs: [String], library: String, downloads: [DownloadState: Int],
        waitingBytes: Int64?, partials: [VideoReference: Partial] = [:], order: CatalogOrder = CatalogOrder()
    ) {
        self.order = order
        self.partials = partials
        self.user = user
        self.run = run
        self.catalogs = catalogs
        self.library = library
        self.downloads = downloads
        self.waitingBytes = waitingBytes
    }
}

/// How much of a stream is there, in seconds of playing time: its size in bytes is known at its end only.
package struct PlayingTime: Sendable, Equatable {
    /// Joined so far.
    package var seconds: Double
    /// By its playlist.
    package var total: Double

    package init(seconds: Double, total: Double) {
        self.seconds = seconds
        self.total = total
    }
}

/// How far a download is.
package struct DownloadProgress: Sendable, Equatable {
    /// Bytes in the partial.
    package var bytes: Int64
    /// The whole size, if known; of a stream an estimate by its playing time.
    package var size: Int64?
    /// Over the last seconds.
    package var bytesPerSecond: Int64
    /// Of a stream; nil of a file.
    package var playing: PlayingTime?

    package init(bytes: Int64, size: Int64?, bytesPerSecond: Int64, playing: PlayingTime? = nil) {
        self.bytes = bytes
        self.size = size
        self.bytesPerSecond = bytesPerSecond
        self.playing = playing
    }
}

/// A file that has arrived.
package struct FinishedFile: Sendable, Equatable {
    /// Relative to the library.
    package var path: String
    /// Bytes that are there.
    package var bytes: Int64
    /// Lower-case hex; nil with `--no-checksum`.
    package var sha256: String?
    /// From the first attempt of this run to the end.
    package var seconds: Double

    package init(path: String, bytes: Int64, sha256: String?, seconds: Double) {
        self.path = path
        self.bytes = bytes
        self.sha256 = sha256
        self.seconds = seconds
    }
}

/// How a sync ended. The commands turn it into text and an exit code.
package struct SyncSummary: Sendable {
    /// Downloads that these catalogs want, by state, at the end.
    package var downloads: [DownloadState: Int]
    /// Finished in this run.
    package var finishedNow: Int
    /// Videos whose files have come to other places in this run.
    package var movedNow = 0
    /// Videos that `--prune` has removed in this run.
    package var removedNow = 0
    /// Failed in this run.
    package var failedNow: Int
    /// Bytes that arrived from the network in this run.
    package var bytes: Int64
    /// Wall time.
    package var seconds: Double
    /// Every reason that the run has for not being 0, in any order.
    package var conditions: Set<SyncCondition>
    /// Mistakes in catalogs (65, 66), why it didn't start (73, 75, 77), and what else is wrong.
    package var errors: [SyncProblem]
    /// Failures of this run, for the summary's text, at most 1,000.
    package var failures: [(VideoReference, DownloadError)]
    /// Warnings given in this run.
    package var warnings: Int
    /// Finished files that come from another source than the catalog now names.
    package var fromOtherSource: Int
    /// What isn't there beside finished videos of these catalogs and is fetched by a later run.
    package var sidecarsWanted = 0
    /// What isn't there beside them and couldn't be had.
    package var sidecarsFailed = 0
    /// Whether something beside a video failed in an earlier run, so that this one hasn't told it.
    package var hasOlderFailures = false
    /// What has arrived of videos that aren't finished, the most first, where the disk has ended the run or kept some of them
    /// waiting.
    package var partials: [(VideoReference, Int64)] = []
    /// Providers that want a new login.
    package var providersToLogIn: [String]
    /// What ended the run before its time; nil if nothing did.
    package var stopReason: SuspendReason?

    package init(
        downloads: [DownloadState: Int] = [:], finishedNow: Int = 0, failedNow: Int = 0, bytes: Int64 = 0,
        seconds: Double = 0, conditions: Set<SyncCondition> = [], errors: [SyncProblem] = [],
        failures: [(VideoReference, DownloadError)] = [], warnings: Int = 0, fromOtherSource: Int = 0,
        providersToLogIn: [String] = [], stopReason: SuspendReason? = nil
    ) {
        self.downloads = downloads
        self.finishedNow = finishedNow
        self.failedNow = failedNow
        self.bytes = bytes
        self.seconds = seconds
        self.conditions = conditions
        self.errors = errors
        self.failures = failures
        self.warnings = warnings
        self.fromOtherSource = fromOtherSource
        self.providersToLogIn = providersToLogIn
        self.stopReason = stopReason
    }
}

/// A fact about a run's end that its exit code must tell. CourseFetchCommands holds the one table.
package enum SyncCondition: Sendable, Hashable {
    /// 64: a selector matches nothing, or options can't be used together.
    case usage
    /// 65: a catalog is invalid.
    case invalidCatalog
    /// 66: a catalog or include can't be read.
    case unreadableCatalog
    /// 69: a provider is broken.
    case providerBroken
    /// 70: a broken invariant.
    case bug
    /// 73: library or state can't be used.
    case stateUnusable
    /// 75: work is left for the next run.
    case workLeft
    /// 77: logged out at the start, or a provider wants a login.
    case loginNeeded
    /// 1: at least one download is failed, or the prune guard held.
    case downloadsFailed
    case pruneHeld
    /// 1: `verify` found files that are damaged or missing.
    case damageFound
    /// 1: `doctor` found a problem.
    case problemFound
    /// 130: the second Ctrl-C.
    case interruptedTwice
}
