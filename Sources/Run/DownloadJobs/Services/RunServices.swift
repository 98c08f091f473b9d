package import DownloadStore
package import FilePlacement
import Foundation
package import HLSMedia
package import Hooks
package import Logging
package import MediaLibrary
package import MediaTransfer
package import SyncFacts
import Synchronization

/// The services shared by the parts of one run.
package final class RunServices: Sendable {
    package let options: SyncOptions
    package let adjustable: AdjustableLimits
    package let userName: String
    package let engine: TransferEngine
    package let providers: ProviderPool
    package let library: LibraryFolder
    package let store: DownloadStore
    package let bookkeeper: Bookkeeper
    package let events: EventHub
    package let clock: any RunClock
    let serverClocks: ServerClocks
    /// Nil where only flushed bytes survive a kill.
    let unflushed: UnflushedRecord?
    /// Nil with `--min-free-space off`.
    package let space: SpaceWatch?
    package let limits: RunLimits
    /// Nil if it isn't installed, or not wanted.
    let ffmpeg: FFmpeg?
    /// Nil if the user has no hook commands.
    package let hooks: HookRunner?
    /// Nil for a run that isn't a shard's.
    package let shared: SharedVideos?
    let logger: Logger

    package init(
        options: SyncOptions, adjustable: AdjustableLimits, userName: String, engine: TransferEngine,
        providers: ProviderPool,
        library: LibraryFolder, store: DownloadStore, bookkeeper: Bookkeeper, events: EventHub, clock: any RunClock,
        serverClocks: ServerClocks, unflushed: UnflushedRecord? = nil, space: SpaceWatch?, limits: RunLimits,
        ffmpeg: FFmpeg?, hooks: HookRunner? = nil, shared: SharedVideos? = nil, logger: Logger
    ) {
        self.shared = shared
        self.hooks = hooks
        self.options = options
        self.adjustable = adjustable
        self.userName = userName
        self.engine = engine
        self.providers = providers
        self.library = library
        self.store = store
        self.bookkeeper = bookkeeper
        self.events = events
        self.clock = clock
        self.serverClocks = serverClocks
        self.unflushed = unflushed
        self.space = space
        self.limits = limits
        self.ffmpeg = ffmpeg
        self.logger = logger
    }

    /// What makes one file of a stream; nil where a stream becomes a package.
    var streamFFmpeg: FFmpeg? { options.container == .package ? nil : ffmpeg }

    /// The limit on connections to one host, with the current number of jobs.
    package var hostConnections: Int { options.hostConnections(jobs: adjustable.jobs) }
}

/// The settings that `set` changes during a run.
package final class AdjustableLimits: Sendable {
    private let state: Mutex<(jobs: JobCount, limitRate: Int64?)>

    package init(_ options: SyncOptions) { state = Mutex((options.jobs, options.limitRate)) }

    /// Downloads that may be active at once.
    package var jobs: JobCount {
        get { state.withLock { $0.jobs } }
        set { state.withLock { $0.jobs = newValue } }
    }

    /// Bytes per second of each download; nil for no limit.
    package var limitRate: Int64? {
        get { state.withLock { $0.limitRate } }
        set { state.withLock { $0.limitRate = newValue } }
    }
}

/// The offset of each server's clock from ours, by the Date of its last response.
package final class ServerClocks: Sendable {
    private let skews = Mutex<[Origin: Duration]>([:])

    package init() {
    }

    /// Notes a response. Returns the skew if it is beyond 5 s for the first time for that origin.
    func note(_ head: ResponseHead) -> Duration? {
        guard let skew = head.skew else { return nil }
        let isLarge = abs(skew.timeInterval) > 5
        let wasLarge = skews.withLock { skews in
            defer { skews[head.origin] = skew }
            return abs((skews[head.origin] ?? .zero).timeInterval) > 5
        }
        return isLarge && !wasLarge ? skew : nil
    }

    /// The instant to sign with for an origin: ours, corrected by a skew beyond 5 s.
    func corrected(_ now: Date, for origin: Origin?) -> Date {
        guard let origin, let skew = skews.withLock({ $0[origin] }), abs(skew.timeInterval) > 5 else { return now }
        return now.advanced(by: skew)
    }
}
