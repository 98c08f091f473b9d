import DownloadStore
import Foundation

/// The rules for disk space.
struct SpaceRules: Sendable {
    /// Free bytes on the disk, at the last measurement.
    private(set) var free: Int64?
    /// The bytes that may still be transferred, at the last measurement; nil for no limit.
    private(set) var quota: Int64?

    mutating func measured(_ free: Int64?, quota: Int64?, _ turns: [Schedule.Measure], _ run: inout RunState) {
        self.free = free ?? self.free
        self.quota = quota
        // The summary reports the space at the end.
        if case .noSpace? = run.tally.disk, let free { run.tally.disk = .noSpace(free: free) }
        for measure in turns {
            guard case .running(var turn)? = run.phases[measure.id] else { continue }
            turn.size = measure.size
            turn.written = measure.written
            run.phases[measure.id] = .running(turn)
        }
        look(&run)
    }

    /// Ends the least important turns if there won't be space for all, and all if there is none any more. A disk that
    /// nothing is to be written to may be as full as it likes.
    func look(_ run: inout RunState) {
        guard run.stopReason == nil, let rule = run.limits.freeSpace, let free else { return }
        // A turn without a slot writes nothing yet.
        let needs = Self.needs(of: run) { run.phases[turn: $0]?.hasSlot == true }
        guard !needs.isEmpty || !run.sidecars.hasNothingWaiting || !run.sidecars.fetching.isEmpty else { return }
        switch rule.verdict(needs, free: free) {
        case .goOn: return
        case .stop:
            noteNoSpace(&run)
            run.stop(.disk)
        case .suspend(let ids):
            noteNoSpace(&run)
            for id in ids { run.endTurn(id, .noSpace) }
        }
    }

    /// Whether there is room on the disk for one more download, beside the turns and beside these others.
    func hasSpace(
        for download: ScheduledDownload, in run: RunState, beside others: some Sequence<DownloadID> = []
    ) -> Bool {
        // A question needs no space.
        guard let rule = run.limits.freeSpace, let free, !run.isQuestion(download.id) else { return true }
        // A file that is in the library already is linked: it needs no space.
        let size = download.isDonorProven ? 0 : download.size
        let need = FreeSpaceGuard.Need(id: download.id, size: size, written: download.written)
        // Of the turns without a slot those that come first.
        let entry = download.entry(host: nil)
        var needs = Self.needs(of: run) { other in
            other != download.id
                && (run.phases[turn: other]?.hasSlot == true
                    || run.downloads[other].map { entry < $0.entry(host: nil) } ?? false)
        }
        for other in others where run.phases[turn: other] == nil {
            guard let other = run.downloads[other] else { continue }
            needs.append(FreeSpaceGuard.Need(id: other.id, size: other.size, written: other.written))
        }
        return rule.hasSpace(for: need, beside: needs, free: free)
    }

    /// One that doesn't fit is suspended, and others may start; below the floor the run ends.
    func lacksSpace(_ entry: DownloadQueue.Entry, _ run: inout RunState) {
        noteNoSpace(&run)
        guard let floor = run.limits.freeSpace?.floor, free ?? 0 < floor else { return suspendForSpace(entry.id, &run) }
        run.enqueue(entry.id, host: entry.host, dueAt: nil)
        run.stop(.disk)
    }

    /// There is no space for it: it waits until there is, or for a later run.
    func suspendForSpace(_ id: DownloadID, _ run: inout RunState) {
        noteNoSpace(&run)
        run.suspend(id, .disk, isKept: true)
        // A question needs no space.
        if run.phases[id] == .settled(.suspended) { run.spaceSuspensions.add(id, at: run.moment.now) }
    }

    /// Revives downloads suspended for lack of space if there is some now, and no other needs the slot. Returns whether
    /// any was revived.
    func revive(_ run: inout RunState) -> Bool {
        guard run.mayStartTurn, let rule = run.limits.freeSpace, let free else { return false }
        let ready = run.spaceSuspensions.ready(at: run.moment.now).compactMap { run.downloads[$0]?.entry(host: nil) }
        var others = Self.needs(of: run)
        let slots = run.limits.jobs - run.phases.slots
        var count = 0
        for entry in ready.sorted(by: >) where count < slots && run.phases[entry.id] == .settled(.suspended) {
            guard let download = run.downloads[entry.id], run.queue.canRun(entry, at: run.moment.now) else { continue }
            let need = FreeSpaceGuard.Need(id: entry.id, size: download.size, written: download.written)
            // A little more than it needs: others write, too.
            var ample = need
            ample.bytes = (ByteCount(need.bytes) + ByteCount(need.bytes / 8 + 1 << 20)).value
            guard rule.hasSpace(for: ample, beside: others, free: free) else { continue }
            others.append(need)
            count += 1
            run.revive(entry.id)
        }
        return count > 0
    }

    private func noteNoSpace(_ run: inout RunState) {
        if run.tally.disk == nil { run.tally.disk = .noSpace(free: free ?? 0) }
    }

    /// The remaining needs of turns, the most important first. Questions, and one that is about to end, need nothing.
    private static func needs(
        of run: RunState, where isMeant: (DownloadID) -> Bool = { _ in true }
    ) -> [FreeSpaceGuard.Need] {
        let turns = run.phases.running.filter(isMeant).compactMap { id -> (entry: DownloadQueue.Entry, turn: Turn)? in
            guard let turn = run.phases[turn: id], turn.ending != .noSpace, !run.isQuestion(id) else {
                return nil
            }
            return run.downloads[id].map { ($0.entry(host: nil), turn) }
        }
        return turns.sorted { $0.entry > $1.entry }.map {
            FreeSpaceGuard.Need(id: $0.entry.id, size: $0.turn.size, written: $0.turn.written)
        }
    }
}
