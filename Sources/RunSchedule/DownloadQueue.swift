package import DownloadStore
package import Foundation
import HeapModule

/// Chooses the next download: highest priority first, of equal ones videos before questions about finished videos, then
/// catalog order. A download that can't run now (its host is at its cap or cooling down, its provider asked to wait, or
/// it backs off) never blocks others.
package struct DownloadQueue: Sendable {
    /// A download that waits for its turn.
    package struct Entry: Sendable, Comparable {
        /// Its id.
        package var id: DownloadID
        /// Higher goes first.
        package var priority: Int
        /// Whether its turn is for sidecars of a finished video: it comes after all videos of its priority.
        package var isQuestion = false
        /// Place in catalog order; the lower goes first.
        package var ordinal: Int64
        /// The provider's name.
        package var provider: String
        /// The last known host of its media; nil before it is resolved for the first time.
        package var host: String?
        /// How often its provider was unavailable for it, plus consecutive failed runs: if a provider is down those
        /// with the fewest are asked first.
        package var misses = 0

        package init(id: DownloadID, priority: Int, ordinal: Int64, provider: String, host: String? = nil) {
            self.id = id
            self.priority = priority
            self.ordinal = ordinal
            self.provider = provider
            self.host = host
        }

        /// Smaller comes later.
        package static func < (a: Entry, b: Entry) -> Bool {
            guard a.isQuestion == b.isQuestion || a.priority != b.priority else { return a.isQuestion }
            return (a.priority, b.ordinal, b.id.rawValue) < (b.priority, a.ordinal, a.id.rawValue)
        }
    }

    private struct Delayed: Comparable {
        var dueAt: Date
        var entry: Entry

        static func < (a: Delayed, b: Delayed) -> Bool { (a.dueAt, b.entry) < (b.dueAt, a.entry) }
    }

    /// The waiting downloads of one provider, in lanes that can run, or not, for the same reasons.
    private struct Provider {
        var unresolved = Heap<Entry>()
        var byHost: [String: Heap<Entry>] = [:]
        var isBlockedUntil = Date.distantPast
        var isStopped = false
        /// The number of turns that are being resolved, without a known host.
        var resolving = 0
        /// It is down: none is chosen before this time, and then one at a time. Nil if it isn't.
        var downUntil: Date?
        /// The download that checks whether it is back.
        var probe: DownloadID?
        var search = Search()
    }

    /// Consecutive resolved downloads whose host is left alone.
    private struct Search {
        static let few = 5
        var inVain = 0
        var since = Date.distantPast
        var nextAt = Date.distantPast
    }

    private struct Host {
        var inUse = 0
        var isBlockedUntil = Date.distantPast
        var failures = 0
        /// The time of the last cool-down: failures of transfers that began before it are the same failure.
        var failedAt = Date.distantPast
    }

    /// The number of resolved downloads of one provider that may wait for their host before no more are resolved to
    /// look for others.
    package var lookAhead: Int
    /// Connections to one host.
    package var hostCap: Int
    private var providers: [String: Provider] = [:]
    private var delayed = Heap<Delayed>()
    private var hosts: [String: Host] = [:]

    /// The number of waiting downloads, including those that back off.
    package private(set) var count = 0

    package init(hostCap: Int, lookAhead: Int) {
        self.hostCap = hostCap
        self.lookAhead = lookAhead
    }

    /// Adds a download; with `dueAt` it isn't chosen before that.
    package mutating func add(_ entry: Entry, dueAt: Date? = nil) {
        count += 1
        if let dueAt { delayed.insert(Delayed(dueAt: dueAt, entry: entry)) } else { insert(entry) }
    }

    private mutating func insert(_ entry: Entry) {
        if let host = entry.host {
            providers[entry.provider, default: Provider()].byHost[host, default: Heap()].insert(entry)
        } else {
            providers[entry.provider, default: Provider()].unresolved.insert(entry)
        }
    }

    /// Removes and returns the next download, or nil if none can run now.
    package mutating func next(at now: Date) -> Entry? {
        while let first = delayed.min, first.dueAt <= now { insert(delayed.removeMin().entry) }
        var best: Entry?
        for provider in providers.values where isAsked(provider, at: now) {
            guard let entry = next(of: provider, at: now), best.map({ $0 < entry }) ?? true else { continue }
            best = entry
        }
        guard let best else { return nil }
        take(best)
        count -= 1
        return best
    }

    /// The next of one provider: the first, or if it is down the one that checks whether it is back.
    private func next(of provider: Provider, at now: Date) -> Entry? {
        var lanes = provider.byHost.filter { isFree($0.key, at: now) }.map(\.value)
        guard provider.downUntil == nil else {
            if mayResolve(provider, at: now) { lanes.append(provider.unresolved) }
            return lanes.lazy.flatMap(\.unordered).max { ($1.misses, $0) < ($0.misses, $1) }
        }
        var best = lanes.compactMap(\.max).max()
        guard mayResolve(provider, at: now) else { return best }
        // If the hosts of the first ones are left alone, that of the last one may not be.
        let isLast = isSearching(provider, at: now) && provider.search.inVain % 2 == 1
        if let entry = isLast ? provider.unresolved.min : provider.unresolved.max, best.map({ $0 < entry }) ?? true {
            best = entry
        }
        return best
    }

    private mutating func take(_ entry: Entry) {
        func takeOut(of lane: inout Heap<Entry>) {
            if lane.max == entry {
                lane.removeMax()
            } else if lane.min == entry {
                lane.removeMin()
            } else {
                lane = Heap(lane.unordered.filter { $0 != entry })
            }
        }
        guard let host = entry.host else {
            return takeOut(of: &providers[entry.provider, default: Provider()].unresolved)
        }
        takeOut(of: &providers[entry.provider, default: Provider()].byHost[host, default: Heap()])
        if providers[entry.provider]?.byHost[host]?.isEmpty == true { providers[entry.provider]?.byHost[host] = nil }
    }

    /// Whether a download could run if it were its turn.
    package func canRun(_ entry: Entry, at now: Date) -> Bool {
        let provider = providers[entry.provider] ?? Provider()
        guard isAsked(provider, at: now) else { return false }
        return entry.host.map { isFree($0, at: now) } ?? mayResolve(provider, at: now)
    }

    /// Whether a provider may be asked at that time.
    func isAsked(_ provider: String, at now: Date) -> Bool { isAsked(providers[provider] ?? Provider(), at: now) }

    private func isAsked(_ provider: Provider, at now: Date) -> Bool {
        guard !provider.isStopped, provider.isBlockedUntil <= now else { return false }
        return provider.downUntil.map { $0 <= now && provider.probe == nil } ?? true
    }

    /// Whether an unresolved download is worth resolving: not if enough of its provider already wait for a busy host.
    /// Those that wait for a host that is left alone say nothing about the next one's host, but only one at a time is
    /// resolved to check; and after a few with such a host the next check is at growing intervals.
    private func mayResolve(_ provider: Provider, at now: Date) -> Bool {
        let (busy, leftAlone) = waiting(provider, at: now)
        guard busy < lookAhead else { return false }
        return leftAlone < lookAhead || (provider.resolving == 0 && provider.search.nextAt <= now)
    }

    private func isSearching(_ provider: Provider, at now: Date) -> Bool {
        waiting(provider, at: now).leftAlone >= lookAhead
    }

    private func waiting(_ provider: Provider, at now: Date) -> (busy: Int, leftAlone: Int) {
        var busy = 0
        var leftAlone = 0
        for (host, lane) in provider.byHost {
            if isLeftAlone(host, at: now) {
                leftAlone += lane.count
            } else if !isFree(host, at: now) {
                busy += lane.count
            }
        }
        return (busy, leftAlone)
    }

    private func isLeftAlone(_ host: String, at now: Date) -> Bool { hosts[host]?.isBlockedUntil ?? now > now }

    /// A provider's first answer for a download leads to this host.
    package mutating func found(_ host: String, of provider: String, at now: Date) {
        var search = providers[provider]?.search ?? Search()
        if isLeftAlone(host, at: now) {
            if search.inVain == 0 { search.since = now }
            search.inVain += 1
            let distance = max(5, now.timeIntervalSince(search.since) / 4)
            search.nextAt = search.inVain < Search.few ? .distantPast : now + distance
        } else {
            search = Search()
        }
        providers[provider, default: Provider()].search = search
    }

    /// A turn begins by asking the provider.
    package mutating func beginResolving(_ provider: String) { providers[provider, default: Provider()].resolving += 1 }

    /// Ends ``beginResolving(_:)``.
    package mutating func endResolving(_ provider: String) { providers[provider, default: Provider()].resolving -= 1 }

    /// The earliest instant after `now` at which a waiting download could run; nil if there is none, or only the end of
    /// an active download can change it.
    package func nextDue(after now: Date) -> Date? {
        var earliest: Date?
        func consider(_ date: Date) { if date > now, earliest.map({ date < $0 }) ?? true { earliest = date } }
        for provider in providers.values where !provider.isStopped {
            let asked = max(provider.isBlockedUntil, provider.downUntil ?? .distantPast)
            if !provider.unresolved.isEmpty { consider(max(asked, provider.search.nextAt)) }
            for host in provider.byHost.keys { consider(max(asked, hosts[host]?.isBlockedUntil ?? .distantPast)) }
        }
        if let first = delayed.min { return min(max(first.dueAt, now), earliest ?? .distantFuture) }
        return earliest
    }

    /// Removes those of `ids` that are queued.
    package mutating func remove(_ ids: Set<DownloadID>) -> [Entry] { remove { ids.contains($0.id) } }

    /// Removes all downloads of one provider.
    package mutating func removeAll(of provider: String) -> [Entry] { remove { $0.provider == provider } }

    private mutating func remove(where isMeant: (Entry) -> Bool) -> [Entry] {
        var removed: [Entry] = []
        func sift(_ lane: inout Heap<Entry>) {
            let taken = lane.unordered.filter(isMeant)
            guard !taken.isEmpty else { return }
            removed += taken
            lane = Heap(lane.unordered.filter { !isMeant($0) })
        }
        for name in providers.keys {
            guard var provider = providers[name] else { continue }
            sift(&provider.unresolved)
            for host in Array(provider.byHost.keys) {
                guard var lane = provider.byHost[host] else { continue }
                sift(&lane)
                provider.byHost[host] = lane.isEmpty ? nil : lane
            }
            providers[name] = provider
        }
        let backingOff = delayed.unordered.filter { isMeant($0.entry) }
        if !backingOff.isEmpty {
            delayed = Heap(delayed.unordered.filter { !isMeant($0.entry) })
            removed += backingOff.map(\.entry)
        }
        count -= removed.count
        return removed
    }
}

