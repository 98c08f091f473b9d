import DownloadStore
import Foundation

/// The state shared by the rules of a run: its downloads with their phases, the queue, and the pending actions. Each
/// method is one complete change of a download: phase, queue, row and event change together.
struct RunState: Sendable {
    /// The failure of a download if its provider isn't back before the run ends.
    struct Doubt: Sendable {
        var error: DownloadError
        var isFinal: Bool
    }

    /// Consecutive runs with a permanent refusal before a sidecar, or a listed video that isn't there, is given up: a
    /// host that is broken for an hour must not cost all of them.
    static let runsUntilGivenUp = 3

    /// The pauses that a server asked for since its last answer.
    struct Pauses: Sendable {
        var count = 0
        var last = Date.distantPast
    }

    var limits: Schedule.Limits
    /// Finds out how many slots there should be; nil if the user has said it.
    var automaticJobs: AutomaticJobs?
    var downloads: [DownloadID: ScheduledDownload] = [:]
    var phases = PhaseTable()
    var queue: DownloadQueue
    var sidecars = SidecarQueue()
    var sharing: Sharing
    var tally = RunTally()
    /// The number of logins at each provider since the run began.
    var logins: [String: Int] = [:]
    /// The pauses that servers asked for.
    var pauses: [ProviderServer: Pauses] = [:]
    /// The pending commands, the current one first.
    var commands: [Command] = []
    /// How often a download's provider was unavailable for it.
    var misses: [DownloadID: Int] = [:]
    /// Downloads that were refused during an outage.
    var doubts: [DownloadID: Doubt] = [:]
    /// Answers of providers that wait for a slot.
    var stock = AnswerStock()
    /// Downloads that were suspended for lack of space.
    var spaceSuspensions = SpaceSuspensions()
    /// Downloads whose file won't come in this run: a follower takes the lead.
    var lostLeaders: [DownloadID] = []
    /// Leaders that failed in this run and had followers: another one's file may be theirs.
    var failedLeaders: Set<DownloadID> = []
    /// The time of the last check for stuck leaders, and of the next one.
    var lastLookAtLeads = Date.distantPast
    var nextLookAtLeads: Date?
    /// The time until which the run waits for a resume, with all of its work paused; nil otherwise.
    var resumeUntil: Date?
    /// Whether the user's last command was a pause.
    var endsWithPause = false
    var hasBegun = false
    /// Whether more downloads are to come.
    var expectsMore = false
    /// The reason for ending the run early; nil if there is none.
    var stopReason: SuspendReason?
    var actions: [Schedule.Action] = []
    /// That of the event that is being handled.
    var moment = Moment(now: .distantPast, jitter: 0)

    /// - Parameter followers: those of `wanted` that wait for others of them.
    init(_ wanted: [ScheduledDownload], followers: Followers, limits: Schedule.Limits) {
        self.limits = limits
        sharing = Sharing(followers: Followers())
        queue = DownloadQueue(hostCap: limits.hostConnections, lookAhead: limits.jobs)
        automaticJobs = limits.findsJobs ? AutomaticJobs(from: limits.jobs) : nil
        add(wanted, followers: followers)
    }

    /// Adds downloads that aren't in the run yet. If a leader isn't in it either, the first of its followers leads.
    ///
    /// - Parameter followers: those of `wanted` that wait for others of them.
    mutating func add(_ wanted: [ScheduledDownload], followers: Followers) {
        let new = wanted.filter { downloads[$0.id] == nil }
        let ids = followers.isEmpty ? [] : Set(new.map(\.id))
        var leads: [DownloadID: DownloadID] = [:]
        for download in new {
            downloads[download.id] = download
            if download.donor != nil, !download.isDonorProven { sharing.willCompare(download.id) }
            if let planned = followers.leader(of: download.id) {
                let leader = ids.contains(planned) || mayBeFollowed(planned) ? planned : leads[planned]
                if let leader {
                    sharing.followers.add(download.id, to: leader)
                    phases[download.id] = .following
                    continue
                }
                leads[planned] = download.id
            }
            if queue.isStopped(download.server) {
                suspend(download.id, .auth)
            } else {
                // With a proven donor there is nothing to wait for.
                let dueAt = download.isDonorProven ? nil : download.retryAt
                phases[download.id] = .queued(host: nil, dueAt: dueAt)
                queue.add(download.entry(host: nil), dueAt: dueAt)
            }
        }
    }

    /// Whether its file may still come in this run.
    private func mayBeFollowed(_ id: DownloadID) -> Bool {
        switch phases[id] {
        case nil, .settled?, .following?: false
        default: true
        }
    }

    mutating func record(_ change: DownloadChange) { actions.append(.record(change)) }

    mutating func emit(_ notice: Schedule.Notice) { actions.append(.emit(notice)) }

    // MARK: what is possible now

