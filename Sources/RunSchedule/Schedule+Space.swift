import DownloadStore
import Foundation

/// Which downloads there is room for on the disk.
extension Schedule {
    mutating func measured(_ free: Int64, _ turns: [Measure]) {
        self.free = free
        for measure in turns {
            guard case .running(var turn)? = phases[measure.id] else { continue }
            turn.size = measure.size
            turn.written = measure.written
            phases[measure.id] = .running(turn)
        }
        lookAtSpace()
    }

    /// The least important turns end if there won't be room for all, and all if there is none any more.
    mutating func lookAtSpace() {
        guard stopReason == nil, let rule = limits.room, let free else { return }
        switch rule.verdict(needs, free: free) {
        case .goOn: return
        case .stop:
            noteNoRoom(free)
            stopRun(.disk)
        case .suspend(let ids):
            noteNoRoom(free)
            for id in ids { endTurn(id, .noRoom) }
        }
    }

    /// Whether there is room on the disk for one more download.
    func hasRoom(for download: ScheduledDownload) -> Bool {
        guard let rule = limits.room, let free else { return true }
        // A file that the library has already is linked: it takes nothing.
        let size = download.isDonorProven ? 0 : download.size
        let need = FreeSpaceGuard.Need(id: download.id, size: size, written: download.written)
        return rule.hasRoom(for: need, beside: needs, free: free)
    }

    /// What the turns will still write, the most important first. One that is about to end needs nothing.
    private var needs: [FreeSpaceGuard.Need] {
        let turns = phases.running.compactMap { id -> (entry: DownloadQueue.Entry, turn: Turn)? in
            guard let turn = phases[turn: id], turn.ending != .noRoom else { return nil }
            return downloads[id].map { ($0.entry(host: nil), turn) }
        }
        return turns.sorted { $0.entry > $1.entry }.map {
            FreeSpaceGuard.Need(id: $0.entry.id, size: $0.turn.size, written: $0.turn.written)
        }
    }

    mutating func noteNoRoom(_ free: Int64) { if tally.disk == nil { tally.disk = .noRoom(free: free) } }

    /// There is no room for it: it waits until there is, or for a later run.
    mutating func crowdOut(_ id: DownloadID, _ moment: Moment) {
        noteNoRoom(free ?? 0)
        suspend(id, .disk, isKept: true)
        // What is only asked takes no room.
        if phases[id] == .settled(.suspended) { crowdedOut.add(id, at: moment.now) }
    }

    /// All that there was no room for is gone or goes on.
    mutating func noteRoom() { if case .noRoom? = tally.disk { tally.disk = nil } }

    /// What was suspended for want of room waits again if there is room now, and nothing else wants the slot. Returns whether
    /// anything does.
    mutating func reviveForRoom(_ moment: Moment) -> Bool {
        guard mayStartTurn, let rule = limits.room, let free else { return false }
        let ready = crowdedOut.ready(at: moment.now).compactMap { downloads[$0]?.entry(host: nil) }.sorted(by: >)
        var others = needs
        let slots = limits.jobs - phases.running.count
        var count = 0
        for entry in ready where count < slots && phases[entry.id] == .settled(.suspended) {
            guard let download = downloads[entry.id], queue.canRun(entry, at: moment.now) else { continue }
            let need = FreeSpaceGuard.Need(id: entry.id, size: download.size, written: download.written)
            // A little more than it needs: others write, too.
            var ample = need
            ample.bytes = (ByteCount(need.bytes) + ByteCount(need.bytes / 8 + 1 << 20)).value
            guard rule.hasRoom(for: ample, beside: others, free: free) else { continue }
            others.append(need)
            count += 1
            revive(entry.id)
        }
        return count > 0
    }
}
