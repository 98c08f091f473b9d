import DownloadStore
import Foundation
import RunSchedule

/// The properties that must hold after every event, computed independently and without regard to cost: from events and
/// actions, not from the schedule's own counters.
struct Checks {
    /// A connection that was granted, by who has it; sidecars are below nothing.
    private(set) var connections: [Int64: [String]] = [:]
    private(set) var hostBlockedUntil: [String: Date] = [:]
    private(set) var providerBlockedUntil: [String: Date] = [:]
    private var stopped: Set<String> = []
    /// Providers that somebody has logged out from.
    private var loggedOut: Set<String> = []
    /// Turns that haven't asked for a host yet.
    private(set) var resolving: Set<DownloadID> = []
    private(set) var turns: Set<DownloadID> = []
    /// Those of them that have a slot.
    private(set) var slots: Set<DownloadID> = []
    /// Those of them that are being ended.
    private(set) var ending: Set<DownloadID> = []
    /// Answers that have led to a transfer.
    private var used = 0
    private(set) var providers: [String: ProviderModel] = [:]
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

    func isStopped(_ video: Week.Video) -> Bool {
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

    mutating func end(_ id: DownloadID) {
        turns.remove(id)
        slots.remove(id)
        ending.remove(id)
        resolving.remove(id)
        connections[id.rawValue] = nil
    }

    func inUse(_ host: String) -> Int {
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
        let searched = providers.values.reduce(0) { $0 + $1.searched }
        guard asking + waiting > used + searched + 4 * night.week.jobs + 16 else { return nil }
        return "\(waiting) answers wait, and \(asking) are asked for, after \(used) were used"
    }
}
