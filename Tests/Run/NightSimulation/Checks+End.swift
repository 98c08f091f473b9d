import DownloadStore
import Foundation
import RunSchedule

/// What must hold at the end of a night, and of a week.
extension Checks {
    /// The violation at the end of a night that wasn't killed.
    func atEnd(_ night: NightRun) -> String? {
        let schedule = night.schedule
        let now = NightRun.date(night.now)
        if !turns.isEmpty || !connections.values.joined().isEmpty { return "the night ends with turns: \(turns)" }
        for (id, phase) in schedule.phases.all {
            let row = night.state.rows[id]
            switch phase {
            case .settled(let state):
                if row.state != state { return "\(id.rawValue) ends \(state), its row says \(row.state)" }
            case .queued(let host, let dueAt):
                // One that is there waits for an answer about what comes along.
                let isThere = schedule.downloads[id]?.purpose == .sidecars
                if row.state != (isThere ? .finished : .waiting) {
                    return "\(id.rawValue) waits, its row says \(row.state)"
                }
                guard schedule.stopReason == nil, let video = night.videos[id] else { continue }
                let provider = video.place
                let model = providers[provider]
                let due = [
                    dueAt, host.flatMap { hostBlockedUntil[$0] }, providerBlockedUntil[provider],
                    model?.down == nil ? nil : model?.until, host == nil ? model?.nextSearch : nil,
                ].compactMap { $0 }.max()
                if due ?? now <= now.addingTimeInterval(600), !isStopped(video) {
                    return "the night ends though \(id.rawValue) could still run"
                }
            case .following:
                if row.state != .waiting { return "\(id.rawValue) follows, its row says \(row.state)" }
            default: return "the night ends with \(id.rawValue) \(phase)"
            }
        }
        return nil
    }

    /// The violation after the last night, on which everything worked.
    static func atEnd(of week: Week, _ state: WeekState) -> String? {
        for video in week.videos where video.nights.contains(Week.nights - 1) {
            let id = DownloadID(rawValue: video.id)
            let row = state.rows[id]
            let last = NightRun.date(Week.start(Week.nights - 1))
            let isExplained: Bool
            switch row.state {
            // What its host doesn't know may be linked to the file of another one.
            case .finished:
                isExplained =
                    ![.gone, .away].contains(video.trouble) && (video.trouble != .missing || video.group != nil)
            case .failed:
                isExplained = video.trouble == .gone || row.retryAt.map { $0 > last } ?? false
            case .paused: isExplained = state.steered[id] == .pause
            case .cancelled: isExplained = state.steered[id] == .cancel
            // One that is away isn't asked again while it follows another one. One that is listed late, or failed in
            // earlier runs, isn't asked while its provider is down for others.
            case .waiting:
                let downFor = week.videos.filter { $0.provider == video.provider && $0.trouble == .away }
                isExplained =
                    row.retryAt.map { $0 > last } ?? false || (video.trouble == .away && video.group != nil)
                    || (video.listing != nil && downFor.contains { $0.listing == nil })
                    || (row.failedRuns > 0 && downFor.contains { $0.place == video.place })
            case .suspended, .active: isExplained = false
            }
            if !isExplained { return "\(id.rawValue) ends the week \(row.state), which nothing explains: \(row)" }
        }
        return nil
    }
}
