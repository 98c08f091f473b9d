package import DownloadStore
import Foundation

/// Providers that serve nobody: their downloads wait, and one at a time finds out whether that is over.
extension Schedule {
    /// A download whose provider was unavailable to it, or that was refused.
    struct Misses: Sendable, Equatable {
        /// Times: the fewer it has, the sooner it finds out whether its provider is back.
        var count = 0
        /// Those between which others got answers: they are the video's own.
        var own = 0
        /// Answers of its provider until the last of them.
        var answers = 0
    }

    /// What a download fails of if its provider isn't back before the run ends.
    struct Doubt: Sendable {
        var error: DownloadError
        var isFinal: Bool
    }

    /// A provider was unavailable to one that asked. The download isn't to blame unless others got answers in between.
    mutating func unavailable(
        _ id: DownloadID, _ provider: String, _ error: DownloadError, _ retryAfter: Duration?, wasProbe: Bool,
        _ moment: Moment
    ) {
        misses[id, default: Misses()].count += 1
        if queue.isDown(provider: provider), !wasProbe {
            // It was asked before that was known.
            return putBack(id, error, until: queue.downUntil(provider))
        }
        var facts = providers[provider, default: ProviderFacts()]
        var miss = misses[id, default: Misses()]
        if facts.answers > miss.answers { miss.own += 1 }
        miss.answers = facts.answers
        misses[id] = miss
        let rest = facts.outage.wasUnavailable(at: moment.now, atLeast: retryAfter)
        let isTold = rest.map { facts.outage.tells($0) } ?? false
        providers[provider] = facts
        var until = rest.map { moment.now.advanced(by: $0) }
        if let until { leaveAlone(provider, until, isTold ? error : nil) }
        guard miss.own < limits.retries else { return fail(id, error, isFinal: false, rest: retryAfter, moment) }
        let delay = Backoff.delay(attempt: max(1, miss.own), jitter: moment.jitter, atLeast: retryAfter)
        if rest == nil, !isQuestion(id) {
            actions.append(.emit(.retrying(id, attempt: miss.count, error, delay: delay)))
        }
        until = max(until ?? moment.now, moment.now.advanced(by: delay))
        putBack(id, error, until: until)
    }

    /// A host has refused what the provider gave. If all are refused, the videos aren't to blame.
    mutating func refused(
        _ id: DownloadID, _ provider: String, _ error: DownloadError, isFinal: Bool, wasProbe: Bool,
        _ moment: Moment
    ) {
        let outage = providers[provider]?.outage ?? Outage()
        if outage.cause != .refusing, !outage.isTooMany(id) {
            providers[provider, default: ProviderFacts()].outage.hasFailed(id)
            return fail(id, error, isFinal: isFinal, moment, isKept: true)
        }
        doubts[id] = Doubt(error: error, isFinal: isFinal)
        misses[id, default: Misses()].count += 1
        if queue.isDown(provider: provider), !wasProbe {
            return putBack(id, error, until: queue.downUntil(provider))
        }
        var facts = providers[provider, default: ProviderFacts()]
        var rest = facts.outage.wasRefused(id, at: moment.now)
        // What is refused for so long may well be gone: the run doesn't wait for ever to find out.
        let isGivenUp = moment.now.timeIntervalSince(facts.outage.since) >= limits.maxWait.timeInterval
        if isGivenUp { rest = Backoff.longest }
        let isTold = !isGivenUp && facts.outage.tells(rest)
        providers[provider] = facts
        let until = moment.now.advanced(by: rest)
        leaveAlone(provider, until, isTold ? error : nil)
        putBack(id, error, until: until)
    }

    private mutating func leaveAlone(_ provider: String, _ until: Date, _ error: DownloadError?) {
        queue.setDown(provider: provider, until: until)
        if let error { actions.append(.emit(.providerWaiting(provider, until: until, error))) }
    }

    /// A provider has answered somebody. `isGood`: with where the video is.
    mutating func answered(_ provider: String, isGood: Bool) {
        if isGood { providers[provider, default: ProviderFacts()].answers += 1 }
        providers[provider]?.outage.answered()
        if providers[provider]?.outage.cause == nil { queue.setUp(provider: provider) }
    }

    /// Whether it matters that bytes come for a download: what its provider gave to others was refused.
    package func isRefused(_ id: DownloadID) -> Bool {
        guard case .running? = phases[id], let provider = downloads[id]?.provider else { return false }
        return providers[provider]?.outage.refused.isEmpty == false
    }

    /// Bytes have come for a download.
    mutating func receives(_ id: DownloadID) {
        guard let provider = downloads[id]?.provider else { return }
        doubts[id] = nil
        guard let outage = providers[provider]?.outage, !outage.refused.isEmpty else { return }
        let failed = outage.cause == nil ? outage.victims : []
        let victims = providers[provider]?.outage.served() ?? []
        for other in failed where phases[other] == .settled(.failed) { giveUp(other) }
        guard outage.cause == .refusing else { return }
        queue.setUp(provider: provider)
        for (other, _) in doubts where downloads[other]?.provider == provider { doubts[other] = nil }
        guard stopReason == nil else { return }
        for victim in victims where phases[victim] == .settled(.failed) {
            tally.forgetFailure(victim)
            revive(victim)
        }
    }

    /// One that failed and was kept, since its provider might have come back, is over.
    private mutating func giveUp(_ id: DownloadID) {
        actions.append(.dropEmptyPartial(id))
        actions.append(.dismiss(id))
    }

    /// The run is over: those that it has kept are as well.
    mutating func giveUpVictims() {
        for facts in providers.values {
            for id in facts.outage.victims where phases[id] == .settled(.failed) { giveUp(id) }
        }
    }

    /// What has ended in this run waits again after all.
    mutating func revive(_ id: DownloadID) {
        actions.append(.record(.revive(id)))
        actions.append(.emit(.waiting(id)))
        enqueue(id, host: nil, dueAt: nil)
    }

    /// Somebody has logged in at a provider or wants its downloads to go on: whatever kept them is forgotten.
    mutating func askAgain(_ provider: String) {
        queue.resume(provider: provider)
        queue.setUp(provider: provider)
        providers[provider]?.outage = Outage()
        tally.providersToLogIn.remove(provider)
    }

    /// The run would end, and what was refused was refused to the end: it fails of that. Returns whether there was any.
    mutating func failDoubted(_ moment: Moment) -> Bool {
        let ids = doubts.keys.filter { if case .queued? = phases[$0] { true } else { false } }.sorted()
        guard !ids.isEmpty else { return false }
        _ = queue.remove(Set(ids))
        for id in ids {
            guard let doubt = doubts.removeValue(forKey: id) else { continue }
            fail(id, doubt.error, isFinal: doubt.isFinal, moment)
        }
        return true
    }
}

extension DownloadError {
    /// Whether a host has refused the URL of a video, or doesn't know it.
    var isRefusal: Bool { kind == .urlRefused && (400..<500).contains(status ?? 0) }
}
