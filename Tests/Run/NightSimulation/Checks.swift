import DownloadStore
import Foundation
import RunSchedule

/// The properties that must hold after every event, computed independently and without regard to cost: from events and
/// actions, not from the schedule's own counters.
struct Checks {
    /// A connection that was granted, by who has it; sidecars are below nothing.
    private var connections: [Int64: [String]] = [:]
    private var hostBlockedUntil: [String: Date] = [:]
    private var providerBlockedUntil: [String: Date] = [:]
    private var stopped: Set<String> = []
    /// Providers that somebody has logged out from.
    private var loggedOut: Set<String> = []
    /// Turns that haven't asked for a host yet.
    private var resolving: Set<DownloadID> = []
    private var turns: Set<DownloadID> = []
    /// Those of them that have a slot.
    private var slots: Set<DownloadID> = []
    /// Those of them that are being ended.
    private var ending: Set<DownloadID> = []
    /// Answers that have led to a transfer.
    private var used = 0
    private var providers: [String: ProviderModel] = [:]
    private var room = DiskSpaceModel()
    /// Rows that are being changed for a command.
    private var applying: [Int: Set<DownloadID>] = [:]
    /// The arrival that is being compared.
    private var comparing: Int?
    /// Why the suspended ones are.
    private var reasons: [DownloadID: SuspendReason] = [:]
    private var logins: Set<Int> = []
    /// The first thing that was wrong.
    private var problem: String?

    // MARK: what happens

    mutating func note(_ event: Schedule.Event, _ actions: [Schedule.Action], _ night: NightRun) {
        noteProvider(event, night)
        switch event {
        case .claim(let id, _):
            resolving.remove(id)
            connections[id.rawValue]?.removeAll()
        case .turnEnded(let id, let end, _):
            if case .providerWaits(_, let delay, _) = end, let place = night.videos[id]?.place {
                // Of a burst only the first one is told.
                let until = NightRun.date(night.now).addingTimeInterval(delay / .seconds(1))
                providerBlockedUntil[place] = max(until, providerBlockedUntil[place] ?? until)
            }
            self.end(id)
        case .applied(let number, _): applying[number] = nil
        case .arrived: comparing = nil
        case .leave(let id, let host):
            if let index = connections[id.rawValue]?.lastIndex(of: host) { connections[id.rawValue]?.remove(at: index) }
        case .sidecarFetched(let number, _): connections[-Int64(number)] = nil
        default: break
        }
        if case .turnEnded(let id, .loginNeeded, _) = event, let video = night.videos[id],
            night.schedule.tally.loginsNeeded.contains(ProviderServer(video.provider, video.server))
        {
            stopped.insert(video.place)
        }
        if case .applied(let number, let rows) = event {
            for row in rows where row.after == .waiting {
                if let provider = row.wanted?.provider, isSteering(night.requests[number]) { resume(provider) }
            }
            if let command = night.requests[number], command.what == .providerLogin {
                resume(night.provider(of: command))
            }
        }
        let now = NightRun.date(night.now)
        // What follows in the same breath may have changed why.
        for action in actions {
            switch action {
            case .emit(.suspended(let id, let reason)): reasons[id] = reason
            case .forgetCredentials(_, let provider): loggedOut.insert(provider)
            default: break
            }
        }
        for action in actions {
            room.note(action, now)
            noteProblem(action, night)
            switch action {
            case .record(.begin(let id)): slots.insert(id)
            case .cancel(let id): ending.insert(id)
            case .emit(.hostWaiting(let host, let until, _)):
                hostBlockedUntil[host] = max(until, hostBlockedUntil[host] ?? until)
            case .emit(.providerWaiting(let server, let until, let error))
            where error.kind != .unavailable && error.status == nil:
                let place = Self.place(server)
                providerBlockedUntil[place] = max(until, providerBlockedUntil[place] ?? until)
            case .start(let id, _, _), .ask(let id):
                turns.insert(id)
                if let host = night.schedule.phases[turn: id]?.host {
                    connections[id.rawValue] = [host]
                } else {
                    resolving.insert(id)
                }
            case .fetch(let number):
                if let host = night.sidecars[number]?.host { connections[-Int64(number), default: []].append(host) }
            default: break
            }
        }
    }

    private static func place(_ server: ProviderServer) -> String {
        server.provider + (server.name.map { "/\($0)" } ?? "")
    }

