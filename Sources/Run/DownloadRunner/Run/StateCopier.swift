import DownloadJobs
import DownloadStore
import FileSystem
import MediaLibrary
import RunAccess
import SyncFacts
import Synchronization
import SystemPackage
import UserState

/// Brings the state of a shard into its library while a pass works: at its beginning if the library has an older one,
/// once its videos and folders are known, every three minutes if something has changed, and at its end, so that a
/// machine that is gone for ever costs minutes.
///
/// A pass that finds that another machine has gone on with the shard, as on a file system without locks, is stopped.
final class StateCopier: Sendable {
    private static let interval = Duration.seconds(180)
    /// A large state on a slow disk is copied less often.
    private static let share = 20

    private struct State {
        /// SQLite's number of the state at the last copy.
        var dataVersion: Int64 = -1
        var hasWarned = false
        var overtaken: Refusal?
    }

    private let work: ShardState
    /// A connection of its own, which notices the commits of the run.
    private let store: DownloadStore
    private let library: LibraryFolder
    private let hub: EventHub
    private let stop: @Sendable () -> Void
    private let state = Mutex(State())
    private let timer = Mutex<Task<Void, Never>?>(nil)

    /// - Parameter stop: called if another machine has gone on with the shard.
    init(
        _ place: StateLocation.Place, _ library: LibraryFolder, hub: EventHub, stop: @escaping @Sendable () -> Void
    ) throws(StoreError) {
        store = try DownloadStore(path: place.folder.database.string, role: .client)
        work = ShardState(place)
        self.library = library
        self.hub = hub
        self.stop = stop
    }

    /// Why the pass was stopped: another machine has gone on with the shard.
    var overtaken: Refusal? { state.withLock { $0.overtaken } }

    /// Copies from now on; at once if another machine might go on with what the library has. Throws if that fails.
    func start(_ clock: any RunClock) async throws(Refusal) {
        try await Blocking.run { [self] _ -> Result<Void, Refusal> in
            do {
                if try !work.isKnown(store, library) { try copy() }
                return .success(())
            } catch { return .failure(Refusal(any: error)) }
        }.get()
        timer.withLock { timer in
            timer = Task {
                var pause = Self.interval
                while !Task.isCancelled {
                    do { try await clock.sleep(until: clock.now.advanced(by: pause)) } catch { return }
                    let took = await self.copyIfChanged()
                    pause = max(Self.interval, took * Self.share)
                }
            }
        }
    }

    /// Copies for the last time.
    func finish() async {
        let timer = timer.withLock { $0 }
        timer?.cancel()
        await timer?.value
        await copyIfChanged()
        store.close()
    }

    /// Copies the state if it has changed since the last copy. Returns how long that took.
    @discardableResult
    func copyIfChanged() async -> Duration {
        await ContinuousClock().measure {
            await Blocking.run { [self] _ in
                do {
                    guard try store.dataVersion() != state.withLock({ $0.dataVersion }), overtaken == nil else {
                        return
                    }
                    do throws(Refusal) { try work.check(store, library) } catch {
                        guard error.condition == .workLeft || error.isOfAnotherState else { throw error }
                        state.withLock { $0.overtaken = error }
                        return stop()
                    }
                    try copy()
                } catch {
                    let isFirst = state.withLock { state in
                        defer { state.hasWarned = true }
                        return !state.hasWarned
                    }
                    if isFirst { hub.post(.warning(.stateNotCopied(Refusal(any: error)), nil)) }
                }
            }
        }
    }

    private func copy() throws {
        let dataVersion = try store.dataVersion()
        try work.write(store, library)
        state.withLock { $0.dataVersion = dataVersion }
    }
}

extension Refusal {
    /// Whether the shard's part of the library has become another state's.
    fileprivate var isOfAnotherState: Bool {
        if case .library(.partOfAnother) = self { true } else { false }
    }
}
