import DownloadStore
import Foundation

/// Outages of providers' servers: their downloads wait, and one at a time checks whether the outage is over.
struct OutageRules: Sendable {
    /// A download's history of its provider's unavailability.
    private struct Silences: Sendable {
        /// Those between which others got answers: they count against the video.
        var own = 0
        /// The number of its provider's answers at the last of them.
        var answers = 0
    }

    private var outages: [ProviderServer: Outage] = [:]
    /// The number of a server's answers with a location.
    private var answers: [ProviderServer: Int] = [:]
    private var silences: [DownloadID: Silences] = [:]

    /// A provider was unavailable to a download. It doesn't count against the download unless others got answers in
    /// between.
    mutating func unavailable(
        _ id: DownloadID, of server: ProviderServer, _ error: DownloadError, retryAfter: Duration?, wasProbe: Bool,
        _ run: inout RunState
    ) {
        run.misses[id, default: 0] += 1
        if run.queue.isDown(server), !wasProbe {
            // It was asked before the outage was known.
            return run.putBack(id, error, until: run.queue.downUntil(server))
        }
        let own = noteSilence(id, server)
        var outage = outages[server] ?? Outage()
        let rest = outage.wasUnavailable(at: run.moment.now, atLeast: retryAfter)
        let isReported = rest.map { outage.reports($0) } ?? false
        outages[server] = outage
        var until = rest.map { run.moment.now.advanced(by: $0) }
        if let until {
            Self.leaveAlone(server, until: until, isReported ? error : nil, isRefused: outage.cause == .refusing, &run)
        }
        guard own < run.limits.retries else { return run.fail(id, error, isFinal: false, rest: retryAfter) }
        let delay = Backoff.delay(attempt: max(1, own), jitter: run.moment.jitter, atLeast: retryAfter)
        if rest == nil, !run.isQuestion(id) {
            run.emit(.retrying(id, attempt: run.misses[id] ?? 1, error, delay: delay))
        }
        until = max(until ?? run.moment.now, run.moment.now.advanced(by: delay))
        run.putBack(id, error, until: until)
    }

    private mutating func noteSilence(_ id: DownloadID, _ server: ProviderServer) -> Int {
        var silences = silences[id] ?? Silences()
        let answers = answers[server] ?? 0
        if answers > silences.answers { silences.own += 1 }
        silences.answers = answers
        self.silences[id] = silences
        return silences.own
    }

    /// A host has refused the provider's URL. If all are refused, it doesn't count against the videos.
    mutating func refused(
        _ id: DownloadID, of server: ProviderServer, _ error: DownloadError, isFinal: Bool, wasProbe: Bool,
        _ run: inout RunState
    ) {
        var outage = outages[server] ?? Outage()
        if outage.cause != .refusing, !outage.isTooMany(id) {
            outages[server, default: Outage()].hasFailed(id)
            return run.fail(id, error, isFinal: isFinal, isKept: true)
        }
        run.doubts[id] = RunState.Doubt(error: error, isFinal: isFinal)
        run.misses[id, default: 0] += 1
        if run.queue.isDown(server), !wasProbe {
            return run.putBack(id, error, until: run.queue.downUntil(server))
        }
        var rest = outage.wasRefused(id, at: run.moment.now)
        // After so long a refusal the video may be gone: the run doesn't wait endlessly to check.
        let isGivenUp = run.moment.now.timeIntervalSince(outage.since) >= run.limits.maxWait.timeInterval
        if isGivenUp { rest = Backoff.longest }
        let isReported = !isGivenUp && outage.reports(rest)
        outages[server] = outage
        let until = run.moment.now.advanced(by: rest)
        Self.leaveAlone(server, until: until, isReported ? error : nil, isRefused: true, &run)
        run.putBack(id, error, until: until)
    }

    private static func leaveAlone(
        _ server: ProviderServer, until: Date, _ error: DownloadError?, isRefused: Bool, _ run: inout RunState
    ) {
        run.queue.setDown(server, until: until, isRefused: isRefused)
        if let error { run.emit(.providerWaiting(server, until: until, error)) }
    }

    /// A provider has answered a download. `isGood`: with a location.
    mutating func answered(_ server: ProviderServer, isGood: Bool, _ run: inout RunState) {
        if isGood { answers[server, default: 0] += 1 }
        outages[server]?.answered()
        if outages[server]?.cause == nil { run.queue.setUp(server) }
    }

    /// A turn asks for a connection, so its provider has answered it, and it isn't a check any more.
    func hasAnswer(_ id: DownloadID, _ run: inout RunState) {
        guard run.phases[turn: id] != nil, let server = run.downloads[id]?.server,
            outages[server]?.cause == .unavailable
        else { return }
        run.queue.endProbe(id, of: server)
    }

    /// Whether a URL from a provider was refused.
    func hasRefused(_ server: ProviderServer) -> Bool { outages[server]?.refused.isEmpty == false }

    /// Bytes have arrived for a download.
    mutating func receives(_ id: DownloadID, _ run: inout RunState) {
        guard let server = run.downloads[id]?.server else { return }
        run.doubts[id] = nil
        guard let outage = outages[server], !outage.refused.isEmpty else { return }
        let failed = outage.cause == nil ? outage.affected : []
        let affected = outages[server]?.served() ?? []
        Self.giveUp(failed, &run)
        guard outage.cause == .refusing else { return }
        run.queue.setUp(server)
        for (other, _) in run.doubts where run.downloads[other]?.server == server { run.doubts[other] = nil }
        guard run.stopReason == nil else { return }
        for id in affected where run.phases[id] == .settled(.failed) {
            run.tally.forgetFailure(id)
            run.revive(id)
        }
    }

    /// Ends failed downloads that were kept in case their provider came back.
    private static func giveUp(_ ids: [DownloadID], _ run: inout RunState) {
        for id in ids where run.phases[id] == .settled(.failed) {
            run.actions.append(.dropEmptyPartial(id))
            run.actions.append(.dismiss(id))
        }
    }

    /// The run is over: so are the downloads that were kept.
    func giveUpVictims(_ run: inout RunState) {
        for outage in outages.values { Self.giveUp(outage.affected, &run) }
    }

    /// After a login at a provider, or a user's command for its downloads: forgets the outage.
    mutating func askAgain(_ provider: String, _ run: inout RunState) {
        run.queue.resume(provider: provider)
        outages = outages.filter { $0.key.provider != provider }
        run.tally.loginsNeeded = run.tally.loginsNeeded.filter { $0.provider != provider }
    }

    /// The user wants it again: an outage of its provider doesn't count against it.
    mutating func forget(_ id: DownloadID, _ run: inout RunState) {
        silences[id] = nil
        run.misses[id] = nil
        run.doubts[id] = nil
    }

    /// The run would end, and refused downloads were refused to the end: they fail with that error. Returns whether
    /// there were any.
    func failDoubted(_ run: inout RunState) -> Bool {
        let ids = run.doubts.keys.filter { if case .queued? = run.phases[$0] { true } else { false } }.sorted()
        guard !ids.isEmpty else { return false }
        _ = run.queue.remove(Set(ids))
        for id in ids {
            guard let doubt = run.doubts.removeValue(forKey: id) else { continue }
            run.fail(id, doubt.error, isFinal: doubt.isFinal)
        }
        return true
    }
}

extension DownloadError {
    /// Whether a host has refused the URL of a video, or doesn't know it.
    var isRefusal: Bool { kind == .urlRefused && (400..<500).contains(status ?? 0) }
}
