import CatalogComparison
import CourseCatalog
import DownloadJobs
import DownloadRunner
import DownloadStore
import Foundation
import MediaLibrary
import RunSchedule
package import SyncFacts
import UserState

/// What a sync would do.
package struct DryRunPlan: Sendable {
    /// In catalog order, moves first.
    package var items: [DryRunItem] = []
    /// What `sync` would say at its end, were it to stop after planning: errors and their conditions.
    package var summary = SyncSummary()

    package init() {}
}

/// What a sync would do with one download, and why.
package struct DryRunItem: Sendable {
    /// What would be done.
    package enum Action: Sendable, Equatable {
        case download
        case resume(from: Int64)
        case move(from: String, to: String)
        case link(to: String)
        case adopt(path: String)
        case remove(path: String)
        case refetch
        /// Its provider is asked for what isn't there beside it.
        case ask
        case keep
    }

    /// Why it would be done.
    package indirect enum Reason: Sendable, Equatable {
        case new, notBegun, unfinished
        /// To be fetched again; its file stays until then.
        case fetchedAgain
        /// Its name or place changed.
        case renamed
        /// A file stands at its place that may have the catalog's SHA-256.
        case standing
        /// The library has the same file.
        case sameFile
        /// The library may have the same file at this path; if not, the other reason holds.
        case perhapsSame(String, or: Reason)
        /// The same video of another course comes first.
        case follows
        /// What may be the same video of another course comes first; if it isn't, the other reason holds.
        case perhapsFollows(or: Reason)
        /// The catalog's size or checksum contradicts the file.
        case contradicted
        /// Its file is missing.
        case lost
        /// Something is missing that belongs beside it.
        case incomplete
        /// It is no longer in its catalog.
        case gone
        /// So it is, and `--max-delete` holds it.
        case goneHeld
        /// So it is, and it stays while others are failed.
        case goneUnfinished
    }

    /// Which video.
    package var reference: VideoReference
    /// What would be done.
    package var action: Action
    /// Why.
    package var why: Reason
    /// Bytes that would come from the network, if known.
    package var size: Int64?

    package init(reference: VideoReference, action: Action, why: Reason, size: Int64?) {
        self.reference = reference
        self.action = action
        self.why = why
        self.size = size
    }
}

extension SyncRun {
    /// What ``run()`` would do. Changes nothing: takes no lock, makes no folder, writes no row.
    package func plan() async -> DryRunPlan {
        var plan = DryRunPlan()
        do {
            let registry = ProviderCheck.registry(options.plugins)
            let (catalog, check) = CatalogCheck.read(options.catalogs, registry: registry)
            guard check.conditions.isEmpty else {
                plan.summary = SyncSummary(conditions: check.conditions, errors: check.diagnostics.errors)
                return plan
            }
            let place = try StateLocation(user: options.user, state: options.state, library: options.library).resolve()
            let store = try place.openForReading() ?? DownloadStore.empty()
            defer { store.close() }
            _ = try place.requireSession(in: store)
            let library = try Self.look(place, store)
            let reconciliation = try Self.compare(catalog, store, library, options, Date())
            if let refused = Self.refused(reconciliation, options) {
                plan.summary = refused
                return plan
            }
            plan.items = try Self.interruptedMoves(store, besides: reconciliation)
            plan.items += reconciliation.items(options, ignoresCourse: registry.ignoresCourse)
            plan.summary.downloads = reconciliation.counts
            plan.summary.note(reconciliation.held)
            plan.summary.fromOtherSource = reconciliation.fromOtherSource
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

    /// The library if the state has one; a folder without the marker is refused as in a real run.
    private static func look(_ place: StateLocation.Place, _ store: DownloadStore) throws -> LibraryFolder? {
        guard let id = try LibraryOpening.recordedID(store) else { return nil }
        return try LibraryFolder.open(place.library, expecting: .known(id), owner: .current(user: place.user.text))
    }
}

extension WantedDownload {
    /// Why it is fetched.
    fileprivate var why: DryRunItem.Reason {
        if isNew { return .new }
        if oldFile != nil { return .fetchedAgain }
        return resume.map { $0.durableBytes > 0 } ?? false ? .unfinished : .notBegun
    }
}

extension Reconciliation {
    /// One item for each thing that would happen.
    func items(_ options: SyncOptions, ignoresCourse: (String) -> Bool) -> [DryRunItem] {
        let lost = Set(changes.lost)
        let refetched = Set(changes.refetched)
        var items = moves.compactMap { move in
            move.reference.map {
                DryRunItem(
                    reference: $0, action: .move(from: move.from, to: move.to), why: .renamed,
                    size: nil)
            }
        }
        for wanted in wanted {
            var item = DryRunItem(
                reference: wanted.reference, action: .download, why: wanted.why,
                size: wanted.video.size)
            if let donor = wanted.donor {
                if donor.isStanding {
                    item.action = .adopt(path: donor.file.path)
                    item.why = .standing
                } else if donor.isProven(for: wanted.bytes(ignoresCourse: ignoresCourse(wanted.provider))) {
                    item.action = .link(to: donor.file.path)
                    item.why = .sameFile
                    item.size = 0
                } else {
                    item.why = .perhapsSame(donor.file.path, or: wanted.why)
                }
            } else if followers.isFollower(wanted.id) {
                if wanted.video.sha256 != nil || ignoresCourse(wanted.provider) {
                    item.why = .follows
                    item.size = 0
                } else {
                    item.why = .perhapsFollows(or: wanted.why)
                }
            } else if let resume = wanted.resume, resume.durableBytes > 0 {
                item.action = .resume(from: resume.durableBytes)
                item.size = (wanted.video.size ?? resume.total).map { max(0, $0 - resume.durableBytes) }
            } else if refetched.contains(wanted.id) {
                item.action = .refetch
                item.why = .contradicted
            } else if lost.contains(wanted.id) {
                item.why = .lost
            }
            items.append(item)
        }
        items += asked.map {
            DryRunItem(
                reference: $0.reference, action: .ask, why: .incomplete, size: nil)
        }
        guard options.prune else { return items }
        // What is failed now stays so; of the rest it is assumed that it goes well.
        let isOpen = [.failed, .paused].contains { counts[$0, default: 0] > 0 } || !held.isEmpty
        let verdict = Prune.verdict(self, options.maxDelete, endsWell: !isOpen)
        for gone in gone {
            guard let file = gone.file else { continue }
            let (action, why): (DryRunItem.Action, DryRunItem.Reason) =
                switch verdict {
                case .held: (.keep, .goneHeld)
                case .unfinished: (.keep, .goneUnfinished)
                case .delete, .nothing: (.remove(path: file.path), .gone)
                }
            items.append(DryRunItem(reference: gone.reference, action: action, why: why, size: nil))
        }
        return items
    }
}
