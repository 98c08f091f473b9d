import DownloadStore
import Foundation
import RunSchedule

/// Downloads suspended for lack of space, and whether they are revived when they should be, and not too often.
struct DiskSpaceModel {
    private struct Entry {
        var since: Date
        /// Since when it could have come back at every event.
        var couldSince: Date?
    }

    private var waiting: [DownloadID: Entry] = [:]
    private var times: [DownloadID: Int] = [:]
    private(set) var problem: String?

    private func pause(_ id: DownloadID) -> Double { 10 * Double(1 << max(0, (times[id] ?? 1) - 1)) }

    mutating func note(_ action: Schedule.Action, _ now: Date) {
        switch action {
        case .emit(.suspended(let id, .disk)):
            times[id, default: 0] += 1
            waiting[id] = Entry(since: now)
        case .record(.revive(let id)):
            guard let entry = waiting.removeValue(forKey: id) else { return }
            if now < entry.since + pause(id) { problem = "\(id.rawValue) comes back at once" }
            // At each look as many come back as there are slots: the others wait for the next one.
            for other in waiting.keys { waiting[other]?.couldSince = nil }
        case .emit(.suspended(let id, _)), .emit(.waiting(let id)), .emit(.paused(let id)), .emit(.cancelled(let id)):
            waiting[id] = nil
        default: break
        }
    }

    /// `could`: whether it could begin now, as far as hosts and providers go.
    mutating func look(_ night: NightRun, could: (DownloadID) -> Bool) {
        let now = NightRun.date(night.now)
        let others = night.schedule.phases.running.reduce(Int64(0)) {
            $0 + (night.videos[$1]?.size ?? 0) - night.bytes(of: $1, at: night.now)
        }
        for (id, entry) in waiting {
            let need = (night.videos[id]?.size ?? 0) - night.bytes(of: id, at: night.now)
            let isRoom = night.free - others > need + need / 5 + 2_000_000
            guard isRoom, night.schedule.phases[id] == .settled(.suspended), could(id) else {
                waiting[id]?.couldSince = nil
                continue
            }
            let since = entry.couldSince ?? now
            waiting[id]?.couldSince = since
            if now > max(since, entry.since + pause(id)) + 25 {
                problem = "there has been room for \(id.rawValue) for long, and it stays suspended"
            }
        }
    }
}
