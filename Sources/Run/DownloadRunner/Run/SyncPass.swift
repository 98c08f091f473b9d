import CatalogComparison
import CourseCatalog
import CourseDiscovery
import DownloadJobs
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import Hooks
import Logging
import MediaLibrary
import MediaMetadata
import MediaTransfer
import ProviderHost
import ProviderKit
import RunAccess
import RunSchedule
import SyncFacts
import SystemPackage
import UserState
import YAMLSource

/// One pass of a run over its catalogs: settle, reconcile, dispatch, prune, sum up.
struct SyncPass: Sendable {
    let options: SyncOptions
    let logger: Logger
    let clock: any RunClock
    let hub: EventHub
    let control: RunControl
    let limits: RunLimits
    let open: RunResources
    /// Opened for this pass.
    let library: LibraryFolder
    /// In a run of a shard.
    let copier: StateCopier?
    /// The space of the disk of the partials; nil if it can't be measured.
    let space: @Sendable () -> VolumeSpace?
    let history: RunHistory
    private let asks = VideoDivision.Asks()

    /// Runs to its end, or until it is interrupted, and records that. Between ``RunControl/beginPass()`` and
    /// ``RunControl/endPass()``.
    func run(_ catalog: Catalog, _ check: CheckReport, started: Date) async -> SyncSummary {
        let run: Int64
        do throws(Refusal) { run = try history.begin() } catch { return SyncSummary(error) }
        let begun = await Blocking.run { [open, library] _ in
            open.idle?.begin(catalog, in: open.store, of: library)
        }
        var isIdle = false
        var summary: SyncSummary
        do throws(Refusal) {
            summary = try await carryOut(run, catalog, check, started: started, isIdle: &isIdle)
        } catch .library(.stopped) {
            summary = SyncSummary(conditions: [.workLeft])
            summary.stopReason = control.passStop
        } catch {
            summary = SyncSummary(error)
        }
        do throws(Refusal) { summary.libraryBytes = try history.end(run, summary) } catch { summary.add(error) }
        if let begun, isIdle {
            await Blocking.run { [summary, open, library] _ in
                open.idle?.end(begun, catalog, summary, in: open.store, of: library)
            }
        }
        return summary
    }

    /// - Parameter isIdle: gets whether there is nothing to do.
    private func carryOut(
        _ run: Int64, _ catalog: Catalog, _ check: CheckReport, started: Date, isIdle: inout Bool
    ) async throws(Refusal) -> SyncSummary {
        let credentials = try credentials()
        let warnedBefore = hub.warnings
        for warning in check.warnings { hub.post(.warning(warning, nil)) }
        // One instant, so that every step agrees on what is due.
        let now = clock.now
        let settled = try changes.settle(now)
        defer { division.leave() }
        try await division.begin()
        let list = FileListUpdater(store: open.store, library: library)
        let services = services(credentials, list, catalog.otherVideos)
        let sources = try await askForCourses(catalog, services, now)
        var listings = try beginListings(sources.catalog, services, now)
        // Selectors and refusals concern the whole catalog.
        let first = await listings.first(needsAll: !options.only.isEmpty)
        var plan: Reconciliation
        let moved: Int
        do throws(Refusal) {
            plan = try await reconcile(first.catalog, at: now, courses: first.courses, unsettled: settled.unsettled)
            if var refused = plan.refusal(options, knowsAll: sources.knowsAll && !listings.hasUnknown) {
                listings.cancel()
                await services.providers.shutDown()
                refused.finishedNow = settled.finished
                refused.movedNow = settled.moved
                return refused
            }
            moved = try begin(&plan, run, first, after: settled, list: list)
        } catch {
            listings.cancel()
            await services.providers.shutDown()
            throw error
        }
        list.note(settled.changes)
        list.note(plan.changes)
        isIdle = plan.changes.isEmpty && plan.isIdle && listings.isComplete
        // Another machine has to know the folders of the courses before there are files in them.
        if !isIdle { await copier?.copyIfChanged() }
        list.begin(isGoingToChange: !isIdle || joining.mayBeNeeded(services))
        defer { list.end() }
        limits.drive { [engine = services.engine] in engine.setBandwidth($0) }
        var result = await dispatch(&plan, services, &listings, list: list, settled: settled)
        do throws(Refusal) {
            plan.unmoved += try await useGivenTitles(in: listings.catalog, plan, list, settled)
        } catch .library(.stopped) {
        } catch { result.refusals.append(error) }
        let stopReason = control.passStop
        var summary = Self.summary(plan, result, services.providers.broken, stopReason: stopReason)
        summary.finishedNow += settled.finished
        summary.movedNow += settled.moved + moved
        noteListings(listings, sources, &summary)
        note(plan, result, of: listings.catalog, &summary)
        for failure in credentials.unsaved { summary.add(failure) }
        if stopReason?.isBound ?? true { await tidy(listings.catalog, plan, with: services, list: list, &summary) }
        list.end()
        if let failure = list.failure { hub.post(.warning(.listNotKept(failure), nil)) }
        summary.warnings = hub.warnings - warnedBefore
        summary.seconds = clock.now.timeIntervalSince(started)
        if [summary.stopReason, stopReason].contains(.logout) { summary.noteLogout() }
        return summary
    }

