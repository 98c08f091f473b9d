import DownloadStore
import Foundation

/// Turns: how they begin, what follows from their ends, and what becomes of a complete file.
extension Schedule {
    mutating func start(_ entry: DownloadQueue.Entry, _ moment: Moment) {
        let id = entry.id
        guard let download = downloads[id], case .queued? = phases[id] else { return }
        guard hasRoom(for: download) else { return lacksRoom(id, entry, moment) }
        downloads[id]?.donor = nil
        queue.beginProbe(entry)
        if let host = entry.host { queue.occupy(host) } else { queue.beginResolving(entry.provider) }
        phases[id] = .running(
            Turn(
                host: entry.host, isResolving: entry.host == nil,
                logins: providers[entry.provider]?.logins ?? 0, size: download.size, written: download.written))
        if isQuestion(id) { return ask(id) }
        actions.append(.record(.begin(id)))
        actions.append(.start(id, download.donor, isProven: download.isDonorProven))
    }

    /// One that doesn't fit is suspended, and others may; below the floor the run ends.
    private mutating func lacksRoom(_ id: DownloadID, _ entry: DownloadQueue.Entry, _ moment: Moment) {
        let free = free ?? 0
        noteNoRoom(free)
        guard let floor = limits.room?.floor, free < floor else { return crowdOut(id, moment) }
        enqueue(id, host: entry.host, dueAt: nil)
        stopRun(.disk)
    }

    /// Its turn is to end, if it has one.
    mutating func endTurn(_ id: DownloadID, _ ending: Turn.Ending) {
        guard case .running(var turn)? = phases[id] else { return }
        let isFirst = turn.ending == nil
        guard isFirst || turn.ending.map({ $0 < ending }) == true else { return }
        turn.ending = ending
        phases[id] = .running(turn)
        if isFirst { actions.append(.cancel(id)) }
    }

    /// Room for a connection to `host`? A turn has one of its own at a time.
    mutating func claim(_ id: DownloadID, _ host: String, _ moment: Moment) -> Bool {
        guard case .running(var turn)? = phases[id] else { return false }
        if let provider = downloads[id]?.provider {
            if turn.isResolving {
                queue.endResolving(provider)
                queue.found(host, of: provider, at: moment.now)
            }
            // It has an answer, so it asks nobody.
            if providers[provider]?.outage.cause == .unavailable { queue.endProbe(id, of: provider) }
        }
        turn.isResolving = false
        if turn.host != host {
            if let old = turn.host { queue.release(old) }
            turn.host = queue.isFree(host, at: moment.now) ? host : nil
            if turn.host != nil { queue.occupy(host) }
        }
        phases[id] = .running(turn)
        return turn.host != nil
    }

    /// One more connection for a turn that has one already.
    mutating func enter(_ id: DownloadID, _ host: String, _ moment: Moment) -> Bool {
        guard stopReason == nil, case .running(var turn)? = phases[id], queue.isFree(host, at: moment.now) else {
            return false
        }
        queue.occupy(host)
        turn.extraHosts.append(host)
        phases[id] = .running(turn)
        return true
    }

    mutating func leave(_ id: DownloadID, _ host: String) {
        guard case .running(var turn)? = phases[id], let index = turn.extraHosts.firstIndex(of: host) else { return }
        queue.release(host)
        turn.extraHosts.remove(at: index)
        phases[id] = .running(turn)
    }

    mutating func resolved(_ id: DownloadID, _ items: [SidecarQueue.Item]) {
        guard let download = downloads[id] else { return }
        providers[download.provider]?.waits = 0
        questions.remove(id)
        for number in sidecars.addResolved(items, of: id) { actions.append(.forget(sidecar: number)) }
        answered(download.provider, isGood: true)
    }

    // MARK: ends

