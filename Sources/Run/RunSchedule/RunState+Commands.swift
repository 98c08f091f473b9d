import DownloadStore
import Foundation

/// The user's commands during the run.
extension RunState {
    /// Continues the current command, and begins the next one when it is done.
    mutating func carryOutCommands(_ sidecarRules: SidecarRules) {
        while let command = commands.first {
            switch command.stage {
            case .queued: begin(command, sidecarRules)
            case .holding:
                commands[0].awaited = command.awaited.filter { phases[$0]?.isInPlay ?? false }
                guard commands[0].awaited.isEmpty else { return }
                apply(command)
            case .applying: return
            case .yielding:
                guard !command.preempted.contains(where: { phases[$0]?.isInPlay ?? false }) else { return }
                putBackPreempted(command)
                finish(command)
            }
        }
    }

    mutating func answerCommands(_ answer: Command.Answer) {
        for command in commands { actions.append(.answer(command.number, answer)) }
        commands = []
    }

    private mutating func finish(_ command: Command) {
        commands.removeFirst()
        actions.append(.answer(command.number, .done(busy: command.busy)))
    }

    private mutating func begin(_ command: Command, _ sidecarRules: SidecarRules) {
        switch command.kind {
        case .steer(.pause, let ids), .steer(.cancel, let ids), .steer(.remove, let ids): hold(ids, ending: .all)
        case .steer(.resume, let ids): hold(ids, ending: .none)
        case .steer(_, let ids): hold(ids, ending: .asking)
        case .prioritize(_, let ids):
            hold(ids, ending: .none)
            commands[0].busy = []
        case .jobs(let jobs, let isAutomatic, let hostCap):
            automaticJobs = isAutomatic ? AutomaticJobs(from: jobs) : nil
            setJobs(jobs)
            limits.hostConnections = hostCap
            queue.hostCap = hostCap
            yield(to: [], isAutomatic ? [] : lowest(phases.slots - jobs) { _ in true })
        case .loggedOut(let provider):
            queue.stop(provider: provider)
            sidecarRules.leave(provider: provider, &self)
            hold(downloads.values.filter { $0.provider == provider }.map(\.id), ending: .all)
        case .loggedIn(let provider):
            commands[0].stage = .applying
            actions.append(.reloadCredentials(command.number, of: provider))
        case .arrival:
            commands[0].stage = .applying
            actions.append(.admit(command.number))
        }
    }

    /// The courses of the current arrival are compared; these are its downloads.
    mutating func arrived(_ number: Int, _ wanted: [ScheduledDownload], followers: Followers) {
        guard let command = commands.first, command.number == number, command.stage == .applying else { return }
        add(wanted, followers: followers)
        finish(command)
    }

    /// The turns that a command ends; it leaves the others alone.
    private enum EndedTurns {
        case all
        /// Those without a slot: for the user their downloads are waiting.
        case asking
        case none
    }

    /// Removes waiting downloads from the queue, and ends turns of the others.
    private mutating func hold(_ ids: [DownloadID], ending: EndedTurns) {
        commands[0].stage = .holding
        var waiting: Set<DownloadID> = []
        for id in ids {
            switch phases[id] {
            case .queued(let host, let dueAt):
                waiting.insert(id)
                phases[id] = .held(.queue(host: host, dueAt: dueAt))
            case .following: phases[id] = .held(.following)
            case .running, .digesting, .placing, .emptying:
                let isAsking = phases[turn: id]?.hasSlot == false && !isQuestion(id)
                guard ending == .all || (ending == .asking && isAsking) else {
                    if !isAsking { commands[0].busy.append(id) }
                    continue
                }
                commands[0].awaited.insert(id)
                endTurn(id, .command)
            case .held, .settled, nil: break
            }
            commands[0].ids.insert(id)
        }
        if !waiting.isEmpty { _ = queue.remove(waiting) }
    }

    private mutating func apply(_ command: Command) {
        commands[0].stage = .applying
        switch command.kind {
        case .steer(_, let ids):
            let busy = Set(command.busy)
            actions.append(.apply(command.number, ids.filter { !busy.contains($0) }))
        case .prioritize(_, let ids): actions.append(.apply(command.number, ids))
        case .loggedOut(let provider):
            let stopped = command.ids.filter { if case .held? = phases[$0] { true } else { false } }
            for id in stopped.sorted() { suspend(id, .auth) }
            for id in stopped { if let server = downloads[id]?.server { tally.loginsNeeded.insert(server) } }
            // Those that may go on have answers that the credentials got.
            let kept = phases.all.filter { id, phase in
                downloads[id]?.provider == provider && [.settled(.suspended), .settled(.failed)].contains(phase)
            }
            for id in kept.map(\.key).sorted() where !stopped.contains(id) { actions.append(.dismiss(id)) }
            actions.append(.forgetCredentials(command.number, of: provider))
        case .jobs, .loggedIn, .arrival: break
        }
    }

