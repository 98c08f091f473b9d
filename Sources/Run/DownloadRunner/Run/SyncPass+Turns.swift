import CatalogComparison
import CourseCatalog
import CourseDiscovery
import DownloadJobs
import DownloadStore
import FilePlacement
import Foundation
import Hooks
import MediaLibrary
import MediaTransfer
import ProviderKit
import RunAccess
import SyncFacts
import SystemPackage
import UserState

/// The turns of a pass, and the courses that list themselves meanwhile.
extension SyncPass {
    /// The catalog with the courses of `courses_of`. A stop of the pass ends the questions: the last lists count then.
    func askForCourses(
        _ catalog: Catalog, _ services: RunServices, _ now: Date
    ) async throws(Refusal) -> CourseSourceRound {
        let (pool, store, only) = (services.providers, open.store, options.only)
        let round: CourseSourceRound
        do throws(StoreError) {
            if options.discovers, !catalog.courseSources.isEmpty {
                let lister = lister(services) { request, provider throws(ProviderError) in
                    Listing(try await pool.courses(CoursesRequest(request), provider: provider))
                }
                let asking = Task { () async -> Result<CourseSourceRound, StoreError> in
                    do throws(StoreError) {
                        return .success(
                            try await CourseSourceRound.ask(
                                catalog, store, only: only, now: now, parameters: pool.parameters(of:),
                                check: pool.parameterMistake
                            ) { await lister.list($0, parameters: $1, $2) })
                    } catch { return .failure(error) }
                }
                control.onPassStop { asking.cancel() }
                round = try await asking.value.get()
            } else {
                round = try .stored(catalog, store, check: pool.parameterMistake)
            }
        } catch {
            await pool.shutDown()
            throw Refusal(error)
        }
        for change in round.changes { hub.post(.coursesListed(change)) }
        for warning in round.warnings { hub.post(.warning(.courses(warning), nil)) }
        return round
    }

    private func lister(_ services: RunServices, _ ask: @escaping CourseLister.Ask) -> CourseLister {
        CourseLister(
            user: open.place.user.text, settings: services.providers.settings, store: open.store,
            videos: division.knownVideos,
            rules: .init(maxDelete: options.maxDelete, acceptsAll: options.acceptsListings),
            now: { [clock] in clock.now }, check: services.providers.parameterMistake, ask: ask)
    }

    /// Begins to ask the providers of the catalog's courses for their listings.
    func beginListings(
        _ catalog: Catalog, _ services: RunServices, _ now: Date
    ) throws(Refusal) -> ListingRound {
        let (stored, records, due): (Catalog, [String: ListingRecord], [Int])
        do throws(StoreError) {
            records = catalog.courses.contains(where: \.discover) ? try open.store.listings.records() : [:]
            stored = try catalog.addingStoredListings(open.store)
            let asked = options.discovers ? CourseLister.due(catalog, records, only: options.only, now: now) : []
            due = try division.notYetListed(asked, of: catalog, records, now: now)
        } catch { throw Refusal(error) }
        if !options.discovers, let warning = stored.unknownCourses { hub.post(.warning(warning, nil)) }
        division.expect(due.map { catalog.courses[$0] })
        let lister = lister(services) { [pool = services.providers] request, provider throws(ProviderError) in
            try await pool.list(request, provider: provider)
        }
        let round = ListingRound(
            catalog, stored: stored, due: due,
            list: { [division, pool = services.providers] course in
                await division.list(course, records[course.id], by: lister) {
                    await lister.list(course, parameters: pool.parameters(of: course.settings), records[course.id])
                }
            }
        ) {
            [hub] old, new, warnings in
            hub.post(.courseListed(CourseListed(old, new)))
            for warning in warnings { hub.post(.warning(.listing(warning), nil)) }
        }
        control.onPassStop(round.cancel)
        return round
    }

    /// Gives all downloads their turns. On return all transfers have ended, and all data is durable, or reported as not
    /// durable.
    ///
    /// Courses that are listed meanwhile are compared and added to `plan`.
    func dispatch(
        _ plan: inout Reconciliation, _ services: RunServices, _ listings: inout ListingRound, list: FileListUpdater,
        settled: PassChanges.Settled
    ) async -> Dispatcher.Result {
        guard !plan.isIdle || !listings.isComplete else {
            await services.providers.shutDown(keepsRenewals: control.passStop != .logout)
            return Dispatcher.Result()
        }
        let dispatcher = Dispatcher(services: services, plan: plan, expectsMore: !listings.isComplete)
        services.bookkeeper.start(dispatcher.callbacks)
        if let stopped = control.begin(.init(dispatcher: dispatcher, services: services)) {
            await dispatcher.stop(stopped)
        }
        var refusals: [Refusal] = []
        let begun = plan
        async let turns = dispatcher.run(begun)
        if !listings.isComplete {
            while let arrival = await listings.next() {
                let number = await dispatcher.beginArrival()
                var more: Reconciliation?
                do throws(Refusal) {
                    more = try await addArrival(arrival, to: &plan, list, settled)
                } catch .library(.stopped) {
                } catch { refusals.append(error) }
                if let number { await dispatcher.add(more, number) }
            }
            await dispatcher.expectNoMore()
        }
        var result = await turns
        result.refusals = refusals
        await services.engine.shutDown()
        services.hooks?.shutDown()
        result.storeErrors = await services.bookkeeper.stop()
        control.endTurns()
        // A logout ends at once: later renewals would be discarded.
        await services.providers.shutDown(keepsRenewals: control.passStop != .logout)
        return result
    }

