import CourseCatalog
package import DownloadStore
package import Foundation
import RunSchedule
package import SyncFacts

/// A comparison in the form of a dry run: a sync's action for each download, and its end if all downloads succeed.
package struct DryRunComparison {
    private let plan: Reconciliation
    private let options: SyncOptions
    private let now: Date
    /// For failed and waiting downloads.
    private let errors: [DownloadID: (error: DownloadError?, retryAt: Date?)]
    private let ignoresCourse: (String) -> Bool
    private let verdict: PruneGuard.Verdict

    package init(
        _ plan: Reconciliation, _ options: SyncOptions, now: Date,
        errors: [DownloadID: (error: DownloadError?, retryAt: Date?)], ignoresCourse: @escaping (String) -> Bool
    ) {
        self.plan = plan
        self.options = options
        self.now = now
        self.errors = errors
        self.ignoresCourse = ignoresCourse
        guard options.prune else {
            verdict = .nothing
            return
        }
        // Failed downloads are assumed to stay failed, all others to succeed.
        let isOpen = [.failed, .paused].contains { plan.counts[$0, default: 0] > 0 } || !plan.held.isEmpty
        let isLate = plan.wanted.contains { Self.wait($0, now, options) != nil }
        verdict = PruneGuard.verdict(plan, options.maxDelete, endsWell: !isOpen && !isLate)
    }

    /// One for each download with an action, and for each that is left alone.
    package var items: [DryRunItem] {
        let moves = plan.moves.compactMap { move in
            move.reference.map {
                DryRunItem(
                    reference: $0, action: .move(from: move.from, to: move.to), why: .renamed, size: nil)
            }
        }
        let asked = plan.asked.map {
            DryRunItem(reference: $0.reference, action: .ask, why: .incomplete, size: nil)
        }
        return moves + wanted + asked + leftAlone + gone
    }

    /// The sync's warning about `--prune`.
    package var pruning: SyncWarning.Pruning? { PruneGuard.warning(verdict, plan) }

    /// The summary at its end.
    package var summary: SyncSummary {
        var summary = SyncSummary(downloads: plan.counts)
        summary.note(plan.held)
        summary.fromOtherSource = plan.fromOtherSource
        if plan.counts[.failed, default: 0] > 0 { summary.conditions.insert(.downloadsFailed) }
        if case .held = verdict { summary.conditions.insert(.pruneHeld) }
        let isWorkLeft = plan.wanted.contains { !$0.isNotReady && Self.wait($0, now, options) != nil }
        if isWorkLeft { summary.conditions.insert(.workLeft) }
        return summary
    }

    /// The time until which a download waits, if that is after the end of a run.
    private static func wait(_ wanted: WantedDownload, _ now: Date, _ options: SyncOptions) -> Date? {
        guard let retryAt = wanted.notBefore, retryAt > now.advanced(by: options.maxWait) else { return nil }
        return retryAt
    }

    private var wanted: [DryRunItem] {
        let lost = Set(plan.changes.lost)
        let refetched = Set(plan.changes.refetched)
        let revived = Set(plan.changes.revived)
        return plan.wanted.map { wanted in
            var item = DryRunItem(
                reference: wanted.reference, action: .download, why: wanted.why, size: wanted.video.size)
            if wanted.hasArrived {
                item.action = .finish
                item.why = .arrived
                item.size = 0
                return item
            }
            if let until = Self.wait(wanted, now, options) {
                item.action = .wait(until: until)
                item.why = .putOff(errors[wanted.id]?.error)
                return item
            }
            if let donor = wanted.donor {
                offer(donor, wanted, &item)
            } else if plan.followers.isFollower(wanted.id) {
                if wanted.video.sha256 != nil || ignoresCourse(wanted.provider) {
                    item.why = .follows
                    item.size = 0
                } else {
                    item.why = .perhapsFollows(or: wanted.why)
                }
            } else if let resume = wanted.resume, resume.durableBytes > 0 {
                item.action = .resume(from: resume.heldBytes)
                item.size = (wanted.video.size ?? resume.total).map { max(0, $0 - resume.heldBytes) }
            } else if plan.changes.keptFiles.contains(wanted.id) {
                item.why = .viewsMissing
                item.size = nil
            } else if refetched.contains(wanted.id) {
                item.action = .refetch
                item.why = .contradicted
            } else if lost.contains(wanted.id) {
                item.why = .lost
            }
            if revived.contains(wanted.id) { item.why = .failedBefore(errors[wanted.id]?.error) }
            if let retryAt = wanted.notBefore, retryAt > now { item.why = .notBefore(retryAt, or: item.why) }
            return item
        }
    }

    private func offer(_ donor: Donor, _ wanted: WantedDownload, _ item: inout DryRunItem) {
        if donor.isInPlace {
            item.action = .adopt(path: donor.file.path)
            item.why = .fileInPlace
        } else if donor.isProven(for: wanted.bytes(ignoresCourse: ignoresCourse(wanted.provider))) {
            item.action = .link(to: donor.file.path)
            item.why = .sameFile
            item.size = 0
        } else {
            item.why = .perhapsSame(donor.file.path, or: wanted.why)
        }
    }

    private var leftAlone: [DryRunItem] {
        plan.leftAlone.map { left in
            let why: DryRunItem.Reason =
                switch left.state {
                case .paused: .paused
                case .cancelled: .cancelled
                default: .failed(errors[left.id]?.error, retryAt: errors[left.id]?.retryAt)
                }
            return DryRunItem(reference: left.reference, action: .keep, why: why, size: nil)
        }
    }

    private var gone: [DryRunItem] {
        guard options.prune else {
            // As the sync does: each once.
            return plan.gone.filter { !$0.isKnown }.map {
                DryRunItem(reference: $0.reference, action: .keep, why: .gone, size: nil)
            }
        }
        return plan.gone.compactMap { gone in
            guard let file = gone.file else { return nil }
            let (action, why): (DryRunItem.Action, DryRunItem.Reason) =
                switch verdict {
                case .held: (.keep, .goneHeld)
                case .unfinished: (.keep, .goneUnfinished)
                case .delete, .nothing: (.remove(path: file.path), .gone)
                }
            return DryRunItem(reference: gone.reference, action: action, why: why, size: nil)
        }
    }
}

extension WantedDownload {
    fileprivate var why: DryRunItem.Reason {
        if isNew { return .new }
        if resume.map({ $0.durableBytes > 0 }) ?? false { return .unfinished }
        if keepsFile { return .viewsMissing }
        return oldFile == nil ? .notBegun : .fetchedAgain
    }
}