    /// The rows of the current command have changed; these are the new ones.
    mutating func applied(
        _ number: Int, _ rows: [Schedule.SteeredRow], outages: inout OutageRules, sidecarRules: inout SidecarRules
    ) {
        guard let command = commands.first, command.number == number, command.stage == .applying else { return }
        switch command.kind {
        case .steer:
            commands[0].ids = []
            for row in rows { steered(row, &outages, &sidecarRules) }
            giveBack(command.ids)
            finish(command)
            if !rows.isEmpty { stayForResume(rows, moment.now) }
        case .prioritize(let isNow, _):
            commands[0].ids = []
            var urgent: [DownloadQueue.Entry] = []
            var asking: [DownloadID] = []
            var held = command.ids
            for row in rows {
                downloads[row.id]?.priority = row.priority
                downloads[row.id]?.isUrgent = false
                if case .queued(let host, let dueAt)? = phases[row.id] {
                    // Its turn has ended since: it is queued with its old priority.
                    _ = queue.remove([row.id])
                    phases[row.id] = .held(.queue(host: host, dueAt: dueAt))
                    held.insert(row.id)
                }
                guard isNow, let download = downloads[row.id] else { continue }
                if case .held(.queue(let host, _))? = phases[row.id] {
                    phases[row.id] = .held(.queue(host: host, dueAt: nil))
                    let usableUntil = host == nil ? nil : stock.usableUntil(row.id)
                    urgent.append(download.entry(host: host, usableUntil: usableUntil))
                } else if let turn = phases[turn: row.id], !turn.hasSlot, turn.ending == nil, !isQuestion(row.id) {
                    asking.append(row.id)
                }
            }
            // As many as there are slots get one at once, before their providers have answered.
            for id in asking.prefix(limits.jobs) { takeSlot(id) }
            let count = max(0, limits.jobs - asking.count)
            for entry in urgent.sorted(by: >).prefix(count) { downloads[entry.id]?.isUrgent = true }
            giveBack(held)
            yield(to: urgent, isNow ? preempted(for: urgent, asking, moment.now) : [])
        case .loggedOut:
            // What was queued while the command was carried out needs the login, too.
            commands[0].ids = []
            for id in command.ids {
                if case .held? = phases[id], let server = downloads[id]?.server { tally.loginsNeeded.insert(server) }
            }
            giveBack(command.ids)
            finish(command)
        case .loggedIn(let provider):
            logins[provider, default: 0] += 1
            outages.askAgain(provider, &self)
            sidecarRules.askAfterLogin(provider, &self)
            let suspended = downloads.values.filter {
                $0.provider == provider && phases[$0.id] == .settled(.suspended)
            }
            commands[0].kind = .steer(.resume, suspended.map(\.id).sorted())
            commands[0].stage = .queued
        case .jobs, .arrival: break
        }
    }

    /// Any command of the user ends the wait for a resume; a pause may begin one.
    private mutating func stayForResume(_ rows: [Schedule.SteeredRow], _ now: Date) {
        resumeUntil = nil
        endsWithPause = rows.contains { $0.after == .paused && downloads[$0.id] != nil }
        stayIfPaused(now)
    }

    /// The last remaining work is paused, and no more is to come: the run waits for a resume as long as it would for a
    /// host.
    mutating func stayIfPaused(_ now: Date) {
        guard endsWithPause, !expectsMore, stopReason == nil, phases.isQuiet, commands.isEmpty, sidecars.isIdle,
            !isSomethingDue(at: now)
        else { return }
        let until = now.advanced(by: limits.maxWait)
        guard until > now else { return }
        resumeUntil = until
        emit(.resumeWaiting(until: until))
    }

