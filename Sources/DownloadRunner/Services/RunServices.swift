import DownloadStore
import Foundation
import HLSMedia
import Logging
import MediaLibrary
import MediaTransfer
import Synchronization

/// What the parts of one run share.
struct RunServices: Sendable {
    let options: SyncOptions
    let knobs: RunKnobs
    let userName: String
    let engine: TransferEngine
    let providers: ProviderPool
    let library: LibraryFolder
    let store: DownloadStore
    let bookkeeper: Bookkeeper
    let events: EventHub
    let clock: any RunClock
    let serverClocks: ServerClocks
    /// Nil without `--min-free-space`.
    let space: SpaceWatch?
    let limits: RunLimits
    /// Nil where there is none, or none is wanted.
    let ffmpeg: FFmpeg?
    let logger: Logger

    /// The cap on connections to one host, with the jobs that there may be now.
    var hostConnections: Int { options.hostConnections(jobs: knobs.jobs) }
}

/// What `set` changes while a run goes on.
final class RunKnobs: Sendable {
    private let state: Mutex<(jobs: Int, limitRate: Int64?)>

    init(_ options: SyncOptions) { state = Mutex((options.jobs, options.limitRate)) }

    /// Downloads that may be active at once.
    var jobs: Int {
        get { state.withLock { $0.jobs } }
        set { state.withLock { $0.jobs = newValue } }
    }

    /// Bytes a second of each download; nil without bound.
    var limitRate: Int64? {
        get { state.withLock { $0.limitRate } }
        set { state.withLock { $0.limitRate = newValue } }
    }
}

/// How far each server's clock is from ours, as its answers' Date said last.
final class ServerClocks: Sendable {
    private let skews = Mutex<[Origin: Duration]>([:])

    /// Notes an answer. Returns the skew if it is beyond 5 s and this is the first time that the origin's is.
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
