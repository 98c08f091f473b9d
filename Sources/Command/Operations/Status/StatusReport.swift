import CatalogComparison
package import DownloadStore
import FileSystem
package import Foundation
import MediaLibrary
import RunAccess
package import SyncFacts
import SystemPackage
import UserState

/// The state's facts about one download.
package struct StatusRow: Sendable {
    package var reference: VideoReference
    package var courseTitle: String
    /// The chapter's title; nil directly under the course.
    package var chapterTitle: String?
    package var state: DownloadState
    /// The reason why it waits or is suspended; nil if it needs none.
    package var reason: SuspendReason?
    /// Higher goes first.
    package var priority: Int
    /// Bytes that are there.
    package var bytes: Int64
    /// In bytes.
    package var size: Int64?
    /// Over the last seconds; nil without progress.
    package var bytesPerSecond: Int64?
    /// Relative to the library; nil before it is finished.
    package var path: String?
    /// The last error; nil if there is none.
    package var error: DownloadError?
    /// The earliest time of the next try; nil for at once, or never.
    package var retryAt: Date?
    /// When the row last changed.
    package var updatedAt: Date
    package var provider: String
    /// The catalog.
    package var file: String
    /// Whether it is no longer in its catalog.
    package var gone: Bool
    /// Lower-case hex; nil if unknown.
    package var sha256: String?
    /// The playing time of a stream in seconds; nil for a file, and before its playlist has been read.
    package var mediaSeconds: Double?
    /// The time when its file was complete; nil for an unfinished download.
    package var finishedAt: Date?
    /// Which view of the video its file is; nil if its provider has no word for it.
    package var role: String?
    /// What belongs to the finished video itself beside its file: other views, separate sound, a package's playlists.
    package var parts: [SidecarRecord] = []
    /// Its place in its course.
    var ordinal: Int64 = 0
    /// Its missing sidecars that a sync will download.
    package var sidecarsWanted = 0
    /// Its missing sidecars that failed.
    package var sidecarsFailed = 0
    /// Its missing sidecars, each with its last error.
    package var sidecars: [MissingSidecar] = []

    package init(
        reference: VideoReference, courseTitle: String, chapterTitle: String?, state: DownloadState,
        reason: SuspendReason? = nil, priority: Int = 0, bytes: Int64 = 0, size: Int64? = nil,
        bytesPerSecond: Int64? = nil, path: String? = nil, error: DownloadError? = nil, retryAt: Date? = nil,
        updatedAt: Date, provider: String, file: String, gone: Bool = false, sha256: String? = nil,
        mediaSeconds: Double? = nil
    ) {
        self.reference = reference
        self.courseTitle = courseTitle
        self.chapterTitle = chapterTitle
        self.state = state
        self.reason = reason
        self.priority = priority
        self.bytes = bytes
        self.size = size
        self.bytesPerSecond = bytesPerSecond
        self.path = path
        self.error = error
        self.retryAt = retryAt
        self.updatedAt = updatedAt
        self.provider = provider
        self.file = file
        self.gone = gone
        self.sha256 = sha256
        self.mediaSeconds = mediaSeconds
    }

    /// Adds those that aren't stored.
    mutating func note(_ open: [MissingSidecar]) {
        // Of a video whose provider hasn't been asked nobody knows whether anything is missing.
        for sidecar in open where sidecar.name.kind != .unasked || sidecar.error != nil {
            if sidecar.state == .failed { sidecarsFailed += 1 } else { sidecarsWanted += 1 }
            sidecars.append(sidecar)
        }
    }
}

/// The process that holds a user's lock.
package struct RunningSync: Sendable, Equatable {
    /// Its process id.
    package var pid: Int32
    package var host: String
    /// When it began.
    package var since: Date
    package var activity: Activity

    /// The activity of a process that holds the lock.
    package enum Activity: String, Sendable {
        case syncing, watching, stopping
        case waitingForLogin = "waiting_for_login"
    }

    package init(pid: Int32, host: String, since: Date, activity: Activity = .syncing) {
        self.pid = pid
        self.host = host
        self.since = since
        self.activity = activity
    }

    /// Derived from a lock and a state: a process whose newest run is over rests between two passes.
    init(_ holder: LockHolder, isLoggedIn: Bool, in store: DownloadStore?) throws(StoreError) {
        let end = try store?.runs.newest(1).first?.endedAt
        let rests = end.map { $0 >= holder.since } ?? false
        self.init(
            pid: Int32(holder.pid), host: holder.host, since: holder.since,
            activity: isLoggedIn ? (rests ? .watching : .syncing) : (rests ? .waitingForLogin : .stopping))
    }
}

