import DownloadStore
import Foundation
import MediaLibrary
import MediaTransfer
import Synchronization

/// Gives downloads their turns: starts what ``DownloadQueue`` chooses while there are free slots, puts back what waits,
/// and ends when nothing is active and nothing comes due within the longest wait.
actor Dispatcher {
    /// How the turns of a run ended.
    struct Result: Sendable {
        var states: [DownloadID: DownloadState] = [:]
        /// Downloads of these catalogs that the run didn't want at its start, and the person has changed: their state then,
        /// and the last one that was not of a turn.
        var steered: [DownloadID: (first: DownloadState, last: DownloadState)] = [:]
        /// Not there yet at their hosts: nothing of ours is left to do.
        var notReady: Set<DownloadID> = []
        var failures: [(VideoReference, DownloadError)] = []
        var failed = 0
        var finished = 0
        var received: Int64 = 0
        /// Whether it was stopped before all sidecars were there.
        var hasSidecarsLeft = false
        /// Why it was stopped; nil if it came to its end.
        var stopReason: SuspendReason?
        var providersToLogIn: Set<String> = []
        /// What kept the run from recording all of it; of the bookkeeper, once it has ended.
        var storeErrors: [StoreError] = []
        var diskError: DownloadError?
    }

    /// Files on their way to their places hold a descriptor each.
    static let placingLimit = 256

    struct Active {
        var job: DownloadJob
        var task: Task<Void, Never>
        var host: String?
        /// Logins at its provider that the run had seen when its turn began.
        var logins: Int
        var meter = RateMeter()
    }

    let services: RunServices
    let wantedAgain: WantedAgain?
    var queue: DownloadQueue
    var wanted: [DownloadID: WantedDownload]
    var jobs: [DownloadID: DownloadJob] = [:]
    var active: [DownloadID: Active] = [:]
    /// Complete, on their way to their places.
    var placing: Set<DownloadID> = []
    /// Downloads of the same bytes as one that is under way.
    var followers: Followers
    /// By the path of a file that wasn't what was thought: the first download that wants other bytes instead, and its file
    /// once that is there. Those for which the file isn't right either follow that one.
    var otherwise: [String: (leader: DownloadID, donor: Donor?)] = [:]
    var sidecars: SidecarLine
    /// Sidecars that are being fetched, by their number in the line.
    var sidecarTasks: [Int: Task<Void, Never>] = [:]
    /// Sidecars on their way to their places.
    var sidecarsPlacing = 0
    /// Downloads whose partial failed to reach the disk while they were active.
    var lostFlush: Set<DownloadID> = []
    /// Active downloads that end because the disk won't have room for them.
    var withoutRoom: Set<DownloadID> = []
    var result = Result()
    var stopReason: SuspendReason?
    private var alarm: Task<Void, Never>?
    private var ticker: Task<Void, Never>?
    private var ended: CheckedContinuation<Void, Never>?
    private(set) var hasEnded = false
    /// Downloads whose turn somebody wants to end, without what usually follows.
    var orders: Set<DownloadID> = []
    /// Their turn has ended so; whoever ordered it says what follows.
    var held: Set<DownloadID> = []
    var holders: [CheckedContinuation<Void, Never>] = []
    /// Their turn is over, and what follows is being decided.
    var ending: Set<DownloadID> = []
    /// Complete; the digest isn't yet.
    var digesting: Set<DownloadID> = []
    /// Downloads between two of the states above while somebody is asked about them: the run isn't over.
    var unsettled = 0
    /// How often somebody has logged in at a provider since the run began.
    var logins: [String: Int] = [:]
    /// Answers in a row by which a provider asked to be left alone.
    private var providerWaits: [String: Int] = [:]
    private var notReadyBefore: Set<DownloadID> = []

    init(services: RunServices, plan: Reconciliation) {
        self.services = services
        wantedAgain = plan.wantedAgain
        wanted = Dictionary(plan.wanted.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        followers = plan.followers
        sidecars = SidecarLine(plan.sidecars)
        queue = DownloadQueue(hostCap: services.options.hostConnections, lookAhead: services.knobs.jobs)
        for download in plan.wanted where !followers.isFollower(download.id) {
            queue.add(download.entry, dueAt: download.retryAt)
        }
        for group in plan.sidecarGroups {
            sidecars.add(Self.wishes(of: group.wanted, services.store), of: group.wanted.id, digest: group.digest)
        }
    }

    /// What the catalog names beside a video, each with the file that it replaces.
    private static func wishes(of wanted: WantedDownload, _ store: DownloadStore) -> [SidecarWish] {
        let wishes = SidecarPlan.wishes(of: wanted)
        guard !wanted.isNew, let records = try? store.sidecars(of: [wanted.id]), !records.isEmpty else { return wishes }
        return wishes.map { wish in
            guard case .video(_, let kind, let name) = wish.owner,
                let record = records.first(where: { $0.kind == kind && $0.name == name })
            else { return wish }
            var wish = wish
            wish.old = StoredFile(
                path: record.path, size: record.size, modified: record.modified, sha256: nil, source: [])
            return wish
        }
    }

    /// Runs until there is nothing left to do in this run.
    func run() async -> Result {
        fill()
        if !hasEnded { await withCheckedContinuation { ended = $0 } }
        alarm?.cancel()
        ticker?.cancel()
        return result
    }

    /// Ends every active download, partial kept; nothing new is started.
    func stop(_ reason: SuspendReason) {
        guard stopReason == nil else { return }
        stopReason = reason
        result.stopReason = reason
        for active in active.values { active.task.cancel() }
        result.hasSidecarsLeft = !sidecars.isIdle
        sidecars.stop()
        for task in sidecarTasks.values { task.cancel() }
        // A digest may take minutes; the next run makes it again.
        for id in digesting {
            placing.remove(id)
            if let wanted = wanted[id] { suspend(wanted, jobs[id], reason) }
        }
        digesting = []
        fill()
    }

    // MARK: turns

    /// Starts what can run now, and finds out whether the run is over.
    func fill() {
        wakeHolders()
        guard !hasEnded else { return }
        let now = services.clock.now
        while stopReason == nil, active.count < services.knobs.jobs,
            placing.count + sidecarsPlacing < Self.placingLimit,
            let entry = queue.next(at: now)
        {
            start(entry)
        }
        fillSidecars(at: now)
        if ticker == nil, !active.isEmpty { startTicker() }
        guard active.isEmpty, placing.isEmpty, unsettled == 0, held.isEmpty, sidecars.isIdle, sidecarsPlacing == 0
        else {
            return setAlarm(now)
        }
        guard stopReason == nil, let due = queue.nextDue(after: now),
            due.timeIntervalSince(now) <= services.options.maxWait.timeInterval
        else { return end() }
        setAlarm(now)
    }

    private func end() {
        hasEnded = true
        ended?.resume()
        ended = nil
    }

    private func setAlarm(_ now: Date) {
        alarm?.cancel()
        alarm = nil
        // What is due and has no slot needs no alarm: the end of a turn looks again.
        let due = stopReason == nil ? queue.nextDue(after: now).flatMap { $0 > now ? $0 : nil } : nil
        let dates = [due, sidecars.nextDue(after: now, queue)]
        guard let due = dates.compactMap({ $0 }).min() else { return }
        let clock = services.clock
        alarm = Task {
            do { try await clock.sleep(until: due) } catch { return }
            self.fill()
        }
    }

    private func start(_ entry: DownloadQueue.Entry) {
        let isOpen = result.states[entry.id] == nil && !isInPlay(entry.id)
        guard let wanted = wanted[entry.id], isOpen, hasRoom(for: wanted) else { return }
        withoutRoom.remove(entry.id)
        lostFlush.remove(entry.id)
        let isNew = jobs[entry.id] == nil
        let job = jobs[entry.id] ?? DownloadJob(wanted, services: services)
        jobs[entry.id] = job
        if isNew, let extras = wanted.extras {
            sidecars.add(Self.wishes(of: wanted, services.store), of: entry.id, digest: extras)
        }
        services.bookkeeper.note(.begin(entry.id))
        if let host = entry.host { queue.occupy(host) }
        let donor = wanted.donor
        let isProven = isDonorProven(wanted)
        self.wanted[entry.id]?.donor = nil
        let task = Task {
            if let donor { await job.offer(donor, isProven: isProven) }
            let outcome = DescriptorLimit.judged(await job.run(self.connections(entry.id)))
            await self.turnEnded(entry.id, outcome)
        }
        active[entry.id] = Active(job: job, task: task, host: entry.host, logins: logins[wanted.provider, default: 0])
        services.bookkeeper.watch(job)
    }

    private nonisolated func connections(_ id: DownloadID) -> JobConnections {
        JobConnections(
            claim: { await self.claim(id, host: $0) }, enter: { await self.enter($0) }, leave: { await self.leave($0) },
            resolved: { await self.resolved(id, $0) })
    }

    /// Takes one more connection to a host for a stream that has one already.
    private func enter(_ host: String) -> Bool {
        guard stopReason == nil, queue.isFree(host, at: services.clock.now) else { return false }
        queue.occupy(host)
        return true
    }

    /// Gives it back: whoever waits for the host comes first.
    private func leave(_ host: String) {
        queue.release(host)
        fill()
    }

    /// Room for a connection to `host`? A job has one at a time, and a stream asks for more with ``enter(_:)``.
    private func claim(_ id: DownloadID, host: String) -> Bool {
        guard let current = active[id] else { return false }
        if current.host == host { return true }
        if let old = current.host { queue.release(old) }
        active[id]?.host = nil
        guard queue.isFree(host, at: services.clock.now) else { return false }
        queue.occupy(host)
        active[id]?.host = host
        return true
    }

    private func resolved(_ id: DownloadID, _ media: ResolvedMedia) {
        guard let wanted = wanted[id] else { return }
        providerWaits[wanted.provider] = nil
        var wishes = SidecarPlan.wishes(of: wanted, resolved: media)
        guard !wishes.isEmpty, sidecars.isFirstResolution(of: id) else { return }
        if !wanted.isNew {
            let recorded = (try? services.store.sidecars(of: [id])) ?? []
            wishes = sidecars.missing(wishes, having: recorded.filter { !isLost($0) })
        }
        for wish in wishes { sidecars.add(wish) }
        fillSidecars(at: services.clock.now)
    }

    /// Whether its file is certainly not there any more.
    private func isLost(_ sidecar: SidecarRecord) -> Bool {
        do { return try services.library.facts(of: sidecar.path) == nil } catch { return false }
    }

    private func turnEnded(_ id: DownloadID, _ outcome: JobOutcome) async {
        guard let turn = active.removeValue(forKey: id), let wanted = wanted[id] else { return }
        unsettled += 1
        ending.insert(id)
        if let host = turn.host { queue.release(host) }
        let job = turn.job
        let isOrdered = orders.remove(id) != nil
        switch outcome {
        case .complete(let video):
            if let host = turn.host { queue.hostServed(host) }
            placing.insert(id)
            digesting.insert(id)
            Task { await self.finish(video) }
        case .stopped where lostFlush.remove(id) != nil && stopReason == nil:
            await lostPartial(id, DownloadError(kind: .disk, message: "its data didn't reach the disk"))
        case _ where isOrdered && stopReason == nil:
            services.bookkeeper.unwatch(job)
            held.insert(id)
        case .parked(let host):
            services.bookkeeper.note(.putBack(id, retryAt: nil, error: nil))
            services.bookkeeper.unwatch(job)
            queue.add(entry(wanted, host: host))
        case .waits(let error, let delay, let failedHost):
            await wait(wanted, job, error, delay: delay, failedHost: failedHost)
        case .providerWaits(let error, let delay):
            // One that asks again and again gets longer and longer rests, until they lie beyond the run.
            let count = providerWaits[wanted.provider, default: 0] + 1
            providerWaits[wanted.provider] = count
            let rest = Backoff.coolDown(failures: count, jitter: .random(in: 0...1), atLeast: delay)
            let until = services.clock.now.advanced(by: rest)
            queue.block(provider: wanted.provider, until: until)
            services.events.post(.providerWaiting(provider: wanted.provider, until: until, kind: error.kind.rawValue))
            putBack(wanted, job, error, until: nil, host: nil)
        case .loginNeeded where turn.logins < logins[wanted.provider, default: 0]:
            // The provider was asked before the person logged in there.
            services.bookkeeper.note(.putBack(id, retryAt: nil, error: nil))
            services.bookkeeper.unwatch(job)
            queue.add(self.entry(wanted, host: nil))
        case .loginNeeded(let error):
            if result.providersToLogIn.insert(wanted.provider).inserted {
                services.events.post(.warning("the provider “\(wanted.provider)” wants a login: \(error.message)", nil))
            }
            queue.stop(provider: wanted.provider)
            suspend(wanted, job, .auth)
            for entry in queue.removeAll(of: wanted.provider) {
                if let other = self.wanted[entry.id] { suspend(other, jobs[entry.id], .auth) }
            }
        case .notReady(let error, let retryAfter):
            let until = retryAfter.map { services.clock.now.advanced(by: min($0, Backoff.longest)) }
            if let until, let retryAfter, retryAfter <= services.options.maxWait, notReadyBefore.insert(id).inserted {
                putBack(wanted, job, error, until: until, host: nil)
            } else {
                result.notReady.insert(id)
                settle(wanted, .waiting)
                services.bookkeeper.note(.putBack(id, retryAt: until ?? services.clock.now, error: error))
                services.bookkeeper.unwatch(job)
                if let next = followers.failed(id) { enqueueFollower(next, donor: nil) }
            }
        case .differs(let donor): findOther(wanted, job, than: donor)
        case .failed(let error): fail(wanted, error)
        case .gaveUp(let error, let rest, let host):
            if let host { _ = leaveAlone(host, since: await job.lastStart, error, atLeast: rest) }
            fail(wanted, error, rest: rest)
        case .suspended(let reason, let error):
            result.diskError = error
            suspend(wanted, job, reason)
            stop(reason)
        case .stopped where withoutRoom.contains(id) && stopReason == nil: suspend(wanted, job, .disk)
        case .stopped: suspend(wanted, job, stopReason ?? .signal)
        }
        ending.remove(id)
        unsettled -= 1
        fill()
    }

    func entry(_ wanted: WantedDownload, host: String?) -> DownloadQueue.Entry {
        var entry = wanted.entry
        entry.host = host
        return entry
    }

    private func wait(
        _ wanted: WantedDownload, _ job: DownloadJob, _ error: DownloadError, delay: Duration, failedHost: String?
    ) async {
        let now = services.clock.now
        var delay = delay
        if let failedHost, let until = leaveAlone(failedHost, since: await job.lastStart, error, atLeast: delay) {
            delay = max(delay, .seconds(until.timeIntervalSince(now)))
        }
        let attempt = await job.attempts
        services.events.post(.downloadRetrying(wanted.reference, attempt: attempt, error: error, delay: delay))
        putBack(wanted, job, error, until: now.advanced(by: delay), host: failedHost)
    }

    /// A transfer from the host that began at `start` failed in a way that concerns all of it. Returns until when it is left
    /// alone, if that is news.
    private func leaveAlone(_ host: String, since start: Date, _ error: DownloadError, atLeast: Duration?) -> Date? {
        let until = queue.hostFailed(
            host, startedAt: start, now: services.clock.now, jitter: .random(in: 0...1), atLeast: atLeast)
        if let until { services.events.post(.hostWaiting(host: host, until: until, kind: error.kind.rawValue)) }
        return until
    }

    private func putBack(
        _ wanted: WantedDownload, _ job: DownloadJob, _ error: DownloadError, until: Date?, host: String?
    ) {
        services.bookkeeper.note(.putBack(wanted.id, retryAt: until, error: error))
        services.bookkeeper.unwatch(job)
        queue.add(entry(wanted, host: host), dueAt: until)
    }

    /// - Parameter rest: for how long its host or provider wants to be left alone; nil if neither has said.
    func fail(_ wanted: WantedDownload, _ error: DownloadError, rest: Duration? = nil) {
        let pause = rest.map { min($0, Backoff.longest) } ?? Backoff.nextRun(failedRuns: wanted.failedRuns + 1)
        let retryAt = error.isFinal ? nil : services.clock.now.advanced(by: pause)
        services.bookkeeper.note(.fail(wanted.id, error, retryAt: retryAt))
        if let job = jobs[wanted.id] {
            services.bookkeeper.unwatch(job)
            // Nothing has ever arrived: nothing is kept.
            if job.progress.bytes == 0, wanted.resume == nil {
                for name in DownloadKind.partials(of: wanted.id) { try? services.library.removePartial(name) }
            }
        }
        result.failed += 1
        if result.failures.count < 1000 { result.failures.append((wanted.reference, error)) }
        settle(wanted, .failed)
        services.events.post(.downloadFailed(wanted.reference, error: error, retryAt: retryAt))
        if let next = followers.failed(wanted.id) { enqueueFollower(next, donor: nil) }
    }

    func suspend(_ wanted: WantedDownload, _ job: DownloadJob?, _ reason: SuspendReason) {
        services.bookkeeper.note(.suspend(wanted.id, reason))
        if let job { services.bookkeeper.unwatch(job) }
        settle(wanted, .suspended)
        services.events.post(.downloadSuspended(wanted.reference, reason: reason))
    }

    /// Nothing more happens to it in this run.
    func settle(_ wanted: WantedDownload, _ state: DownloadState) {
        result.states[wanted.id] = state
        if let job = jobs.removeValue(forKey: wanted.id) { result.received += job.received.load(ordering: .relaxed) }
    }

    /// Whether nobody has to be asked if its donor has its bytes.
    func isDonorProven(_ wanted: WantedDownload) -> Bool {
        wanted.donor?.isProven(
            for: wanted, ignoresCourse: services.providers.ignoresCourse(wanted.provider)) ?? false
    }

    /// The file that it was compared with hasn't its bytes: it is transferred, unless another one is, for which that file
    /// wasn't right either.
    private func findOther(_ wanted: WantedDownload, _ job: DownloadJob, than donor: Donor) {
        services.bookkeeper.note(.putBack(wanted.id, retryAt: nil, error: nil))
        services.bookkeeper.unwatch(job)
        let path = donor.file.path
        if let other = otherwise[path] {
            if let donor = other.donor { return enqueueFollower(wanted.id, donor: donor) }
            if result.states[other.leader] == nil, !followers.isFollower(other.leader) {
                return followers.add(wanted.id, to: other.leader)
            }
        }
        otherwise[path] = (wanted.id, nil)
        enqueueFollower(wanted.id, donor: nil)
    }

    /// A follower's turn: with a donor it is linked if that has its bytes, without one it is the next to be transferred.
    func enqueueFollower(_ id: DownloadID, donor: Donor?) {
        guard let follower = wanted[id] else { return }
        wanted[id]?.donor = donor.flatMap { $0.isPossible(for: follower) ? $0 : nil }
        if let entry = wanted[id]?.entry { queue.add(entry, dueAt: wanted[id]?.retryAt) }
    }

    // MARK: progress

    private func startTicker() {
        ticker = Task {
            while !Task.isCancelled {
                do { try await Task.sleep(for: .milliseconds(500)) } catch { return }
                if !self.tick() { return }
            }
        }
    }

    /// False when there is nothing to tell until the next start.
    private func tick() -> Bool {
        guard !active.isEmpty else {
            ticker = nil
            return false
        }
        lookAtSpace()
        let now = services.clock.now
        for (id, turn) in active {
            let (bytes, size) = turn.job.progress
            guard let rate = active[id]?.meter.note(bytes, at: now), bytes > 0 else { continue }
            turn.job.live.withLock { $0.bytesPerSecond = rate }
            services.events.post(
                .progress(
                    turn.job.wanted.reference,
                    DownloadProgress(bytes: bytes, size: size, bytesPerSecond: rate, playing: turn.job.playing)))
        }
        return true
    }
}

/// Bytes per second over about the last three seconds.
struct RateMeter {
    private var last: (bytes: Int64, date: Date)?
    private var rate = 0.0

    mutating func note(_ bytes: Int64, at now: Date) -> Int64 {
        defer { last = (bytes, now) }
        guard let last, bytes >= last.bytes else {
            rate = 0
            return 0
        }
        let seconds = max(now.timeIntervalSince(last.date), 0.001)
        let weight = min(1, seconds / (rate == 0 ? seconds : 1.5))
        rate += (Double(bytes - last.bytes) / seconds - rate) * weight
        return Int64(rate)
    }
}