    /// Those of the session that is open now; the pass ends with it.
    func credentials() throws(Refusal) -> RunCredentials {
        let session: UserSession
        do { session = try open.place.session(in: open.store) } catch { throw Refusal(error) }
        control.goBy(session)
        do throws(CredentialsError) {
            return try RunCredentials(
                open.place.userFolder, generation: session.generation, store: open.sessions,
                isShared: open.place.shard != nil, logger: logger)
        } catch { throw Refusal(error) }
    }

    /// Carries out a plan up to its downloads, and reports it. Returns the number of moved videos.
    private func begin(
        _ plan: inout Reconciliation, _ run: Int64, _ first: ListingRound.Arrival, after settled: PassChanges.Settled,
        list: FileListUpdater
    ) throws(Refusal) -> Int {
        let moves = try changes.carryOut(plan, held: plan.held)
        plan.noteMoved(moves)
        post(
            plan, run,
            titles: Dictionary(
                first.catalog.courses.map { ($0.id, $0.title) }, uniquingKeysWith: { first, _ in first }))
        let reported = try changes.finish(plan, moves, first.courses, held: plan.held, after: settled, note: list.note)
        plan.unmoved = settled.unmoved + reported.unmoved
        return reported.moved
    }

    /// Adds what the state knows to a summary, once the downloads have ended.
    private func note(
        _ plan: Reconciliation, _ result: Dispatcher.Result, of catalog: Catalog, _ summary: inout SyncSummary
    ) {
        do throws(StoreError) {
            try forgetListings(catalog)
            try noteSidecars(&summary, catalog, only: plan.only, result)
            try notePartials(&summary, plan, result)
        } catch { summary.add(Refusal(error)) }
        summary.note(plan.held)
    }

    /// What follows the downloads, unless the user ends the run.
    private func tidy(
        _ catalog: Catalog, _ plan: Reconciliation, with services: RunServices, list: FileListUpdater,
        _ summary: inout SyncSummary
    ) async {
        do throws(StoreError) {
            if try await !joining.run(catalog, plan, with: services, list: list) {
                summary.stopReason = control.passStop
                summary.conditions.insert(.workLeft)
            }
        } catch { summary.add(Refusal(error)) }
        let isPruned = options.prune && prune(plan, &summary)
        if options.dividesVideos {
            do throws(Refusal) {
                try await division.end(catalog, pruned: isPruned ? plan.unlistedInRegister : nil) { register, states in
                    await keepMetadata(catalog, plan, in: register, of: states, &summary)
                }
            } catch .library(.stopped) {
                summary.stopReason = control.passStop
                summary.conditions.insert(.workLeft)
            } catch { summary.add(error) }
        } else {
            await keepMetadata(catalog, plan, in: open.store, of: [open.store], &summary)
        }
        await notifyOfNewVideos(&summary)
    }

    /// - Parameter others: the videos of other shards' courses.
    private func services(
        _ credentials: RunCredentials, _ list: FileListUpdater, _ others: OtherVideos
    ) -> RunServices {
        var configuration = TransferConfiguration()
        // The queue counts them; `set` may raise its cap.
        configuration.connectionsPerHost = max(64, options.hostConnections)
        configuration.bandwidth = limits.rate
        configuration.quota = limits.quota
        configuration.caFile = options.caFile
        configuration.userAgent = "coursefetch/\(Version.text)"
        let adjustable = control.adjustable
        let settings = HostSettings(
            userAgent: configuration.userAgent, proxy: ProxySetting.ofEnvironment, caFile: options.caFile)
        let providers = ProviderPool(
            registry: open.registry, settings: settings, credentials: credentials,
            logins: CredentialHelperLogins(
                options.credentialHelpers, user: open.place.user.text, settings: settings, credentials: credentials,
                logger: logger), logger: logger)
        let hooks = HookRunner(
            options.hooks, jobs: { adjustable.jobs.first }, watch: providers.groupWatch, log: hookLog)
        return RunServices(
            options: options, adjustable: adjustable, userName: open.place.user.text,
            engine: TransferEngine(configuration: configuration),
            providers: providers,
            library: library, store: open.store,
            bookkeeper: Bookkeeper(store: open.store, library: library, list: list), events: hub, clock: clock,
            serverClocks: ServerClocks(), unflushed: unflushed, space: spaceWatch,
            limits: limits, ffmpeg: options.ffmpeg.program,
            hooks: options.hooks.has(.beforeRequest) || options.hooks.has(.afterDownload) ? hooks : nil,
            shared: SharedVideos(
                options, library: library, others: others, user: open.place.user.text,
                ignoresCourse: providers.ignoresCourse),
            logger: logger)
    }