/// The contents of a user's state, in catalog order.
package struct StatusReport: Sendable {
    package var user: String
    /// The library's path, if the state knows one.
    package var library: String?
    /// The process that is syncing now.
    package var running: RunningSync?
    /// The providers and hosts that the running sync leaves alone.
    package var waits: [RunWait] = []
    /// Whether a process holds the user's lock.
    var isLocked = false
    /// One per download.
    package var rows: [StatusRow]
    /// Finished files from another source than the catalog now names.
    package var fromOtherSource: Int
    /// The disk space of each course in the library, by its id: files, sidecars and partials. A file with several names
    /// counts for each of them.
    package var diskBytes: [String: ByteCount] = [:]
    /// The folder of each course, by its id, relative to the library.
    package var folders: [String: String] = [:]
    /// Whether the library's folder is missing.
    package var isLibraryMissing = false
    /// Whether its folder isn't the library that the state knows, as where its disk isn't mounted.
    package var isLibraryAnother = false
    /// Courses that the last sync held, and that another one would hold now.
    package var held: [HeldCourse] = []
    /// Whether a sync would be refused because the user isn't logged in.
    package var isLoggedOut = false
    /// The time of the logout; nil if the user has never logged in.
    package var loggedOutSince: Date?
    /// The chapters of an overview in catalog order; nil if all rows are present.
    package var groups: [StatusGroup]?
    /// The number of rows needing attention that an overview has left out.
    package var hiddenRows = 0
    /// The catalog that all courses come from; nil if they come from several.
    package var onlyCatalog: String?
    /// Those of an overview.
    var gone: Gone?
    /// All shards, if the report is about them.
    package var shards: [ShardStatus] = []
    /// How many shards can't be read, and aren't among them.
    package var shardsLeftOut = 0

    /// One shard.
    package struct ShardStatus: Sendable, Equatable {
        /// As `2/4`.
        package var name: String
        /// The process that is syncing it now.
        package var running: RunningSync?
    }

    /// The videos that are no longer in their catalogs.
    package struct Gone: Sendable, Equatable {
        package var count = 0
        /// The number of their files.
        package var files = 0
        package var bytes: ByteCount = 0
    }

    /// The videos that are no longer in their catalogs; nil if there are none.
    package var goneSums: Gone? {
        if let gone { return gone }
        let rows = rows.filter(\.gone)
        let files = rows.filter { $0.state == .finished }
        return rows.isEmpty ? nil : Gone(count: rows.count, files: files.count, bytes: files.byteCount(\.bytes))
    }

    /// The limit on the rows of an overview.
    static let mostRows = 200

    package init(
        user: String, library: String?, running: RunningSync?, rows: [StatusRow], fromOtherSource: Int = 0
    ) {
        self.user = user
        self.library = library
        self.running = running
        self.rows = rows
        self.fromOtherSource = fromOtherSource
    }
}

