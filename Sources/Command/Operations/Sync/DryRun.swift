import CatalogComparison
import CourseCatalog
import CourseDiscovery
import DownloadJobs
import DownloadStore
import FileSystem
import Foundation
package import Logging
import MediaLibrary
import ProviderHost
import RunAccess
package import SyncFacts
import SystemPackage
import UserState

/// A sync that is planned and not made.
package struct DryRun: Sendable {
    private let options: SyncOptions
    private let logger: Logger

    package init(_ options: SyncOptions, logger: Logger) {
        self.options = options
        self.logger = logger
    }

    /// Changes nothing: takes no lock, makes no folder, writes no row.
    package func plan() async -> DryRunPlan {
        var plan = DryRunPlan()
        do {
            try options.requireMeans()
            let registry = ProviderCheck.registry(options.plugins)
            let (written, check) = await CatalogCheck.read(CatalogSources(options), registry: registry)
            guard check.conditions.isEmpty else {
                plan.summary = SyncSummary(check)
                return plan
            }
            plan.warnings = check.warnings
            let place = try StateLocation(options).resolve()
            try place.requireKnown()
            let store = try place.openAsIs() ?? DownloadStore.empty()
            defer { store.close() }
            _ = try place.requireSession(in: store)
            let library = try LibraryOpening.openToLook(place, store)
            if place.shard != nil { try library?.require(dividesVideos: options.dividesVideos) }
            let now = Date()
            let register = try register(library)
            defer { if let register { CourseRegister.forget(register) } }
            let catalog = try await listed(written, store: store, registry: registry, &plan, now: now)
            let registered = try register.map { try names(of: catalog, store, in: $0, at: now) }
            let reconciliation = try Reconciliation(
                of: catalog, with: store, in: library, by: options, at: now, register: registered)
            if let refused = reconciliation.refusal(options) {
                plan.summary = refused
                return plan
            }
            plan.warnings += [catalog.unknownCourses].compactMap(\.self) + reconciliation.notices
            let errors = try Self.errors(store, reconciliation, now)
            let comparison = DryRunComparison(
                reconciliation, options, now: now, errors: errors, ignoresCourse: registry.ignoresCourse)
            plan.items = try Self.interruptedMoves(store, besides: reconciliation)
            plan.items += comparison.items
            plan.pruning = comparison.pruning
            let listing = plan.summary
            plan.summary = comparison.summary
            plan.summary.conditions.formUnion(listing.conditions)
            plan.summary.coursesUnlisted = listing.coursesUnlisted
            plan.summary.coursesUnasked = listing.coursesUnasked
            let open = try MissingSidecar.all(in: store, of: catalog, only: reconciliation.only)
            plan.summary.note(open, at: now, options)
            plan.summary.warnings = plan.warnings.count + (plan.pruning == nil ? 0 : 1)
        } catch {
            let refusal = Refusal(any: error)
            plan.summary.conditions = [refusal.condition]
            plan.summary.errors = [.refusal(refusal)]
        }
        return plan
    }

    /// A register to plan names in, where videos are divided among shards; nil where they aren't.
    private func register(_ library: LibraryFolder?) throws(Refusal) -> DownloadStore? {
        guard options.dividesVideos else { return nil }
        let name = "coursefetch-register-\(UUID().uuidString).sqlite"
        let file = FileManager.default.temporaryDirectory.appending(path: name).path
        return try CourseRegister.look(library, at: FilePath(file))
    }

    private func names(
        of catalog: Catalog, _ store: DownloadStore, in register: DownloadStore, at now: Date
    ) throws -> RegisteredNames {
        try RegisteredNames(
            of: catalog, in: register, titles: try store.downloads.givenTitles(), by: options, at: now)
    }

    /// The catalog with listings: the last ones, or those that the providers answer now if the user wants that.
    private func listed(
        _ written: Catalog, store: DownloadStore, registry: PluginRegistry, _ plan: inout DryRunPlan, now: Date
    ) async throws -> Catalog {
        let isAsking =
            options.discovers && options.asksInDryRun
            && (!written.courseSources.isEmpty || written.courses.contains(where: \.discover))
        guard isAsking else {
            let known = try CourseSourceRound.stored(written, store)
            plan.warnings += known.warnings.map { .courses($0) }
            if options.discovers, known.catalog.courses.contains(where: \.discover) {
                let due = CourseLister.due(known.catalog, try store.listings.records(), only: options.only, now: now)
                plan.unasked = due.map { known.catalog.courses[$0].id }
                plan.summary.coursesUnasked = due.count
            }
            return try known.catalog.addingStoredListings(store)
        }
        let access = try ProviderAccess(
            StateLocation(options), registry: registry, caFile: options.caFile,
            helpers: options.credentialHelpers, logger: logger)
        defer { access.close() }
        let asked: DryRunListings
        do {
            asked = try await DryRunListings(written, access: access, options: options, now: now)
        } catch {
            await access.pool.shutDown()
            throw error
        }
        await access.pool.shutDown()
        plan.warnings += asked.warnings
        plan.summary.conditions = asked.conditions
        plan.summary.coursesUnlisted = asked.unlisted
        return asked.catalog
    }

    /// The moves that an earlier run recorded and didn't finish, or that failed; they come before anything else.
    private static func interruptedMoves(
        _ store: DownloadStore, besides plan: Reconciliation
    ) throws(StoreError) -> [DryRunItem] {
        let planned = Set(plan.moves.map(\.from))
        var items: [DryRunItem] = []
        let stems = plan.changes.stems
        let putOff = try store.moves.putOff().filter { move in
            move.download.flatMap { stems[$0] }.map(move.leads) ?? true
        }
        let moves = try store.moves.recorded() + putOff
        for move in moves.sorted(by: { $0.to < $1.to }) where !planned.contains(move.from) {
            guard case .download(let id) = move.owner, let record = try store.downloads.record(id) else { continue }
            items.append(
                DryRunItem(
                    reference: record.reference, action: .move(from: move.from, to: move.to), why: .renamed, size: nil))
        }
        return items
    }

    /// The last errors of downloads that failed or wait for a time.
    private static func errors(
        _ store: DownloadStore, _ plan: Reconciliation, _ now: Date
    ) throws(StoreError) -> [DownloadID: (error: DownloadError?, retryAt: Date?)] {
        let ids =
            plan.leftAlone.filter { $0.state == .failed }.map(\.id)
            + plan.wanted.filter { $0.retryAt.map { $0 > now } ?? false }.map(\.id)
        guard !ids.isEmpty else { return [:] }
        return Dictionary(
            try store.downloads.records(ids).map { ($0.id, ($0.error, $0.retryAt)) },
            uniquingKeysWith: { first, _ in first })
    }
}

extension SyncSummary {
    /// Counts the sidecars that a sync starting now would leave missing, if all that it requests arrive.
    fileprivate mutating func note(_ open: [MissingSidecar], at now: Date, _ options: SyncOptions) {
        let end = now.advanced(by: options.maxWait)
        for sidecar in open where !sidecar.isDue(at: end) {
            switch sidecar.state {
            case .wanted:
                sidecarsWanted += 1
                conditions.insert(.workLeft)
            case .failed:
                sidecarsFailed += 1
                guard sidecar.retryAt != nil else { continue }
                conditions.insert(.downloadsFailed)
                hasOlderFailures = true
            }
        }
    }
}