/// Hosts: the number of connections to each, and until when it is left alone.
extension DownloadQueue {
    /// Whether a connection to the host may be opened now.
    package func isFree(_ host: String, at now: Date) -> Bool { room(host, at: now) > 0 }

    /// The time until which the host is left alone; nil if the host is unknown.
    package func blockedUntil(_ host: String) -> Date? { hosts[host]?.isBlockedUntil }

    /// The number of further connections to the host allowed now.
    package func room(_ host: String, at now: Date) -> Int {
        guard let facts = hosts[host] else { return hostCap }
        return facts.isBlockedUntil <= now ? max(0, hostCap - facts.inUse) : 0
    }

    /// Counts a connection to a host.
    package mutating func occupy(_ host: String) { hosts[host, default: Host()].inUse += 1 }

    /// Ends ``occupy(_:)``.
    package mutating func release(_ host: String) { hosts[host]?.inUse -= 1 }

    /// The number of connections by host, for hosts with any.
    package var connections: [String: Int] { hosts.mapValues(\.inUse).filter { $0.value != 0 } }

    /// A transfer from the host succeeded: its failures are forgotten.
    package mutating func hostServed(_ host: String) {
        if hosts[host]?.failures ?? 0 > 0 { hosts[host]?.failures = 0 }
    }