    /// Only a file of this computer has what a killed process has written.
    private var unflushed: UnflushedRecord? {
        guard library.fileSystem == .local, open.place.folder.fileSystem == .local else { return nil }
        return UnflushedRecord(path: open.place.folder.unflushed.string)
    }

    private var spaceWatch: SpaceWatch? {
        options.minFreeSpace.bytes(of: space()?.size).map { [space] floor in
            SpaceWatch(rule: FreeSpaceGuard(floor: floor), isStandard: options.minFreeSpace == .standard) {
                space()?.free
            }
        }
    }

    // MARK: steps

    var changes: PassChanges {
        PassChanges(
            options: options, store: open.store, library: library, hub: hub, unflushed: open.place.folder.unflushed)
    }

    var division: VideoDivision {
        VideoDivision(
            options: options, clock: clock, control: control, open: open, library: library, copier: copier,
            hub: hub, asks: asks)
    }

    private var joining: PassJoining { .init(store: open.store, hub: hub, control: control) }

    /// On its own thread: a slow disk must not delay a logout.
    func reconcile(
        _ catalog: Catalog, at now: Date, courses: ComparedCourses, unsettled: [String: LibraryError],
        tallies: [String: LossGuard.Tally] = [:]
    ) async throws(Refusal) -> Reconciliation {
        let names = try await division.names(of: catalog, at: now, compared: courses)
        return try await Blocking.run { [changes] _ -> Result<Reconciliation, Refusal> in
            do throws(Refusal) {
                return .success(
                    try changes.compare(
                        catalog, at: now, courses: courses, unsettled: unsettled, tallies: tallies, register: names))
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Runs after the downloads: a video that is gone may be wanted by another course. Failed removals are reported,
    /// and end nothing. Returns whether what is gone may be removed.
    private func prune(_ plan: Reconciliation, _ summary: inout SyncSummary) -> Bool {
        let isDone = summary.downloads.allSatisfy { [.finished, .cancelled].contains($0.key) || $0.value == 0 }
        let verdict = PruneGuard.verdict(plan, options.maxDelete, endsWell: summary.conditions.isEmpty && isDone)
        if let warning = PruneGuard.warning(verdict, plan) { hub.post(.warning(.prune(warning), nil)) }
        switch verdict {
        case .nothing: break
        case .unfinished: return false
        case .held:
            summary.conditions.insert(.pruneHeld)
            return false
        case .delete(let gone):
            let pruning = Pruning(store: open.store, library: library)
            let outcome = pruning.run(gone, plan.unlisted)
            summary.removedNow = outcome.removed.count
            for reference in outcome.removed { hub.post(.downloadRemoved(reference)) }
            for (warning, reference) in outcome.warnings { hub.post(.warning(.prune(warning), reference)) }
            if outcome.hasFailed { summary.conditions.insert(.pruneHeld) }
            if let refusal = outcome.refusal { summary.add(refusal) }
        }
        return true
    }

    /// Updates the files beside the videos. Failures are reported, and retried by the next run.
    ///
    /// - Parameters:
    ///   - store: has the records of these files.
    ///   - states: have the videos.
    private func keepMetadata(
        _ catalog: Catalog, _ plan: Reconciliation, in store: DownloadStore, of states: [DownloadStore],
        _ summary: inout SyncSummary
    ) async {
        // A shard doesn't know the courses of the others, unless each has some videos of all.
        let isWhole = open.place.shard == nil || options.dividesVideos
        let updater = MetadataUpdater(
            store: store, states: states, library: library,
            writer: MetadataWriter(options.metadata, hasLibrary: isWhole))
        let held = Set(plan.held.map(\.course))
        let result = await Blocking.run { _ -> Result<MetadataUpdater.Outcome, StoreError> in
            do throws(StoreError) {
                let titled = catalog.addingTitles(try updater.store.downloads.givenTitles())
                return .success(try updater.run(titled, without: held))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let outcome):
            for files in outcome.foreign { hub.post(.warning(.metadataForeign(files), nil)) }
            if let failure = outcome.failure { hub.post(.warning(.metadataFailed(failure), nil)) }
        case .failure(let error): summary.add(Refusal(error))
        }
    }

    /// Notifies of videos that are new in the library.
    private func notifyOfNewVideos(_ summary: inout SyncSummary) async {
        let news = NewVideoNotifier(
            store: open.store, library: library, settings: options.hooks, jobs: control.adjustable.jobs.first,
            caFile: options.caFile, log: hookLog,
            isStopped: { [control] in control.passStop.map { !$0.isBound } ?? false })
        do throws(StoreError) {
            for warning in try await news.notify() { hub.post(.warning(warning, nil)) }
        } catch { summary.add(Refusal(error)) }
    }

    private var hookLog: @Sendable (String) -> Void {
        { [logger] line in logger.info("hook: \(line)") }
    }
}
