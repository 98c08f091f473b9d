import CatalogComparison
import DequeModule
import DownloadJobs
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import MediaLibrary
import MediaTransfer
import RunSchedule
import SyncFacts
import Synchronization
import SystemPackage

/// Carries out the decisions of ``Schedule``, and reports their results to it. It has no rules of its own.
actor Dispatcher {
    /// The result of a run's turns.
    struct Result: Sendable {
        var states: [DownloadID: DownloadState] = [:]
        /// The run's other results.
        var tally = RunTally()
        var failures: [(VideoReference, DownloadError)] = []
        var received: Int64 = 0
        /// The reason why it was stopped; nil if it ended by itself.
        var stopReason: SuspendReason?
        /// Errors that prevented recording results; from the bookkeeper, once it has ended.
        var storeErrors: [StoreError] = []
        /// The reasons why courses that were listed during the turns couldn't be compared.
        var refusals: [Refusal] = []
        var diskTrouble: Refusal.Run?
        var delays: [Delay] = []
    }

    /// A download that has had a turn.
    struct Work {
        let job: DownloadJob
        /// Runs as long as the turn.
        var task: Task<Void, Never>?
        var meter = RateMeter()
        /// Set when the transfer has ended.
        var complete: CompletedVideo?
        /// The rejection of the user's hook command.
        var rejection: FileRejection?
        /// Set when the file is in its place.
        var placed: PlacedFile?
        /// The possible source of its file.
        var donor: Donor?
    }

    /// A wanted sidecar.
    struct SidecarWork {
        let sidecar: WantedSidecar
        /// The answer that names its URL, if one does.
        let answer: ResolvedMedia?
        var task: Task<Void, Never>?
    }

    let services: RunServices
    var revivedDownloads: RevivedDownloads?
    var schedule: Schedule
    var wanted: WantedTable
    var works: [DownloadID: Work] = [:]
    var sidecars: [Int: SidecarWork] = [:]
    var lastSidecar = 0
    /// Requests to providers about finished videos.
    var asks: [DownloadID: Work] = [:]
    /// The reason why a sidecar's address failed, until its provider is asked for another one.
    var refusals: [DownloadID: DownloadError] = [:]
    var requests = Requests()
    private var reportedMisses: ReportedMissingSidecars
    private let reportedWaits: ReportedWaits
    /// Bytes received for sidecars, and for downloads that are done.
    var received: Int64 = 0
    private var alarm: Task<Void, Never>?
    private var ticker: Task<Void, Never>?
    private var ended: CheckedContinuation<Void, Never>?
    private var draws = 0
    /// Events that follow from the actions of the previous one.
    var followUps: Deque<Schedule.Event> = []

    /// `expectsMore`: more plans follow, by ``add(_:_:)``.
    init(services: RunServices, plan: Reconciliation, expectsMore: Bool = false) {
        self.services = services
        reportedMisses = ReportedMissingSidecars(services.store)
        reportedWaits = ReportedWaits(services.bookkeeper)
        revivedDownloads = plan.revivedDownloads
        wanted = WantedTable(plan)
        services.shared?.expect(plan.wanted)
        schedule = Schedule(
            plan.wanted.map(services.scheduled) + plan.asked.map(services.question), followers: plan.followers,
            limits: Schedule.Limits(
                jobs: services.adjustable.jobs.first, findsJobs: services.adjustable.jobs == .automatic,
                hostConnections: services.options.hostConnections, maxWait: services.options.maxWait,
                freeSpace: services.space?.rule, retries: services.options.retries,
                closesAt: services.limits.closes,
                concurrency: { [providers = services.providers] in providers.concurrency(of: $0) }),
            expectsMore: expectsMore)
    }

    /// Runs until no work is left in this run.
    func run(_ plan: Reconciliation) async -> Result {
        addSidecars(plan)
        handle(.begin)
        if !schedule.isEnded { await withCheckedContinuation { ended = $0 } }
        reportedMisses.write()
        reportedWaits.end()
        alarm?.cancel()
        ticker?.cancel()
        return result
    }

    /// Waits until other courses may be compared: from then until ``add(_:_:)`` no command changes a row. Nil if the
    /// last turn is over.
    func beginArrival() async -> Int? {
        await withCheckedContinuation { continuation in
            handle(.command(requests.add(continuation), .arrival))
        }
    }

    /// Adds the plan of these courses; nil if they couldn't be compared.
    func add(_ plan: Reconciliation?, _ arrival: Int) {
        guard let plan else { return _ = handle(.arrived(arrival, [], followers: Followers())) }
        revivedDownloads = plan.revivedDownloads
        wanted.add(plan)
        services.shared?.expect(plan.wanted)
        handle(
            .arrived(
                arrival, plan.wanted.map(services.scheduled) + plan.asked.map(services.question),
                followers: plan.followers))
        addSidecars(plan)
    }

    /// No plan follows any more.
    func expectNoMore() { handle(.expectsMore(false)) }

    private func addSidecars(_ plan: Reconciliation) {
        let covers = note(plan.sidecars)
        if !covers.isEmpty { handle(.sidecars(covers, of: nil, digest: [])) }
        for group in plan.sidecarGroups { handle(named(by: group.wanted, digest: group.digest)) }
    }

    /// Ends every active download, keeping partials; nothing new is started.
    func stop(_ reason: SuspendReason) { handle(.stop(reason)) }

    private var result: Result {
        var result = Result(states: schedule.states, tally: schedule.tally, received: receivedSoFar)
        result.stopReason = schedule.stopReason
        result.delays = schedule.delays(at: services.clock.now)
        result.failures = schedule.tally.failures.compactMap { failure in
            wanted[failure.id].map { ($0.reference, failure.error) }
        }
        switch schedule.tally.disk {
        case .noSpace(let free):
            result.diskTrouble = services.space.map {
                .noSpace(
                    free: free, floor: $0.rule.floor, isStandard: $0.isStandard, library: services.library.root.string)
            }
        case .failed(let error): result.diskTrouble = .download(error)
        case nil: break
        }
        return result
    }

    /// All bytes from the network in this run.
    private var receivedSoFar: Int64 {
        works.values.reduce(received) { $0 + $1.job.received.load(ordering: .relaxed) }
    }

    // MARK: the loop

    /// Passes an event to the schedule, with the free space of the disk, and carries out its actions. Returns whether a
    /// request is granted.
    @discardableResult
    func handle(_ event: Schedule.Event) -> Bool { handle([event]) }

    /// The same for several events of one moment.
    @discardableResult
    func handle(_ events: [Schedule.Event]) -> Bool { perform([measurement].compactMap(\.self) + events) }

    /// The free space of the disk with the progress of all transfers, if they matter.
    var measurement: Schedule.Event? {
        guard let space = services.space, schedule.stopReason == nil, let free = space.free() else { return nil }
        return measured(free, transfers)
    }

    private func measured(_ free: Int64?, _ transfers: [DownloadJob]) -> Schedule.Event {
        .measured(free: free, quota: services.limits.remainingQuota, turns: transfers.map(services.measure))
    }

    /// The downloads that have a slot.
    private var transfers: [DownloadJob] {
        schedule.transfers.compactMap { id in works[id].flatMap { $0.task == nil ? nil : $0.job } }
    }

    /// ``handle(_:)`` without measuring the disk.
    @discardableResult
    func perform(_ events: [Schedule.Event]) -> Bool {
        var isGranted = false
        for action in schedule.handle(events, now: services.clock.now, jitter: chance()) {
            if case .grant(let answer) = action { isGranted = answer } else { perform(action) }
        }
        while let event = followUps.popFirst() { perform([event]) }
        return isGranted
    }

    /// From 0 to 1, uniformly: a hash with this process's seed. Asking the system would be a system call for each
    /// event.
    private func chance() -> Double {
        draws &+= 1
        return Double(UInt(bitPattern: draws.hashValue) >> 11) * 0x1p-53
    }

    private func perform(_ action: Schedule.Action) {
        switch action {
        case .start(let id, let donor, let isProven): start(id, donor, isProven: isProven)
        case .ask(let id): ask(id)
        case .cancel(let id):
            works[id]?.task?.cancel()
            asks[id]?.task?.cancel()
        case .grant: break
        case .record(let change): services.bookkeeper.note(change)
        case .emit(let notice): tell(notice)
        case .release(let id): if let work = works[id] { services.bookkeeper.unwatch(work.job) }
        case .dropEmptyPartial(let id): dropEmptyPartial(id)
        case .dismiss(let id):
            asks[id] = nil
            if let work = works.removeValue(forKey: id) { received += work.job.received.load(ordering: .relaxed) }
        case .renew(let id): wanted[id] = requests.again.removeValue(forKey: id) ?? wanted[id]
        case .hash(let id): hash(id)
        case .place(let id): place(id)
        case .restart(let id): restart(id)
        case .dropPartial(let id): dropPartial(id)
        case .fetch(let number): fetch(number)
        case .cancelFetch(let number): sidecars[number]?.task?.cancel()
        case .forget(let number): sidecars[number] = nil
        case .wake(let date): setAlarm(date)
        case .apply(let number, let ids): Task { await apply(number, ids) }
        case .admit(let number): requests.admit(number)
        case .forgetCredentials(let number, let provider): Task { await forgetCredentials(number, provider) }
        case .reloadCredentials(let number, let provider): Task { await reloadCredentials(number, provider) }
        case .answer(let number, let answer): requests.answer(number, answer)
        case .end:
            ended?.resume()
            ended = nil
        }
    }

    private func setAlarm(_ date: Date?) {
        alarm?.cancel()
        let clock = services.clock
        alarm = date.map { date in
            Task {
                do { try await clock.sleep(until: date) } catch { return }
                self.handle(.wake)
            }
        }
    }

    // MARK: events

    private func tell(_ notice: Schedule.Notice) {
        if case .finished(let id) = notice { return tellFinished(id) }
        guard let event = event(notice) else { return }
        services.events.post(event)
        reportedWaits.note(event, at: services.clock.now)
    }

    private func event(_ notice: Schedule.Notice) -> SyncEvent? {
        switch notice {
        case .finished: nil
        case .failed(let id, let error, let retryAt):
            reference(id).map { .downloadFailed($0, error: error, retryAt: retryAt) }
        case .suspended(let id, let reason): reference(id).map { .downloadSuspended($0, reason: reason) }
        case .retrying(let id, let attempt, let error, let delay):
            reference(id).map { .downloadRetrying($0, attempt: attempt, error: error, delay: delay) }
        case .waiting(let id): reference(id).map { .downloadWaiting($0) }
        case .paused(let id): reference(id).map { .downloadPaused($0) }
        case .cancelled(let id): reference(id).map { .downloadCancelled($0) }
        case .removed(let id): reference(id).map { .downloadRemoved($0) }
        case .providerWaiting(let server, let until, let error):
            .providerWaiting(provider: server.provider, until: until, kind: error.kind.rawValue, server: server.name)
        case .hostWaiting(let server, let until, let error):
            .hostWaiting(
                host: HostTable.host(of: server), until: until, kind: error.kind.rawValue, server: server)
        case .resumeWaiting(let until): .resumeWaiting(until: until)
        case .loginWanted(let server, let error):
            .warning(.loginWanted(provider: server.provider, error, server: server.name), nil)
        case .sidecarFailed(let number, let error):
            sidecars[number].map { work in
                let isFailure = work.sidecar.isResolved
                return missed(
                    work.sidecar, error, isFailure: isFailure, isNew: !isFailure && reportedMisses.add(work.sidecar))
            }
        case .sidecarWaits(let number, let error):
            sidecars[number].map { missed($0.sidecar, error, isFailure: false, isNew: false) }
        case .sidecarsUnknown(let id, let error):
            .warning(.sidecarsUnknown(error), reference(id))
        }
    }

    private func missed(
        _ sidecar: WantedSidecar, _ error: DownloadError, isFailure: Bool, isNew: Bool
    ) -> SyncEvent {
        .warning(
            .sidecarMissed(sidecar.shown, error, isFailure: isFailure, isNew: isNew, at: sidecar.address),
            sidecar.video)
    }

    private func reference(_ id: DownloadID) -> VideoReference? {
        wanted[id]?.reference ?? requests.references[id]
    }

    private func tellFinished(_ id: DownloadID) {
        guard let wanted = wanted[id], let work = works[id], let file = work.placed?.stored else { return }
        let now = services.clock.now
        let start = work.job.live.withLock { $0.startedAt } ?? now
        services.events.post(
            .downloadFinished(
                wanted.reference,
                FinishedFile(
                    path: file.path, bytes: file.size, sha256: file.sha256?.hex,
                    seconds: now.timeIntervalSince(start))))
    }

    /// Reports the progress of turns twice a second, as long as there are any.
    func startTicker() {
        guard ticker == nil else { return }
        ticker = Task {
            while !Task.isCancelled {
                do { try await Task.sleep(for: .milliseconds(500)) } catch { return }
                if !self.tick() { return }
            }
        }
    }

    /// False if there is nothing to report until the next start.
    private func tick() -> Bool {
        guard works.contains(where: { $0.value.task != nil }) else {
            ticker = nil
            return false
        }
        let transfers = transfers
        var events: [Schedule.Event] = []
        if schedule.stopReason == nil { events.append(measured(services.space?.free(), transfers)) }
        if schedule.findsJobs {
            let isLimited = services.limits.rate != nil || services.adjustable.limitRate != nil
            events.append(.received(receivedSoFar, isLimited: isLimited))
        }
        if !events.isEmpty { perform(events) }
        let now = services.clock.now
        for job in transfers {
            let (bytes, size) = job.progress
            guard let rate = works[job.id]?.meter.note(bytes, at: now), bytes > 0 else { continue }
            if rate > 0, schedule.isRefused(job.id) { perform([.receives(job.id)]) }
            job.live.withLock { $0.bytesPerSecond = rate }
            services.events.post(
                .progress(
                    job.wanted.reference,
                    DownloadProgress(bytes: bytes, size: size, bytesPerSecond: rate, playing: job.playing)))
        }
        return true
    }
}
