import DownloadStore
import Foundation

/// Placing complete files, and downloads that may have the same bytes.
extension RunState {
    mutating func hashed(_ id: DownloadID, _ result: Schedule.HashResult) {
        // Otherwise the run was stopped in the meantime.
        guard phases[id] == .digesting else { return }
        switch result {
        case .right:
            phases[id] = .placing
            actions.append(.place(id))
        case .wrong:
            phases[id] = .emptying(nil)
            actions.append(.restart(id))
        case .unreadable(let error): mend(id, error)
        }
    }

    mutating func restarted(_ id: DownloadID, _ error: DownloadError?) {
        guard phases[id] == .emptying(nil) else { return }
        guard let error else { return putBack(id) }
        fail(id, error, isFinal: false)
    }

    /// The bytes on the disk can't be trusted any more: they are downloaded again, a limited number of times.
    mutating func mend(_ id: DownloadID, _ error: DownloadError) {
        phases[id] = .emptying(error)
        actions.append(.dropPartial(id))
    }

    mutating func partialDropped(_ id: DownloadID, losses: Int) {
        guard case .emptying(let error?)? = phases[id] else { return }
        downloads[id]?.written = 0
        if losses > 2 { return fail(id, error, isFinal: false) }
        putBack(id, error, until: moment.now + 1)
    }

    mutating func placed(_ id: DownloadID, _ file: StoredFile, _ request: RequestDigest?, isWhole: Bool) {
        guard phases[id] == .placing, let download = downloads[id] else { return }
        tally.finished += 1
        stock.finished(file.size)
        emit(.finished(id))
        settle(id, .finished)
        let donor = Donor(file: file, video: download.bytes.video, request: request)
        guard isWhole else {
            sharing.ended(id, isFinished: false)
            return lostLeaders.append(id)
        }
        for follower in sharing.finished(id, donor) {
            if sharing.allows(donor, for: follower) {
                release(follower, donor)
            } else {
                findOther(follower, than: donor)
            }
        }
        sharing.forgetIfDone()
        linkFailed(donor)
    }

    /// Former leaders that failed can be linked if this file is proven to be theirs.
    private mutating func linkFailed(_ donor: Donor) {
        guard stopReason == nil else { return }
        for id in failedLeaders.sorted() {
            guard phases[id] == .settled(.failed), let download = downloads[id] else {
                failedLeaders.remove(id)
                continue
            }
            guard donor.isProven(for: download.bytes) else { continue }
            failedLeaders.remove(id)
            tally.forgetFailure(id)
            downloads[id]?.donor = donor
            revive(id)
        }
    }

    mutating func notPlaced(_ id: DownloadID, _ trouble: Schedule.PlacingProblem) {
        guard phases[id] == .placing else { return }
        switch trouble {
        case .lost(let error): mend(id, error)
        case .suspended(let reason, let error):
            tally.disk = .failed(error)
            suspend(id, reason)
            stop(reason)
        case .failed(let error): fail(id, error, isFinal: false)
        case .store: settle(id, .waiting)
        }
    }

    // MARK: the same bytes

    /// The compared file doesn't have its bytes.
    mutating func differs(_ id: DownloadID, _ donor: Donor, _ seen: SeenFile) {
        record(.putBack(id, retryAt: nil, error: nil))
        actions.append(.release(id))
        sharing.differs(id, seen)
        findOther(id, than: donor)
        sharing.forgetIfDone()
    }

    /// It is transferred, unless another one is that has other bytes than this file, too, and may have its bytes.
    private mutating func findOther(_ id: DownloadID, than donor: Donor) {
        let other = sharing.first(like: id, besides: donor) { other in
            if case .settled? = phases[other] { false } else { phases[other] != nil }
        }
        guard let other else { return release(id, nil) }
        if let file = other.file { return release(id, file) }
        sharing.followers.add(id, to: other.id)
        phases[id] = commands.first?.holds(id) == true ? .held(.following) : .following
    }

