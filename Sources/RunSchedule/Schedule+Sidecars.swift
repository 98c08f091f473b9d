package import DownloadStore
import Foundation

/// What comes along with videos: it is fetched with connections that no video can use, and its rows say what isn't there.
/// Where only that is missing, the turn of a finished download is a question to its provider.
extension Schedule {
    /// Attempts at a sidecar in one run.
    private static let sidecarAttempts = 3
    /// Runs in a row in which one is refused for good before it is given up: a host that knows nothing of anybody for an hour
    /// must not cost all that it has.
    private static let runsUntilGivenUp = 3

    /// Starts what can run beside the videos.
    mutating func startSidecars(_ moment: Moment) {
        guard hasBegun, !sidecars.hasNothingWaiting else { return }
        let now = moment.now
        if phases.running.isEmpty { lookAtSpace() }
        guard stopReason == nil else { return }
        sidecars.recall(at: now)
        // A connection that a video of this run may want soon is left free.
        let reserved = isSomethingDue(at: now) ? max(0, limits.jobs - phases.running.count) : 0
        while mayPlaceMore, let item = sidecars.next(hasRoom: { [queue] in queue.room($0, at: now) > reserved }) {
            if let host = item.host { queue.occupy(host) }
            actions.append(.fetch(sidecar: item.number))
        }
        let limit = now.advanced(by: limits.maxWait)
        let error = DownloadError(kind: .network, message: "its host isn't answering")
        for item in sidecars.hopeless({ [queue] in queue.blockedUntil($0).map { $0 > limit } ?? false }) {
            // Another run knows nothing of that, and may ask at once.
            postpone(item, until: nil, error, moment)
        }
    }

    /// Whether the provider may be asked for another address of a sidecar, if this one is no good.
    package func mayRenew(sidecar number: Int) -> Bool {
        guard let item = sidecars.fetching[number], item.row != nil, let id = item.download else { return false }
        return !renewed.contains(id)
    }

    mutating func sidecarFetched(_ number: Int, _ end: SidecarEnd, _ moment: Moment) {
        guard var item = sidecars.fetched(number, isPlaced: end == .arrived) else { return }
        if let host = item.host { queue.release(host) }
        switch end {
        case .arrived: if let host = item.host { queue.hostServed(host) }
        // It is the next run's.
        case _ where stopReason != nil: settleSidecar(number, of: item.download, isStored: false)
        case .stopped: settleSidecar(number, of: item.download, isStored: false)
        case .suspended(let reason, let error):
            settleSidecar(number, of: item.download, isStored: false)
            tally.disk = .failed(error)
            tally.hasSidecarsLeft = true
            stopRun(reason)
        case .again(let error, let atLeast, let hostFailed, let began):
            item.attempts += 1
            var delay = Backoff.delay(attempt: item.attempts, jitter: moment.jitter, atLeast: atLeast)
            if hostFailed, let host = item.host,
                let until = leaveAlone(host, since: began, error, atLeast: atLeast, moment)
            {
                delay = max(delay, .seconds(until.timeIntervalSince(moment.now)))
            }
            guard item.attempts < Self.sidecarAttempts else {
                return fail(item, error, isFinal: false, rest: atLeast, moment)
            }
            let dueAt = moment.now.advanced(by: delay)
            if delay > limits.maxWait { return postpone(item, until: atLeast == nil ? nil : dueAt, error, moment) }
            sidecars.putBack(item, dueAt: dueAt)
        case .refused(let error, let isFinal): if !renew(item) { fail(item, error, isFinal: isFinal, moment) }
        case .failed(let error, let isFinal): fail(item, error, isFinal: isFinal, moment)
        }
    }

    /// The run doesn't wait for it.
    private mutating func postpone(
        _ item: SidecarQueue.Item, until: Date?, _ error: DownloadError, _ moment: Moment
    ) {
        guard let row = item.row, let id = item.download else { return fail(item, error, isFinal: false, moment) }
        actions.append(.record(.sidecar(.waits(id, row.name, retryAt: until, error))))
        tally.hasSidecarsLeft = true
        settleSidecar(item.number, of: id, isStored: false)
    }

    private mutating func fail(
        _ item: SidecarQueue.Item, _ error: DownloadError, isFinal: Bool, rest: Duration? = nil, _ moment: Moment
    ) {
        actions.append(.emit(.sidecarFailed(item.number, error)))
        if let row = item.row, let id = item.download {
            let isFinal = isFinal && row.failedRuns + 1 >= Self.runsUntilGivenUp
            let retryAt = retryTime(failedRuns: row.failedRuns + 1, isFinal: isFinal, rest: rest, moment)
            actions.append(.record(.sidecar(.failed(id, row.name, error, retryAt: retryAt))))
            if isFinal { tally.hasGivenUpSidecars = true }
        }
        settleSidecar(item.number, of: item.download, isStored: false)
    }

