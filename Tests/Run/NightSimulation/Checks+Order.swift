import DownloadStore
import Foundation
import RunSchedule

/// Whose turn it is, and that no slot is idle.
extension Checks {
    /// Whether it has an answer that can be used.
    func isUsable(_ id: DownloadID, _ night: NightRun) -> Bool {
        night.works[id]?.usableUntil.map { $0 > night.now } ?? false
    }

    /// A slot is free, and something that waits could have it, or could be asked for it.
    func idle(_ night: NightRun, _ queued: [(key: DownloadID, value: Phase)]) -> String? {
        guard hasSlot(night) else { return nil }
        let asking = turns.subtracting(slots).filter { night.schedule.downloads[$0]?.purpose == .video }
        for (id, phase) in queued where canRun(id, phase, queued, night) {
            guard case .queued(let host, _) = phase else { continue }
            if host != nil, isUsable(id, night) { return "a slot is idle while \(id.rawValue) could run" }
            let isEnough = asking.count { isBefore($0, id, night) } >= night.schedule.limits.jobs - slots.count
            guard !isEnough, let video = night.videos[id], mayAsk(video.provider, night),
                night.schedule.downloads[id]?.purpose == .video
            else { continue }
            return "a slot is idle while \(id.rawValue) could be asked for"
        }
        return nil
    }

    /// Whether a provider takes one more request.
    private func mayAsk(_ provider: String, _ night: NightRun) -> Bool {
        resolving.count { night.videos[$0]?.provider == provider } < night.week.answers[provider]?.concurrency ?? 1
    }

    func hasSlot(_ night: NightRun) -> Bool {
        let schedule = night.schedule
        let placing = schedule.phases.all.count { [.digesting, .placing].contains($0.value) || isEmptying($0.value) }
        return slots.count < schedule.limits.jobs && placing + schedule.sidecars.placing.count < 8
    }

    private func isEmptying(_ phase: Phase) -> Bool { if case .emptying = phase { true } else { false } }

    /// One began that came after another one that could have run.
    func order(
        _ night: NightRun, _ actions: [Schedule.Action], _ queued: [(key: DownloadID, value: Phase)]
    ) -> String? {
        var waiting = queued
        var before = self
        let started = actions.compactMap { action -> DownloadID? in
            switch action {
            case .start(let id, _, _), .ask(let id): id
            default: nil
            }
        }
        for id in started.reversed() {
            let turn = night.schedule.phases[turn: id]
            let host = turn?.host
            before.end(id)
            for (other, phase) in waiting where isBefore(other, id, night) {
                // Slots are for those with an answer; of one server, the first is asked first.
                guard case .queued(let otherHost, _) = phase else { continue }
                let isAnswered = otherHost != nil && isUsable(other, night)
                // One whose answer has expired is asked for when a slot is free.
                if otherHost != nil, !isAnswered { continue }
                if turn?.hasSlot == true, !isAnswered { continue }
                if turn?.hasSlot == false {
                    guard otherHost == nil, night.videos[other]?.place == night.videos[id]?.place else { continue }
                }
                if turn?.hasSlot == true, before.isComing(id, waiting, night) { continue }
                if before.isOrdered(other, phase, waiting, night), before.canRun(other, phase, waiting, night) {
                    return "\(id.rawValue) began before \(other.rawValue), which comes first and could run"
                }
            }
            waiting.append((id, .queued(host: host, dueAt: nil)))
        }
        return nil
    }

    /// Whether one got a slot that isn't free yet, and more of them are becoming free than those that come first need.
    private func isComing(
        _ id: DownloadID, _ queued: [(key: DownloadID, value: Phase)], _ night: NightRun
    ) -> Bool {
        let jobs = night.schedule.limits.jobs
        guard slots.count >= jobs else { return false }
        let needed = queued.count { other, phase in
            isBefore(other, id, night) && isUsable(other, night) && canRun(other, phase, queued, night)
        }
        return slots.subtracting(ending).count + needed < jobs
    }

