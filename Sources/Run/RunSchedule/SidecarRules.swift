import DownloadStore
import Foundation

/// The sidecars of videos: they are downloaded with connections that no video can use, and rows record the missing
/// ones. If only sidecars are missing, the turn of a finished download is a request to its provider.
struct SidecarRules: Sendable {
    /// Attempts at a sidecar in one run.
    private static let attempts = 3

    /// Downloads, finished now or later, whose providers are to be asked for sidecars.
    private(set) var questions: Set<DownloadID> = []
    /// Those whose providers have been asked once more since an address was refused.
    private(set) var renewed: Set<DownloadID> = []

    /// Starts those that can run beside the videos.
    func start(_ run: inout RunState) {
        guard run.stopReason == nil else { return }
        let now = run.moment.now
        run.sidecars.recall(at: now)
        // A connection that a video of this run may need soon is left free.
        let reserved = run.isSomethingDue(at: now) || run.isAsking ? max(0, run.limits.jobs - run.phases.slots) : 0
        while run.mayPlaceMore,
            let item = run.sidecars.next(hasConnection: { [queue = run.queue] in
                queue.freeConnections($0, at: now) > reserved
            })
        {
            if let host = item.host { run.queue.occupy(host) }
            run.actions.append(.fetch(sidecar: item.number))
        }
        let limit = now.advanced(by: run.limits.maxWait)
        let error = DownloadError.leftAlone
        let hopeless = run.sidecars.hopeless { [queue = run.queue] in
            queue.blockedUntil($0).map { $0 > limit } ?? false
        }
        // Another run doesn't know of that, and may ask at once.
        for item in hopeless { postpone(item, until: nil, error, &run) }
    }

    /// Whether the provider may be asked for another address of a sidecar, if this one fails.
    func mayRenew(_ number: Int, _ run: RunState) -> Bool {
        guard let item = run.sidecars.fetching[number], item.row != nil, let id = item.download else { return false }
        return !renewed.contains(id)
    }

    mutating func fetched(_ number: Int, _ end: Schedule.SidecarEnd, _ run: inout RunState) {
        guard let item = run.sidecars.fetched(number, isPlaced: end == .arrived) else { return }
        if let host = item.host { run.queue.release(host) }
        switch end {
        case .arrived: if let host = item.host { run.queue.hostServed(host, at: run.moment.now) }
        // It is left to the next run.
        case _ where run.stopReason != nil: settle(number, of: item.download, isStored: false, &run)
        case .stopped: settle(number, of: item.download, isStored: false, &run)
        case .suspended(let reason, let error):
            settle(number, of: item.download, isStored: false, &run)
            run.tally.disk = .failed(error)
            run.tally.hasSidecarsLeft = true
            run.stop(reason)
        case .again(let error, let atLeast, let hostFailed, let began):
            fetchAgain(item, error, atLeast: atLeast, hostFailed: hostFailed ? began : nil, &run)
        case .refused(let error, let isFinal):
            if !renew(item, &run) { fail(item, error, isFinal: isFinal, &run) }
        case .waits(let error): postpone(item, until: nil, error, &run)
        case .failed(let error, let isFinal): fail(item, error, isFinal: isFinal, &run)
        }
    }

    /// - Parameter began: the start of the transfer that failed in a way that concerns its whole host; nil for other
    ///   failures.
    private func fetchAgain(
        _ item: SidecarQueue.Item, _ error: DownloadError, atLeast: Duration?, hostFailed began: Date?,
        _ run: inout RunState
    ) {
        var item = item
        item.attempts += 1
        var delay = Backoff.delay(attempt: item.attempts, jitter: run.moment.jitter, atLeast: atLeast)
        if let began, let host = item.host,
            let until = run.leaveAlone(host, since: began, error, atLeast: atLeast)
        {
            delay = max(delay, .seconds(until.timeIntervalSince(run.moment.now)))
        }
        let dueAt = run.moment.now.advanced(by: delay)
        guard item.attempts >= Self.attempts || delay > run.limits.maxWait else {
            return run.sidecars.putBack(item, dueAt: dueAt)
        }
        postpone(item, until: atLeast == nil ? nil : dueAt, error, &run)
    }

    /// Its trouble passes, but not soon: the next run tries again.
    private func postpone(
        _ item: SidecarQueue.Item, until: Date?, _ error: DownloadError, _ run: inout RunState
    ) {
        guard let row = item.row, let id = item.download else {
            return fail(item, error, isFinal: false, &run)
        }
        run.emit(.sidecarWaits(item.number, error))
        run.record(.sidecar(.waits(id, row.name, retryAt: until, error)))
        run.tally.hasSidecarsLeft = true
        settle(item.number, of: id, isStored: false, &run)
    }