    private static func isOf(_ provider: String, _ place: String) -> Bool {
        place == provider || place.hasPrefix(provider + "/")
    }

    /// It is asked again, at all of its servers.
    private mutating func resume(_ provider: String) {
        loggedOut.remove(provider)
        stopped = stopped.filter { !Self.isOf(provider, $0) }
    }

    private func isStopped(_ video: Week.Video) -> Bool {
        stopped.contains(video.place) || loggedOut.contains(video.provider)
    }

    private mutating func noteProvider(_ event: Schedule.Event, _ night: NightRun) {
        let now = NightRun.date(night.now)
        func provider(_ id: DownloadID) -> String { night.videos[id]?.place ?? "" }
        func reset(_ provider: String) {
            for place in providers.keys where Self.isOf(provider, place) { providers[place]?.reset(nil) }
        }
        switch event {
        case .resolved(let id, _, _): providers[provider(id), default: ProviderModel()].answered(isGood: true)
        case .receives(let id): providers[provider(id)]?.served()
        case .claim(let id, let host):
            var model = providers[provider(id), default: ProviderModel()]
            if resolving.contains(id) {
                model.found(isLeftAlone: hostBlockedUntil[host].map { $0 > now } ?? false, now)
            }
            if model.down?.cause == .unavailable, model.probe == id { model.probe = nil }
            providers[provider(id)] = model
        case .turnEnded(let id, let end, _):
            var model = providers[provider(id), default: ProviderModel()]
            let wasProbe = model.probe == id
            if wasProbe { model.probe = nil }
            switch end {
            case .loginNeeded, .notReady, .providerWaits, .failed(_, isFinal: true): model.answered(isGood: false)
            case .complete: model.served()
            case .unavailable: model.wasUnavailable(id, wasProbe: wasProbe, now)
            case .failed(let error, _) where error.status != nil && night.schedule.stopReason == nil:
                model.wasRefused(id, wasProbe: wasProbe, now)
            default: break
            }
            providers[provider(id)] = model
        case .applied(let number, let rows):
            let command = night.requests[number]
            if let command, command.what == .providerLogin, logins.insert(number).inserted {
                reset(night.provider(of: command))
            }
            guard isSteering(command), night.schedule.stopReason == nil else { return }
            for row in rows where row.after == .waiting && row.wanted != nil {
                if let video = night.videos[row.id] { reset(video.provider) }
                providers[provider(row.id)]?.reset(row.id)
            }
        default: break
        }
    }

    private mutating func noteProblem(_ action: Schedule.Action, _ night: NightRun) {
        let now = NightRun.date(night.now)
        switch action {
        case .start(let id, _, _), .ask(let id):
            if applying.values.contains(where: { $0.contains(id) }) {
                problem = problem ?? "\(id.rawValue) begins while its row is being changed"
            }
            let turn = night.schedule.phases[turn: id]
            if let provider = night.videos[id]?.provider, let turn, turn.isResolving, !turn.hasSlot,
                resolving.count(where: { night.videos[$0]?.provider == provider })
                    >= night.week.answers[provider]?.concurrency ?? 1
            {
                problem = problem ?? "\(id.rawValue) asks \(provider), which has enough requests"
            }
            guard let provider = night.videos[id]?.place, let model = providers[provider] else { return }
            if model.down?.cause != .refusing, turn?.host != nil, isUsable(id, night) { return }
            if !model.mayProbe(now) { problem = problem ?? "\(id.rawValue) asks \(provider), which is down" }
            if model.down != nil { providers[provider]?.probe = id }
        case .admit(let number):
            if !applying.isEmpty || comparing != nil { problem = problem ?? "arrival \(number) overlaps with another" }
            comparing = number
        case .forgetCredentials(let number, _), .reloadCredentials(let number, _):
            if let comparing { problem = problem ?? "command \(number) overlaps with arrival \(comparing)" }
        // Another priority is given to a turn, too, which may end meanwhile and begin anew.
        case .apply(let number, let ids):
            if let comparing { problem = problem ?? "command \(number) overlaps with arrival \(comparing)" }
            applying[number] = Set(ids.filter { night.schedule.phases[$0]?.isInPlay != true })
        case .record(.fail(let id, let error, _)):
            guard let model = night.videos[id].flatMap({ providers[$0.place] }) else { return }
            if error.kind == .unavailable, !model.isToBlame(id) {
                problem = problem ?? "\(id.rawValue) fails because its provider is down"
            }
            if error.status != nil, model.down?.cause == .refusing, !turns.isEmpty {
                problem = problem ?? "\(id.rawValue) fails because all are refused"
            }
        case .answer(let number, .done):
            guard let command = night.requests[number], command.what == .providerLogin else { return }
            for (id, reason) in reasons where reason == .auth && night.schedule.phases[id] == .settled(.suspended) {
                let provider = night.provider(of: command)
                guard let video = night.videos[id], video.provider == provider, !isStopped(video) else { continue }
                problem = problem ?? "\(id.rawValue) waits for a login that there has been"
            }
        default: break
        }
    }

