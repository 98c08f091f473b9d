package import DownloadStore
package import FileSystem
package import Foundation

/// Something that happened during a sync. `sync --json`, the live view and the plain log are readers of the same
/// events.
package enum SyncEvent: Sendable {
    /// Another sync of this user is running; this one waits for its end, at most until this time. Nil: its holder is
    /// unknown.
    case lockWaiting(LockHolder?, until: Date)
    /// The catalogs are read, the state and library are open, nothing is transferring yet.
    case started(SyncStart)
    /// A provider has listed a course, and the listing isn't the last one.
    case courseListed(CourseListed)
    /// The courses that a provider lists for `courses_of` have changed.
    case coursesListed(CoursesListed)
    /// Downloads of courses that were listed after the start.
    case downloadsAdded(SyncAddition)
    /// A provider answered.
    case resolved(VideoReference, attempt: Int, reason: ResolveReason, expiresAt: Date?)
    /// The transfer begins; `resumeFrom` is the offset, 0 for a fresh start.
    case downloadStarted(VideoReference, resumeFrom: Int64)
    /// At most twice a second for each active download; may be dropped for a slow reader.
    case progress(VideoReference, DownloadProgress)
    /// The file is in place and durable.
    case downloadFinished(VideoReference, FinishedFile)
    /// The attempt failed and another one follows after `delay` in this run.
    case downloadRetrying(VideoReference, attempt: Int, error: DownloadError, delay: Duration)
    /// Once per run and download; `retryAt` nil means permanently.
    case downloadFailed(VideoReference, error: DownloadError, retryAt: Date?)
    /// It continues later, without the user.
    case downloadSuspended(VideoReference, reason: SuspendReason)
    /// The user paused it.
    case downloadPaused(VideoReference)
    /// The user cancelled it.
    case downloadCancelled(VideoReference)
    /// Put back to waiting: its file is missing, it was retried, or its slot was taken.
    case downloadWaiting(VideoReference)
    /// No longer in its catalog; `path` is where its file stays, nil if it never had one.
    case downloadGone(VideoReference, path: String?)
    /// Its files are deleted.
    case downloadRemoved(VideoReference)
    /// Its file has moved; both paths are relative to the library.
    case downloadMoved(VideoReference, from: String, path: String)
    /// ffmpeg has made one file of a finished video's files, which had come without it.
    case downloadJoined(VideoReference, FinishedFile)
    /// This provider gets no requests for this server until then; without a server none at all.
    case providerWaiting(provider: String, until: Date, kind: String, server: String? = nil)
    /// This host gets no requests until then, at the port of this server.
    case hostWaiting(host: String, until: Date, kind: String, server: String? = nil)
    /// The user has paused all remaining downloads; the sync waits until then for a resume.
    case resumeWaiting(until: Date)
    /// A problem with its folder, so that this run doesn't touch it.
    case courseHeld(HeldCourse)
    /// A problem that stops nothing.
    case warning(SyncWarning, VideoReference?)
    /// A pass of a watching run is over; the next one begins then, or at a change.
    case resting(SyncSummary, until: Date)
    /// Always the last one.
    case finished(SyncSummary)
}

/// A new listing of a course.
package struct CourseListed: Sendable, Equatable {
    package var course: String
    package var title: String
    /// Its videos, without those that `discover` leaves out.
    package var videos: Int
    /// The videos with the last listing; nil if this is the first.
    package var was: Int?
    /// Videos that it didn't have before.
    package var added: Int
    /// Videos that it no longer has.
    package var removed: Int

    package init(course: String, title: String, videos: Int, was: Int?, added: Int, removed: Int) {
        self.added = added
        self.removed = removed
        self.course = course
        self.title = title
        self.videos = videos
        self.was = was
    }
}

/// The courses that a user has at a provider.
package struct CoursesListed: Sendable, Equatable {
    package var provider: String
    /// Without those that `courses_of` leaves out.
    package var courses: Int
    /// The courses with the last list; nil if this is the first.
    package var was: Int?
    /// Courses that weren't in it before.
    package var added: Int
    /// Courses that aren't in it any more.
    package var removed: Int

    package init(provider: String, courses: Int, was: Int?, added: Int, removed: Int) {
        self.provider = provider
        self.courses = courses
        self.was = was
        self.added = added
        self.removed = removed
    }
}

/// What a sync adds to what it has begun with.
package struct SyncAddition: Sendable {
    /// Downloads of the courses by state.
    package var downloads: [DownloadState: Int]
    /// The total size of their downloads in this run; nil if some sizes are unknown.
    package var waitingBytes: Int64?
    /// The bytes of these that earlier runs have downloaded.
    package var partials: [VideoReference: SyncStart.Partial]
    /// The order of all videos in this run, with these.
    package var order: CatalogOrder

    package init(
        downloads: [DownloadState: Int], waitingBytes: Int64?, partials: [VideoReference: SyncStart.Partial],
        order: CatalogOrder
    ) {
        self.downloads = downloads
        self.waitingBytes = waitingBytes
        self.partials = partials
        self.order = order
    }
}

/// The reason of a provider's request.
package enum ResolveReason: String, Sendable {
    case first, expired, rejected
}