    mutating func turnEnded(_ id: DownloadID, _ end: TurnEnd, _ moment: Moment) {
        guard let turn = phases[turn: id], let download = downloads[id] else { return }
        for host in [turn.host].compactMap({ $0 }) + turn.extraHosts { queue.release(host) }
        if turn.isResolving { queue.endResolving(download.provider) }
        let wasProbe = queue.isProbe(id, of: download.provider)
        queue.endProbe(id, of: download.provider)
        downloads[id]?.written = turn.written
        downloads[id]?.size = turn.size ?? download.size
        switch end {
        case .loginNeeded, .notReady, .providerWaits, .failed(_, isFinal: true):
            answered(download.provider, isGood: false)
        case .complete where turn.host != nil: receives(id)
        default: break
        }
        switch end {
        case .complete:
            if let host = turn.host { queue.hostServed(host) }
            phases[id] = .digesting
            actions.append(.hash(id))
        case .stopped where turn.ending == .lostFlush && stopReason == nil:
            mend(id, DownloadError(kind: .disk, message: "its data didn't reach the disk"))
        case _ where turn.ending == .order && stopReason == nil:
            actions.append(.release(id))
            phases[id] = .held(.turn)
        case .parked(let host): putBack(id, host: host)
        case .waits(let error, let delay, let attempt, let failedHost, let began):
            wait(id, error, delay, attempt, failedHost, began, moment)
        case .providerWaits(let error, let delay): providerWaits(id, download.provider, error, delay, moment)
        case .unavailable(let error, let retryAfter):
            unavailable(id, download.provider, error, retryAfter, wasProbe: wasProbe, moment)
        case .loginNeeded where turn.logins < providers[download.provider]?.logins ?? 0:
            // The provider was asked before the person logged in there.
            putBack(id)
        case .loginNeeded(let error): loginNeeded(id, download.provider, error)
        case .notReady(let error, let retryAfter): notReady(id, error, retryAfter, moment)
        case .differs(let donor): findOther(id, than: donor)
        case .failed(let error, let isFinal) where error.isRefusal && stopReason == nil:
            refused(id, download.provider, error, isFinal: isFinal, wasProbe: wasProbe, moment)
        case .failed(let error, let isFinal): fail(id, error, isFinal: isFinal, moment)
        case .gaveUp(let error, let isFinal, let rest, let host, let began):
            if let host { _ = leaveAlone(host, since: began, error, atLeast: rest, moment) }
            fail(id, error, isFinal: isFinal, rest: rest, moment)
        case .suspended(let reason, let error):
            tally.disk = .failed(error)
            suspend(id, reason)
            stopRun(reason)
        case .stopped where turn.ending == .noRoom && stopReason == nil: crowdOut(id, moment)
        case .stopped: suspend(id, stopReason ?? .signal)
        case .answered: settle(id, .finished)
        }
    }

    private mutating func wait(
        _ id: DownloadID, _ error: DownloadError, _ delay: Duration, _ attempt: Int, _ failedHost: String?,
        _ began: Date, _ moment: Moment
    ) {
        var delay = delay
        if let failedHost, let until = leaveAlone(failedHost, since: began, error, atLeast: delay, moment) {
            delay = max(delay, .seconds(until.timeIntervalSince(moment.now)))
        }
        if !isQuestion(id) { actions.append(.emit(.retrying(id, attempt: attempt, error, delay: delay))) }
        putBack(id, error, host: failedHost, until: moment.now.advanced(by: delay))
    }

    /// A transfer from the host that began at `start` failed in a way that concerns all of it. Returns until when it is left
    /// alone, if that is news.
    mutating func leaveAlone(
        _ host: String, since start: Date, _ error: DownloadError, atLeast: Duration?, _ moment: Moment
    ) -> Date? {
        let until = queue.hostFailed(
            host, startedAt: start, now: moment.now, jitter: moment.jitter, atLeast: atLeast)
        if let until { actions.append(.emit(.hostWaiting(host, until: until, error))) }
        return until
    }

    private mutating func providerWaits(
        _ id: DownloadID, _ provider: String, _ error: DownloadError, _ delay: Duration, _ moment: Moment
    ) {
        // One that asks again and again gets longer and longer rests, until they lie beyond the run.
        providers[provider, default: ProviderFacts()].waits += 1
        let rest = Backoff.coolDown(
            failures: providers[provider]?.waits ?? 1, jitter: moment.jitter, atLeast: delay)
        let until = moment.now.advanced(by: rest)
        queue.block(provider: provider, until: until)
        actions.append(.emit(.providerWaiting(provider, until: until, error)))
        putBack(id, error)
    }