extension StatusReport {
    /// The page of a course, as an absolute path; nil if there is none.
    package func page(of course: String) -> String? {
        guard let library, let folder = folders[course] else { return nil }
        let path = "\(library)/\(folder)/index.html"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    /// Adds the report of another shard, which has other courses of the same library, or other videos of the same.
    mutating func add(_ other: StatusReport) {
        library = library ?? other.library
        isLocked = isLocked || other.isLocked
        rows += other.rows
        waits = Array((waits + other.waits).prefix(RunWait.most))
        fromOtherSource += other.fromOtherSource
        diskBytes.merge(other.diskBytes) { $0 + $1 }
        isLibraryMissing = isLibraryMissing || other.isLibraryMissing
        isLibraryAnother = isLibraryAnother || other.isLibraryAnother
        held += other.held.filter { one in !held.contains { $0.course == one.course } }
        if let more = other.groups { groups = (groups ?? []) + more }
        hiddenRows += other.hiddenRows
        if folders.isEmpty { onlyCatalog = other.onlyCatalog }
        if !other.folders.isEmpty, onlyCatalog != other.onlyCatalog { onlyCatalog = nil }
        if isLoggedOut != other.isLoggedOut {
            (isLoggedOut, loggedOutSince) = (true, loggedOutSince ?? other.loggedOutSince)
        }
        folders.merge(other.folders) { one, _ in one }
        if let more = other.gone {
            var sum = gone ?? Gone()
            sum.count += more.count
            sum.files += more.files
            sum.bytes += more.bytes
            gone = sum
        }
    }

    /// Whether the library of this id is in its folder.
    mutating func look(for id: LibraryID, in library: String) {
        isLibraryMissing = !FileManager.default.fileExists(atPath: library)
        guard !isLibraryMissing else { return }
        isLibraryAnother = (try? LibraryFolder.marker(of: FilePath(library)))?.id != id.rawValue
    }

    /// Adds the sums of an overview, once its rows are read.
    mutating func take(
        _ sums: [DownloadSums], _ courses: [String: CourseRecord], _ chapters: [DownloadKey: String], isRunning: Bool
    ) {
        for sum in sums {
            diskBytes[sum.course, default: 0] += sum.diskBytes
            fromOtherSource += sum.fromOtherSource
        }
        let gone = sums.filter(\.isGone)
        let files = gone.filter { $0.state == .finished }
        let goneCount = gone.reduce(0) { $0 + $1.count }
        self.gone = Gone(
            count: goneCount, files: files.reduce(0) { $0 + $1.count }, bytes: files.reduce(0) { $0 + $1.doneBytes })
        groups = StatusGroup.all(of: sums, rows: rows, courses: courses, chapters: chapters, isRunning: isRunning)
        let notable: [DownloadState] = [.active, .paused, .suspended, .failed, .cancelled]
        let count = sums.filter { !$0.isGone && notable.contains($0.state) }.reduce(0) { $0 + $1.count }
        let shown = rows.count { notable.contains($0.state) }
        hiddenRows = max(0, count - shown)
    }
}

extension StatusRow {
    /// The other views, by their roles.
    package var views: [(role: String, file: SidecarRecord)] {
        parts.compactMap { part in part.viewRole.map { ($0, part) } }
    }

    /// Of its file and all that belongs to it.
    package var wholeSize: Int64? { size.map { (ByteCount($0) + parts.byteCount(\.size)).value } }
}

extension StatusRow {
    init(_ record: DownloadRecord, course: CourseRecord?, chapterTitle: String?, isRunning: Bool, now: Date) {
        let status = record.status.seen(isHeld: isRunning)
        let isFinished = record.state == .finished
        // It is written about once a second while bytes arrive: an old one is outdated.
        let isFresh = abs(now.timeIntervalSince(record.updatedAt)) < 10
        self.init(
            reference: VideoReference(
                course: record.key.course, chapter: record.catalog.chapter, video: record.key.video,
                title: record.catalog.title),
            courseTitle: course?.title ?? record.key.course, chapterTitle: chapterTitle,
            state: status.state, reason: status.reason,
            priority: record.priority, bytes: isFinished ? record.file?.size ?? 0 : record.heldBytes,
            size: isFinished ? record.file?.size : record.totalBytes ?? record.catalog.expectedSize,
            bytesPerSecond: status.state == .active && isFresh ? record.bytesPerSecond : nil,
            path: record.isPlacing ? record.oldFile?.path : record.file?.path,
            // A download that is gone isn't tried again.
            error: record.error, retryAt: record.isGone ? nil : record.retryAt, updatedAt: record.updatedAt,
            provider: record.catalog.provider, file: course?.file ?? "", gone: record.isGone,
            sha256: record.file?.sha256?.hex, mediaSeconds: record.mediaSeconds)
        role = record.file?.role
        ordinal = record.catalog.ordinal
        if isFinished, let modified = record.file?.modified {
            finishedAt = Date(timeIntervalSince1970: Double(modified) / 1e9)
        }
    }
}
