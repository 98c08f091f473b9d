package import DownloadStore
package import Foundation

/// A run: the phase of each download, the facts about hosts and providers, and pending commands. Takes an event and
/// returns actions. Its owner carries them out, and reports the results; it has no rules of its own.
///
/// `RunState` has the data of the run; the rules that change it have one file each beside it.
package struct Schedule: Sendable {
    /// The limits of a run.
    package struct Limits: Sendable {
        /// Slots: transfers at a time; those at first if the run finds out how many the link takes.
        package var jobs: Int
        /// Whether it does.
        package var findsJobs: Bool
        package var hostConnections: Int
        /// The longest time that the run waits for a due time.
        package var maxWait: Duration
        /// The part of the disk to keep free; nil for no check.
        package var freeSpace: FreeSpaceGuard?
        /// Complete files being placed: each holds a descriptor.
        package var placing: Int
        /// Attempts at a video, without those that fail because of its host or provider.
        package var retries: Int
        /// The time at which the run is stopped; nil for none.
        package var closesAt: Date?
        /// The requests that a provider takes at a time.
        package var concurrency: @Sendable (_ provider: String) -> Int

        package init(
            jobs: Int, findsJobs: Bool = false, hostConnections: Int, maxWait: Duration,
            freeSpace: FreeSpaceGuard? = nil, placing: Int = 256,
            retries: Int = 10, closesAt: Date? = nil,
            concurrency: @escaping @Sendable (_ provider: String) -> Int = { _ in .max }
        ) {
            self.jobs = jobs
            self.findsJobs = findsJobs
            self.closesAt = closesAt
            self.concurrency = concurrency
            self.retries = retries
            self.hostConnections = hostConnections
            self.maxWait = maxWait
            self.freeSpace = freeSpace
            self.placing = placing
        }
    }

    private var run: RunState
    private var turns = TurnRules()
    private var answers = AnswerRules()
    private var outages = OutageRules()
    private var space = SpaceRules()
    private var sidecarRules = SidecarRules()
    private var alarm: Date?
    package private(set) var isEnded = false

    /// - Parameters:
    ///   - followers: those of `wanted` that wait for others of them.
    ///   - expectsMore: as ``Event/expectsMore(_:)``.
    package init(_ wanted: [ScheduledDownload], followers: Followers, limits: Limits, expectsMore: Bool = false) {
        run = RunState(wanted, followers: followers, limits: limits)
        run.expectsMore = expectsMore
    }

    /// The actions after an event.
    package mutating func handle(_ event: Event, now: Date, jitter: Double) -> [Action] {
        handle([event], now: now, jitter: jitter)
    }

    /// The actions after several events of one moment. What follows from all of them is looked at once.
    ///
    /// - Parameters:
    ///   - now: the instant, which doesn't go back.
    ///   - jitter: from 0 to 1, random.
    package mutating func handle(_ events: [Event], now: Date, jitter: Double) -> [Action] {
        run.moment = Moment(now: now, jitter: jitter)
        for event in events { note(event) }
        goOn()
        defer { run.actions = [] }
        return run.actions
    }

    private mutating func note(_ event: Event) {
        switch event {
        case .begin: run.hasBegun = true
        case .wake: alarm = nil
        case .expectsMore(let isExpected):
            run.expectsMore = isExpected
            run.stayIfPaused(run.moment.now)
        case .arrived(let number, let wanted, let followers): run.arrived(number, wanted, followers: followers)
        case .stop(let reason): run.stop(reason)
        case .measured(let free, let quota, let turns): space.measured(free, quota: quota, turns, &run)
        case .received(let bytes, let isLimited): run.adjustJobs(received: bytes, isLimited: isLimited)
        case .claim(let id, let host):
            outages.hasAnswer(id, &run)
            run.actions.append(.grant(turns.claim(id, host: host, space, &run)))
        case .enter(let id, let host): run.actions.append(.grant(turns.enter(id, host, &run)))
        case .widen(let id, let host): run.actions.append(.grant(turns.widen(id, host, &run)))
        case .keeps(let id): run.actions.append(.grant(turns.keeps(id, run)))
        case .leave(let id, let host): turns.leave(id, host, &run)
        case .resolved(let id, let items, let answer): resolved(id, items, answer)
        case .receives(let id): outages.receives(id, &run)
        case .turnEnded(let id, let end, let usableUntil):
            turns.ended(id, end, usableUntil: usableUntil, outages: &outages, space: space, &run)
        case .flushFailed(let id): run.endTurn(id, .lostFlush)
        case .hashed(let id, let result): run.hashed(id, result)
        case .restarted(let id, let error): run.restarted(id, error)
        case .partialDropped(let id, let losses): run.partialDropped(id, losses: losses)
        case .placed(let id, let file, let request, let isWhole): run.placed(id, file, request, isWhole: isWhole)
        case .notPlaced(let id, let trouble): run.notPlaced(id, trouble)
        case .sidecars(let items, let id?, let digest): run.sidecars.add(items, of: id, digest: digest)
        case .sidecars(let items, nil, _): for item in items { run.sidecars.add(item) }
        case .unasked(let id): sidecarRules.ask(id)
        case .sidecarFetched(let number, let end): sidecarRules.fetched(number, end, &run)
        case .sidecarPlaced(let number, let id, let isStored):
            sidecarRules.settle(number, of: id, isStored: isStored, &run)
        case .command(let number, let kind): run.commands.append(Command(number: number, kind: kind))
        case .applied(let number, let rows): run.applied(number, rows, outages: &outages, sidecarRules: &sidecarRules)
        }
    }

    private mutating func resolved(_ id: DownloadID, _ items: [SidecarQueue.Item], _ answer: Answer) {
        guard let server = run.downloads[id]?.server else { return }
        // An answer to an earlier question says nothing about the pause.
        if let pauses = run.pauses[server], run.phases[turn: id]?.hasBegun(after: pauses.last) ?? true {
            run.pauses[server] = nil
        }
        run.answered(id, answer)
        sidecarRules.resolved(id, items, &run)
        outages.answered(server, isGood: true, &run)
    }

    // MARK: continuing

    /// Carries out commands, starts downloads that can run, and checks whether the run is over.
    private mutating func goOn() {
        guard !isEnded else { return run.answerCommands(.over) }
        run.carryOutCommands(sidecarRules)
        run.passOnLeads()
        sidecarRules.enqueueQuestions(&run)
        run.yieldLeads(isLast: isOver(at: run.moment.now))
        startTurns()
        if space.revive(&run) { startTurns() }
        startSidecars()
        if run.hasBegun, run.stopReason == nil, isOver(at: run.moment.now), outages.failDoubted(&run) {
            run.passOnLeads()
            startTurns()
        }
        guard run.hasBegun, isOver(at: run.moment.now) else { return setAlarm(run.moment.now) }
        isEnded = true
        outages.giveUpVictims(&run)
        run.actions.append(.end)
    }

    /// Gives free slots to downloads, and asks providers for those that come next.
    private mutating func startTurns() {
        run.queue.recall(at: run.moment.now)
        while let entry = (run.mayStartTurn ? run.queue.next(at: run.moment.now) : nil) ?? answers.next(space, run) {
            run.queue.take(entry)
            turns.start(entry, space, &run)
            run.passOnLeads()
        }
    }

    private mutating func startSidecars() {
        guard run.hasBegun, !run.sidecars.hasNothingWaiting else { return }
        space.look(&run)
        sidecarRules.start(&run)
    }

    /// Whether nothing is in progress, and no due time is near enough to wait for.
    package func isOver(at now: Date) -> Bool {
        guard run.phases.isQuiet, run.commands.isEmpty, run.sidecars.isIdle else { return false }
        return run.stopReason != nil
            || !(run.expectsMore || run.isSomethingDue(at: now) || run.isWaitingForResume(at: now))
    }

    private mutating func setAlarm(_ now: Date) {
        // A due download without a slot needs no alarm: the end of a turn checks again.
        let due = run.stopReason == nil ? run.queue.nextDue(after: now).flatMap { $0 > now ? $0 : nil } : nil
        let room = run.mayStartTurn ? run.spaceSuspensions.nextLook(after: now) : nil
        let leads = run.nextLookAtLeads
        let resume = run.isWaitingForResume(at: now) ? run.resumeUntil : nil
        let next = [due, run.sidecars.nextDue(after: now, run.queue), room, leads, resume].compactMap { $0 }.min()
        guard next != alarm else { return }
        alarm = next
        run.actions.append(.wake(at: next))
    }

    // MARK: queries

    package var downloads: [DownloadID: ScheduledDownload] { run.downloads }
    package var phases: PhaseTable { run.phases }
    /// The downloads that have a slot.
    package var transfers: [DownloadID] { run.phases.turns.compactMap { $0.value.hasSlot ? $0.key : nil } }
    package var sidecars: SidecarQueue { run.sidecars }
    package var tally: RunTally { run.tally }
    /// The reason for ending the run early; nil if there is none.
    package var stopReason: SuspendReason? { run.stopReason }

    /// The servers that waiting downloads wait for.
    package func delays(at now: Date) -> [Delay] { Delay.all(of: run, at: now) }

    package internal(set) var limits: Limits {
        get { run.limits }
        set { run.limits = newValue }
    }

    package internal(set) var queue: DownloadQueue {
        get { run.queue }
        set { run.queue = newValue }
    }

    /// Downloads whose providers are still to be asked for sidecars.
    var questions: Set<DownloadID> { sidecarRules.questions }

    /// Whether the run finds out how many transfers the link takes, and wants ``Event/received(_:isLimited:)``.
    package var findsJobs: Bool { run.automaticJobs != nil }

    package func leader(of id: DownloadID) -> DownloadID? { run.sharing.followers.leader(of: id) }

    /// Whether arriving bytes of a download matter: URLs of its provider were refused for others.
    package func isRefused(_ id: DownloadID) -> Bool {
        guard case .running? = run.phases[id], let server = run.downloads[id]?.server else { return false }
        return outages.hasRefused(server)
    }

    /// Whether the provider may be asked for another address of a sidecar, if this one fails.
    package func mayRenew(sidecar number: Int) -> Bool { sidecarRules.mayRenew(number, run) }

    /// Whether a download's provider is asked once more than its video needs.
    package func isAskedAgain(_ id: DownloadID) -> Bool { run.isQuestion(id) || isRenewed(id) }

    /// Whether the reason is an address of its answer that was refused in this run.
    package func isRenewed(_ id: DownloadID) -> Bool { sidecarRules.renewed.contains(id) }

    /// The state of each download. One whose provider is still to be asked for sidecars is finished.
    package var states: [DownloadID: DownloadState] {
        var states = run.phases.settled
        for (id, download) in run.downloads where download.purpose == .sidecars && states[id] == nil {
            states[id] = .finished
        }
        return states
    }
}
