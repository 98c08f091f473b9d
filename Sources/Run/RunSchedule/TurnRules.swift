import DownloadStore
import Foundation

/// Turns: their beginning, their connections, and the consequences of their ends.
struct TurnRules: Sendable {
    /// Downloads that have had their one wait for a file that wasn't ready.
    private var notReadyBefore: Set<DownloadID> = []

    /// Begins a turn: with a slot, or by asking its provider without one.
    func start(_ entry: DownloadQueue.Entry, _ space: SpaceRules, _ run: inout RunState) {
        let id = entry.id
        guard let download = run.downloads[id], case .queued? = run.phases[id] else { return }
        if let until = entry.usableUntil, until <= run.moment.now {
            if run.stock.expire(id) { run.tally.expiredAnswers += 1 }
            return run.enqueue(id, host: entry.host, dueAt: nil)
        }
        guard space.hasSpace(for: download, in: run) else { return space.lacksSpace(entry, &run) }
        run.downloads[id]?.donor = nil
        run.downloads[id]?.isUrgent = false
        run.queue.beginProbe(entry)
        // With a proven donor no provider is asked. Whose answer can't be used any more is asked for again.
        let isResolving = entry.usableUntil == nil && !download.isDonorProven
        let host = isResolving ? nil : entry.host
        if let host { run.queue.occupy(host) }
        if isResolving { run.queue.beginResolving(download.server) }
        run.phases[id] = .running(
            Turn(
                isQuestion: entry.isQuestion, host: host, isResolving: isResolving, hasSlot: false,
                since: run.moment.now,
                base: download.written, logins: run.logins[download.provider, default: 0], size: download.size,
                written: download.written))
        if entry.isQuestion { return SidecarRules.begin(id, &run) }
        if !isResolving || (entry.isUrgent && run.isSlotComing(for: entry)) { run.takeSlot(id) }
        if !isResolving { run.useAnswer(id) }
        run.actions.append(.start(id, download.donor, isProven: download.isDonorProven))
    }

    // MARK: connections

    /// Whether there are a slot and a connection to `host`. A turn has one of each at a time.
    func claim(
        _ id: DownloadID, host: String, _ space: SpaceRules, _ run: inout RunState
    ) -> Bool {
        guard let turn = run.phases[turn: id] else { return false }
        if let server = run.downloads[id]?.server, turn.isResolving {
            run.queue.endResolving(server)
            run.queue.found(host, of: server, at: run.moment.now)
        }
        run.phases.updateTurn(id) { $0.isResolving = false }
        if !turn.hasSlot {
            guard run.mayStartTurn, turn.ending == nil, run.queue.isFree(host, at: run.moment.now),
                let download = run.downloads[id], space.hasSpace(for: download, in: run)
            else { return false }
            run.takeSlot(id)
        }
        if turn.host != host {
            if let old = turn.host { run.queue.release(old) }
            let isFree = run.queue.isFree(host, at: run.moment.now)
            run.phases.updateTurn(id) { $0.host = isFree ? host : nil }
            guard isFree else { return false }
            run.queue.occupy(host)
        }
        run.useAnswer(id)
        return true
    }

    /// One more connection for a turn that has one already.
    func enter(_ id: DownloadID, _ host: String, _ run: inout RunState) -> Bool {
        guard run.stopReason == nil, run.phases[turn: id] != nil, run.queue.isFree(host, at: run.moment.now) else {
            return false
        }
        run.queue.occupy(host)
        run.phases.updateTurn(id) { $0.extraHosts.append(host) }
        return true
    }

    /// One more connection for the file of a turn, if no download could use it.
    func widen(_ id: DownloadID, _ host: String, _ run: inout RunState) -> Bool {
        guard run.mayStartTurn, run.connections < run.limits.jobs, !run.queue.isAwaited(host),
            run.phases[turn: id]?.ending == nil, enter(id, host, &run)
        else { return false }
        run.phases.updateTurn(id) { $0.isWide = true }
        return true
    }

    /// Whether no download waits for one of the connections that ``widen(_:_:_:)`` has given.
    func keeps(_ id: DownloadID, _ run: RunState) -> Bool {
        guard run.stopReason == nil, let turn = run.phases[turn: id], turn.ending == nil else { return false }
        return run.connections <= run.limits.jobs && !turn.extraHosts.contains { run.queue.isAwaited($0) }
    }

