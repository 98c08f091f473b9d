import CourseCatalog
package import DownloadJobs
package import DownloadStore
import FilePlacement
package import FileSystem
import Foundation
package import Logging
import MediaLibrary
import MediaTransfer
import ProviderHost
import ProviderKit
import RunAccess
package import SyncFacts
import Synchronization
import SystemPackage
import UserState
import YAMLSource

/// One sync: brings the library up to date with the catalogs, once, or again and again while it watches them.
///
/// ``events`` is read beside ``run()``, by any number of readers; each gets its own sequence. Events and
/// summary have everything that the user has to know; nothing is printed here.
package final class SyncRun: Sendable {
    package let options: SyncOptions
    package let logger: Logger
    let clock: any RunClock
    let hub = EventHub()
    let control: RunControl
    private let space: (@Sendable () -> VolumeSpace?)?
    private let wording: @Sendable (Refusal) -> String
    /// While it may have to wait for another sync to end.
    private let opening = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Parameters:
    ///   - space: of the disk of the partials; nil asks the library.
    ///   - wording: the sentence of a refusal, for another process's request.
    package init(
        _ options: SyncOptions, logger: Logger, clock: any RunClock = SystemClock(),
        space: (@Sendable () -> VolumeSpace?)? = nil, wording: @escaping @Sendable (Refusal) -> String
    ) {
        self.space = space
        self.wording = wording
        control = RunControl(options)
        self.options = options
        self.logger = logger
        self.clock = clock
    }

    /// The events from now on, for one reader.
    package var events: SyncEvents { hub.subscribe() }

    /// Suspends active downloads and ends the run. Returns at once; ``run()`` returns when everything is durable.
    package func stop(_ reason: SuspendReason) {
        control.stop(reason)
        opening.withLock { $0 }?()
    }

    /// Runs to the end. The summary of a run that was refused at its start has no seconds. A watching run posts one
    /// after each pass.
    package func run() async -> SyncSummary {
        let summary: SyncSummary
        let started = clock.now
        let limits = RunLimits(options, startedAt: started, clock: clock, logger: logger) { [weak self] reason in
            self?.stop(reason)
        }
        control.limits = limits
        limits.watchWindow()
        defer { limits.end() }
        do {
            summary = try await runThrowing(started: started, limits)
        } catch {
            summary = SyncSummary(error)
        }
        hub.post(.finished(summary))
        hub.finish()
        return summary
    }

    private func runThrowing(started: Date, _ limits: RunLimits) async throws(Refusal) -> SyncSummary {
        try options.requireMeans()
        if let hours = options.window.between, let opens = options.window.opens(after: started, in: options.zone) {
            throw .run(.outsideHours(hours, opens: opens, options.zone))
        }
        let registry = ProviderCheck.registry(options.plugins)
        let idle = IdleRun(options, registry)
        let (beginning, files) = try await begin(idle, registry, at: started)
        if case .catalogs(let read) = beginning, !read.check.conditions.isEmpty { return SyncSummary(read.check) }
        let place = try StateLocation(options).resolve()
        try place.requireKnown()
        if place.shard != nil, options.state == nil, options.localState == nil,
            let kind = place.folder.fileSystem.name
        {
            throw .run(.stateOnNetwork(path: place.folder.path.string, kind: kind))
        }
        let (lock, store) = try await open(place)
        let sessions: DownloadStore
        do throws(Refusal) { sessions = try await place.sessions(beside: store) } catch {
            store.close()
            throw error
        }
        defer {
            if place.shard != nil { sessions.close() }
            store.close()
            withExtendedLifetime(lock) {}
        }
        do {
            // At once: requests from now on are meant for this run.
            try store.requests.clear()
        } catch {
            throw Refusal(error)
        }
        let session = try place.requireSession(in: store)
        let open = RunResources(
            place: place, registry: registry, store: store, sessions: sessions, library: RunLibrary(place, store),
            idle: idle, session: session)
        // From here on a logout waits neither for another process's library nor for a comparison.
        let server: ControlServer
        do { server = try ControlServer(open, control, wording: wording) } catch { throw Refusal(error) }
        var passes = PassLoop(self, open: open, limits: limits, from: beginning, files: files)
        let summary = await passes.run()
        // What it still answers belongs to the last copy of a shard's state.
        await server.close()
        await passes.end()
        open.library.close()
        return summary
    }

    /// Compares the catalogs with the note of the last run, or reads them, and watches their files if requested.
    private func begin(
        _ idle: IdleRun?, _ registry: PluginRegistry, at started: Date
    ) async throws(Refusal) -> (PassLoop.Beginning, CatalogWatch?) {
        if let idle, let note = await Blocking.run({ _ in idle.recalled() }) {
            return (.recalled(note, at: started), nil)
        }
        let sources = CatalogSources(options)
        let (catalog, check) = try await untilStopped { () async throws(Refusal) in
            await CatalogCheck.read(sources, registry: registry)
        }
        let files = options.watchEvery.map { _ in CatalogWatch(sources, catalog) }
        return (.catalogs(.init(catalog: catalog, check: check, readAt: started)), files)
    }

    /// A pass over the open library.
    func pass(
        _ open: RunResources, _ library: LibraryFolder, _ limits: RunLimits, copier: StateCopier?, isFirst: Bool
    ) -> SyncPass {
        var options = options
        // Later passes of a watching run are unattended.
        if !isFirst { options.retryFailed = false }
        return SyncPass(
            options: options, logger: logger, clock: clock, hub: hub, control: control, limits: limits, open: open,
            library: library, copier: copier, space: space ?? { try? library.space() }, history: history(in: open))
    }

    func history(in open: RunResources) -> RunHistory {
        RunHistory(store: open.store, catalogs: options.shownCatalogs, wording: wording)
    }

    /// Takes the lock, waiting for it if requested, and opens the state. ``stop(_:)`` ends the wait.
    private func open(_ place: StateLocation.Place) async throws(Refusal) -> (FileLock, DownloadStore) {
        let (options, hub, clock) = (options, hub, clock)
        return try await untilStopped { () async throws(Refusal) in
            try await place.openForWriting(for: options.shownCatalogs, wait: options.wait) { holder in
                hub.post(.lockWaiting(holder, until: clock.now.advanced(by: options.wait)))
            }
        }
    }

    /// Opens the library, waiting for another process that writes to it if requested. ``stop(_:)`` ends the wait.
    func openFirstLibrary(_ open: RunResources) async throws(Refusal) -> LibraryFolder {
        let (options, hub, clock) = (options, hub, clock)
        do {
            return try await untilStopped { () async throws(Refusal) in
                try await open.library.open(for: options.shownCatalogs, wait: options.wait) { holder in
                    hub.post(.lockWaiting(holder, until: clock.now.advanced(by: options.wait)))
                }
            }
        } catch  where error.condition == .workLeft {
            throw error
        } catch {
            throw .run(.notStarted(error))
        }
    }

    /// Begins a pass of a shard: its state catches up with the library, and is copied there from now on. Nil without a
    /// shard. ``stop(_:)`` ends it.
    func beginShard(_ open: RunResources, _ library: LibraryFolder) async throws(Refusal) -> StateCopier? {
        guard open.place.shard != nil else { return nil }
        let (options, hub, clock) = (options, hub, clock)
        let interrupt: @Sendable () -> Void = { [weak self] in self?.stop(.interrupted) }
        return try await untilStopped { () async throws(Refusal) in
            do { try library.require(dividesVideos: options.dividesVideos) } catch { throw Refusal(any: error) }
            let shard = ShardState(open.place)
            try shard.check(open.store, library)
            try? OtherShards(of: library)?.removeStaleClaims(as: .current(user: open.place.user.text))
            do {
                let copier = try StateCopier(open.place, library, hub: hub, stop: interrupt)
                guard try shard.isBehind(open.store) else {
                    try await copier.start(clock)
                    return copier
                }
                _ = try RecordedMoves(store: open.store, library: library).finish(try open.store.moves.recorded())
                let rebuild = LibraryRebuild(store: open.store, library: library)
                let result = try await Blocking.run { shouldStop in
                    Result { try rebuild.run(shouldStop: shouldStop) }
                }.get()
                // The library has to know who goes on before the state counts as whole.
                try await copier.start(clock)
                if !result.isNewer { try shard.hasCaughtUp(open.store) }
                return copier
            } catch {
                throw Refusal(any: error)
            }
        }
    }

    private func untilStopped<T: Sendable>(
        _ body: @escaping @Sendable () async throws(Refusal) -> T
    ) async throws(Refusal) -> T {
        let task = Task { () -> Result<T, Refusal> in
            do throws(Refusal) { return .success(try await body()) } catch { return .failure(error) }
        }
        opening.withLock { $0 = { task.cancel() } }
        if control.runStop != nil { task.cancel() }
        defer { opening.withLock { $0 = nil } }
        return try await task.value.get()
    }
}