    private func retryTime(failedRuns: Int, isFinal: Bool, rest: Duration?, _ moment: Moment) -> Date? {
        let pause = rest.map { min($0, Backoff.longest) } ?? Backoff.nextRun(failedRuns: failedRuns)
        return isFinal ? nil : moment.now.advanced(by: pause)
    }

    mutating func settleSidecar(_ number: Int, of id: DownloadID?, isStored: Bool) {
        actions.append(.forget(sidecar: number))
        if let (id, digest) = sidecars.settled(number, of: id, isStored: isStored) {
            actions.append(.record(.extrasStored(id, digest)))
        }
    }

    // MARK: questions

    /// Whether its turns are for what comes along only.
    func isQuestion(_ id: DownloadID) -> Bool { downloads[id]?.purpose == .sidecars }

    /// Whether its provider is asked once more than its video needs.
    package func isAskedAgain(_ id: DownloadID) -> Bool { isQuestion(id) || renewed.contains(id) }

    /// Whether that is since this run has been refused an address of its answer.
    package func isRenewed(_ id: DownloadID) -> Bool { renewed.contains(id) }

    /// Its address is no good: the provider is asked for new ones, once for each video. False if it has been.
    private mutating func renew(_ item: SidecarQueue.Item) -> Bool {
        guard item.row != nil, let id = item.download, renewed.insert(id).inserted else { return false }
        settleSidecar(item.number, of: id, isStored: false)
        forgetNamed(id)
        questions.insert(id)
        return true
    }

    private mutating func forgetNamed(_ id: DownloadID) {
        for number in sidecars.awaitResolution(of: id) { actions.append(.forget(sidecar: number)) }
    }

    /// Those whose files are there by now wait for their turns; those whose files won't come in this run never will.
    mutating func askOpenQuestions() {
        guard stopReason == nil else { return }
        for id in questions.sorted() {
            guard case .settled(let state)? = phases[id], var download = downloads[id] else { continue }
            questions.remove(id)
            guard state == .finished else { continue }
            download.purpose = .sidecars
            download.donor = nil
            download.size = nil
            download.failedRuns = 0
            downloads[id] = download
            enqueue(id, host: nil, dueAt: nil)
        }
    }

    /// A turn begins.
    mutating func ask(_ id: DownloadID) {
        forgetNamed(id)
        actions.append(.ask(id))
    }

    /// It is the next run's, or this one's after a login. Its rows say that something is wanted.
    mutating func leaveQuestion(_ id: DownloadID) {
        if let provider = downloads[id]?.provider, queue.isStopped(provider: provider) { awaitingLogin.insert(id) }
        settle(id, .finished)
    }

    /// What came with credentials that are forgotten isn't used any more.
    mutating func leaveSidecars(of provider: String) {
        for id in downloads.values.filter({ $0.provider == provider }).map(\.id).sorted() {
            let numbers = sidecars.awaitResolution(of: id)
            for number in numbers { actions.append(.forget(sidecar: number)) }
            let fetching = sidecars.fetching.values.filter { $0.download == id && $0.row != nil }.map(\.number)
            for number in fetching.sorted() { actions.append(.cancelFetch(sidecar: number)) }
            if !numbers.isEmpty || !fetching.isEmpty {
                awaitingLogin.insert(id)
                tally.providersToLogIn.insert(provider)
            }
        }
    }

    /// Somebody has logged in there.
    mutating func askAfterLogin(_ provider: String) {
        let ids = awaitingLogin.filter { downloads[$0]?.provider == provider }
        awaitingLogin.subtract(ids)
        questions.formUnion(ids)
    }

    mutating func failQuestion(
        _ id: DownloadID, _ error: DownloadError, isFinal: Bool, rest: Duration?, _ moment: Moment
    ) {
        let failedRuns = (downloads[id]?.failedRuns ?? 0) + 1
        let retryAt = retryTime(failedRuns: failedRuns, isFinal: isFinal, rest: rest, moment)
        actions.append(.record(.sidecar(.unanswered(id, error, retryAt: retryAt))))
        actions.append(.emit(.sidecarsUnknown(id, error)))
        if isFinal { tally.hasGivenUpSidecars = true }
        settle(id, .finished)
    }

    /// The person wants another try of what failed beside a video.
    mutating func wantSidecarsAgain(_ row: SteeredRow) {
        guard stopReason == nil, let again = row.wanted, again.purpose == .sidecars else { return }
        downloads[row.id] = again
        renewed.remove(row.id)
        actions.append(.renew(row.id))
        askAgain(again.provider)
        enqueue(row.id, host: nil, dueAt: nil)
    }

    /// What has become of each download. One whose provider is yet to be asked what comes along is finished.
    package var states: [DownloadID: DownloadState] {
        var states = phases.settled
        for (id, download) in downloads where download.purpose == .sidecars && states[id] == nil {
            states[id] = .finished
        }
        return states
    }
}
