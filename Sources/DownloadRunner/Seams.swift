package import DownloadStore
package import Foundation
package import Logging
package import YAMLSource

/// What a sync is asked to do.
package struct SyncOptions: Sendable {
    package var catalogs: [String]
    package var user: String?
    package var state: String?
    package var library: String?
    package var plugins: [String] = []
    package var jobs = 3
    /// Bytes a second for each download.
    package var limitRate: Int64?
    /// Bytes a second for the run.
    package var bandwidth: Int64?
    package var maxConnectionsPerHost: Int?
    package var retries = 10
    package var maxWait: Duration = .seconds(600)
    package var only: [Selector] = []
    package var prune = false
    package var maxDelete: MaxDelete = .percent(10)
    package var checksums = true
    package var caFile: String?
    package var dryRun = false

    package init(catalogs: [String]) { self.catalogs = catalogs }
}

/// How many finished downloads `--prune` may remove at most.
package enum MaxDelete: Sendable, Equatable {
    case count(Int)
    case percent(Double)
}

/// The events of a run; ends after `.finished`.
package typealias SyncEvents = AsyncStream<SyncEvent>

/// One sync.
package final class SyncRun: Sendable {
    package let events: SyncEvents
    private let continuation: SyncEvents.Continuation

    package init(_ options: SyncOptions, logger: Logger) {
        (events, continuation) = AsyncStream.makeStream()
    }

    package func run() async -> SyncSummary {
        let summary = SyncSummary()
        continuation.yield(.finished(summary))
        continuation.finish()
        return summary
    }

    package func stop(_ reason: SuspendReason) {}

    package func plan() async -> DryRunPlan { DryRunPlan() }
}

/// What a sync would do.
package struct DryRunPlan: Sendable {
    package var lines: [DryRunLine] = []
    /// What `sync` would say at its end, were it to stop after planning: errors and their conditions.
    package var summary = SyncSummary()

    package init() {}
}

/// What a sync would do with one download, and why.
package struct DryRunLine: Sendable {
    package enum Action: Sendable, Equatable {
        case download
        case resume(from: Int64)
        case move(from: String, to: String)
        case link(to: String)
        case adopt(path: String)
        case remove(path: String)
        case refetch
        case keep
    }

    package var reference: VideoReference
    package var action: Action
    package var why: String
    /// Bytes that would come from the network, if known.
    package var size: Int64?

    package init(reference: VideoReference, action: Action, why: String, size: Int64?) {
        self.reference = reference
        self.action = action
        self.why = why
        self.size = size
    }
}

/// A command that can't do what it was asked: what stands in its way, and the condition that it is.
package struct Refusal: Error, Sendable, Equatable {
    package var condition: SyncCondition
    /// Whole sentences for the person, ways out included.
    package var message: String

    package init(condition: SyncCondition, message: String) {
        self.condition = condition
        self.message = message
    }
}

/// Where a command finds its user's state.
package struct StateLocation: Sendable, Equatable {
    package var user: String?
    package var state: String?
    package var library: String?

    package init(user: String? = nil, state: String? = nil, library: String? = nil) {
        self.user = user
        self.state = state
        self.library = library
    }
}

/// What the state knows about one download.
package struct StatusRow: Sendable {
    package var reference: VideoReference
    package var courseTitle: String
    package var chapterTitle: String?
    package var state: DownloadState
    package var reason: SuspendReason?
    package var priority: Int
    package var bytes: Int64
    package var size: Int64?
    package var bytesPerSecond: Int64?
    package var path: String?
    package var error: DownloadError?
    package var retryAt: Date?
    package var updatedAt: Date
    package var provider: String
    package var file: String
    package var gone: Bool
    package var sha256: String?

    package init(
        reference: VideoReference, courseTitle: String, chapterTitle: String?, state: DownloadState,
        reason: SuspendReason? = nil, priority: Int = 0, bytes: Int64 = 0, size: Int64? = nil,
        bytesPerSecond: Int64? = nil, path: String? = nil, error: DownloadError? = nil, retryAt: Date? = nil,
        updatedAt: Date, provider: String, file: String, gone: Bool = false, sha256: String? = nil
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
    }
}

/// What a user's state holds, in catalog order.
package struct StatusReport: Sendable {
    package var user: String
    /// The library's path, if the state knows one.
    package var library: String?
    /// The process that is syncing right now.
    package var running: RunningSync?
    package var rows: [StatusRow]
    /// Finished files that come from another source than the catalog now names.
    package var fromOtherSource: Int

    package init(
        user: String, library: String?, running: RunningSync?, rows: [StatusRow], fromOtherSource: Int = 0
    ) {
        self.user = user
        self.library = library
        self.running = running
        self.rows = rows
        self.fromOtherSource = fromOtherSource
    }

    package static func read(_ location: StateLocation) async throws(Refusal) -> StatusReport {
        StatusReport(user: location.user ?? "", library: nil, running: nil, rows: [])
    }
}

