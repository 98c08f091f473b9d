import CourseCatalog
package import DownloadStore
import Foundation
package import Logging
import MediaTransfer
import ProviderKit
import Synchronization
import SystemPackage
import YAMLSource

/// One sync: brings the library up to date with the catalogs.
///
/// ``events`` is read beside ``run()``, by any number of readers; each gets its own sequence. Everything that a person
/// has to know comes out of the events and the summary; nothing is printed here.
package final class SyncRun: Sendable {
    let options: SyncOptions
    private let logger: Logger
    let clock: any RunClock
    private let hub = EventHub()
    private let state = Mutex(State())

    private let freeSpace: (@Sendable () -> Int64?)?

    private struct State {
        var dispatcher: Dispatcher?
        var stopReason: SuspendReason?
        /// While it may have to wait for another sync to end.
        var opening: Task<Result<(SyncLock, DownloadStore), Refusal>, Never>?
    }

    /// - Parameter freeSpace: bytes free on the disk of the partials; nil asks the library.
    package init(
        _ options: SyncOptions, logger: Logger, clock: any RunClock = SystemClock(),
        freeSpace: (@Sendable () -> Int64?)? = nil
    ) {
        self.freeSpace = freeSpace
        self.clock = clock
        self.options = options
        self.logger = logger
    }

    /// The events from now on, for one reader.
    package var events: SyncEvents { hub.subscribe() }

    /// Suspends everything that is active and ends the run. Returns at once; ``run()`` returns when all is durable.
    package func stop(_ reason: SuspendReason) {
        let dispatcher = state.withLock { state in
            state.stopReason = state.stopReason ?? reason
            state.opening?.cancel()
            return state.dispatcher
        }
        if let dispatcher { Task { await dispatcher.stop(reason) } }
    }

    /// Runs to the end. The summary of a run that was refused at its start has no seconds.
    package func run() async -> SyncSummary {
        let summary: SyncSummary
        let started = clock.now
        let limits = RunLimits(options, startedAt: started, clock: clock, logger: logger) { [weak self] reason in
            self?.stop(reason)
        }
        limits.watchWindow()
        defer { limits.end() }
        do {
            summary = try await runThrowing(started: started, limits)
        } catch {
            summary = SyncSummary(
                conditions: [error.condition],
                errors: [LocatedMessage(file: "", line: nil, column: nil, message: error.message)])
        }
        hub.post(.finished(summary))
        hub.finish()
        return summary
    }

    private func runThrowing(started: Date, _ limits: RunLimits) async throws(Refusal) -> SyncSummary {
        let registry = ProviderCheck.registry(options.plugins)
        let (catalog, check) = CatalogCheck.read(options.catalogs, registry: registry)
        guard check.conditions.isEmpty else {
            return SyncSummary(conditions: check.conditions, errors: check.diagnostics.errors)
        }
        var warnings = check.diagnostics.map(\.text)
        warnings += catalog.courses.filter(\.discover).map { course in
            "\(course.location): the course “\(course.id)” is to be filled by its provider, which this version can't do yet"
        }
        for warning in warnings { hub.post(.warning(warning, nil)) }
        let place = try StateLocation(user: options.user, state: options.state, library: options.library).resolve()
        guard place.isAccountsOwn else {
            throw Refusal(condition: .loginNeeded, message: "the user “\(place.user)” isn't logged in")
        }
        let (lock, store) = try await open(place)
        defer {
            store.close()
            withExtendedLifetime(lock) {}
        }
        let library = try LibraryOpening.open(place, store)
        // One instant for all that compares times: what is due for one step is due for the next.
        let now = clock.now
        do {
            try Settling(store: store, library: library).run(at: now)
        } catch {
            throw Refusal(any: error)
        }
        let plan = try reconcile(catalog, store, library, now)
        if let refused = Self.refused(plan, options) { return refused }
        let (run, moved) = try apply(plan, store, library)

        let bookkeeper = Bookkeeper(store: store, library: library)
        var configuration = TransferConfiguration()
        configuration.connectionsPerHost = options.hostConnections
        configuration.bandwidth = limits.rate
        configuration.quota = limits.quota
        configuration.caFile = options.caFile
        configuration.userAgent = "coursefetch/\(Version.text)"
        let services = RunServices(
            options: options, userName: place.user.text, engine: TransferEngine(configuration: configuration),
            providers: ProviderPool(
                registry: registry,
                settings: HostSettings(
                    userAgent: configuration.userAgent, proxy: ProxySetting.ofEnvironment, caFile: options.caFile),
                logger: logger),
            library: library, store: store, bookkeeper: bookkeeper, events: hub, clock: clock,
            serverClocks: ServerClocks(), space: spaceWatch(library), logger: logger)
        limits.drive { [engine = services.engine] in engine.setBandwidth($0) }
        hub.post(
            .started(
                SyncStart(
                    user: place.user.text, run: run, catalogs: options.catalogs, library: place.library.string,
                    downloads: plan.counts, waitingBytes: Self.waitingBytes(plan.wanted))))
        announce(plan, moved)
        let result = await dispatch(plan, services)
        let stopReason = state.withLock { $0.stopReason }
        var summary = Self.summary(plan, result, services.providers.broken, stopReason: stopReason)
        // After the downloads: what is gone may be what another course wants.
        let isStopped = stopReason != nil && !(stopReason?.isBound == true && summary.conditions.isEmpty)
        let pruned = isStopped ? .nothing : try prune(plan, store, library)
        summary.warnings += warnings.count
        summary.seconds = clock.now.timeIntervalSince(started)
        if pruned == .held { summary.conditions.insert(.pruneHeld) }
        // A run that the state can't record any more has said so already.
        let exit = summary.conditions.isEmpty ? 0 : 1
        try? store.endRun(
            run, RunEnd(exit: exit, finished: summary.finishedNow, failed: summary.failedNow, bytes: summary.bytes))
        return summary
    }

    // MARK: steps

    /// Takes the lock, waiting for it if it is to, and opens the state. ``stop(_:)`` ends the waiting.
    private func open(_ place: StateLocation.Place) async throws(Refusal) -> (SyncLock, DownloadStore) {
        let (options, hub, clock) = (options, hub, clock)
        let opening = Task { () -> Result<(SyncLock, DownloadStore), Refusal> in
            do throws(Refusal) {
                return .success(
                    try await place.openForWriting(for: options.catalogs, wait: options.wait) { holder in
                        hub.post(.lockWaiting(holder, until: clock.now.advanced(by: options.wait)))
                    })
            } catch {
                return .failure(error)
            }
        }
        let isStopped = state.withLock { state in
            state.opening = opening
            return state.stopReason != nil
        }
        if isStopped { opening.cancel() }
        defer { state.withLock { $0.opening = nil } }
        return try await opening.value.get()
    }

    private func spaceWatch(_ library: LibraryFolder) -> SpaceWatch? {
        options.minFreeSpace.map { floor in
            SpaceWatch(rule: FreeSpaceGuard(floor: floor), free: freeSpace ?? { try? library.freeSpace() })
        }
    }

    private func reconcile(
        _ catalog: Catalog, _ store: DownloadStore, _ library: LibraryFolder, _ now: Date
    ) throws(Refusal) -> Reconciliation {
        do {
            let listing = library.names()
            var reconciler = try Reconciler(
                catalog: catalog, store: store, only: options.only, now: now, isListed: listing.isListed,
                exists: listing.contains)
            return try reconciler.run()
        } catch {
            throw Refusal(any: error)
        }
    }

    /// The summary of a run that doesn't start; nil if it does.
    static func refused(_ plan: Reconciliation, _ options: SyncOptions) -> SyncSummary? {
        if !plan.errors.isEmpty { return SyncSummary(conditions: [.invalidCatalog], errors: plan.errors) }
        let unmatched = zip(options.only, plan.selectorMatched).filter { !$0.1 }.map(\.0)
        guard !unmatched.isEmpty else { return nil }
        let messages = unmatched.map { selector in
            LocatedMessage(file: "", line: nil, column: nil, message: selector.unmatched(among: plan.references))
        }
        return SyncSummary(conditions: [.usage], errors: messages)
    }

    private func apply(
        _ plan: Reconciliation, _ store: DownloadStore, _ library: LibraryFolder
    ) throws(Refusal) -> (run: Int64, moved: [RecordedMove.Owner: String]) {
        do {
            var changes = plan.changes
            changes.moves = try plan.recordedMoves()
            try store.apply(changes)
            let places = try Settling(store: store, library: library).finishMoves(changes.moves)
            let moved = Dictionary(places.map { ($0.owner, $0.path) }, uniquingKeysWith: { first, _ in first })
            return (try store.beginRun(catalogs: options.catalogs), moved)
        } catch {
            throw Refusal(any: error)
        }
    }

    private func announce(_ plan: Reconciliation, _ moved: [RecordedMove.Owner: String]) {
        for notice in plan.notices { hub.post(.warning(notice, nil)) }
        for move in plan.moves {
            guard let reference = move.reference, let path = moved[move.owner], path != move.from else { continue }
            hub.post(.downloadMoved(reference, from: move.from, path: path))
        }
        for reference in plan.lost + plan.refetched { hub.post(.downloadWaiting(reference)) }
        for gone in plan.gone where !gone.isKnown { hub.post(.downloadGone(gone.reference)) }
    }

    private func prune(
        _ plan: Reconciliation, _ store: DownloadStore, _ library: LibraryFolder
    ) throws(Refusal) -> Prune.Verdict {
        guard options.prune else { return .nothing }
        do {
            let verdict = Prune.verdict(plan, options.maxDelete)
            if case .delete(let gone) = verdict {
                for item in gone where try Prune.delete(item, store, library) {
                    hub.post(.downloadRemoved(item.reference))
                }
            }
            if case .held = verdict { hub.post(.warning(Prune.message(plan, options.maxDelete), nil)) }
            return verdict
        } catch {
            throw Refusal(any: error)
        }
    }

    private func dispatch(_ plan: Reconciliation, _ services: RunServices) async -> Dispatcher.Result {
        guard !plan.wanted.isEmpty || !plan.sidecars.isEmpty || !plan.sidecarGroups.isEmpty else {
            return Dispatcher.Result()
        }
        let dispatcher = Dispatcher(services: services, plan: plan)
        services.bookkeeper.start(dispatcher.callbacks)
        let stopped = state.withLock { state in
            state.dispatcher = dispatcher
            return state.stopReason
        }
        if let stopped { await dispatcher.stop(stopped) }
        let result = await dispatcher.run()
        await services.engine.shutDown()
        await services.bookkeeper.stop()
        await services.providers.shutDown()
        return result
    }

    private static func waitingBytes(_ wanted: [WantedDownload]) -> Int64? {
        var sum: Int64 = 0
        for download in wanted {
            guard let size = download.video.size ?? download.resume?.total else { return nil }
            sum += size
        }
        return sum
    }

    private static func summary(
        _ plan: Reconciliation, _ result: Dispatcher.Result, _ broken: [(name: String, reason: String)],
        stopReason: SuspendReason?
    ) -> SyncSummary {
        var summary = SyncSummary()
        summary.downloads = plan.counts
        summary.stopReason = stopReason
        // A window or a quota may have ended when there was nothing left to do.
        var isWorkLeft = stopReason.map { !$0.isBound } ?? false || result.hasSidecarsLeft
        for wanted in plan.wanted {
            let state = result.states[wanted.id] ?? .waiting
            summary.downloads[.waiting, default: 0] -= 1
            summary.downloads[state, default: 0] += 1
            let isNotReady = state == .waiting && wanted.isNotReady && result.states[wanted.id] == nil
            let isOver = [.finished, .failed].contains(state) || isNotReady || result.notReady.contains(wanted.id)
            let isForLogin = state == .suspended && !result.providersToLogIn.isEmpty
            if !isOver, !isForLogin { isWorkLeft = true }
        }
        summary.downloads = summary.downloads.filter { $0.value > 0 }
        summary.finishedNow = result.finished
        summary.failedNow = result.failed
        summary.bytes = result.received
        summary.failures = result.failures
        summary.warnings = result.warnings
        summary.fromOtherSource = plan.fromOtherSource
        summary.providersToLogIn = result.providersToLogIn.sorted()
        if isWorkLeft { summary.conditions.insert(.workLeft) }
        if summary.downloads[.failed] != nil { summary.conditions.insert(.downloadsFailed) }
        if !result.providersToLogIn.isEmpty { summary.conditions.insert(.loginNeeded) }
        for (name, reason) in broken {
            summary.conditions.insert(.providerBroken)
            summary.errors.append(.init(file: "", line: nil, column: nil, message: "the provider “\(name)”: \(reason)"))
        }
        if let error = result.storeError {
            let refusal = Refusal(error)
            summary.conditions.insert(refusal.condition)
            summary.errors.append(.init(file: "", line: nil, column: nil, message: refusal.message))
        }
        if let error = result.diskError {
            summary.conditions.insert(.stateUnusable)
            summary.errors.append(.init(file: "", line: nil, column: nil, message: error.message))
        }
        return summary
    }
}

extension SuspendReason {
    /// Whether it says how much a run may do, and nothing about what is left.
    fileprivate var isBound: Bool { self == .window || self == .quota }
}

extension Refusal {
    /// Of what the rooms below throw.
    init(any error: any Error) {
        switch error {
        case let error as Refusal: self = error
        case let error as StoreError: self.init(error)
        case let error as LibraryError: self.init(error)
        case let error as StateError: self.init(error)
        default: self.init(condition: .bug, message: "\(error)")
        }
    }
}

extension Reconciliation {
    /// The moves as the state records them, in one plan.
    func recordedMoves() throws -> [RecordedMove] {
        guard !moves.isEmpty else { return [] }
        // Two that would be at one place: the first one goes, the other stays where it is.
        var targets: Set<String> = []
        let moves = moves.filter { targets.insert(LibraryName.key($0.to)).inserted }
        guard let plan = try MovePlan.plan(moves.map { (from: $0.from, to: $0.to) }) else { return [] }
        let owners = Dictionary(moves.map { ($0.from, $0.owner) }, uniquingKeysWith: { first, _ in first })
        return plan.moves.compactMap { move in
            owners[move.from].map { RecordedMove(id: move.id, from: move.from, to: move.to, owner: $0) }
        }
    }
}