    /// Compares courses that were listed during the turns, carries the changes out, and adds them to `plan`. Nil if
    /// they can't be in the run.
    private func addArrival(
        _ arrival: ListingRound.Arrival, to plan: inout Reconciliation, _ list: FileListUpdater,
        _ settled: PassChanges.Settled
    ) async throws(Refusal) -> Reconciliation? {
        var more = try await reconcile(
            arrival.catalog, at: clock.now, courses: arrival.courses, unsettled: settled.unsettled,
            tallies: plan.tallies)
        guard more.errors.isEmpty else {
            plan.add(more)
            return nil
        }
        try changes.add(&more, of: arrival.courses, to: &plan, after: settled, note: list.note)
        if !more.wanted.isEmpty || !more.counts.isEmpty {
            hub.post(
                .downloadsAdded(
                    SyncAddition(
                        downloads: more.counts, waitingBytes: Self.waitingBytes(more.wanted),
                        partials: Self.partials(more.wanted),
                        order: CatalogOrder(
                            courses: Dictionary(
                                arrival.catalog.courses.map { ($0.id, $0.title) },
                                uniquingKeysWith: { first, _ in first }),
                            list: { [wanted = plan.wanted] in wanted.map(\.reference) }))))
        }
        return more
    }

    /// Renames what is called by its id, although its provider has given it a title during the turns: with all titles
    /// known, names are the same whatever came first. Returns how many files couldn't be moved.
    func useGivenTitles(
        in catalog: Catalog, _ plan: Reconciliation, _ list: FileListUpdater, _ settled: PassChanges.Settled
    ) async throws(Refusal) -> Int {
        // A logout doesn't wait; the next pass does it.
        guard control.passStop?.isBound ?? true else { return 0 }
        let courses: Set<String>
        do throws(StoreError) { courses = try open.store.downloads.coursesWithUnusedTitles() } catch {
            throw Refusal(error)
        }
        guard !courses.isEmpty else { return 0 }
        let compared = ComparedCourses.only(courses)
        var renaming = try await reconcile(
            catalog, at: clock.now, courses: compared, unsettled: settled.unsettled, tallies: plan.tallies)
        guard renaming.errors.isEmpty else { return 0 }
        // Names only: each download has had its turn.
        renaming.keepOnlyNames()
        let moves = try changes.carryOut(renaming, held: plan.held)
        list.note(renaming.changes)
        return try changes.finish(
            renaming, moves, compared, held: plan.held + renaming.held, after: settled, note: list.note
        ).unmoved
    }

    /// Reports the beginning of what a plan leaves to do.
    ///
    /// - Parameter titles: of the courses, by their ids.
    func post(_ plan: Reconciliation, _ run: Int64, titles: [String: String]) {
        hub.post(
            .started(
                SyncStart(
                    user: open.place.user.text, run: run, catalogs: options.shownCatalogs,
                    library: library.root.string, downloads: plan.counts,
                    waitingBytes: Self.waitingBytes(plan.wanted), partials: Self.partials(plan.wanted),
                    order: CatalogOrder(
                        courses: titles, list: { [wanted = plan.wanted] in wanted.map(\.reference) }))))
    }

    static func waitingBytes(_ wanted: [WantedDownload]) -> Int64? {
        var sum = ByteCount(0)
        for download in wanted {
            guard let size = download.video.size ?? download.resume?.total else { return nil }
            sum += size
        }
        return sum.value
    }

    /// The existing part of each, according to the rows.
    static func partials(_ wanted: [WantedDownload]) -> [VideoReference: SyncStart.Partial] {
        var partials: [VideoReference: SyncStart.Partial] = [:]
        for download in wanted {
            guard let resume = download.resume, resume.durableBytes > 0 else { continue }
            partials[download.reference] = SyncStart.Partial(
                bytes: resume.heldBytes, size: download.video.size ?? resume.total)
        }
        return partials
    }

    /// Forgets listings of courses that their catalogs now list themselves.
    func forgetListings(_ catalog: Catalog) throws(StoreError) {
        let records = try open.store.listings.records()
        guard !records.isEmpty else { return }
        try open.store.listings.forget(
            catalog.courses.filter { !$0.discover && records[$0.id] != nil }.map(\.id))
    }
}

extension Course {
    fileprivate var videoIDs: Set<String> { Set(([videos] + chapters.map(\.videos)).joined().map(\.id)) }
}

extension CourseListed {
    /// Of a course with its last listing and with the new one.
    init(_ old: Course, _ new: Course) {
        let (before, now) = (old.videoIDs, new.videoIDs)
        self.init(
            course: new.id, title: new.title, videos: new.videoCount, was: old.isListed ? old.videoCount : nil,
            added: now.subtracting(before).count, removed: before.subtracting(now).count)
    }
}
