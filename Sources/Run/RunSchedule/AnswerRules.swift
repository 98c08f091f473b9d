import DownloadStore
import Foundation

/// Which providers are asked ahead of the slots, so that a slot that becomes free finds an answer. Asking takes no
/// slot.
struct AnswerRules: Sendable {
    /// The next download to ask a provider for; nil if none is worth asking for now.
    func next(_ space: SpaceRules, _ run: RunState) -> DownloadQueue.Entry? {
        guard run.hasBegun, run.stopReason == nil else { return nil }
        return run.queue.nextToAsk(at: run.moment.now) { isWanted($0, space, run) }
    }

    /// Whether a server's next download is to be asked for: for a free slot, or ahead. What comes before it, of all
    /// servers, gets the slots first.
    private func isWanted(_ next: DownloadQueue.Entry, _ space: SpaceRules, _ run: RunState) -> Bool {
        let (server, jobs) = (next.server, run.limits.jobs)
        guard run.queue.asking(server.provider) < run.limits.concurrency(server.provider) else { return false }
        if next.isQuestion { return run.questionsAsked < jobs }
        let free = run.mayStartTurn ? jobs - run.phases.slots : 0
        let before = run.queue.ready(before: next, at: run.moment.now) + asking(before: next, run)
        // Its own answers that wait for busy hosts take no other server's place.
        let (busy, connections) = run.queue.busy(server, at: run.moment.now)
        // What has a host that is known to be free isn't one more of them.
        if before < free, busy < jobs || next.host != nil { return true }
        let width = min(jobs, connections ?? jobs)
        let paces = paces(run)
        let turnTime = turnTime(paces, run)
        let sureTurnTime = self.turnTime(paces.filter { $0.passed >= AnswerStock.slack }, run)
        let ahead = run.stock.ahead(
            server, jobs: jobs, width: width, waited: waited(server, run), turnTime: turnTime,
            sureTurnTime: sureTurnTime, soon: soonFree(server, paces, run))
        let wait = Double(before + busy) / Double(max(1, width)) * (turnTime ?? 0)
        return before + busy < free + ahead && mayBegin(next, after: wait, space, run)
    }

    /// The time since the oldest open request to a server.
    private func waited(_ server: ProviderServer, _ run: RunState) -> Double {
        let open = run.phases.turns.lazy.filter { $0.value.isResolving && run.downloads[$0.key]?.server == server }
        return open.map(\.value.since).min().map { run.moment.now.timeIntervalSince($0) } ?? 0
    }

    /// The turns that will be over within the time that a server takes for an answer, by their progress so far.
    private func soonFree(_ server: ProviderServer, _ paces: [Pace], _ run: RunState) -> Int {
        guard let time = run.stock.answerTime(server) else { return 0 }
        return paces.count { $0.rest.map { $0 < time + AnswerStock.slack } ?? false }
    }

    /// How long turns have their slots now: by the progress of those that have one, and by those that are over. Nil
    /// without any. It is the harmonic mean, since what counts is how often a slot becomes free.
    private func turnTime(_ paces: [Pace], _ run: RunState) -> Double? {
        let times = paces.compactMap { pace in
            pace.rest.map { pace.passed + $0 } ?? run.stock.turnTime.map { max($0, pace.passed) }
        }
        guard !times.isEmpty else { return run.stock.turnTime }
        return Double(times.count) / times.reduce(0) { $0 + 1 / max($1, 0.001) }
    }

    /// The time that has passed in a turn with a slot, and the time that it will take, both in seconds; nil as long as
    /// it has no bytes.
    private typealias Pace = (passed: Double, rest: Double?)

    private func paces(_ run: RunState) -> [Pace] {
        run.phases.turns.values.compactMap { turn in
            guard turn.hasSlot else { return nil }
            let passed = run.moment.now.timeIntervalSince(turn.since)
            guard let size = turn.size, turn.written > turn.base else { return (passed, nil) }
            return (passed, Double(max(0, size - turn.written)) * passed / Double(turn.written - turn.base))
        }
    }

    /// The turns without a slot whose downloads will need one, and come before `entry`. A slot doesn't wait long for
    /// another server's answer.
    private func asking(before entry: DownloadQueue.Entry, _ run: RunState) -> Int {
        run.phases.turns.count { id, turn in
            guard !turn.hasSlot, !turn.isQuestion, let download = run.downloads[id], entry < download.entry(host: nil)
            else { return false }
            guard download.server != entry.server else { return true }
            let passed = run.moment.now.timeIntervalSince(turn.since)
            // One that is late may take as long again.
            let rest = run.stock.answerTime(download.server).flatMap { $0 > passed ? $0 - passed : nil } ?? passed
            return rest <= AnswerStock.patience
        }
    }

    /// Whether window, quota and room would let it begin, as far as that can be told.
    private func mayBegin(
        _ entry: DownloadQueue.Entry, after wait: Double, _ space: SpaceRules, _ run: RunState
    ) -> Bool {
        guard let download = run.downloads[entry.id] else { return false }
        let wait = max(run.stock.answerTime(entry.server) ?? 0, wait)
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
        for turn in run.phases.turns.values where !turn.isQuestion { add(turn.size, turn.written) }
        for id in run.stock.downloads where run.phases[turn: id] == nil {
            if let download = run.downloads[id] { add(download.size, download.written) }
        }
        return sum
    }
}
