package import Foundation
package import Hooks
package import MediaMetadata
package import PathLayout

/// What a sync is asked to do.
package struct SyncOptions: Sendable {
    /// Paths of catalog files, as given.
    package var catalogs: [String]
    /// The user's name; nil is the account's own.
    package var user: String?
    /// Replaces the folder that holds all users' state.
    package var state: String?
    /// The library's path, `{user}` in it replaced by the user's name; nil is the default.
    package var library: String?
    /// Folders to look for plugins in before all others.
    package var plugins: [String] = []
    /// Downloads that may be active at once.
    package var jobs = 3
    /// Bytes per second of each download.
    package var limitRate: Int64?
    /// Bytes per second of the whole run, by the time of day.
    package var bandwidth = BandwidthTimetable.unlimited
    /// How long the run may take.
    package var window = RunWindow()
    /// Bytes that the run may receive, sidecars included; nil without bound.
    package var maxTransfer: Int64?
    /// Bytes that stay free on the disk of the partials; nil without a look at it.
    package var minFreeSpace: Int64?
    /// How long to wait for another sync of this user to end.
    package var wait: Duration = .zero
    /// After how long to look again, when all is done; nil ends the run then.
    package var watchEvery: Duration?
    /// Where the clock of windows and timetables hangs.
    package var zone = TimeZone.current
    /// Connections to one host, counted over media, segments and sidecars; nil is 8, or `jobs` or
    /// `segmentsPerDownload` where these were given and are more.
    package var maxConnectionsPerHost: Int?
    /// Whether `jobs` was given by the person.
    package var jobsAreExplicit = false
    /// Segments of a stream that are fetched at a time.
    package var segmentsPerDownload = 8
    /// Whether `segmentsPerDownload` was given by the person.
    package var segmentsAreExplicit = false
    /// What makes one file of a joined stream.
    package var ffmpeg = FFmpegChoice.automatic
    /// What becomes of a stream.
    package var container = StreamContainer.file
    /// Attempts without progress after which a download fails.
    package var retries = 10
    /// The longest time that a run waits for a retry.
    package var maxWait: Duration = .seconds(600)
    /// How the files of courses are named whose catalogs say nothing of it.
    package var layout = PathLayout.standard
    /// The person's commands around requests and files.
    package var hooks = HookSettings()
    /// What is written beside the videos.
    package var metadata: Set<MetadataKind> = []
    /// Limits the run, the judging and the pruning.
    package var only: [Selector] = []
    /// Whether files of what is gone are deleted.
    package var prune = false
    /// The guard on pruning.
    package var maxDelete: MaxDelete = .percent(10)
    /// Whether what failed is tried again before its time, where the cause may be gone.
    package var retryFailed = false
    /// Whether files are fetched anew however many of a course are gone.
    package var refetchLost = false
    /// Whether the SHA-256 of each file is computed. An expected one is always checked.
    package var checksums = true
    /// PEM file of certificate authorities to trust; the system's folder of them, where libcurl has one, stays trusted too.
    package var caFile: String?

    /// Who keeps secrets.
    package var credentialHelpers = CredentialHelpers()

    package init(catalogs: [String]) { self.catalogs = catalogs }

    /// The cap on connections to one host.
    package var hostConnections: Int { hostConnections(jobs: jobs) }

    /// The same where `jobs` has been changed since.
    package func hostConnections(jobs: Int) -> Int {
        let jobs = jobsAreExplicit || jobs != self.jobs ? jobs : 0
        return maxConnectionsPerHost ?? max(8, jobs, segmentsAreExplicit ? segmentsPerDownload : 0)
    }
}

/// What makes one file of a joined stream.
package enum FFmpegChoice: Sendable, Equatable {
    /// The one on the PATH, if there is one.
    case automatic
    /// This program.
    case path(String)
    /// Streams stay as they come.
    case none
}

/// What becomes of a stream.
package enum StreamContainer: String, Sendable, CaseIterable {
    /// One file that plays.
    case file
    /// A folder with a playlist and the joined segments, which plays as it stands.
    case package
}

/// How many finished downloads a prune may delete.
package enum MaxDelete: Sendable, Equatable {
    case count(Int)
    /// Of the finished downloads of the courses judged; one is always allowed.
    case percent(Double)

    /// The number that is allowed out of `finished`.
    package func limit(finished: Int) -> Int {
        switch self {
        case .count(let count): count
        case .percent(let percent): max(1, Int(Double(finished) * percent / 100))
        }
    }
}