    var mayStartTurn: Bool {
        hasBegun && stopReason == nil && phases.slots < limits.jobs && mayPlaceMore
    }

    /// Whether a slot is free, or becomes free with a turn that is being ended, and none that comes before `entry` and
    /// can begin needs it.
    func isSlotComing(for entry: DownloadQueue.Entry) -> Bool {
        let lasting = phases.turns.values.count { $0.hasSlot && $0.ending == nil }
        return lasting + queue.ready(before: entry, at: moment.now) < limits.jobs
    }

    var mayPlaceMore: Bool {
        phases.count(.digesting) + phases.count(.placing) + phases.count(.emptying) + sidecars.placing.count
            < limits.placing
    }

    /// Whether a waiting download becomes due within the longest wait.
    func isSomethingDue(at now: Date) -> Bool {
        queue.nextDue(after: now).map { $0 <= now.advanced(by: limits.maxWait) } ?? false
    }

    /// Whether the user has paused all remaining work, and may still resume some of it.
    func isWaitingForResume(at now: Date) -> Bool { resumeUntil.map { now < $0 } ?? false }

    /// Whether a download's turns are for sidecars only.
    func isQuestion(_ id: DownloadID) -> Bool { downloads[id]?.purpose == .sidecars }

    // MARK: waiting downloads

    /// Queues it; unless a command concerns it, or its provider requires a login.
    mutating func enqueue(_ id: DownloadID, host: String?, dueAt: Date?) {
        guard let download = downloads[id] else { return }
        if commands.first?.holds(id) == true {
            phases[id] = .held(.queue(host: host, dueAt: dueAt))
        } else if queue.isStopped(download.server) {
            suspend(id, .auth)
        } else {
            if spaceSuspensions.remove(id) { noteSpace() }
            phases[id] = .queued(host: host, dueAt: dueAt)
            let usableUntil = host == nil ? nil : stock.usableUntil(id)
            queue.add(download.entry(host: host, misses: misses[id] ?? 0, usableUntil: usableUntil), dueAt: dueAt)
        }
    }

    /// Queues it again, and records that in its row.
    mutating func putBack(
        _ id: DownloadID, _ error: DownloadError? = nil, host: String? = nil, until: Date? = nil
    ) {
        if !isQuestion(id) { record(.putBack(id, retryAt: until, error: error)) }
        actions.append(.release(id))
        enqueue(id, host: host, dueAt: until)
    }

    /// Queues a download again that had ended in this run.
    mutating func revive(_ id: DownloadID) {
        record(.revive(id))
        emit(.waiting(id))
        enqueue(id, host: nil, dueAt: nil)
    }

    // MARK: ended downloads

    /// Ends its turn, if it has one.
    mutating func endTurn(_ id: DownloadID, _ ending: Turn.Ending) {
        guard let turn = phases[turn: id] else { return }
        let isFirst = turn.ending == nil
        guard isFirst || turn.ending.map({ $0 < ending }) == true else { return }
        phases.updateTurn(id) { $0.ending = ending }
        if isFirst { actions.append(.cancel(id)) }
    }

    /// - Parameters:
    ///   - rest: the pause that its host or provider asked for; nil if neither did.
    ///   - isKept: whether it may wait again in this run.
    mutating func fail(
        _ id: DownloadID, _ error: DownloadError, isFinal: Bool, rest: Duration? = nil,
        isKept: Bool = false
    ) {
        let failedRuns = (downloads[id]?.failedRuns ?? 0) + 1
        // Listed, and not there when it is asked for: one of both is wrong. A finished video only lacks sidecars.
        let isDoubtful =
            downloads[id]?.isListed == true && error.isAbsence && failedRuns < Self.runsUntilGivenUp && !isQuestion(id)
        let retryAt = moment.nextRun(failedRuns: failedRuns, isFinal: isFinal && !isDoubtful, rest: rest)
        if isQuestion(id) { return failQuestion(id, error, retryAt: retryAt) }
        record(.fail(id, error, retryAt: retryAt))
        actions.append(.release(id))
        if !isKept { actions.append(.dropEmptyPartial(id)) }
        tally.noteFailure(id, error, at: phases[turn: id]?.host ?? downloads[id]?.server.shortName ?? "")
        settle(id, .failed, isKept: isKept)
        emit(.failed(id, error, retryAt: retryAt))
    }

    private mutating func failQuestion(_ id: DownloadID, _ error: DownloadError, retryAt: Date?) {
        record(.sidecar(.unanswered(id, error, retryAt: retryAt)))
        emit(.sidecarsUnknown(id, error))
        tally.withFailedSidecars.insert(id)
        if retryAt == nil { tally.hasGivenUpSidecars = true }
        settle(id, .finished)
    }

