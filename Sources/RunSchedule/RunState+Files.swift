import DownloadStore
import Foundation

/// Complete files on the way to their places, and downloads that may have the same bytes.
extension RunState {
    mutating func hashed(_ id: DownloadID, _ result: Schedule.HashResult) {
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
    mutating func mend(_ id: DownloadID, _ error: DownloadError) {
        phases[id] = .mending(error)
        actions.append(.dropPartial(id))
    }

    mutating func partialDropped(_ id: DownloadID, losses: Int, _ moment: Moment) {
        guard case .mending(let error?)? = phases[id] else { return }
        downloads[id]?.written = 0
        if losses > 2 { return fail(id, error, isFinal: false, moment) }
        putBack(id, error, until: moment.now + 1)
    }

    mutating func placed(_ id: DownloadID, _ file: StoredFile, _ request: RequestDigest?, isWhole: Bool) {
        guard phases[id] == .placing, let download = downloads[id] else { return }
        tally.finished += 1
        emit(.finished(id))
        settle(id, .finished)
        let donor = Donor(file: file, video: download.bytes.video, request: request)
        guard isWhole else { return lostLeaders.append(id) }
        for follower in sharing.finished(id, donor) { release(follower, donor) }
    }

    mutating func notPlaced(_ id: DownloadID, _ trouble: Schedule.PlacingTrouble, _ moment: Moment) {
        guard phases[id] == .placing else { return }
        switch trouble {
        case .lost(let error): mend(id, error)
        case .suspended(let reason, let error):
            tally.disk = .failed(error)
            suspend(id, reason)
            stop(reason)
        case .failed(let error): fail(id, error, isFinal: false, moment)
        case .store: settle(id, .waiting)
        }
    }

    // MARK: the same bytes

    /// The file that it was compared with hasn't its bytes: it is transferred, unless another one is, for which that file
    /// wasn't right either.
    mutating func findOther(_ id: DownloadID, than donor: Donor) {
        record(.putBack(id, retryAt: nil, error: nil))
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

    /// A provider serves nobody: whoever follows one of its downloads and has another provider, or was asked less often, takes
    /// the lead, and that download follows.
    mutating func yieldLeads(of provider: String) {
        let leaders = sharing.followers.all.filter { downloads[$0]?.provider == provider }
        for leader in leaders.sorted() {
            guard case .queued? = phases[leader] else { continue }
            let next = sharing.followers.yield(leader) { id in
                guard phases[id] == .following, let other = downloads[id]?.provider else { return false }
                return !queue.isDown(provider: other) || misses[id] ?? 0 < misses[leader] ?? 0
            }
            guard let next else { continue }
            _ = queue.remove([leader])
            phases[leader] = .following
            release(next, nil)
        }
    }
}