    /// A transfer that began at `start` failed in a way that concerns the whole host. Returns the time until which it
    /// is left alone if that is new.
    package mutating func hostFailed(
        _ host: String, startedAt start: Date, now: Date, jitter: Double, atLeast: Duration?
    ) -> Date? {
        var facts = hosts[host, default: Host()]
        defer { hosts[host] = facts }
        if start >= facts.failedAt {
            facts.failures += 1
            facts.failedAt = now
        } else if atLeast == nil {
            return nil
        }
        let until = now.advanced(by: Backoff.coolDown(failures: facts.failures, jitter: jitter, atLeast: atLeast))
        guard until > facts.isBlockedUntil else { return nil }
        facts.isBlockedUntil = until
        return until
    }
}

/// Providers: whether they may be asked.
extension DownloadQueue {
    /// Leaves a provider alone until then.
    package mutating func block(provider: String, until: Date) {
        let known = providers[provider]?.isBlockedUntil ?? .distantPast
        providers[provider, default: Provider()].isBlockedUntil = max(until, known)
    }

    /// Stops choosing downloads of this provider.
    package mutating func stop(provider: String) { providers[provider, default: Provider()].isStopped = true }

    /// Resumes choosing downloads of this provider.
    package mutating func resume(provider: String) { providers[provider]?.isStopped = false }

    /// Whether no download of this provider is chosen.
    package func isStopped(provider: String) -> Bool { providers[provider]?.isStopped ?? false }

    /// Marks it as down: one download at a time checks whether it is back, not before this time.
    package mutating func setDown(provider: String, until: Date) {
        providers[provider, default: Provider()].downUntil = until
    }

    /// Marks it as back.
    package mutating func setUp(provider: String) {
        providers[provider]?.downUntil = nil
        providers[provider]?.probe = nil
    }

    /// Whether it is down.
    package func isDown(provider: String) -> Bool { providers[provider]?.downUntil != nil }

    /// The time of the next check whether it is back; nil if it isn't down.
    package func downUntil(_ provider: String) -> Date? { providers[provider]?.downUntil }

    /// A turn begins that checks whether its provider is back, if that is down.
    package mutating func beginProbe(_ entry: Entry) {
        if isDown(provider: entry.provider) { providers[entry.provider]?.probe = entry.id }
    }

    /// Ends ``beginProbe(_:)``, if it was one.
    package mutating func endProbe(_ id: DownloadID, of provider: String) {
        if providers[provider]?.probe == id { providers[provider]?.probe = nil }
    }

    /// Whether its turn checks whether its provider is back.
    package func isProbe(_ id: DownloadID, of provider: String) -> Bool { providers[provider]?.probe == id }
}
