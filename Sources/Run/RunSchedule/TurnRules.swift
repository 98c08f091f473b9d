import DownloadStore
import Foundation

/// Turns: their beginning, their connections, and the consequences of their ends.
struct TurnRules: Sendable {
    /// Downloads that have had their one wait for a file that wasn't ready.
    private var notReadyBefore: Set<DownloadID> = []

    func start(_ entry: DownloadQueue.Entry, _ space: SpaceRules, _ run: inout RunState) {
        let id = entry.id
        guard let download = run.downloads[id], case .queued? = run.phases[id] else { return }
        guard space.hasSpace(for: download, in: run) else { return space.lacksSpace(entry, &run) }
        run.downloads[id]?.donor = nil
        run.queue.beginProbe(entry)
        // With a proven donor no provider is asked.
        let isResolving = entry.host == nil && !download.isDonorProven
        if let host = entry.host { run.queue.occupy(host) }
        if isResolving { run.queue.beginResolving(download.server) }
        run.phases[id] = .running(
            Turn(
                host: entry.host, isResolving: isResolving, logins: run.logins[download.provider, default: 0],
                size: download.size, written: download.written))
        if run.isQuestion(id) { return SidecarRules.begin(id, &run) }
        run.record(.begin(id))
        run.actions.append(.start(id, download.donor, isProven: download.isDonorProven))
    }

    // MARK: connections

    /// Whether there is a connection to `host`. A turn has one of its own at a time.
    func claim(_ id: DownloadID, _ host: String, _ run: inout RunState) -> Bool {
        guard case .running(var turn)? = run.phases[id] else { return false }
        if let server = run.downloads[id]?.server, turn.isResolving {
            run.queue.endResolving(server)
            run.queue.found(host, of: server, at: run.moment.now)
        }
        turn.isResolving = false
        if turn.host != host {
            if let old = turn.host { run.queue.release(old) }
            turn.host = run.queue.isFree(host, at: run.moment.now) ? host : nil
            if turn.host != nil { run.queue.occupy(host) }
        }
        run.phases[id] = .running(turn)
        return turn.host != nil
    }

    /// One more connection for a turn that has one already.
    func enter(_ id: DownloadID, _ host: String, _ run: inout RunState) -> Bool {
        guard run.stopReason == nil, case .running(var turn)? = run.phases[id],
            run.queue.isFree(host, at: run.moment.now)
        else { return false }
        run.queue.occupy(host)
        turn.extraHosts.append(host)
        run.phases[id] = .running(turn)
        return true
    }

    func leave(_ id: DownloadID, _ host: String, _ run: inout RunState) {
        guard case .running(var turn)? = run.phases[id], let index = turn.extraHosts.firstIndex(of: host) else {
            return
        }
        run.queue.release(host)
        turn.extraHosts.remove(at: index)
        run.phases[id] = .running(turn)
    }

    // MARK: ends

    mutating func ended(
        _ id: DownloadID, _ end: Schedule.TurnEnd, outages: inout OutageRules, space: SpaceRules,
        _ run: inout RunState
    ) {
        guard let turn = run.phases[turn: id], var download = run.downloads[id] else { return }
        for host in [turn.host].compactMap({ $0 }) + turn.extraHosts { run.queue.release(host) }
        if turn.isResolving { run.queue.endResolving(download.server) }
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
        switch end {
        case .loginNeeded, .notReady, .providerWaits, .failed(_, isFinal: true):
            outages.answered(download.server, isGood: false, &run)
        case .complete where turn.host != nil: outages.receives(id, &run)
        default: break
        }
        switch end {
        case .complete:
            if let host = turn.host { run.queue.hostServed(host) }
            run.phases[id] = .digesting
            run.actions.append(.hash(id))
        case .stopped where turn.ending == .lostFlush && isGoingOn:
            run.mend(id, .unflushed)
        case _ where turn.ending == .command && isGoingOn:
            run.actions.append(.release(id))
            run.phases[id] = .held(.turn)
        case .parked(let host): run.putBack(id, host: host)
        case .waits(let error, let delay, let attempt, let failedHost, let began):
            wait(id, after: error, delay: delay, attempt: attempt, failedHost: failedHost, began: began, &run)
        case .providerWaits(let error, let delay, _):
            providerWaits(id, of: download.server, error, delay: delay, &run)
        case .unavailable(let error, let retryAfter, _):
            outages.unavailable(id, of: download.server, error, retryAfter: retryAfter, wasProbe: wasProbe, &run)
        case .loginNeeded where turn.logins < run.logins[download.provider, default: 0]:
            // The provider was asked before the user logged in there.
            run.putBack(id)
        case .loginNeeded(let error, _): loginNeeded(id, at: download.server, error, &run)
        case .notReady(let error, let retryAfter): notReady(id, error, retryAfter: retryAfter, &run)
        case .differs(let donor): run.findOther(id, than: donor)
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
        case .stopped: run.suspend(id, run.stopReason ?? .signal)
        case .answered: run.settle(id, .finished)
        }
    }

    private func wait(
        _ id: DownloadID, after error: DownloadError, delay: Duration, attempt: Int, failedHost: String?,
        began: Date, _ run: inout RunState
    ) {
        var delay = delay
        if let failedHost, let until = run.leaveAlone(failedHost, since: began, error, atLeast: delay) {
            delay = max(delay, .seconds(until.timeIntervalSince(run.moment.now)))
        }
        if !run.isQuestion(id) { run.emit(.retrying(id, attempt: attempt, error, delay: delay)) }
        run.putBack(id, error, host: failedHost, until: run.moment.now.advanced(by: delay))
    }

    private func providerWaits(
        _ id: DownloadID, of server: ProviderServer, _ error: DownloadError, delay: Duration, _ run: inout RunState
    ) {
        // A server that asks again and again gets growing pauses, until they exceed the run.
        run.waits[server, default: 0] += 1
        let rest = Backoff.coolDown(failures: run.waits[server] ?? 1, jitter: run.moment.jitter, atLeast: delay)
        let until = run.moment.now.advanced(by: rest)
        run.queue.block(server, until: until)
        run.emit(.providerWaiting(server, until: until, error))
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