    func leave(_ id: DownloadID, _ host: String, _ run: inout RunState) {
        guard let index = run.phases[turn: id]?.extraHosts.firstIndex(of: host) else { return }
        run.queue.release(host)
        run.phases.updateTurn(id) { _ = $0.extraHosts.remove(at: index) }
    }

    // MARK: ends

    mutating func ended(
        _ id: DownloadID, _ end: Schedule.TurnEnd, usableUntil: Date?, outages: inout OutageRules, space: SpaceRules,
        _ run: inout RunState
    ) {
        guard let turn = run.phases[turn: id], var download = run.downloads[id] else { return }
        release(turn, of: download, at: end, &run)
        var wasProbe = run.queue.isProbe(id, of: download.server)
        run.queue.endProbe(id, of: download.server)
        if let name = end.server, name != download.server.name {
            // It depends on another server than its parameters say: what that one says is no news of theirs.
            download.server.name = name
            wasProbe = false
            run.downloads[id] = download
        }
        run.downloads[id]?.written = turn.written
        run.downloads[id]?.size = turn.size ?? download.size
        let isGoingOn = run.stopReason == nil
        if end.isAnswer { outages.answered(download.server, isGood: false, &run) }
        if case .complete = end, turn.host != nil { outages.receives(id, &run) }
        switch end {
        case .complete:
            if let host = turn.host { run.queue.hostServed(host, at: run.moment.now) }
            run.phases[id] = .digesting
            run.actions.append(.hash(id))
        case .stopped where turn.ending == .lostFlush && isGoingOn:
            run.mend(id, .unflushed)
        case _ where turn.ending == .command && isGoingOn:
            run.actions.append(.release(id))
            let host = run.keepAnswer(id, of: turn, usableUntil: usableUntil, at: run.moment.now)
            run.phases[id] = .held(turn.hasSlot ? .turn(host: host) : .queue(host: nil, dueAt: nil))
        case .parked(let host):
            if let usableUntil, run.stock.usableUntil(id) == nil { run.stock.putBack(id, until: usableUntil) }
            park(id, turn, host: host, &run)
        case .elsewhere: run.awaitOtherShard(id, hadSlot: turn.hasSlot)
        case .waits(let error, let delay, let attempt, let failedHost, let began):
            let due = wait(
                id, after: error, delay: delay, attempt: attempt, failedHost: failedHost, began: began, &run)
            let host = run.keepAnswer(id, of: turn, usableUntil: usableUntil, at: due)
            run.putBack(id, error, host: failedHost ?? host, until: due)
        case .providerWaits(let error, let delay, _):
            providerWaits(id, turn, of: download.server, after: error, delay: delay, &run)
        case .unavailable(let error, let retryAfter, _):
            outages.unavailable(id, of: download.server, error, retryAfter: retryAfter, wasProbe: wasProbe, &run)
        case .loginNeeded where turn.logins < run.logins[download.provider, default: 0]:
            // The provider was asked before the user logged in there.
            run.putBack(id)
        case .loginNeeded(let error, _): loginNeeded(id, at: download.server, error, &run)
        case .notReady(let error, let retryAfter): notReady(id, error, retryAfter: retryAfter, &run)
        case .differs(let donor, let seen): run.differs(id, donor, seen)
        case .failed(let error, let isFinal) where error.isRefusal && isGoingOn:
            outages.refused(id, of: download.server, error, isFinal: isFinal, wasProbe: wasProbe, &run)
        case .failed(let error, let isFinal): run.fail(id, error, isFinal: isFinal)
        case .gaveUp(let error, let isFinal, let rest, let host, let began):
            if let host { _ = run.leaveAlone(host, since: began, error, atLeast: rest) }
            run.fail(id, error, isFinal: isFinal, rest: rest)
        case .suspended(let reason, let error):
            run.tally.disk = .failed(error)
            run.suspend(id, reason)
            run.stop(reason)
        case .stopped where turn.ending == .noSpace && isGoingOn: space.suspendForSpace(id, &run)
        case .stopped where !turn.hasSlot && !isGoingOn && !run.isQuestion(id): park(id, turn, host: nil, &run)
        case .stopped: run.suspend(id, run.stopReason ?? .signal)
        case .answered: run.settle(id, .finished)
        }
    }

