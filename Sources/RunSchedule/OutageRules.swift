import DownloadStore
import Foundation

/// Providers that serve nobody: their downloads wait, and one at a time finds out whether that is over.
struct OutageRules: Sendable {
    /// What a download has had of its provider's being unavailable.
    private struct Silences: Sendable {
        /// Those between which others got answers: they are the video's own.
        var own = 0
        /// Answers of its provider until the last of them.
        var answers = 0
    }

    private var outages: [String: Outage] = [:]
    /// Answers of a provider that said where a video is.
    private var answers: [String: Int] = [:]
    private var silences: [DownloadID: Silences] = [:]

    /// A provider was unavailable to one that asked. The download isn't to blame unless others got answers in between.
    mutating func unavailable(
        _ id: DownloadID, _ provider: String, _ error: DownloadError, _ retryAfter: Duration?, wasProbe: Bool,
        _ run: inout RunState, _ moment: Moment
    ) {
        run.misses[id, default: 0] += 1
        if run.queue.isDown(provider: provider), !wasProbe {
            // It was asked before that was known.
            return run.putBack(id, error, until: run.queue.downUntil(provider))
        }
        let own = noteSilence(id, provider)
        var outage = outages[provider] ?? Outage()
        let rest = outage.wasUnavailable(at: moment.now, atLeast: retryAfter)
        let isTold = rest.map { outage.tells($0) } ?? false
        outages[provider] = outage
        var until = rest.map { moment.now.advanced(by: $0) }
        if let until { Self.leaveAlone(provider, until, isTold ? error : nil, &run) }
        guard own < run.limits.retries else { return run.fail(id, error, isFinal: false, rest: retryAfter, moment) }
        let delay = Backoff.delay(attempt: max(1, own), jitter: moment.jitter, atLeast: retryAfter)
        if rest == nil, !run.isQuestion(id) {
            run.emit(.retrying(id, attempt: run.misses[id] ?? 1, error, delay: delay))
        }
        until = max(until ?? moment.now, moment.now.advanced(by: delay))
        run.putBack(id, error, until: until)
    }

    private mutating func noteSilence(_ id: DownloadID, _ provider: String) -> Int {
        var silences = silences[id] ?? Silences()
        let answers = answers[provider] ?? 0
        if answers > silences.answers { silences.own += 1 }
        silences.answers = answers
        self.silences[id] = silences
        return silences.own
    }

    /// A host has refused what the provider gave. If all are refused, the videos aren't to blame.
    mutating func refused(
        _ id: DownloadID, _ provider: String, _ error: DownloadError, isFinal: Bool, wasProbe: Bool,
        _ run: inout RunState, _ moment: Moment
    ) {
        var outage = outages[provider] ?? Outage()
        if outage.cause != .refusing, !outage.isTooMany(id) {
            outages[provider, default: Outage()].hasFailed(id)
            return run.fail(id, error, isFinal: isFinal, moment, isKept: true)
        }
        run.doubts[id] = RunState.Doubt(error: error, isFinal: isFinal)
        run.misses[id, default: 0] += 1
        if run.queue.isDown(provider: provider), !wasProbe {
            return run.putBack(id, error, until: run.queue.downUntil(provider))
        }
        var rest = outage.wasRefused(id, at: moment.now)
        // What is refused for so long may well be gone: the run doesn't wait for ever to find out.
        let isGivenUp = moment.now.timeIntervalSince(outage.since) >= run.limits.maxWait.timeInterval
        if isGivenUp { rest = Backoff.longest }
        let isTold = !isGivenUp && outage.tells(rest)
        outages[provider] = outage
        let until = moment.now.advanced(by: rest)
        Self.leaveAlone(provider, until, isTold ? error : nil, &run)
        run.putBack(id, error, until: until)
    }

    private static func leaveAlone(
        _ provider: String, _ until: Date, _ error: DownloadError?, _ run: inout RunState
    ) {
        run.queue.setDown(provider: provider, until: until)
        if let error { run.emit(.providerWaiting(provider, until: until, error)) }
    }

    /// A provider has answered somebody. `isGood`: with where the video is.
    mutating func answered(_ provider: String, isGood: Bool, _ run: inout RunState) {
        if isGood { answers[provider, default: 0] += 1 }
        outages[provider]?.answered()
        if outages[provider]?.cause == nil { run.queue.setUp(provider: provider) }
    }

    /// A turn asks for a connection, so its provider has an answer for it, and it asks nobody any more.
    func hasAnswer(_ id: DownloadID, _ run: inout RunState) {
        guard run.phases[turn: id] != nil, let provider = run.downloads[id]?.provider,
            outages[provider]?.cause == .unavailable
        else { return }
        run.queue.endProbe(id, of: provider)
    }

    /// Whether what a provider gave to somebody was refused.
    func hasRefused(_ provider: String) -> Bool { outages[provider]?.refused.isEmpty == false }

    /// Bytes have come for a download.
    mutating func receives(_ id: DownloadID, _ run: inout RunState) {
        guard let provider = run.downloads[id]?.provider else { return }
        run.doubts[id] = nil
        guard let outage = outages[provider], !outage.refused.isEmpty else { return }
        let failed = outage.cause == nil ? outage.victims : []
        let victims = outages[provider]?.served() ?? []
        Self.giveUp(failed, &run)
        guard outage.cause == .refusing else { return }
        run.queue.setUp(provider: provider)
        for (other, _) in run.doubts where run.downloads[other]?.provider == provider { run.doubts[other] = nil }
        guard run.stopReason == nil else { return }
        for victim in victims where run.phases[victim] == .settled(.failed) {
            run.tally.forgetFailure(victim)
            run.revive(victim)
        }
    }

    /// Those that failed and were kept, since their provider might have come back, are over.
    private static func giveUp(_ ids: [DownloadID], _ run: inout RunState) {
        for id in ids where run.phases[id] == .settled(.failed) {
            run.actions.append(.dropEmptyPartial(id))
            run.actions.append(.dismiss(id))
        }
    }

    /// The run is over: those that it has kept are as well.
    func giveUpVictims(_ run: inout RunState) {
        for outage in outages.values { Self.giveUp(outage.victims, &run) }
    }

    /// Somebody has logged in at a provider or wants its downloads to continue: whatever kept them is forgotten.
    mutating func askAgain(_ provider: String, _ run: inout RunState) {
        run.queue.resume(provider: provider)
        run.queue.setUp(provider: provider)
        outages[provider] = nil
        run.tally.providersToLogIn.remove(provider)
    }

    /// The person wants it again: what was wrong with its provider isn't held against it.
    mutating func forget(_ id: DownloadID, _ run: inout RunState) {
        silences[id] = nil
        run.misses[id] = nil
        run.doubts[id] = nil
    }

    /// The run would end, and what was refused was refused to the end: it fails of that. Returns whether there was any.
    func failDoubted(_ run: inout RunState, _ moment: Moment) -> Bool {
        let ids = run.doubts.keys.filter { if case .queued? = run.phases[$0] { true } else { false } }.sorted()
        guard !ids.isEmpty else { return false }
        _ = run.queue.remove(Set(ids))
        for id in ids {
            guard let doubt = run.doubts.removeValue(forKey: id) else { continue }
            run.fail(id, doubt.error, isFinal: doubt.isFinal, moment)
        }
        return true
    }
}

extension DownloadError {
    /// Whether a host has refused the URL of a video, or doesn't know it.
    var isRefusal: Bool { kind == .urlRefused && (400..<500).contains(status ?? 0) }
}