    private mutating func loginNeeded(_ id: DownloadID, _ provider: String, _ error: DownloadError) {
        let isNews = tally.providersToLogIn.insert(provider).inserted
        if isNews { actions.append(.emit(.loginWanted(provider, error))) }
        queue.stop(provider: provider)
        suspend(id, .auth)
        let others = queue.removeAll(of: provider).sorted(by: >).map(\.id)
        // Those that follow one of these, or another provider's.
        let following = isNews ? downloads.values.filter { $0.provider == provider && phases[$0.id] == .following } : []
        for other in others + following.map(\.id).sorted() { suspend(other, .auth) }
    }

    private mutating func notReady(
        _ id: DownloadID, _ error: DownloadError, _ retryAfter: Duration?, _ moment: Moment
    ) {
        let until = retryAfter.map { moment.now.advanced(by: min($0, Backoff.longest)) }
        if let until, let retryAfter, retryAfter <= limits.maxWait, notReadyBefore.insert(id).inserted {
            return putBack(id, error, until: until)
        }
        tally.notReady.insert(id)
        if isQuestion(id) { return settle(id, .finished) }
        actions.append(.record(.putBack(id, retryAt: until ?? moment.now, error: error)))
        actions.append(.release(id))
        settle(id, .waiting)
    }

    /// - Parameters:
    ///   - rest: for how long its host or provider wants to be left alone; nil if neither has said.
    ///   - isKept: whether it may wait again in this run.
    mutating func fail(
        _ id: DownloadID, _ error: DownloadError, isFinal: Bool, rest: Duration? = nil, _ moment: Moment,
        isKept: Bool = false
    ) {
        if isQuestion(id) { return failQuestion(id, error, isFinal: isFinal, rest: rest, moment) }
        let failedRuns = (downloads[id]?.failedRuns ?? 0) + 1
        let pause = rest.map { min($0, Backoff.longest) } ?? Backoff.nextRun(failedRuns: failedRuns)
        let retryAt = isFinal ? nil : moment.now.advanced(by: pause)
        actions.append(.record(.fail(id, error, retryAt: retryAt)))
        actions.append(.release(id))
        if !isKept { actions.append(.dropEmptyPartial(id)) }
        tally.noteFailure(id, error)
        settle(id, .failed, isKept: isKept)
        actions.append(.emit(.failed(id, error, retryAt: retryAt)))
    }

    mutating func suspend(_ id: DownloadID, _ reason: SuspendReason, isKept: Bool = false) {
        if isQuestion(id) { return leaveQuestion(id) }
        actions.append(.record(.suspend(id, reason)))
        actions.append(.release(id))
        settle(id, .suspended, isKept: isKept)
        actions.append(.emit(.suspended(id, reason)))
    }

    /// Nothing more happens to it in this run. `isKept`: it may go on where it is after all.
    mutating func settle(_ id: DownloadID, _ state: DownloadState, isKept: Bool = false) {
        phases[id] = .settled(state)
        doubts[id] = nil
        if crowdedOut.remove(id) { noteRoom() }
        sharing.followers.remove(id)
        if state != .finished { lostLeaders.append(id) }
        if !isKept { actions.append(.dismiss(id)) }
    }

    mutating func putBack(
        _ id: DownloadID, _ error: DownloadError? = nil, host: String? = nil, until: Date? = nil
    ) {
        if !isQuestion(id) { actions.append(.record(.putBack(id, retryAt: until, error: error))) }
        actions.append(.release(id))
        enqueue(id, host: host, dueAt: until)
    }

    /// It waits for its turn; unless a command is about it, or its provider wants a login.
    mutating func enqueue(_ id: DownloadID, host: String?, dueAt: Date?) {
        guard let download = downloads[id] else { return }
        if commands.first?.holds(id) == true {
            phases[id] = .held(.queue(host: host, dueAt: dueAt))
        } else if queue.isStopped(provider: download.provider) {
            suspend(id, .auth)
        } else {
            if crowdedOut.remove(id) { noteRoom() }
            phases[id] = .queued(host: host, dueAt: dueAt)
            queue.add(download.entry(host: host, misses: misses[id]?.count ?? 0), dueAt: dueAt)
        }
    }