/// The facts at the start of a sync.
package struct SyncStart: Sendable {
    package var user: String
    /// The run's number in the history.
    package var run: Int64
    /// The paths as given.
    package var catalogs: [String]
    /// The library's absolute path.
    package var library: String
    /// Downloads of these catalogs by state.
    package var downloads: [DownloadState: Int]
    /// The total size of this run's downloads; nil if some sizes are unknown.
    package var waitingBytes: Int64?
    /// The bytes of these that earlier runs have downloaded.
    package var partials: [VideoReference: Partial]
    /// The order of the videos in this run.
    package var order = CatalogOrder()

    /// The existing part of an unfinished video.
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

/// The downloaded part of a stream, in seconds of playing time: its size in bytes is known only at its end.
package struct PlayingTime: Sendable, Equatable {
    /// The joined part.
    package var seconds: Double
    /// The total of its playlist.
    package var total: Double

    package init(seconds: Double, total: Double) {
        self.seconds = seconds
        self.total = total
    }
}

package struct DownloadProgress: Sendable, Equatable {
    /// Bytes in the partial.
    package var bytes: Int64
    /// The total size, if known; for a stream an estimate by its playing time.
    package var size: Int64?
    /// The mean of the last seconds.
    package var bytesPerSecond: Int64
    /// For a stream; nil for a file.
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
    /// The size of the file.
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

/// The result of a sync. The commands turn it into text and an exit code.
package struct SyncSummary: Sendable {
    /// Downloads in these catalogs by state, at the end.
    package var downloads: [DownloadState: Int]
    /// Finished in this run.
    package var finishedNow: Int
    /// Videos whose files were moved in this run.
    package var movedNow = 0
    /// Videos removed by `--prune` in this run.
    package var removedNow = 0
    /// Failed in this run.
    package var failedNow: Int
    /// Bytes that arrived from the network in this run.
    package var bytes: Int64
    /// Answers of providers to requests for videos.
    package var answers = 0
    /// Those of them that expired before they were used.
    package var answersExpired = 0
    /// Wall time.
    package var seconds: Double
    /// All conditions that prevent exit code 0, in any order.
    package var conditions: Set<SyncCondition>
    /// Mistakes in catalogs (65, 66), the reason for not starting (73, 75, 77), and other problems.
    package var errors: [SyncProblem]
    /// Failures of this run, for the summary's text, at most 1,000.
    package var failures: [(VideoReference, DownloadError)]
    /// How many failed at each host, as scheme, host and port; at a server of their provider, or their provider, if
    /// they had none.
    package var failedAt: [String: Int] = [:]
    /// The number of warnings in this run.
    package var warnings: Int
    /// Finished files from another source than the catalog now names.
    package var fromOtherSource: Int
    /// Missing sidecars of finished videos in these catalogs that a later run will download.
    package var sidecarsWanted = 0
    /// Missing sidecars of them that couldn't be downloaded.
    package var sidecarsFailed = 0
    /// Whether a sidecar failed in an earlier run, so that this run hasn't reported it.
    package var hasOlderFailures = false
    /// The partials of unfinished videos, the largest first, if the disk ended the run or suspended some of them.
    package var partials: [(VideoReference, Int64)] = []
    /// Courses that couldn't be listed, or whose new listing isn't believed yet.
    package var coursesUnlisted = 0
    /// Courses whose providers a sync would have asked, and a dry run hasn't.
    package var coursesUnasked = 0
    /// The bytes of all files of videos in the library at the end; nil if unknown.
    package var libraryBytes: Int64?
    /// The servers that waiting videos wait for, the most videos first.
    package var leftAlone: [ServerCooldown] = []
    /// The servers of providers that require a new login.
    package var loginsNeeded: [RequiredLogin] = []
    /// Providers that require a new login.
    package var providersToLogIn: [String]
    /// Of these, the number of courses that couldn't be listed without it.
    package var coursesToLogIn: [String: Int] = [:]
    /// Of these, those without a video that waits for it: only courses couldn't be listed.
    package var providersOfCoursesOnly: Set<String> = []
    /// The reason for an early end; nil if there is none.
    package var stopReason: SuspendReason?
    /// Of a sync of all shards, how each ended.
    package var shards: [ShardEnding] = []

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

/// A condition that affects the exit code. ``ExitStatus`` in CommandOutput has the table. The state has the raw values.
package enum SyncCondition: String, Sendable, Hashable, CaseIterable {
    /// 64: a selector matches nothing, or options can't be used together.
    case usage
    /// 65: a catalog is invalid.
    case invalidCatalog = "invalid_catalog"
    /// 66: a catalog or include can't be read.
    case unreadableCatalog = "unreadable_catalog"
    /// 69: a provider is broken.
    case providerBroken = "provider_broken"
    /// 70: a broken invariant.
    case bug
    /// 73: library or state can't be used.
    case stateUnusable = "state_unusable"
    /// 75: work is left for the next run.
    case workLeft = "work_left"
    /// 77: logged out at the start, or a provider requires a login.
    case loginNeeded = "login_needed"
    /// 1: at least one download has failed, or the limit on pruning prevented it.
    case downloadsFailed = "downloads_failed"
    case pruneHeld = "prune_held"
    /// 1: `verify` found files that are damaged or missing.
    case damageFound = "damage_found"
    /// 1: `doctor` found a problem.
    case problemFound = "problem_found"
    /// 130: the second Ctrl-C.
    case interruptedTwice = "interrupted_twice"
}
