package import DownloadStore
package import Foundation
import HeapModule

/// Chooses what runs next: highest priority first, then catalog order. Whatever can't run now, because its host is at
/// its cap or cooling down, its provider was asked to wait, or it backs off itself, never blocks what can.
///
/// A value without I/O: time comes in as an argument, and whoever holds it starts and ends the downloads.
package struct DownloadQueue {
    /// A download that waits for its turn.
    package struct Entry: Sendable, Comparable {
        /// Its id.
        package var id: DownloadID
        /// Higher goes first.
        package var priority: Int
        /// Place in catalog order; the lower goes first.
        package var ordinal: Int64
        /// The provider's name.
        package var provider: String
        /// The host that its media came from last; nil before it is resolved for the first time.
        package var host: String?

        package init(id: DownloadID, priority: Int, ordinal: Int64, provider: String, host: String? = nil) {
            self.id = id
            self.priority = priority
            self.ordinal = ordinal
            self.provider = provider
            self.host = host
        }

        /// Smaller comes later.
        package static func < (a: Entry, b: Entry) -> Bool {
            (a.priority, b.ordinal, b.id.rawValue) < (b.priority, a.ordinal, a.id.rawValue)
        }
    }

    private struct Delayed: Comparable {
        var dueAt: Date
        var entry: Entry

        static func < (a: Delayed, b: Delayed) -> Bool { (a.dueAt, b.entry) < (b.dueAt, a.entry) }
    }

    /// Entries that can run or not for the same reasons.
    private struct Lane: Hashable {
        var provider: String
        var host: String?
    }

    private struct Host {
        var inUse = 0
        var isBlockedUntil = Date.distantPast
        var failures = 0
        /// When the last cool-down was set: failures of transfers that began before it are the same failure.
        var failedAt = Date.distantPast
    }

    /// Resolved downloads of one provider that may wait for their host before no more are resolved to look for others.
    private let lookAhead: Int
    /// Connections to one host.
    package var hostCap: Int
    private var lanes: [Lane: Heap<Entry>] = [:]
    private var delayed = Heap<Delayed>()
    private var hosts: [String: Host] = [:]
    private var providersBlockedUntil: [String: Date] = [:]
    private var stoppedProviders: Set<String> = []

    /// How many wait, those that back off included.
    package private(set) var count = 0

    package init(hostCap: Int, lookAhead: Int) {
        self.hostCap = hostCap
        self.lookAhead = lookAhead
    }

    /// Adds a download; with `dueAt` it isn't chosen before then.
    package mutating func add(_ entry: Entry, dueAt: Date? = nil) {
        count += 1
        if let dueAt { delayed.insert(Delayed(dueAt: dueAt, entry: entry)) } else { insert(entry) }
    }

    private mutating func insert(_ entry: Entry) {
        lanes[Lane(provider: entry.provider, host: entry.host), default: Heap()].insert(entry)
    }

    /// Takes out the download whose turn it is, or nil if none can run now.
    package mutating func next(at now: Date) -> Entry? {
        while let first = delayed.min, first.dueAt <= now { insert(delayed.removeMin().entry) }
        var best: (lane: Lane, entry: Entry)?
        for (lane, heap) in lanes {
            guard let entry = heap.max, best.map({ $0.entry < entry }) ?? true, canRun(lane, at: now) else { continue }
            best = (lane, entry)
        }
        guard let best else { return nil }
        lanes[best.lane]?.removeMax()
        if lanes[best.lane]?.isEmpty == true { lanes[best.lane] = nil }
        count -= 1
        return best.entry
    }

    /// Whether nothing but its turn keeps a download from running.
    package func canRun(_ entry: Entry, at now: Date) -> Bool {
        canRun(Lane(provider: entry.provider, host: entry.host), at: now)
    }

    private func canRun(_ lane: Lane, at now: Date) -> Bool {
        if stoppedProviders.contains(lane.provider) { return false }
        if let until = providersBlockedUntil[lane.provider], until > now { return false }
        if let host = lane.host { return isFree(host, at: now) }
        // Unresolved: worth resolving unless enough of this provider already wait for a host that is busy.
        let parked = lanes.reduce(0) { sum, lane_ in
            lane_.key.provider == lane.provider && lane_.key.host.map { !isFree($0, at: now) } == true
                ? sum + lane_.value.count : sum
        }
        return parked < lookAhead
    }

    /// Whether a connection to the host may be opened now.
    package func isFree(_ host: String, at now: Date) -> Bool {
        guard let facts = hosts[host] else { return true }
        return facts.inUse < hostCap && facts.isBlockedUntil <= now
    }

    /// Until when the host is left alone; nil if it isn't known.
    package func blockedUntil(_ host: String) -> Date? { hosts[host]?.isBlockedUntil }

    /// How many more connections to the host are allowed now.
    package func room(_ host: String, at now: Date) -> Int {
        guard let facts = hosts[host] else { return hostCap }
        return facts.isBlockedUntil <= now ? hostCap - facts.inUse : 0
    }

    /// Counts a connection to a host.
    package mutating func occupy(_ host: String) { hosts[host, default: Host()].inUse += 1 }

    /// Ends what ``occupy(_:)`` began.
    package mutating func release(_ host: String) {
        guard var facts = hosts[host] else { return }
        facts.inUse -= 1
        hosts[host] = facts
    }

    /// A transfer from the host went well: its failures are forgotten.
    package mutating func hostServed(_ host: String) {
        if hosts[host]?.failures ?? 0 > 0 { hosts[host]?.failures = 0 }
    }

    /// A transfer that began at `start` failed in a way that concerns the whole host. Returns until when it is left
    /// alone if that is news.
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

    /// Leaves a provider alone until then.
    package mutating func block(provider: String, until: Date) {
        providersBlockedUntil[provider] = max(until, providersBlockedUntil[provider] ?? until)
    }

    /// Chooses nothing of this provider any more.
    package mutating func stop(provider: String) { stoppedProviders.insert(provider) }

    /// The earliest instant after `now` at which something that can't run now could; nil if there is none, or only the end
    /// of an active download can change it.
    package func nextDue(after now: Date) -> Date? {
        var dates = lanes.keys.compactMap { lane -> Date? in
            guard !stoppedProviders.contains(lane.provider) else { return nil }
            let provider = providersBlockedUntil[lane.provider] ?? .distantPast
            let host = lane.host.flatMap { hosts[$0]?.isBlockedUntil } ?? parkedHostDue(lane, after: now)
            let due = max(provider, host)
            return due > now ? due : nil
        }
        if let first = delayed.min { dates.append(max(first.dueAt, now)) }
        return dates.min()
    }

    /// An unresolved lane that is held back by parked ones moves when the first of their hosts is free again.
    private func parkedHostDue(_ lane: Lane, after now: Date) -> Date {
        guard lane.host == nil, !canRun(lane, at: now) else { return .distantPast }
        let dates = lanes.keys.compactMap { other in
            other.provider == lane.provider ? other.host.flatMap { hosts[$0]?.isBlockedUntil } : nil
        }
        return dates.filter { $0 > now }.min() ?? .distantPast
    }

    /// Chooses of this provider again.
    package mutating func resume(provider: String) { stoppedProviders.remove(provider) }

    /// Takes out those of `ids` that are in it.
    package mutating func remove(_ ids: Set<DownloadID>) -> [Entry] {
        var removed: [Entry] = []
        for (lane, heap) in lanes {
            let taken = heap.unordered.filter { ids.contains($0.id) }
            guard !taken.isEmpty else { continue }
            removed += taken
            let rest = heap.unordered.filter { !ids.contains($0.id) }
            lanes[lane] = rest.isEmpty ? nil : Heap(rest)
        }
        let backingOff = delayed.unordered.filter { ids.contains($0.entry.id) }
        if !backingOff.isEmpty {
            delayed = Heap(delayed.unordered.filter { !ids.contains($0.entry.id) })
            removed += backingOff.map(\.entry)
        }
        count -= removed.count
        return removed
    }

    /// Takes out everything of one provider.
    package mutating func removeAll(of provider: String) -> [Entry] {
        let waiting = lanes.filter { $0.key.provider == provider }
        for lane in waiting.keys { lanes[lane] = nil }
        let backingOff = delayed.unordered.filter { $0.entry.provider == provider }
        if !backingOff.isEmpty { delayed = Heap(delayed.unordered.filter { $0.entry.provider != provider }) }
        let all = waiting.values.flatMap { $0.unordered } + backingOff.map(\.entry)
        count -= all.count
        return all
    }
}