    /// Gives a follower its turn: with a donor it is linked if that has its bytes, without one it is transferred next.
    private mutating func release(_ id: DownloadID, _ donor: Donor?) {
        guard let download = downloads[id] else { return }
        downloads[id]?.donor = donor.flatMap {
            $0.isPossible(for: download.bytes) && sharing.allows($0, for: id) ? $0 : nil
        }
        if case .settled? = phases[id] { return }
        let isProven = downloads[id]?.isDonorProven == true
        if downloads[id]?.donor != nil, !isProven { sharing.willCompare(id) }
        enqueue(id, host: isProven ? nil : download.hostBefore, dueAt: isProven ? nil : download.retryAt)
    }

    /// Another shard fetches its bytes: it looks again soon. Without a slot its row says already that it waits.
    mutating func awaitOtherShard(_ id: DownloadID, hadSlot: Bool) {
        if hadSlot {
            record(.putBack(id, retryAt: nil, error: nil))
            actions.append(.release(id))
        }
        enqueue(id, host: nil, dueAt: moment.now + 3)
    }

    /// Followers of leaders whose file won't come: one takes the lead, the others follow it.
    mutating func passOnLeads() {
        while let leader = lostLeaders.popLast() {
            // Otherwise the user wants it again, and they continue following it.
            guard stopReason == nil, case .settled? = phases[leader] else { continue }
            // A waiting download, or one that failed last time, isn't a leader.
            let next = sharing.followers.failed(leader) { downloads[$0]?.retryAt != nil }
            guard let next else { continue }
            if phases[leader] == .settled(.failed) { failedLeaders.insert(leader) }
            release(next, nil)
        }
    }

    // MARK: leads

    /// If a leader can't continue for a while, a follower that could begin takes the lead, and the leader follows.
    /// Checked while there is a slot, once a second, and before the run would end.
    mutating func yieldLeads(isLast: Bool) {
        nextLookAtLeads = nil
        guard mayStartTurn, !sharing.followers.isEmpty else { return }
        let due = lastLookAtLeads.addingTimeInterval(1)
        guard isLast || due <= moment.now else { return nextLookAtLeads = due }
        lastLookAtLeads = moment.now
        for leader in sharing.followers.all.sorted() where isStuck(leader, moment.now) {
            let next = sharing.followers.of(leader).first { mayLead($0, insteadOf: leader, moment.now) }
            guard let next, case .queued(let host, _)? = phases[leader] else { continue }
            sharing.followers.yield(leader, to: next)
            _ = queue.remove([leader])
            phases[leader] = .following
            downloads[leader]?.hostBefore = host
            release(next, nil)
        }
    }

    /// Whether a download has a long wait: for its own time, its provider or its host. A busy host doesn't count.
    private func isStuck(_ id: DownloadID, _ now: Date) -> Bool {
        guard case .queued(let host, let dueAt)? = phases[id], let download = downloads[id] else { return false }
        let soon = now + 10
        if let dueAt, dueAt > soon { return true }
        let entry = download.entry(host: host, usableUntil: host == nil ? nil : stock.usableUntil(id))
        let isAsked = !queue.isDown(download.server) && queue.isAsked(download.server, at: soon)
        guard isAsked || queue.hasAnswer(entry) else { return true }
        guard let host else { return !queue.canRun(entry, at: soon) }
        return queue.blockedUntil(host).map { $0 > soon } ?? false
    }

    /// One of the same server only if that is down, and if it has asked it less often.
    private func mayLead(_ id: DownloadID, insteadOf leader: DownloadID, _ now: Date) -> Bool {
        guard phases[id] == .following, let download = downloads[id], let server = downloads[leader]?.server else {
            return false
        }
        guard download.server != server else {
            return queue.isDown(server) && misses[id] ?? 0 < misses[leader] ?? 0
        }
        return download.retryAt ?? now <= now && queue.canRun(download.entry(host: download.hostBefore), at: now)
    }
}