    /// It waits again. The row of one that had no slot says so already.
    private func park(_ id: DownloadID, _ turn: Turn, host: String?, _ run: inout RunState) {
        // Without a slot nothing was opened.
        if turn.hasSlot { run.putBack(id, host: host) } else { run.enqueue(id, host: host, dueAt: nil) }
    }

    /// Gives back what a turn had.
    private func release(
        _ turn: Turn, of download: ScheduledDownload, at end: Schedule.TurnEnd, _ run: inout RunState
    ) {
        for host in [turn.host].compactMap({ $0 }) + turn.extraHosts { run.queue.release(host) }
        if turn.isResolving { run.queue.endResolving(download.server) }
        if !end.isParked { run.stock.remove(download.id) }
        if case .complete = end, turn.host != nil {
            run.stock.turnEnded(after: run.moment.now.timeIntervalSince(turn.since))
        }
    }

    /// Tells of its wait. Returns the end of it.
    private func wait(
        _ id: DownloadID, after error: DownloadError, delay: Duration, attempt: Int, failedHost: String?,
        began: Date, _ run: inout RunState
    ) -> Date {
        var delay = delay
        if let failedHost, let until = run.leaveAlone(failedHost, since: began, error, atLeast: delay) {
            delay = max(delay, .seconds(until.timeIntervalSince(run.moment.now)))
        }
        if !run.isQuestion(id) { run.emit(.retrying(id, attempt: attempt, error, delay: delay)) }
        return run.moment.now.advanced(by: delay)
    }

    private func providerWaits(
        _ id: DownloadID, _ turn: Turn, of server: ProviderServer, after error: DownloadError, delay: Duration,
        _ run: inout RunState
    ) {
        let known = run.queue.restsUntil(server) ?? .distantPast
        // One that was asked before the server wanted a pause isn't another sign of it.
        let isNews = known <= run.moment.now && run.pauses[server].map { turn.hasBegun(after: $0.last) } ?? true
        if isNews {
            run.pauses[server, default: RunState.Pauses()].count += 1
            run.pauses[server]?.last = run.moment.now
        }
        // A server that asks again and again gets growing pauses, until they exceed the run.
        let rest =
            isNews
            ? Backoff.coolDown(
                failures: run.pauses[server]?.count ?? 1, jitter: run.moment.jitter, atLeast: delay) : delay
        let until = run.moment.now.advanced(by: rest)
        run.queue.block(server, until: until)
        run.stock.asksForPause(server)
        if isNews || until > known + 1 { run.emit(.providerWaiting(server, until: until, error)) }
        run.putBack(id, error)
    }

    private func loginNeeded(
        _ id: DownloadID, at server: ProviderServer, _ error: DownloadError, _ run: inout RunState
    ) {
        let isNews = run.tally.loginsNeeded.insert(server).inserted
        if isNews { run.emit(.loginWanted(server, error)) }
        run.queue.stop(server)
        run.suspend(id, .auth)
        let others = run.queue.removeAll(of: server).sorted(by: >).map(\.id)
        // Those that follow one of these, or another server's.
        let following =
            isNews ? run.downloads.values.filter { $0.server == server && run.phases[$0.id] == .following } : []
        for other in others + following.map(\.id).sorted() { run.suspend(other, .auth) }
    }

    private mutating func notReady(
        _ id: DownloadID, _ error: DownloadError, retryAfter: Duration?, _ run: inout RunState
    ) {
        let until = retryAfter.map { run.moment.now.advanced(by: min($0, Backoff.longest)) }
        if let until, let retryAfter, retryAfter <= run.limits.maxWait, notReadyBefore.insert(id).inserted {
            return run.putBack(id, error, until: until)
        }
        run.tally.notReady.insert(id)
        if run.isQuestion(id) { return run.settle(id, .finished) }
        run.record(.putBack(id, retryAt: until ?? run.moment.now, error: error))
        run.actions.append(.release(id))
        run.settle(id, .waiting)
    }
}
