package import DownloadStore
package import Foundation
import HeapModule

/// Chooses the next download: highest priority first, of equal ones videos before questions about finished videos, then
/// catalog order. A download that can't run now (its host is at its cap or cooling down, its provider asked to wait, or
/// it backs off) never blocks others.
package struct DownloadQueue: Sendable {
    /// A download that waits for its turn.
    package struct Entry: Sendable, Comparable {
        package var id: DownloadID
        /// Higher goes first.
        package var priority: Int
        /// Whether its turn is for sidecars of a finished video: it comes after all videos of its priority.
        package var isQuestion = false
        /// Place in catalog order; the lower goes first.
        package var ordinal: Int64
        /// The server that its provider asks.
        package var server: ProviderServer
        /// The last known host of its media; nil before it is resolved for the first time.
        package var host: String?
        /// How often its provider was unavailable for it, plus consecutive failed runs: if a provider is down those
        /// with the fewest are asked first.
        package var misses = 0

        package init(
            id: DownloadID, priority: Int, ordinal: Int64, server: ProviderServer, host: String? = nil
        ) {
            self.id = id
            self.priority = priority
            self.ordinal = ordinal
            self.server = server
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

    /// The waiting downloads of one server of a provider, in lanes that can run, or not, for the same reasons.
    private struct Lane {
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

        /// Whether it is as if nobody had ever heard of it.
        var isBlank: Bool {
            unresolved.isEmpty && byHost.isEmpty && !isStopped && isBlockedUntil == .distantPast && resolving == 0
                && downUntil == nil && probe == nil && search.inVain == 0
        }
    }

    /// Consecutive resolved downloads whose host is left alone.
    private struct Search {
        static let few = 5
        var inVain = 0
        var since = Date.distantPast
        var nextAt = Date.distantPast
    }

    /// The number of resolved downloads of one provider that may wait for their host before no more are resolved to
    /// look for others.
    package var lookAhead: Int
    /// Connections to one host.
    package var hostCap: Int {
        get { hosts.cap }
        set { hosts.cap = newValue }
    }
    private var lanes: [ProviderServer: Lane] = [:]
    /// Providers that the user has logged out from.
    private var stopped: Set<String> = []
    private var delayed = Heap<Delayed>()
    private var hosts: HostTable

    /// The number of waiting downloads, including those that back off.
    package private(set) var count = 0

    package init(hostCap: Int, lookAhead: Int) {
        hosts = HostTable(cap: hostCap)
        self.lookAhead = lookAhead
    }

    /// Adds a download; with `dueAt` it isn't chosen before that.
    package mutating func add(_ entry: Entry, dueAt: Date? = nil) {
        count += 1
        if let dueAt { delayed.insert(Delayed(dueAt: dueAt, entry: entry)) } else { insert(entry) }
    }

    private mutating func insert(_ entry: Entry) {
        if let host = entry.host {
            lanes[entry.server, default: Lane()].byHost[host, default: Heap()].insert(entry)
        } else {
            lanes[entry.server, default: Lane()].unresolved.insert(entry)
        }
    }

    /// Removes and returns the next download, or nil if none can run now.
    package mutating func next(at now: Date) -> Entry? {
        while let first = delayed.min, first.dueAt <= now { insert(delayed.removeMin().entry) }
        var best: Entry?
        for (server, lane) in lanes where isAsked(server, lane, at: now) {
            guard let entry = next(of: lane, at: now), best.map({ $0 < entry }) ?? true else { continue }
            best = entry
        }
        guard let best else { return nil }
        take(best)
        count -= 1
        return best
    }

    /// The next of one server: the first, or if it is down the one that checks whether it is back.
    private func next(of lane: Lane, at now: Date) -> Entry? {
        var heaps = lane.byHost.filter { isFree($0.key, at: now) }.map(\.value)
        guard lane.downUntil == nil else {
            if mayResolve(lane, at: now) { heaps.append(lane.unresolved) }
            return heaps.lazy.flatMap(\.unordered).max { ($1.misses, $0) < ($0.misses, $1) }
        }
        var best = heaps.compactMap(\.max).max()
        guard mayResolve(lane, at: now) else { return best }
        // If the hosts of the first ones are left alone, that of the last one may not be.
        let isLast = isSearching(lane, at: now) && lane.search.inVain % 2 == 1
        if let entry = isLast ? lane.unresolved.min : lane.unresolved.max, best.map({ $0 < entry }) ?? true {
            best = entry
        }
        return best
    }

    private mutating func take(_ entry: Entry) {
        func takeOut(of heap: inout Heap<Entry>) {
            if heap.max == entry {
                heap.removeMax()
            } else if heap.min == entry {
                heap.removeMin()
            } else {
                heap = Heap(heap.unordered.filter { $0 != entry })
            }
        }
        if let host = entry.host {
            takeOut(of: &lanes[entry.server, default: Lane()].byHost[host, default: Heap()])
            if lanes[entry.server]?.byHost[host]?.isEmpty == true { lanes[entry.server]?.byHost[host] = nil }
        } else {
            takeOut(of: &lanes[entry.server, default: Lane()].unresolved)
        }
        // Every choice looks at all lanes.
        if lanes[entry.server]?.isBlank == true { lanes[entry.server] = nil }
    }

    /// Whether a download could run if it were its turn.
    package func canRun(_ entry: Entry, at now: Date) -> Bool {
        let lane = lanes[entry.server] ?? Lane()
        guard isAsked(entry.server, lane, at: now) else { return false }
        return entry.host.map { isFree($0, at: now) } ?? mayResolve(lane, at: now)
    }

    /// Whether a provider may ask its server at that time.
    func isAsked(_ server: ProviderServer, at now: Date) -> Bool {
        isAsked(server, lanes[server] ?? Lane(), at: now)
    }

    private func isAsked(_ server: ProviderServer, _ lane: Lane, at now: Date) -> Bool {
        guard !lane.isStopped, lane.isBlockedUntil <= now, !stopped.contains(server.provider) else { return false }
        return lane.downUntil.map { $0 <= now && lane.probe == nil } ?? true
    }

    /// Whether an unresolved download is worth resolving: not if enough of its server already wait for a busy host.
    /// Those that wait for a host that is left alone say nothing about the next one's host, but only one at a time is
    /// resolved to check; and after a few with such a host the next check is at growing intervals.
    private func mayResolve(_ lane: Lane, at now: Date) -> Bool {
        let (busy, leftAlone) = waiting(lane, at: now)
        guard busy < lookAhead else { return false }
        return leftAlone < lookAhead || (lane.resolving == 0 && lane.search.nextAt <= now)
    }

    private func isSearching(_ lane: Lane, at now: Date) -> Bool {
        waiting(lane, at: now).leftAlone >= lookAhead
    }

    private func waiting(_ lane: Lane, at now: Date) -> (busy: Int, leftAlone: Int) {
        var busy = 0
        var leftAlone = 0
        for (host, heap) in lane.byHost {
            if isLeftAlone(host, at: now) {
                leftAlone += heap.count
            } else if !isFree(host, at: now) {
                busy += heap.count
            }
        }
        return (busy, leftAlone)
    }

    private func isLeftAlone(_ host: String, at now: Date) -> Bool { hosts.isLeftAlone(host, at: now) }

    /// A provider's first answer for a download leads to this host.
    package mutating func found(_ host: String, of server: ProviderServer, at now: Date) {
        var search = lanes[server]?.search ?? Search()
        if isLeftAlone(host, at: now) {
            if search.inVain == 0 { search.since = now }
            search.inVain += 1
            let distance = max(5, now.timeIntervalSince(search.since) / 4)
            search.nextAt = search.inVain < Search.few ? .distantPast : now + distance
        } else {
            search = Search()
        }
        lanes[server, default: Lane()].search = search
    }

    /// A turn begins by asking the provider.
    package mutating func beginResolving(_ server: ProviderServer) { lanes[server, default: Lane()].resolving += 1 }

    /// Ends ``beginResolving(_:)``.
    package mutating func endResolving(_ server: ProviderServer) { lanes[server, default: Lane()].resolving -= 1 }

    /// The earliest instant after `now` at which a waiting download could run; nil if there is none, or only the end of
    /// an active download can change it.
    package func nextDue(after now: Date) -> Date? {
        var earliest: Date?
        func consider(_ date: Date) { if date > now, earliest.map({ date < $0 }) ?? true { earliest = date } }
        for (server, lane) in lanes where !lane.isStopped && !stopped.contains(server.provider) {
            let asked = max(lane.isBlockedUntil, lane.downUntil ?? .distantPast)
            if !lane.unresolved.isEmpty { consider(max(asked, lane.search.nextAt)) }
            for host in lane.byHost.keys { consider(max(asked, hosts.blockedUntil(host) ?? .distantPast)) }
        }
        if let first = delayed.min { return min(max(first.dueAt, now), earliest ?? .distantFuture) }
        return earliest
    }

    /// Removes those of `ids` that are queued.
    package mutating func remove(_ ids: Set<DownloadID>) -> [Entry] { remove { ids.contains($0.id) } }

    package mutating func removeAll(of server: ProviderServer) -> [Entry] { remove { $0.server == server } }

    private mutating func remove(where isMeant: (Entry) -> Bool) -> [Entry] {
        var removed: [Entry] = []
        func sift(_ heap: inout Heap<Entry>) {
            let taken = heap.unordered.filter(isMeant)
            guard !taken.isEmpty else { return }
            removed += taken
            heap = Heap(heap.unordered.filter { !isMeant($0) })
        }
        for server in Array(lanes.keys) {
            guard var lane = lanes[server] else { continue }
            sift(&lane.unresolved)
            for host in Array(lane.byHost.keys) {
                guard var heap = lane.byHost[host] else { continue }
                sift(&heap)
                lane.byHost[host] = heap.isEmpty ? nil : heap
            }
            lanes[server] = lane
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

/// Hosts: see ``HostTable``.
extension DownloadQueue {
    /// Whether a connection to the host may be opened now.
    package func isFree(_ host: String, at now: Date) -> Bool { hosts.freeConnections(host, at: now) > 0 }

    /// The time until which the host's server is left alone; nil if it is unknown.
    package func blockedUntil(_ host: String) -> Date? { hosts.blockedUntil(host) }

    /// The number of further connections to the host allowed now.
    package func freeConnections(_ host: String, at now: Date) -> Int { hosts.freeConnections(host, at: now) }

    /// Counts a connection to a host.
    package mutating func occupy(_ host: String) { hosts.occupy(host) }

    /// Ends ``occupy(_:)``.
    package mutating func release(_ host: String) { hosts.release(host) }

    /// The number of connections by host, for hosts with any.
    package var connections: [String: Int] { hosts.connections }

    /// A transfer from the host's server succeeded: its failures are forgotten.
    package mutating func hostServed(_ host: String) { hosts.served(host) }

    /// A transfer that began at `start` failed in a way that concerns the whole server. Returns the time until which it
    /// is left alone if that is new.
    package mutating func hostFailed(
        _ host: String, startedAt start: Date, now: Date, jitter: Double, atLeast: Duration?
    ) -> Date? {
        hosts.failed(host, startedAt: start, now: now, jitter: jitter, atLeast: atLeast)
    }
}

/// Servers of providers: whether they may be asked.
extension DownloadQueue {
    /// Leaves a server alone until then.
    package mutating func block(_ server: ProviderServer, until: Date) {
        let known = lanes[server]?.isBlockedUntil ?? .distantPast
        lanes[server, default: Lane()].isBlockedUntil = max(until, known)
    }

    /// The time before which it isn't asked; nil if nothing is known of it.
    package func restsUntil(_ server: ProviderServer) -> Date? {
        lanes[server].map { max($0.isBlockedUntil, $0.downUntil ?? .distantPast) }
    }

    /// Stops choosing downloads of this server.
    package mutating func stop(_ server: ProviderServer) { lanes[server, default: Lane()].isStopped = true }

    /// Stops choosing downloads of this provider, whatever their servers are.
    package mutating func stop(provider: String) { stopped.insert(provider) }

    /// Resumes choosing downloads of this provider.
    package mutating func resume(provider: String) {
        stopped.remove(provider)
        for server in lanes.keys where server.provider == provider {
            lanes[server]?.isStopped = false
            setUp(server)
        }
    }

    /// Whether no download of this server is chosen.
    package func isStopped(_ server: ProviderServer) -> Bool {
        stopped.contains(server.provider) || lanes[server]?.isStopped ?? false
    }

    /// Marks it as down: one download at a time checks whether it is back, not before this time.
    package mutating func setDown(_ server: ProviderServer, until: Date) {
        lanes[server, default: Lane()].downUntil = until
    }

    /// Marks it as back.
    package mutating func setUp(_ server: ProviderServer) {
        lanes[server]?.downUntil = nil
        lanes[server]?.probe = nil
    }

    package func isDown(_ server: ProviderServer) -> Bool { lanes[server]?.downUntil != nil }

    /// The time of the next check whether it is back; nil if it isn't down.
    package func downUntil(_ server: ProviderServer) -> Date? { lanes[server]?.downUntil }

    /// A turn begins that checks whether its server is back, if that is down.
    package mutating func beginProbe(_ entry: Entry) {
        if isDown(entry.server) { lanes[entry.server]?.probe = entry.id }
    }

    /// Ends ``beginProbe(_:)``, if it was one.
    package mutating func endProbe(_ id: DownloadID, of server: ProviderServer) {
        if lanes[server]?.probe == id { lanes[server]?.probe = nil }
    }

    /// Whether its turn checks whether its server is back.
    package func isProbe(_ id: DownloadID, of server: ProviderServer) -> Bool { lanes[server]?.probe == id }
}