    private func fail(
        _ item: SidecarQueue.Item, _ error: DownloadError, isFinal: Bool, _ run: inout RunState
    ) {
        run.emit(.sidecarFailed(item.number, error))
        if let row = item.row, let id = item.download {
            let isFinal = isFinal && row.failedRuns + 1 >= RunState.runsUntilGivenUp
            let retryAt = run.moment.nextRun(failedRuns: row.failedRuns + 1, isFinal: isFinal, rest: nil)
            run.record(.sidecar(.failed(id, row.name, error, retryAt: retryAt)))
            run.tally.withFailedSidecars.insert(id)
            if isFinal { run.tally.hasGivenUpSidecars = true }
        }
        settle(item.number, of: item.download, isStored: false, &run)
    }

    func settle(_ number: Int, of id: DownloadID?, isStored: Bool, _ run: inout RunState) {
        run.actions.append(.forget(sidecar: number))
        if let (id, digest) = run.sidecars.settled(number, of: id, isStored: isStored) {
            run.record(.extrasStored(id, digest))
        }
    }

    // MARK: questions

    /// Its provider is to be asked for sidecars, once its file is in place.
    mutating func ask(_ id: DownloadID) { questions.insert(id) }

    /// Its provider has named its sidecars.
    mutating func resolved(_ id: DownloadID, _ items: [SidecarQueue.Item], _ run: inout RunState) {
        questions.remove(id)
        for number in run.sidecars.addResolved(items, of: id) { run.actions.append(.forget(sidecar: number)) }
    }

    /// Its address failed: the provider is asked for new ones, once for each video. False if it has been.
    private mutating func renew(_ item: SidecarQueue.Item, _ run: inout RunState) -> Bool {
        guard item.row != nil, let id = item.download, renewed.insert(id).inserted else { return false }
        settle(item.number, of: id, isStored: false, &run)
        Self.forgetNamed(id, &run)
        questions.insert(id)
        return true
    }

    private static func forgetNamed(_ id: DownloadID, _ run: inout RunState) {
        for number in run.sidecars.awaitResolution(of: id) { run.actions.append(.forget(sidecar: number)) }
    }

    /// Queues those whose files are in place by now; drops those whose files won't come in this run.
    mutating func enqueueQuestions(_ run: inout RunState) {
        guard run.stopReason == nil else { return }
        for id in questions.sorted() {
            guard case .settled(let state)? = run.phases[id], var download = run.downloads[id] else { continue }
            questions.remove(id)
            guard state == .finished else { continue }
            download.purpose = .sidecars
            download.donor = nil
            download.size = nil
            download.failedRuns = 0
            run.downloads[id] = download
            run.enqueue(id, host: nil, dueAt: nil)
        }
    }

    /// The turn of a question begins.
    static func begin(_ id: DownloadID, _ run: inout RunState) {
        forgetNamed(id, &run)
        run.actions.append(.ask(id))
    }

    // MARK: the user's commands

    /// Its video was cancelled: a sidecar stored after the file is removed would stay forever.
    mutating func cancel(_ id: DownloadID, _ run: inout RunState) {
        questions.remove(id)
        for number in run.sidecars.drop(id) { run.actions.append(.forget(sidecar: number)) }
        let fetching = run.sidecars.fetching.values.filter { $0.download == id }.map(\.number)
        for number in fetching.sorted() { run.actions.append(.cancelFetch(sidecar: number)) }
    }

    /// The user wants another try of the failed sidecars of a video.
    mutating func wantAgain(_ row: Schedule.SteeredRow, _ outages: inout OutageRules, _ run: inout RunState) {
        guard run.stopReason == nil, let again = row.wanted, again.purpose == .sidecars else { return }
        run.downloads[row.id] = again
        renewed.remove(row.id)
        run.actions.append(.renew(row.id))
        outages.askAgain(again.provider, &run)
        run.enqueue(row.id, host: nil, dueAt: nil)
    }

    /// Sidecars from deleted credentials aren't used any more.
    func leave(provider: String, _ run: inout RunState) {
        for id in run.downloads.values.filter({ $0.provider == provider }).map(\.id).sorted() {
            let numbers = run.sidecars.awaitResolution(of: id)
            for number in numbers { run.actions.append(.forget(sidecar: number)) }
            let fetching = run.sidecars.fetching.values.filter { $0.download == id && $0.row != nil }.map(\.number)
            for number in fetching.sorted() { run.actions.append(.cancelFetch(sidecar: number)) }
            if !numbers.isEmpty || !fetching.isEmpty {
                run.tally.sidecarsAwaitingLogin.insert(id)
                if let server = run.downloads[id]?.server { run.tally.loginsNeeded.insert(server) }
            }
        }
    }

    /// After a login there.
    mutating func askAfterLogin(_ provider: String, _ run: inout RunState) {
        let ids = run.tally.sidecarsAwaitingLogin.filter { run.downloads[$0]?.provider == provider }
        run.tally.sidecarsAwaitingLogin.subtract(ids)
        questions.formUnion(ids)
    }
}