    // MARK: complete files

    mutating func hashed(_ id: DownloadID, _ result: HashResult) {
        // Else the run was stopped in the meantime.
        guard phases[id] == .digesting else { return }
        switch result {
        case .right:
            phases[id] = .placing
            actions.append(.place(id))
        case .wrong:
            phases[id] = .mending(nil)
            actions.append(.restart(id))
        case .unreadable(let error): mend(id, error)
        }
    }

    mutating func restarted(_ id: DownloadID, _ error: DownloadError?, _ moment: Moment) {
        guard phases[id] == .mending(nil) else { return }
        guard let error else { return putBack(id) }
        fail(id, error, isFinal: false, moment)
    }

    /// The bytes on the disk can't be trusted any more: they are fetched again, but not for ever.
    private mutating func mend(_ id: DownloadID, _ error: DownloadError) {
        phases[id] = .mending(error)
        actions.append(.dropPartial(id))
    }

    mutating func partialDropped(_ id: DownloadID, losses: Int, _ moment: Moment) {
        guard case .mending(let error?)? = phases[id] else { return }
        downloads[id]?.written = 0
        if losses > 2 { return fail(id, error, isFinal: false, moment) }
        putBack(id, error, until: moment.now + 1)
    }

    mutating func placed(_ id: DownloadID, _ file: StoredFile, _ request: [UInt8]?, isWhole: Bool) {
        guard phases[id] == .placing, let download = downloads[id] else { return }
        tally.finished += 1
        actions.append(.emit(.finished(id)))
        settle(id, .finished)
        let donor = Donor(file: file, video: download.bytes.video, request: request)
        guard isWhole else { return lostLeaders.append(id) }
        for follower in sharing.finished(id, donor) { release(follower, donor) }
    }

    mutating func notPlaced(_ id: DownloadID, _ trouble: PlacingTrouble, _ moment: Moment) {
        guard phases[id] == .placing else { return }
        switch trouble {
        case .lost(let error): mend(id, error)
        case .suspended(let reason, let error):
            tally.disk = .failed(error)
            suspend(id, reason)
            stopRun(reason)
        case .failed(let error): fail(id, error, isFinal: false, moment)
        case .store: settle(id, .waiting)
        }
    }

    // MARK: the same bytes

    /// The file that it was compared with hasn't its bytes: it is transferred, unless another one is, for which that file
    /// wasn't right either.
    private mutating func findOther(_ id: DownloadID, than donor: Donor) {
        actions.append(.record(.putBack(id, retryAt: nil, error: nil)))
        actions.append(.release(id))
        let path = donor.file.path
        if let other = sharing.otherwise[path], other.leader != id {
            if let donor = other.donor { return release(id, donor) }
            let isOver = if case .settled? = phases[other.leader] { true } else { phases[other.leader] == nil }
            if !isOver, !sharing.followers.isFollower(other.leader) {
                sharing.followers.add(id, to: other.leader)
                phases[id] = .following
                return
            }
        }
        sharing.otherwise[path] = Sharing.Other(leader: id)
        release(id, nil)
    }

    /// A follower's turn: with a donor it is linked if that has its bytes, without one it is the next to be transferred.
    private mutating func release(_ id: DownloadID, _ donor: Donor?) {
        guard let download = downloads[id] else { return }
        downloads[id]?.donor = donor.flatMap { $0.isPossible(for: download.bytes) ? $0 : nil }
        if case .settled? = phases[id] { return }
        enqueue(id, host: nil, dueAt: download.retryAt)
    }

    /// Whoever followed one whose file won't come takes the lead; the others follow that one now.
    mutating func passOnLeads() {
        while let leader = lostLeaders.popLast() {
            // Else the person wants it again, and they go on following it.
            guard stopReason == nil, case .settled? = phases[leader] else { continue }
            // Nobody waits for one that waits itself, or that was in vain the last time.
            let next = sharing.followers.failed(leader) { downloads[$0]?.retryAt != nil }
            if let next { release(next, nil) }
        }
    }
}