/// The process that holds a user's lock.
package struct RunningSync: Sendable, Equatable {
    package var pid: Int32
    package var host: String
    package var since: Date

    package init(pid: Int32, host: String, since: Date) {
        self.pid = pid
        self.host = host
        self.since = since
    }
}

/// What a provider answered for one video, in the words of the protocol. Holds secrets: print it redacted.
package struct ResolveAnswer: Sendable {
    package var reference: VideoReference
    package var provider: String
    package var url: String
    package var kind: String
    package var tokenValue: String?
    /// `header Authorization`, `query token`, `cookie session`.
    package var tokenPlace: String?
    package var tokenOrigins: [String]
    package var headers: [(name: String, value: String)]
    package var expiresAt: Date?
    package var size: Int64?
    package var sha256: String?
    package var mediaType: String?
    package var fileExtension: String?
    package var duration: Double?
    package var singleUse: Bool
    package var extendable: Bool
    package var subtitles: [String]
    package var attachments: [String]
    package var seconds: Double

    package init(reference: VideoReference, provider: String, url: String, kind: String = "file") {
        self.reference = reference
        self.provider = provider
        self.url = url
        self.kind = kind
        tokenOrigins = []
        headers = []
        singleUse = false
        extendable = false
        subtitles = []
        attachments = []
        seconds = 0
    }
}

/// Asks the provider of each selected video.
package enum ResolveProbe {
    package static func run(
        catalog: String, selection: Selection, user: String?, state: String?, plugins: [String], caFile: String?,
        logger: Logger
    ) async throws(Refusal) -> [(VideoReference, Result<ResolveAnswer, DownloadError>)] { [] }
}

/// A plugin as it was found.
package struct PluginListing: Sendable {
    package var name: String
    package var version: String?
    package var protocolVersion: Int?
    package var summary: String?
    package var methods: [String]
    package var folder: String
    /// Why it can't be used.
    package var problem: String?
    /// The folder of the one of the same name that comes before it.
    package var shadowedBy: String?

    package init(
        name: String, version: String?, protocolVersion: Int?, summary: String?, methods: [String], folder: String,
        problem: String? = nil, shadowedBy: String? = nil
    ) {
        self.name = name
        self.version = version
        self.protocolVersion = protocolVersion
        self.summary = summary
        self.methods = methods
        self.folder = folder
        self.problem = problem
        self.shadowedBy = shadowedBy
    }

    package static func all(plugins: [String]) async -> (listings: [PluginListing], searched: [String]) { ([], []) }
}

/// What `library move` and `library adopt` did.
package struct LibraryChange: Sendable, Equatable {
    package var library: String
    package var previous: String?
    /// Finished downloads that the state has there.
    package var files: Int

    package init(library: String, previous: String?, files: Int) {
        self.library = library
        self.previous = previous
        self.files = files
    }

    package static func move(_ location: StateLocation, to folder: String) async throws(Refusal) -> LibraryChange {
        LibraryChange(library: folder, previous: nil, files: 0)
    }

    package static func adopt(_ location: StateLocation) async throws(Refusal) -> LibraryChange {
        LibraryChange(library: location.library ?? "", previous: nil, files: 0)
    }
}

/// What `forget` did.
package struct ForgottenCatalog: Sendable, Equatable {
    package var file: String
    package var courses: [String]
    package var downloads: Int

    package init(file: String, courses: [String], downloads: Int) {
        self.file = file
        self.courses = courses
        self.downloads = downloads
    }

    package static func forget(_ file: String, at location: StateLocation) async throws(Refusal) -> ForgottenCatalog {
        ForgottenCatalog(file: file, courses: [], downloads: 0)
    }
}

/// What `check` found.
package struct CheckReport: Sendable {
    /// In order of the files; at most 100 errors a file, and those that can't be read as such.
    package var diagnostics: [Diagnostic]
    /// Errors that are not among the diagnostics.
    package var omitted: Int
    /// `.invalidCatalog`, `.unreadableCatalog`, or none.
    package var conditions: Set<SyncCondition>
    package var files: Int
    package var courses: Int
    package var videos: Int

    package init(
        diagnostics: [Diagnostic], omitted: Int = 0, conditions: Set<SyncCondition> = [], files: Int, courses: Int,
        videos: Int
    ) {
        self.diagnostics = diagnostics
        self.omitted = omitted
        self.conditions = conditions
        self.files = files
        self.courses = courses
        self.videos = videos
    }
}

/// Validates catalogs.
package enum CatalogCheck {
    /// `plugins` nil leaves providers aside.
    package static func run(_ catalogs: [String], plugins: [String]?) async -> CheckReport {
        CheckReport(diagnostics: [], files: 0, courses: 0, videos: 0)
    }

    /// The JSON Schema of the format.
    package static var schema: String { "{}" }
}