    /// Returns the downloads that the command didn't change to their places.
    private mutating func giveBack(_ ids: Set<DownloadID>) {
        for id in ids {
            guard case .held(let held)? = phases[id] else { continue }
            switch held {
            case .queue(let host, let dueAt): enqueue(id, host: host, dueAt: dueAt)
            case .following where sharing.followers.isFollower(id): phases[id] = .following
            case .following: enqueue(id, host: nil, dueAt: downloads[id]?.retryAt)
            case .turn(let host):
                if !isQuestion(id) { record(.putBack(id, retryAt: nil, error: nil)) }
                enqueue(id, host: host, dueAt: downloads[id]?.retryAt)
            }
        }
    }

    /// The row has changed: updates the run accordingly.
    private mutating func steered(
        _ row: Schedule.SteeredRow, _ outages: inout OutageRules, _ sidecarRules: inout SidecarRules
    ) {
        let isKnown = downloads[row.id] != nil
        switch row.after {
        case .paused, .cancelled:
            emit(row.after == .paused ? .paused(row.id) : .cancelled(row.id))
            if row.after == .cancelled, row.before == .finished { emit(.removed(row.id)) }
            if row.after == .cancelled { sidecarRules.cancel(row.id, &self) }
            guard isKnown else { break }
            forgetOutcome(row.id)
            settle(row.id, row.after)
        case .waiting:
            emit(.waiting(row.id))
            if isKnown {
                forgetOutcome(row.id)
                settle(row.id, .waiting)
            }
            guard stopReason == nil, let again = row.wanted else { break }
            downloads[row.id] = again
            actions.append(.renew(row.id))
            // The user may have fixed the login in another way.
            outages.askAgain(again.provider, &self)
            outages.forget(row.id, &self)
            enqueue(row.id, host: nil, dueAt: row.retryAt)
        case .finished: sidecarRules.wantAgain(row, &outages, &self)
        default: break
        }
        if !isKnown || tally.steered[row.id] != nil, row.wanted != nil {
            tally.steered[row.id] = (tally.steered[row.id]?.first ?? row.before, row.after)
        }
    }

    /// Takes back that a download had ended in this run.
    private mutating func forgetOutcome(_ id: DownloadID) {
        guard case .settled(let last)? = phases[id] else { return }
        tally.notReady.remove(id)
        if last == .failed { tally.forgetFailure(id) }
    }

    // MARK: making room

    /// These turns end in favour of others, and go back to the queue.
    private mutating func yield(to urgent: [DownloadQueue.Entry], _ preempted: [DownloadID]) {
        commands[0].stage = .yielding
        commands[0].preempted = Set(preempted)
        for id in preempted { endTurn(id, .command) }
    }

    private mutating func putBackPreempted(_ command: Command) {
        commands[0].preempted = []
        for id in command.preempted.sorted() {
            guard case .held(let held)? = phases[id] else { continue }
            if case .queue(let host, let dueAt) = held {
                enqueue(id, host: host, dueAt: dueAt)
                continue
            }
            if !isQuestion(id) {
                record(.putBack(id, retryAt: nil, error: nil))
                emit(.waiting(id))
            }
            // Its answer may be good for another turn.
            let host: String? = if case .turn(let host) = held { host } else { nil }
            enqueue(id, host: host, dueAt: nil)
        }
    }

    /// As many turns of lower priority as these need, beside those whose providers are being asked.
    private func preempted(
        for urgent: [DownloadQueue.Entry], _ asking: [DownloadID], _ now: Date
    ) -> [DownloadID] {
        let ids = Set(urgent.map(\.id) + asking)
        var preempted: [DownloadID] = []
        // A host at its cap needs one of its own connections; otherwise any slot will do.
        let capped = urgent.filter { entry in
            entry.host.map { !queue.isFree($0, at: now) && queue.blockedUntil($0) ?? now <= now } ?? false
        }
        for host in Set(capped.compactMap(\.host)).sorted() {
            preempted += lowest(capped.count { $0.host == host }) {
                phases[turn: $0]?.host == host && !ids.contains($0)
            }
        }
        let ready = urgent.count { queue.canRun($0, at: now) }
        let missing = phases.slots - preempted.count + ready + capped.count - limits.jobs
        return preempted + lowest(min(missing, ready + asking.count)) { !ids.contains($0) && !preempted.contains($0) }
    }

    /// Turns with a slot, the last one by priority and order first.
    private func lowest(_ count: Int, where isMeant: (DownloadID) -> Bool) -> [DownloadID] {
        guard count > 0 else { return [] }
        let slots = phases.turns.filter { $0.value.hasSlot && isMeant($0.key) }.keys
        let entries = slots.compactMap { downloads[$0]?.entry(host: nil) }.sorted()
        return entries.prefix(count).map(\.id)
    }
}
