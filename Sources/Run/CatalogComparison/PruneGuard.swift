import DownloadStore
package import SyncFacts

/// Whether videos gone from their catalogs may be pruned: not if they are suspiciously many, and not while another
/// video is missing whose only copy one of them may be.
package enum PruneGuard {
    package enum Verdict: Sendable, Equatable {
        case nothing
        /// May be empty: leftovers of earlier removals from courses and chapters are removed, too.
        case delete([Reconciliation.Gone])
        /// More would be removed than is allowed, so nothing is.
        case held(count: Int)
        /// The run leaves something undone that its catalogs list; a video that is gone may be its former name.
        case unfinished(count: Int)
    }

    /// - Parameter endsWell: whether everything that the catalogs list is finished, or isn't wanted now.
    package static func verdict(_ plan: Reconciliation, _ limit: MaxDelete, endsWell: Bool) -> Verdict {
        let count = plan.gone.count(where: \.isValued)
        if count > limit.limit(finished: plan.valuedInJudged) { return .held(count: count) }
        if !endsWell { return plan.gone.isEmpty ? .nothing : .unfinished(count: plan.gone.count) }
        return .delete(plan.gone)
    }

    /// The warning for a verdict; nil for none.
    package static func warning(_ verdict: Verdict, _ plan: Reconciliation) -> SyncWarning.Pruning? {
        switch verdict {
        case .nothing, .delete: nil
        case .held(let count): .held(count: count, all: plan.valuedInJudged)
        case .unfinished(let count): .unfinished(count: count)
        }
    }
}

extension Reconciliation.Gone: Equatable {
    package static func == (a: Self, b: Self) -> Bool { a.id == b.id }

    /// Whether the user would miss it: its file, its partial, or their own command about it.
    package var isValued: Bool { file != nil || hasPartial || state == .paused || state == .cancelled }
}