    private func isSteering(_ command: Week.Command?) -> Bool {
        switch command?.what {
        case .prioritize, .now, nil: false
        default: true
        }
    }

    mutating func granted(_ id: DownloadID, _ host: String) {
        used += 1
        connections[id.rawValue, default: []].append(host)
    }

    private mutating func end(_ id: DownloadID) {
        turns.remove(id)
        slots.remove(id)
        ending.remove(id)
        resolving.remove(id)
        connections[id.rawValue] = nil
    }

    private func inUse(_ host: String) -> Int {
        connections.values.reduce(0) { $0 + $1.count { $0 == host } }
    }

    // MARK: what must hold

    /// The violation after an event; nil if there is none.
    mutating func after(_ night: NightRun, _ actions: [Schedule.Action]) -> String? {
        let schedule = night.schedule
        if let problem = problem ?? room.problem { return problem }
        if schedule.phases.slots != slots.count { return "slots don't add up: \(schedule.phases.slots) and \(slots)" }
        let lasting = slots.subtracting(ending).count
        if lasting > schedule.limits.jobs { return "\(lasting) turns have one of \(schedule.limits.jobs) slots" }
        if let problem = stock(night) { return problem }
        if schedule.phases.running != turns { return "turns don't add up: \(schedule.phases.running) and \(turns)" }
        var used: [String: Int] = [:]
        for host in connections.values.joined() { used[host, default: 0] += 1 }
        if used != schedule.queue.connections { return "hosts don't add up: \(schedule.queue.connections) and \(used)" }
        let queued = schedule.phases.all.filter { if case .queued = $0.value { true } else { false } }
        if queued.count != schedule.queue.count { return "\(queued.count) wait, the queue has \(schedule.queue.count)" }
        for (id, phase) in schedule.phases.all where phase == .following {
            guard schedule.stopReason == nil else { continue }
            guard let leader = schedule.leader(of: id) else { return "\(id.rawValue) follows nobody" }
            if case .settled? = schedule.phases[leader] { return "\(id.rawValue) follows one that is settled" }
        }
        guard !schedule.isEnded, schedule.stopReason == nil else { return nil }
        guard schedule.limits.freeSpace == nil else {
            let isSlotFree = hasSlot(night)
            let checks = self
            room.look(night) { isSlotFree && checks.canRun($0, .queued(host: nil, dueAt: nil), queued, night) }
            return room.problem
        }
        return order(night, actions, queued) ?? idle(night, queued)
    }

    /// More answers wait, or are asked for, than a night may have.
    private func stock(_ night: NightRun) -> String? {
        let asking = turns.subtracting(slots).count { night.schedule.downloads[$0]?.purpose == .video }
        let waiting = night.works.count { $0.value.usableUntil != nil && !slots.contains($0.key) }
        guard asking + waiting > used + 4 * night.week.jobs + 16 else { return nil }
        return "\(waiting) answers wait, and \(asking) are asked for, after \(used) were used"
    }

    /// Whether it has an answer that can be used.
    private func isUsable(_ id: DownloadID, _ night: NightRun) -> Bool {
        night.works[id]?.usableUntil.map { $0 > night.now } ?? false
    }

    /// A slot is free, and something that waits could have it, or could be asked for it.
    private func idle(_ night: NightRun, _ queued: [(key: DownloadID, value: Phase)]) -> String? {
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

    private func hasSlot(_ night: NightRun) -> Bool {
        let schedule = night.schedule
        let placing = schedule.phases.all.count { [.digesting, .placing].contains($0.value) || isEmptying($0.value) }
        return slots.count < schedule.limits.jobs && placing + schedule.sidecars.placing.count < 8
    }

    private func isEmptying(_ phase: Phase) -> Bool { if case .emptying = phase { true } else { false } }

    /// One began that came after another one that could have run.
    private func order(
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

    private func canRun(
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
