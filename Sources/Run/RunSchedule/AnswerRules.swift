import DownloadStore
import Foundation

/// Which providers are asked ahead of the slots, so that a slot that becomes free finds an answer. Asking takes no
/// slot.
struct AnswerRules: Sendable {
    /// The next download to ask a provider for; nil if none is worth asking for now.
    func next(_ space: SpaceRules, _ run: RunState) -> DownloadQueue.Entry? {
        guard run.hasBegun, run.stopReason == nil else { return nil }
        let now = run.moment.now
        let jobs = run.limits.jobs
        let stock = run.queue.answered(at: now)
        let questions = run.questionsAsked
        let asking = run.asking
        let free = run.mayStartTurn ? jobs - run.phases.slots : 0
        // For a free slot; but not if enough of them wait for a busy host.
        let isForSlot = stock.ready + asking < free && stock.busy < jobs
        let there = stock.ready + stock.busy + asking
        let turnTime = run.stock.turnTime ?? expectedTurnTime(run)
        let entry = run.queue.nextToAsk(at: now) { server, isQuestion in
            guard run.queue.asking(server.provider) < run.limits.concurrency(server.provider) else { return false }
            if isQuestion { return questions < jobs }
            if isForSlot { return true }
            let soon = soonFree(server, run)
            let waited = waited(server, run)
            return there < free
                + run.stock.ahead(server, jobs: jobs, waited: waited, turnTime: turnTime, soon: soon)
        }
        guard let entry, !isForSlot, !entry.isQuestion else { return entry }
        return mayBegin(entry, behind: there, space, run) ? entry : nil
    }

    /// The time since the oldest open request to a server.
    private func waited(_ server: ProviderServer, _ run: RunState) -> Double {
        let begins = run.phases.running.lazy.compactMap { id -> Date? in
            guard let turn = run.phases[turn: id], turn.isResolving, run.downloads[id]?.server == server else {
                return nil
            }
            return turn.since
        }
        return begins.min().map { run.moment.now.timeIntervalSince($0) } ?? 0
    }

    /// The turns that will be over within the time that a server takes for an answer, by their progress so far.
    private func soonFree(_ server: ProviderServer, _ run: RunState) -> Int {
        guard let time = run.stock.answerTime(server) else { return 0 }
        return paces(run).count { $0.rest < time + AnswerStock.slack }
    }

    /// How long the first turns of a run will have their slots, by their progress so far; nil without any.
    private func expectedTurnTime(_ run: RunState) -> Double? {
        let times = paces(run).map { $0.passed + $0.rest }
        return times.isEmpty ? nil : times.reduce(0, +) / Double(times.count)
    }

    /// The time that has passed in each turn with a slot, and the time that it will take, both in seconds.
    private func paces(_ run: RunState) -> [(passed: Double, rest: Double)] {
        run.phases.running.compactMap { id in
            guard let turn = run.phases[turn: id], turn.hasSlot, let size = turn.size, turn.written > turn.base else {
                return nil
            }
            let passed = run.moment.now.timeIntervalSince(turn.since)
            return (passed, Double(max(0, size - turn.written)) * passed / Double(turn.written - turn.base))
        }
    }

    /// Whether window, quota and room would let it begin, as far as that can be told.
    private func mayBegin(
        _ entry: DownloadQueue.Entry, behind count: Int, _ space: SpaceRules, _ run: RunState
    ) -> Bool {
        guard let download = run.downloads[entry.id] else { return false }
        let wait = max(
            run.stock.answerTime(entry.server) ?? 0, run.stock.wait(behind: count, jobs: run.limits.jobs))
        if let closesAt = run.limits.closesAt, run.moment.now.addingTimeInterval(wait) >= closesAt { return false }
        if let quota = space.quota, expected(run).value >= quota { return false }
        return space.hasSpace(for: download, in: run, beside: run.stock.downloads)
    }

    /// The bytes that all turns, and all downloads with an answer, will still transfer.
    private func expected(_ run: RunState) -> ByteCount {
        var sum = ByteCount(0)
        func add(_ size: Int64?, _ written: Int64) {
            sum += ByteCount(size ?? run.stock.averageSize).remaining(after: ByteCount(written))
        }
        for id in run.phases.running where !run.isQuestion(id) {
            if let turn = run.phases[turn: id] { add(turn.size, turn.written) }
        }
        for id in run.stock.downloads where run.phases[turn: id] == nil {
            if let download = run.downloads[id] { add(download.size, download.written) }
        }
        return sum
    }
}