    mutating func suspend(_ id: DownloadID, _ reason: SuspendReason, isKept: Bool = false) {
        guard !isQuestion(id) else {
            // It is left to the next run, or to this one after a login. Its rows have the wanted sidecars.
            let isForLogin = downloads[id].map { queue.isStopped($0.server) } ?? false
            settle(id, .finished)
            if isForLogin { tally.sidecarsAwaitingLogin.insert(id) }
            return
        }
        record(.suspend(id, reason))
        actions.append(.release(id))
        settle(id, .suspended, isKept: isKept)
        if reason == .auth { tally.awaitingLogin.insert(id) }
        emit(.suspended(id, reason))
    }

    /// Ends it in this run. `isKept`: it may continue at the same point after all.
    mutating func settle(_ id: DownloadID, _ state: DownloadState, isKept: Bool = false) {
        phases[id] = .settled(state)
        doubts[id] = nil
        stock.remove(id)
        tally.awaitingLogin.remove(id)
        if spaceSuspensions.remove(id) { noteSpace() }
        sharing.ended(id, isFinished: state == .finished)
        if state != .finished { lostLeaders.append(id) }
        if !isKept { actions.append(.dismiss(id)) }
    }

    // MARK: answers and slots

    /// Its provider has answered it.
    mutating func answered(_ id: DownloadID, _ answer: Schedule.Answer) {
        guard let turn = phases[turn: id], let server = downloads[id]?.server, !isQuestion(id) else { return }
        tally.answers += 1
        let time = turn.isResolving ? moment.now.timeIntervalSince(turn.since) : nil
        stock.add(id, answer, of: server, time: time, at: moment.now)
    }

    /// The turns that ask for sidecars.
    var questionsAsked: Int { phases.turns.values.count(where: \.isQuestion) }

    /// Whether there are turns without a slot whose downloads will need one.
    var isAsking: Bool { phases.turns.count > phases.slots + questionsAsked }

    /// The connections that files have in addition to those of their turns' slots.
    var extraConnections: Int {
        phases.turns.values.reduce(0) { $1.isWide ? $0 + $1.extraHosts.count : $0 }
    }

    /// The connections that there are for media, with those of downloads that will need a slot soon.
    var connections: Int { phases.turns.count - questionsAsked + extraConnections }

    /// Its turn gets one of the slots.
    mutating func takeSlot(_ id: DownloadID) {
        guard phases[turn: id]?.hasSlot == false else { return }
        let now = moment.now
        phases.updateTurn(id) { turn in
            turn.hasSlot = true
            turn.since = now
            turn.base = turn.written
        }
        record(.begin(id))
    }

    /// It has a slot, and uses the answer that it may have.
    mutating func useAnswer(_ id: DownloadID) {
        if let server = downloads[id]?.server { stock.use(id, of: server) }
    }

    /// Keeps the answer of a turn that is over, if it can still be used at `due`. Returns its host if so.
    mutating func keepAnswer(_ id: DownloadID, of turn: Turn, usableUntil: Date?, at due: Date) -> String? {
        guard let host = turn.host, let usableUntil, usableUntil > due else { return nil }
        stock.putBack(id, until: usableUntil)
        return host
    }

    /// Sets the number of slots by the progress of the run. Turns beyond it keep theirs.
    mutating func adjustJobs(received: Int64, isLimited: Bool) {
        let isLimited = isLimited || stopReason != nil
        let active = phases.slots + extraConnections
        let count = automaticJobs?.note(
            received: received, active: active, isLimited: isLimited, at: moment.now)
        if let count { setJobs(count) }
    }

    mutating func setJobs(_ count: Int) {
        limits.jobs = count
        queue.lookAhead = count
    }

    // MARK: hosts, the disk, the end

    /// A transfer from the host that began at `start` failed in a way that concerns the whole host. Returns the time
    /// until which it is left alone, if that is new.
    mutating func leaveAlone(
        _ host: String, since start: Date, _ error: DownloadError, atLeast: Duration?
    ) -> Date? {
        let until = queue.hostFailed(
            host, startedAt: start, now: moment.now, jitter: moment.jitter, atLeast: atLeast,
            isTooMany: error.isTooMany)
        if let until { emit(.hostWaiting(host, until: until, error)) }
        return until
    }

    /// No download is suspended for lack of space any more.
    private mutating func noteSpace() { if case .noSpace? = tally.disk { tally.disk = nil } }

    /// The run ends early.
    mutating func stop(_ reason: SuspendReason) {
        guard stopReason == nil else { return }
        stopReason = reason
        for id in phases.running.sorted() { endTurn(id, .stop) }
        tally.hasSidecarsLeft = !sidecars.isIdle
        sidecars.stop()
        for number in sidecars.fetching.keys.sorted() { actions.append(.cancelFetch(sidecar: number)) }
        // A digest may take minutes; the next run computes it again. Once a quota is used up there is no hurry.
        guard reason != .quota else { return }
        for (id, _) in phases.all.filter({ $0.value == .digesting }) { suspend(id, reason) }
    }
}
