import CatalogComparison
import CourseCatalog
import DownloadJobs
import DownloadStore
import FileSystem
import Foundation
import Hooks
import Logging
import MediaLibrary
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
    let open: OpenState
    /// Opened for this pass.
    let library: LibraryFolder
    /// The space of the disk of the partials; nil if it can't be measured.
    let space: @Sendable () -> VolumeSpace?

    /// Runs to its end, or until it is interrupted. Between ``RunControl/beginPass()`` and ``RunControl/endPass()``.
    func run(
        _ catalog: Catalog, _ check: CheckReport, started: Date
    ) async throws(Refusal) -> SyncSummary {
        let credentials = try credentials()
        let warnedBefore = hub.warnings
        for warning in check.warnings { hub.post(.warning(warning, nil)) }
        // One instant for all comparisons of times, so that every step agrees on what is due.
        let now = clock.now
        let settled = try settle(now)
        let list = ListKeeper(store: open.store, library: library)
        let services = services(credentials, list)
        var listings = try beginListings(catalog, services, now)
        // Selectors and refusals concern the whole catalog.
        let first = await listings.first(needsAll: !options.only.isEmpty)
        var plan: Reconciliation
        let (run, moved): (Int64, Int)
        do throws(Refusal) {
            plan = try await reconcile(first.catalog, at: now, courses: first.courses, unsettled: settled.unsettled)
            if var refused = plan.refusal(options, knowsAll: !listings.hasUnknown) {
                listings.cancel()
                await services.providers.shutDown()
                refused.finishedNow = settled.finished
                refused.movedNow = settled.moved
                return refused
            }
            (run, moved) = try begin(&plan, first, settled, list: list)
        } catch {
            listings.cancel()
            await services.providers.shutDown()
            throw error
        }
        list.note(settled.changes)
        list.note(plan.changes)
        list.begin(isGoingToChange: !plan.changes.isEmpty || !plan.isIdle || !listings.isComplete)
        defer { list.end() }
        limits.drive { [engine = services.engine] in engine.setBandwidth($0) }
        let result = await dispatch(&plan, services, &listings, list: list, settled: settled)
        let stopReason = control.passStop
        var summary = Self.summary(plan, result, services.providers.broken, stopReason: stopReason)
        summary.finishedNow += settled.finished
        summary.movedNow += settled.moved + moved
        noteListings(listings, &summary)
        note(plan, result, of: listings.catalog, &summary)
        for failure in credentials.unsaved { summary.add(failure) }
        if stopReason?.isBound ?? true { await tidy(listings.catalog, plan, &summary) }
        list.end()
        if let failure = list.failure { hub.post(.warning(.listNotKept(failure), nil)) }
        summary.warnings = hub.warnings - warnedBefore
        summary.seconds = clock.now.timeIntervalSince(started)
        end(run, stopReason, &summary)
        return summary
    }

    /// Those of the session that is open now; the pass ends with it.
    private func credentials() throws(Refusal) -> RunCredentials {
        let session: UserSession
        do { session = try open.place.session(in: open.store) } catch { throw Refusal(error) }
        control.goBy(session)
        do throws(CredentialsError) {
            return try RunCredentials(
                open.place.folder, generation: session.generation, store: open.store, logger: logger)
        } catch { throw Refusal(error) }
    }

    /// Carries out a plan up to its downloads, and reports it. Returns the number of the run, and of moved videos.
    private func begin(
        _ plan: inout Reconciliation, _ first: ListingRound.Arrival, _ settled: Settled, list: ListKeeper
    ) throws(Refusal) -> (run: Int64, moved: Int) {
        let (run, moves) = try apply(plan)
        hub.post(
            .started(
                SyncStart(
                    user: open.place.user.text, run: run, catalogs: options.shownCatalogs,
                    library: library.root.string, downloads: plan.counts,
                    waitingBytes: Self.waitingBytes(plan.wanted), partials: Self.partials(plan.wanted),
                    order: CatalogOrder(
                        courses: Dictionary(
                            first.catalog.courses.map { ($0.id, $0.title) }, uniquingKeysWith: { first, _ in first }),
                        list: { [wanted = plan.wanted] in wanted.map(\.reference) }))))
        let told = announce(plan, moves)
        // Reported first: after a kill in between the next run reports them again.
        if !plan.moves.isEmpty { try record(moves) }
        let again = try moveAgain(settled.putOff, first.courses, held: plan.held, list)
        plan.unmoved = settled.unmoved + told.unmoved + again.unmoved
        return (run, told.moved + again.moved)
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
    private func tidy(_ catalog: Catalog, _ plan: Reconciliation, _ summary: inout SyncSummary) async {
        if options.prune { prune(plan, &summary) }
        await keepMetadata(catalog, plan, &summary)
        await tellNews(&summary)
    }

    /// Records the end of a run.
    private func end(_ run: Int64, _ stopReason: SuspendReason?, _ summary: inout SyncSummary) {
        // A logout is the reason, whatever remains to do; only a failure to record is worse.
        if stopReason == .logout {
            summary.conditions = summary.conditions.intersection([.bug, .stateUnusable]).union([.workLeft])
        }
        let exit = summary.conditions.isEmpty ? 0 : 1
        do throws(StoreError) {
            try open.store.runs.end(
                run, RunEnd(exit: exit, finished: summary.finishedNow, failed: summary.failedNow, bytes: summary.bytes))
        } catch {
            summary.add(Refusal(error))
        }
    }

    private func services(_ credentials: RunCredentials, _ list: ListKeeper) -> RunServices {
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
            options.hooks, jobs: { adjustable.jobs }, watch: providers.groupWatch, log: hookLog)
        return RunServices(
            options: options, adjustable: adjustable, userName: open.place.user.text,
            engine: TransferEngine(configuration: configuration),
            providers: providers,
            library: library, store: open.store,
            bookkeeper: Bookkeeper(store: open.store, library: library, list: list), events: hub, clock: clock,
            serverClocks: ServerClocks(),
            space: spaceWatch,
            limits: limits, ffmpeg: options.container == .package ? nil : options.ffmpeg.program,
            hooks: options.hooks.has(.beforeRequest) || options.hooks.has(.afterDownload) ? hooks : nil,
            logger: logger)
    }

    private var spaceWatch: SpaceWatch? {
        options.minFreeSpace.bytes(of: space()?.size).map { [space] floor in
            SpaceWatch(rule: FreeSpaceGuard(floor: floor), isStandard: options.minFreeSpace == .standard) {
                space()?.free
            }
        }
    }

    // MARK: steps

    var settling: Settling { Settling(store: open.store, library: library) }

    /// What the start of a pass has settled.
    struct Settled {
        var finished = 0
        var moved = 0
        var unmoved = 0
        var unsettled: [String: LibraryError] = [:]
        /// The moves that failed in an earlier run.
        var putOff: Set<String> = []
        /// The moves, for the library's list.
        var changes = ReconcileChanges()
    }

    /// Repairs the state of a killed run, and reports the files that it had placed or was moving.
    private func settle(_ now: Date) throws(Refusal) -> Settled {
        do {
            var settled = Settled()
            settled.putOff = Set(try open.store.moves.putOff().map(\.id))
            let outcome = try settling.run(at: now) { moves in
                let told = tell(moves) { try? open.store.downloads.record($0).map { VideoReference($0) } }
                (settled.moved, settled.unmoved) = told
                settled.changes.moves = moves.map(\.move)
            }
            for record in outcome.finished {
                guard let file = record.file else { continue }
                let finished = FinishedFile(path: file.path, bytes: file.size, sha256: file.sha256?.hex, seconds: 0)
                hub.post(.downloadFinished(VideoReference(record), finished))
            }
            settled.finished = outcome.finished.count
            settled.unsettled = outcome.unsettled
            return settled
        } catch {
            throw Refusal(any: error)
        }
    }

    /// On its own thread: a slow disk must not delay a logout.
    func reconcile(
        _ catalog: Catalog, at now: Date, courses: ComparedCourses, unsettled: [String: LibraryError],
        tallies: [String: LossGuard.Tally] = [:]
    ) async throws(Refusal) -> Reconciliation {
        try await Blocking.run { _ -> Result<Reconciliation, Refusal> in
            do {
                return .success(
                    try Reconciliation(
                        of: catalog, with: open.store, in: library, by: options, at: now, compared: courses,
                        unsettled: unsettled, tallies: tallies))
            } catch {
                return .failure(Refusal(any: error))
            }
        }.get()
    }

    /// Writes the changes, and moves files to their new places; the moves are durable on return, but not yet recorded.
    private func apply(_ plan: Reconciliation) throws(Refusal) -> (run: Int64, moves: [FileMove]) {
        let moves = try carryOut(plan, held: plan.held)
        do throws(StoreError) {
            return (try open.store.runs.begin(catalogs: options.shownCatalogs), moves)
        } catch { throw Refusal(error) }
    }

    /// - Parameter held: all courses of the run that are held so far.
    func carryOut(_ plan: Reconciliation, held: [HeldCourse]) throws(Refusal) -> [FileMove] {
        do {
            var changes = plan.changes
            changes.moves = try plan.recordedMoves()
            try open.store.catalogs.apply(changes)
            if options.only.isEmpty { try HeldCourse.record(held, open.store) }
            return try settling.carryOut(changes.moves)
        } catch {
            throw Refusal(any: error)
        }
    }

    /// Records what became of moves.
    func record(_ moves: [FileMove]) throws(Refusal) {
        do { try settling.record(moves) } catch { throw Refusal(any: error) }
    }

    /// Makes the moves again that failed in an earlier run, of the courses that were compared just now: only that tells
    /// whether they are still wanted. Reports them, and returns the numbers of videos that were moved, and of files
    /// that weren't.
    ///
    /// - Parameter held: courses in which nothing is done.
    func moveAgain(
        _ putOff: Set<String>, _ courses: ComparedCourses, held: [HeldCourse], _ list: ListKeeper
    ) throws(Refusal) -> (moved: Int, unmoved: Int) {
        let held = Set(held.map(\.course))
        var told = (moved: 0, unmoved: 0)
        var changes = ReconcileChanges()
        do {
            try settling.again(putOff, in: { courses.contains($0) && !held.contains($0) }) { moves in
                told = tell(moves) { try? open.store.downloads.record($0).map { VideoReference($0) } }
                changes.moves = moves.map(\.move)
            }
        } catch { throw Refusal(any: error) }
        list.note(changes)
        return told
    }

    /// Reports the results of the comparison. Returns the numbers of videos that were moved, and of files that weren't.
    func announce(_ plan: Reconciliation, _ moves: [FileMove]) -> (moved: Int, unmoved: Int) {
        for course in plan.held { hub.post(.courseHeld(course)) }
        for notice in plan.notices { hub.post(.warning(notice, nil)) }
        var references: [DownloadID: VideoReference] = [:]
        for move in plan.moves {
            if case .download(let id) = move.owner { references[id] = move.reference }
        }
        let told = tell(moves) { references[$0] }
        for reference in plan.lost + plan.refetched { hub.post(.downloadWaiting(reference)) }
        for gone in plan.gone where !gone.isKnown { hub.post(.downloadGone(gone.reference, path: gone.file?.path)) }
        return told
    }

    /// Reports moves.
    private func tell(
        _ moves: [FileMove], of video: (DownloadID) -> VideoReference?
    ) -> (moved: Int, unmoved: Int) {
        var (moved, unmoved) = (0, 0)
        for move in moves {
            let (from, to) = (move.move.from, move.move.to)
            var reference: VideoReference?
            if case .download(let id) = move.move.owner { reference = video(id) }
            if let reference, let path = move.path, path != from {
                hub.post(.downloadMoved(reference, from: from, path: path))
                moved += 1
            }
            guard let error = move.error else { continue }
            hub.post(.warning(.notMoved(from: move.path ?? from, to: to, error), reference))
            unmoved += 1
        }
        return (moved, unmoved)
    }

    /// Runs after the downloads: a video that is gone may be wanted by another course. Failed removals are reported,
    /// and end nothing.
    private func prune(_ plan: Reconciliation, _ summary: inout SyncSummary) {
        let isDone = summary.downloads.allSatisfy { [.finished, .cancelled].contains($0.key) || $0.value == 0 }
        let verdict = Prune.verdict(plan, options.maxDelete, endsWell: summary.conditions.isEmpty && isDone)
        if let warning = Prune.warning(verdict, plan) { hub.post(.warning(.prune(warning), nil)) }
        switch verdict {
        case .nothing, .unfinished: break
        case .held: summary.conditions.insert(.pruneHeld)
        case .delete(let gone):
            let pruning = Pruning(store: open.store, library: library)
            let outcome = pruning.run(gone, plan.unwritten)
            summary.removedNow = outcome.removed.count
            for reference in outcome.removed { hub.post(.downloadRemoved(reference)) }
            for (warning, reference) in outcome.warnings { hub.post(.warning(.prune(warning), reference)) }
            if outcome.hasFailed { summary.conditions.insert(.pruneHeld) }
            if let refusal = outcome.refusal { summary.add(refusal) }
        }
    }

    /// Updates the files beside the videos. Failures are reported, and retried by the next run.
    private func keepMetadata(
        _ catalog: Catalog, _ plan: Reconciliation, _ summary: inout SyncSummary
    ) async {
        let keeper = MetadataKeeper(store: open.store, library: library, kinds: options.metadata)
        let held = Set(plan.held.map(\.course))
        let result = await Blocking.run { _ -> Result<MetadataKeeper.Outcome, StoreError> in
            do throws(StoreError) { return .success(try keeper.run(catalog, without: held)) } catch {
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
    private func tellNews(_ summary: inout SyncSummary) async {
        let news = NewVideos(
            store: open.store, library: library, settings: options.hooks, jobs: control.adjustable.jobs,
            userAgent: "coursefetch/\(Version.text)", caFile: options.caFile, log: hookLog,
            isStopped: { [control] in control.passStop.map { !$0.isBound } ?? false })
        do throws(StoreError) {
            for warning in try await news.tell() { hub.post(.warning(warning, nil)) }
        } catch { summary.add(Refusal(error)) }
    }

    private var hookLog: @Sendable (String) -> Void {
        { [logger] line in logger.info("hook: \(line)") }
    }
}