    /// Whether its turn comes by priority and order: who finds something out is chosen in another way.
    private func isOrdered(
        _ id: DownloadID, _ phase: Phase, _ queued: [(key: DownloadID, value: Phase)], _ night: NightRun
    ) -> Bool {
        guard let provider = night.videos[id]?.place, providers[provider]?.down == nil else { return false }
        guard case .queued(nil, _) = phase else { return true }
        return waiting(of: provider, queued, night).leftAlone < night.schedule.limits.jobs
    }

    private func isBefore(_ a: DownloadID, _ b: DownloadID, _ night: NightRun) -> Bool {
        let (first, second) = (night.schedule.downloads[a], night.schedule.downloads[b])
        guard let first, let second else { return false }
        // What belongs beside a video waits for the videos.
        let (isVideo, isOtherVideo) = (first.purpose == .video ? 1 : 0, second.purpose == .video ? 1 : 0)
        return (first.priority, isVideo, -first.ordinal) > (second.priority, isOtherVideo, -second.ordinal)
    }

    func canRun(
        _ id: DownloadID, _ phase: Phase, _ queued: [(key: DownloadID, value: Phase)], _ night: NightRun
    ) -> Bool {
        guard case .queued(let host, let dueAt) = phase, let video = night.videos[id] else { return false }
        let provider = video.place
        let now = NightRun.date(night.now)
        if dueAt.map({ $0 > now }) ?? false || isStopped(video) { return false }
        let model = providers[provider]
        let isAnswered = host != nil && isUsable(id, night) && model?.down?.cause != .refusing
        if !isAnswered {
            if providerBlockedUntil[provider].map({ $0 > now }) ?? false { return false }
            if let model, !model.mayProbe(now) { return false }
            // One of them finds out, and which one isn't said here.
            if host != nil, model?.down != nil { return false }
            // One whose answer is there does, as soon as its host is free.
            if model?.down?.cause == .refusing, isKnownBusy(provider, queued, night) { return false }
        }
        if let host { return isFree(host, now, night) }
        // Worth asking for: not too many are known to wait already.
        let (busy, leftAlone) = waiting(of: provider, queued, night)
        let isAsked = resolving.contains { night.videos[$0]?.place == provider }
        let isTime = model.map { $0.nextSearch <= now } ?? true
        guard busy < night.schedule.limits.jobs else { return false }
        return leftAlone < night.schedule.limits.jobs || (!isAsked && isTime)
    }

    /// Whether one of a provider has an answer, and waits for a host without a free connection.
    private func isKnownBusy(
        _ provider: String, _ queued: [(key: DownloadID, value: Phase)], _ night: NightRun
    ) -> Bool {
        let now = NightRun.date(night.now)
        return queued.contains { id, phase in
            guard case .queued(let host?, let dueAt) = phase, night.videos[id]?.place == provider else { return false }
            return isUsable(id, night) && dueAt ?? now <= now && hostBlockedUntil[host] ?? now <= now
                && !isFree(host, now, night)
        }
    }

    /// Resolved ones of a provider that wait for a host.
    private func waiting(
        of provider: String, _ queued: [(key: DownloadID, value: Phase)], _ night: NightRun
    ) -> (busy: Int, leftAlone: Int) {
        let now = NightRun.date(night.now)
        var (busy, leftAlone) = (0, 0)
        for (other, phase) in queued where night.videos[other]?.place == provider {
            guard case .queued(let host?, let dueAt) = phase, dueAt.map({ $0 <= now }) ?? true else { continue }
            if hostBlockedUntil[host].map({ $0 > now }) ?? false {
                leftAlone += 1
            } else if !isFree(host, now, night) {
                busy += 1
            }
        }
        return (busy, leftAlone)
    }

    private func isFree(_ host: String, _ now: Date, _ night: NightRun) -> Bool {
        inUse(host) < night.schedule.limits.hostConnections && hostBlockedUntil[host].map { $0 <= now } ?? true
    }
}
