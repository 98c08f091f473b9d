import CatalogComparison
import CourseCatalog
import DownloadJobs
import DownloadRunner
import DownloadStore
import FileSystem
import Foundation
package import SyncFacts
import UserState

/// What a sync would do.
package struct DryRunPlan: Sendable {
    /// What it would do first: moves, then downloads in catalog order, then what it would leave alone, and what is gone.
    package var items: [DryRunItem] = []
    /// What a sync would warn of before it does anything.
    package var warnings: [SyncWarning] = []
    /// What it would say of `--prune` at its end.
    package var pruning: SyncWarning.Pruning?
    /// What `sync` would say at its end, if all that it begins goes well: errors, and the conditions of its exit code.
    package var summary = SyncSummary()

    package init() {}
}

extension SyncRun {
    /// What ``run()`` would do. Changes nothing: takes no lock, makes no folder, writes no row.
    package func plan() async -> DryRunPlan {
        var plan = DryRunPlan()
        do {
            try requireMeans()
            let registry = ProviderCheck.registry(options.plugins)
            let (catalog, check) = await CatalogCheck.read(CatalogSources(options), registry: registry)
            guard check.conditions.isEmpty else {
                plan.summary = SyncSummary(conditions: check.conditions, errors: check.diagnostics.errors)
                return plan
            }
            plan.warnings = Self.warnings(of: catalog, check)
            let place = try StateLocation(user: options.user, state: options.state, library: options.library).resolve()
            try place.requireKnown()
            let store = try place.openForReading() ?? DownloadStore.empty()
            defer { store.close() }
            _ = try place.requireSession(in: store)
            let library = try LibraryOpening.openToLook(place, store)
            let now = Date()
            let reconciliation = try Self.compare(catalog, store, library, options, now)
            if let refused = Self.refused(reconciliation, options) {
                plan.summary = refused
                return plan
            }
            plan.warnings += reconciliation.notices
            let errors = try Self.errors(store, reconciliation, now)
            let rehearsal = Rehearsal(
                reconciliation, options, now: now, errors: errors, ignoresCourse: registry.ignoresCourse)
            plan.items = try Self.interruptedMoves(store, besides: reconciliation)
            plan.items += rehearsal.items
            plan.pruning = rehearsal.pruning
            plan.summary = rehearsal.summary
            try plan.summary.note(Self.openSidecars(store, catalog, only: reconciliation.only), now, options)
            plan.summary.warnings = plan.warnings.count + (plan.pruning == nil ? 0 : 1)
        } catch {
            let refusal = Refusal(any: error)
            plan.summary.conditions = [refusal.condition]
            plan.summary.errors = [.refusal(refusal)]
        }
        return plan
    }

    /// What an earlier run recorded and didn't finish comes before anything else.
    private static func interruptedMoves(
        _ store: DownloadStore, besides plan: Reconciliation
    ) throws(StoreError) -> [DryRunItem] {
        let planned = Set(plan.moves.map(\.from))
        var items: [DryRunItem] = []
        for move in try store.moves.recorded().sorted(by: { $0.to < $1.to }) where !planned.contains(move.from) {
            guard case .download(let id) = move.owner, let record = try store.downloads.record(id) else { continue }
            items.append(
                DryRunItem(
                    reference: record.reference, action: .move(from: move.from, to: move.to), why: .renamed, size: nil))
        }
        return items
    }

    /// What went wrong last with what failed or waits for a time.
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
    /// Notes what a sync that begins now would leave beside finished videos, if all that it asks for comes.
    fileprivate mutating func note(
        _ open: [(sidecar: OpenSidecar, provider: String)], _ now: Date, _ options: SyncOptions
    ) {
        let end = now.advanced(by: options.maxWait)
        for (sidecar, _) in open where !sidecar.isDue(at: end) {
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
