package import DownloadStore
package import Foundation

/// A run: which phase each download is in, what is known of hosts and providers, and what is asked of it. Takes an event and
/// returns what is to be done. Whoever holds it does that, and tells what came of it; it has no rule of its own.
package struct Schedule: Sendable {
    /// What bounds a run.
    package struct Limits: Sendable {
        /// Downloads that may have their turns at once.
        package var jobs: Int
        /// Connections to one host.
        package var hostConnections: Int
        /// The longest time that the run waits for something that comes due.
        package var maxWait: Duration
        /// Which part of the disk stays free; nil if nobody looks.
        package var room: FreeSpaceGuard?
        /// Complete files on their way to their places: each holds a descriptor.
        package var placing: Int
        /// Attempts of a video, those not counted for which somebody else is to blame.
        package var retries: Int

        package init(
            jobs: Int, hostConnections: Int, maxWait: Duration, room: FreeSpaceGuard? = nil, placing: Int = 256,
            retries: Int = 10
        ) {
            self.jobs = jobs
            self.retries = retries
            self.hostConnections = hostConnections
            self.maxWait = maxWait
            self.room = room
            self.placing = placing
        }
    }

    /// What the run has learned of a provider.
    struct ProviderFacts: Sendable {
        /// How often somebody has logged in there since the run began.
        var logins = 0
        /// Answers in a row by which it asked to be left alone.
        var waits = 0
        /// Answers that said where a video is.
        var answers = 0
        var outage = Outage()
    }

    package internal(set) var limits: Limits
    package internal(set) var downloads: [DownloadID: ScheduledDownload] = [:]
    package internal(set) var phases = PhaseTable()
    package internal(set) var queue: DownloadQueue
    package internal(set) var sidecars = SidecarQueue()
    package internal(set) var tally = RunTally()
    /// Why the run is to end before its time; nil if it isn't.
    package internal(set) var stopReason: SuspendReason?
    var sharing: Sharing
    var providers: [String: ProviderFacts] = [:]
    var commands: [Command] = []
    /// Bytes free on the disk, when they were last measured.
    var free: Int64?
    /// Downloads that have had their one wait for a file that wasn't ready.
    var notReadyBefore: Set<DownloadID> = []
    var misses: [DownloadID: Misses] = [:]
    /// Downloads that were refused while all were.
    var doubts: [DownloadID: Doubt] = [:]
    /// Downloads that were suspended because there was no room for them.
    var crowdedOut = CrowdedOut()
    /// Downloads whose file won't come in this run: one of those that follow takes the lead.
    var lostLeaders: [DownloadID] = []
    var hasBegun = false
    package private(set) var isEnded = false
    /// Finished downloads, or such as will be, whose providers are to be asked what comes along.
    var questions: Set<DownloadID> = []
    /// Those of which something that comes along waits for a login.
    var awaitingLogin: Set<DownloadID> = []
    /// Those whose providers have been asked once more since an address was refused.
    var renewed: Set<DownloadID> = []
    private var alarm: Date?
    var actions: [Action] = []

    /// - Parameter followers: those of `wanted` that wait for others of them.
    package init(_ wanted: [ScheduledDownload], followers: Followers, limits: Limits) {
        self.limits = limits
        sharing = Sharing(followers: followers)
        queue = DownloadQueue(hostCap: limits.hostConnections, lookAhead: limits.jobs)
        for download in wanted where downloads[download.id] == nil {
            downloads[download.id] = download
            if followers.isFollower(download.id) {
                phases[download.id] = .following
            } else {
                phases[download.id] = .queued(host: nil, dueAt: download.retryAt)
                queue.add(download.entry(host: nil), dueAt: download.retryAt)
            }
        }
    }

    /// What is to be done because of an event.
    ///
    /// - Parameters:
    ///   - now: the instant, which doesn't go back.
    ///   - jitter: from 0 to 1, by chance.
    package mutating func handle(_ event: Event, now: Date, jitter: Double) -> [Action] {
        let moment = Moment(now: now, jitter: jitter)
        switch event {
        case .begin: hasBegun = true
        case .wake: alarm = nil
        case .stop(let reason): stop(reason)
        case .measured(let free, let turns): measured(free, turns)
        case .claim(let id, let host): actions.append(.grant(claim(id, host, moment)))
        case .enter(let id, let host): actions.append(.grant(enter(id, host, moment)))
        case .leave(let id, let host): leave(id, host)
        case .resolved(let id, let items): resolved(id, items)
        case .receives(let id): receives(id)
        case .turnEnded(let id, let end): turnEnded(id, end, moment)
        case .flushFailed(let id): endTurn(id, .lostFlush)
        case .hashed(let id, let result): hashed(id, result)
        case .restarted(let id, let error): restarted(id, error, moment)
        case .partialDropped(let id, let losses): partialDropped(id, losses: losses, moment)
        case .placed(let id, let file, let request, let isWhole): placed(id, file, request, isWhole: isWhole)
        case .notPlaced(let id, let trouble): notPlaced(id, trouble, moment)
        case .sidecars(let items, let id?, let digest): sidecars.add(items, of: id, digest: digest)
        case .sidecars(let items, nil, _): for item in items { sidecars.add(item) }
        case .unasked(let id): questions.insert(id)
        case .sidecarFetched(let number, let end): sidecarFetched(number, end, moment)
        case .sidecarPlaced(let number, let id, let isStored): settleSidecar(number, of: id, isStored: isStored)
        case .command(let number, let kind): commands.append(Command(number: number, kind: kind))
        case .applied(let number, let rows): applied(number, rows, moment)
        }
        goOn(moment)
        defer { actions = [] }
        return actions
    }

    // MARK: what can go on

    /// Carries out commands, starts what can run, and finds out whether the run is over.
    private mutating func goOn(_ moment: Moment) {
        guard !isEnded else { return answerCommands(.over) }
        carryOutCommands(moment)
        passOnLeads()
        askOpenQuestions()
        startTurns(moment)
        if reviveForRoom(moment) { startTurns(moment) }
        startSidecars(moment)
        if hasBegun, stopReason == nil, isOver(at: moment.now), failDoubted(moment) {
            passOnLeads()
            startTurns(moment)
        }
        guard hasBegun, isOver(at: moment.now) else { return setAlarm(moment.now) }
        isEnded = true
        giveUpVictims()
        actions.append(.end)
    }

    private mutating func startTurns(_ moment: Moment) {
        while mayStartTurn, let entry = queue.next(at: moment.now) {
            start(entry, moment)
            passOnLeads()
        }
    }

    var mayStartTurn: Bool {
        hasBegun && stopReason == nil && phases.running.count < limits.jobs && mayPlaceMore
    }

    /// Whether nothing is under way, and nothing comes due that the run waits for.
    package func isOver(at now: Date) -> Bool {
        guard phases.isQuiet, commands.isEmpty, sidecars.isIdle else { return false }
        return stopReason != nil || !isSomethingDue(at: now)
    }

    /// Whether something that waits comes due within the longest wait.
    func isSomethingDue(at now: Date) -> Bool {
        queue.nextDue(after: now).map { $0 <= now.advanced(by: limits.maxWait) } ?? false
    }

    var mayPlaceMore: Bool {
        phases.count(.digesting) + phases.count(.placing) + phases.count(.mending) + sidecars.placing.count
            < limits.placing
    }

    private mutating func setAlarm(_ now: Date) {
        // What is due and has no slot needs no alarm: the end of a turn looks again.
        let due = stopReason == nil ? queue.nextDue(after: now).flatMap { $0 > now ? $0 : nil } : nil
        let room = mayStartTurn ? crowdedOut.nextLook(after: now) : nil
        let next = [due, sidecars.nextDue(after: now, queue), room].compactMap { $0 }.min()
        guard next != alarm else { return }
        alarm = next
        actions.append(.wake(at: next))
    }

    // MARK: the end

    private mutating func stop(_ reason: SuspendReason) {
        guard stopReason == nil else { return }
        stopReason = reason
        for id in phases.running.sorted() { endTurn(id, .stop) }
        tally.hasSidecarsLeft = !sidecars.isIdle
        sidecars.stop()
        for number in sidecars.fetching.keys.sorted() { actions.append(.cancelFetch(sidecar: number)) }
        // A digest may take minutes; the next run makes it again. Once a quota is used up there is no hurry.
        guard reason != .quota else { return }
        for (id, _) in phases.all.filter({ $0.value == .digesting }) { suspend(id, reason) }
    }

    /// For whose file a download waits.
    package func leader(of id: DownloadID) -> DownloadID? { sharing.followers.leader(of: id) }

    /// Ends the run as ``Event/stop(_:)`` does.
    mutating func stopRun(_ reason: SuspendReason) { stop(reason) }

}

/// The instant of an event, and chance.
struct Moment {
    var now: Date
    /// From 0 to 1.
    var jitter: Double
}
