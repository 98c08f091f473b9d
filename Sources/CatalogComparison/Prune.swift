import DownloadStore
package import SyncFacts

/// Whether what is no longer in its catalog may go: not if it is suspiciously much, and not while anything else is
/// missing that it may be all there is of.
package enum Prune {
    package enum Verdict: Sendable, Equatable {
        case nothing
        /// May be empty: what earlier removals left of courses and chapters goes, too.
        case delete([Reconciliation.Gone])
        /// More would go than is allowed, so none goes.
        case held(count: Int)
        /// The run leaves something that its catalogs want; what is gone may be what it was renamed from.
        case unfinished(count: Int)
    }

    /// - Parameter endsWell: whether all that the catalogs want is finished, or isn't wanted now.
    package static func verdict(_ plan: Reconciliation, _ limit: MaxDelete, endsWell: Bool) -> Verdict {
        let count = plan.gone.count(where: \.isValued)
        if count > limit.limit(finished: plan.valuedInJudged) { return .held(count: count) }
        if !endsWell { return plan.gone.isEmpty ? .nothing : .unfinished(count: plan.gone.count) }
        return .delete(plan.gone)
    }

    /// What a person has to know of a verdict; nil for nothing.
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

    /// Whether a person would miss it: its file, what has arrived of it, or their own word about it.
    package var isValued: Bool { file != nil || hasPartial || state == .paused || state == .cancelled }
}
