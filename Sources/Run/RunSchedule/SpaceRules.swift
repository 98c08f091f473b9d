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
            run.phases.updateTurn(measure.id) { turn in
                turn.size = measure.size
                turn.written = measure.written
            }
        }
        look(&run)
    }

    /// Ends the least important turns if there won't be space for all, and all if there is none any more. A disk that
    /// nothing is to be written to may be as full as it likes.
    func look(_ run: inout RunState) {
        guard run.stopReason == nil, let rule = run.limits.freeSpace, let free else { return }
        let (count, bytes) = Self.sum(of: run) { _, turn in turn.hasSlot }
        guard count > 0 || !run.sidecars.hasNothingWaiting || !run.sidecars.fetching.isEmpty else { return }
        // With room for all of them their order doesn't matter.
        if free >= rule.floor, free - rule.floor >= bytes.value { return }
        switch rule.verdict(Self.needs(of: run), free: free) {
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
        var (_, bytes) = Self.sum(of: run) { other, turn in
            other != download.id
                && (turn.hasSlot || run.downloads[other].map { entry < $0.entry(host: nil) } ?? false)
        }
        for other in others where run.phases[turn: other] == nil {
            guard let other = run.downloads[other] else { continue }
            bytes += ByteCount(other.size ?? 0).remaining(after: ByteCount(other.written))
        }
        return rule.hasSpace(for: need, beside: bytes, free: free)
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
        var (_, others) = Self.sum(of: run) { _, _ in true }
        let slots = run.limits.jobs - run.phases.slots
        var count = 0
        for entry in ready.sorted(by: >) where count < slots && run.phases[entry.id] == .settled(.suspended) {
            guard let download = run.downloads[entry.id], run.queue.canRun(entry, at: run.moment.now) else { continue }
            let need = FreeSpaceGuard.Need(id: entry.id, size: download.size, written: download.written)
            // A little more than it needs: others write, too.
            var ample = need
            ample.bytes = (ByteCount(need.bytes) + ByteCount(need.bytes / 8 + 1 << 20)).value
            guard rule.hasSpace(for: ample, beside: others, free: free) else { continue }
            others += ByteCount(need.bytes)
            count += 1
            run.revive(entry.id)
        }
        return count > 0
    }

    private func noteNoSpace(_ run: inout RunState) {
        if run.tally.disk == nil { run.tally.disk = .noSpace(free: free ?? 0) }
    }

    /// How many turns there are, and what they will still write. Questions, and one that is about to end, need nothing.
    private static func sum(
        of run: RunState, where isMeant: (DownloadID, Turn) -> Bool
    ) -> (count: Int, bytes: ByteCount) {
        var (count, bytes) = (0, ByteCount(0))
        for (id, turn) in run.phases.turns where turn.ending != .noSpace && !turn.isQuestion && isMeant(id, turn) {
            count += 1
            bytes += ByteCount(turn.size ?? 0).remaining(after: ByteCount(turn.written))
        }
        return (count, bytes)
    }

    /// The remaining needs of turns with a slot, the most important first; a turn without one writes nothing yet.
    private static func needs(of run: RunState) -> [FreeSpaceGuard.Need] {
        let turns = run.phases.turns.compactMap { id, turn -> (entry: DownloadQueue.Entry, turn: Turn)? in
            guard turn.hasSlot, turn.ending != .noSpace, !turn.isQuestion else { return nil }
            return run.downloads[id].map { ($0.entry(host: nil), turn) }
        }
        return turns.sorted { $0.entry > $1.entry }.map {
            FreeSpaceGuard.Need(id: $0.entry.id, size: $0.turn.size, written: $0.turn.written)
        }
    }
}
