package import CourseCatalog
package import Foundation
package import Hooks
package import MediaMetadata
package import PathLayout

package struct SyncOptions: Sendable {
    /// Paths of catalog files, as given.
    package var catalogs: [String]
    /// The user's name; nil is the account's own.
    package var user: String?
    /// Replaces the folder that holds all users' state.
    package var state: String?
    /// The library's path, `{user}` in it replaced by the user's name; nil is the default.
    package var library: String?
    /// The folder of the states of users' shards; nil is that of all users' state.
    package var localState: String?
    /// The courses that the run is about; nil is all.
    package var shard: Shard?
    /// What is divided among shards.
    package var shardUnit = ShardUnit.course
    /// Whether this is a shard's run of a library whose videos are divided.
    package var dividesVideos: Bool { shard != nil && shardUnit == .video }
    /// Why the shard can't be told; then nothing starts.
    package var shardProblem: String?
    /// Folders to look for plugins in before all others.
    package var plugins: [String] = []
    /// Downloads that may be active at once.
    package var jobs = JobCount.automatic
    /// Bytes per second of each download.
    package var limitRate: Int64?
    /// Bytes per second of the whole run, by the time of day.
    package var bandwidth = BandwidthTimetable.unlimited
    /// The limit on the run's duration.
    package var window = RunWindow()
    /// Bytes that the run may receive, sidecars included; nil for no limit.
    package var maxTransfer: Int64?
    /// The largest size of a file in bytes; nil for any size that its server tells.
    package var maxSize: Int64?
    /// What stays free on the disk of the partials.
    package var minFreeSpace = FreeSpaceFloor.standard
    /// The time to wait for another sync of this user.
    package var wait: Duration = .zero
    /// The interval of a watching run; nil ends the run when everything is done.
    package var watchEvery: Duration?
    /// The zone of windows and timetables.
    package var zone = TimeZone.current
    /// Connections to one host, counted over media, segments and sidecars; nil is 8, or `jobs`, `connectionsPerFile` or
    /// `segmentsPerDownload` if these were given and are larger.
    package var maxConnectionsPerHost: Int?
    /// Connections for one file.
    package var connectionsPerFile = ConnectionCount.automatic
    /// Segments of a stream that are downloaded at a time.
    package var segmentsPerDownload = 8
    /// Whether the user gave `segmentsPerDownload`.
    package var segmentsAreExplicit = false
    /// The program that turns a joined stream into one file.
    package var ffmpeg = FFmpegChoice.automatic
    /// The form of a finished stream.
    package var container = StreamContainer.file
    /// Attempts without progress after which a download fails.
    package var retries = 10
    /// The longest time that a run waits for a retry.
    package var maxWait: Duration = .seconds(600)
    /// The layout of courses whose catalogs set none.
    package var layout = PathLayout.standard
    /// The user's hook commands.
    package var hooks = HookSettings()
    /// The kinds of files written beside the videos.
    package var metadata: Set<MetadataKind> = []
    /// Limits the run, the comparison and the pruning.
    package var only: [Selector] = []
    /// Whether providers are asked for the listings of their courses; otherwise the last ones are used.
    package var discovers = true
    /// Whether a dry run asks providers too.
    package var asksInDryRun = false
    /// Whether listings are believed that have lost many videos.
    package var acceptsListings = false
    /// Whether files of videos that are gone are deleted.
    package var prune = false
    /// The guard on pruning.
    package var maxDelete = MaxDelete.standard
    /// Whether what failed is tried again before its time, where the cause may be gone.
    package var retryFailed = false
    /// Whether missing files are downloaded again however many of a course are missing.
    package var refetchLost = false
    /// Whether the SHA-256 of each file is computed. An expected one is always checked.
    package var checksums = true
    /// PEM file of certificate authorities to trust; the system's folder of them, where libcurl has one, stays trusted
    /// too.
    package var caFile: String?

    /// The programs that keep secrets.
    package var credentialHelpers = CredentialHelpers()

    package init(catalogs: [String]) { self.catalogs = catalogs }

    /// Leaves one of so many equal shares of the limits that concern a link and a host.
    package mutating func share(among count: Int) {
        bandwidth = bandwidth.share(among: count)
        maxTransfer = maxTransfer.map { max(1, $0 / Int64(count)) }
        maxConnectionsPerHost = max(1, hostConnections / count)
    }

    /// The cap on connections to one host.
    package var hostConnections: Int { hostConnections(jobs: jobs) }

    /// The same with another number of jobs.
    package func hostConnections(jobs: JobCount) -> Int {
        var given = [8, jobs.fixed ?? 0, segmentsAreExplicit ? segmentsPerDownload : 0]
        if case .fixed(let number) = connectionsPerFile { given.append(number) }
        return maxConnectionsPerHost ?? given.max() ?? 8
    }
}

/// The program that turns a joined stream into one file.
package enum FFmpegChoice: Sendable, Equatable {
    /// The one on the PATH, if there is one.
    case automatic
    /// The program at this path.
    case path(String)
    /// Streams stay in the format of their segments.
    case none
}

/// The form of a finished stream.
package enum StreamContainer: String, Sendable, CaseIterable {
    /// One file that plays.
    case file
    /// A folder with a playlist and the joined segments, which plays as it is.
    case package
}

/// How many finished downloads a prune may delete.
package enum MaxDelete: Sendable, Equatable {
    case count(Int)
    /// Relative to the finished downloads of the compared courses; one is always allowed.
    case percent(Double)

    /// Where nobody says how many.
    package static let standard = MaxDelete.percent(10)

    /// The number that is allowed out of `finished`.
    package func limit(finished: Int) -> Int {
        switch self {
        case .count(let count): count
        case .percent(let percent): max(1, Int(Double(finished) * percent / 100))
        }
    }
}
