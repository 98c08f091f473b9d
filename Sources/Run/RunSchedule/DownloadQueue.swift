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
        /// The last known host of its media; nil if its provider is to be asked first.
        package var host: String?
        /// Until when its provider's answer, which has come already, can be used; nil if none has.
        package var usableUntil: Date?
        /// Whether its turn needs neither an answer nor a host: a file of the library is proven to have its bytes.
        package var isLinked = false
        /// Whether it gets a slot before its provider has answered: the user wants it now.
        package var isUrgent = false
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

    /// The number of resolved downloads of one server that may wait for their host before no more are resolved to look
    /// for others.
    package var lookAhead: Int
    /// Connections to one host.
    package var hostCap: Int {
        get { hosts.cap }
        set { hosts.cap = newValue }
    }
    var lanes: [ProviderServer: Lane] = [:]
    /// The requests in progress by provider.
    private var requests: [String: Int] = [:]
    /// Providers that the user has logged out from.
    var stopped: Set<String> = []
    private var delayed = Heap<Delayed>()
    var hosts: HostTable

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
        if entry.host != nil || entry.isLinked {
            lanes[entry.server, default: Lane()].byPlace[Place(entry), default: Heap()].insert(entry)
        } else {
            lanes[entry.server, default: Lane()].unresolved.insert(entry)
        }
    }

    /// Queues those whose time has come.
    package mutating func recall(at now: Date) {
        while let first = delayed.min, first.dueAt <= now { insert(delayed.removeMin().entry) }
    }

    // MARK: the next one

    /// The next download for a slot; nil if none can run now.
    package func next(at now: Date) -> Entry? { best { next(of: $1, $0, at: now) } }

    /// The next download whose provider may be asked; nil if there is none.
    ///
    /// - Parameter isWanted: whether one more answer of a server is wanted; `first`: the first of its downloads by
    ///   priority and order, or of those whose hosts are known and free, which wait for nothing else.
    package func nextToAsk(at now: Date, where isWanted: (_ first: Entry) -> Bool) -> Entry? {
        best { server, lane in
            guard isAsked(server, lane, at: now), let first = firstToAsk(of: lane, at: now) else { return nil }
            if isWanted(first) { return nextToAsk(of: lane, at: now) }
            guard first.host == nil, lane.downUntil == nil else { return nil }
            return firstOfFreeHosts(lane, at: now).flatMap { isWanted($0) ? $0 : nil }
        }
    }

    private func best(_ candidate: (ProviderServer, Lane) -> Entry?) -> Entry? {
        var best: Entry?
        for (server, lane) in lanes {
            guard let entry = candidate(server, lane), best.map({ $0 < entry }) ?? true else { continue }
            best = entry
        }
        return best
    }

    /// The first of one server for a slot, or if it is down the one that checks whether it is back.
    private func next(of lane: Lane, _ server: ProviderServer, at now: Date) -> Entry? {
        guard !isStopped(server) else { return nil }
        let isAsked = isAsked(server, lane, at: now)
        // While the server isn't asked, answers that have come already are as good as before.
        let isServing = isAsked && lane.downUntil == nil
        var first = lane.byPlace.compactMap { place, heap in
            let isReady = place.isAnswered ? isServing || !lane.isRefused : isServing && place.host == nil
            return isReady && isFree(place.host, at: now) ? heap.max : nil
        }.max()
        if isAsked, lane.downUntil != nil, let probe = probe(of: lane, at: now), probe.usableUntil != nil {
            first = max(first ?? probe, probe)
        }
        if isAsked, let urgent = lane.unresolved.max, urgent.isUrgent, first.map({ $0 < urgent }) ?? true,
            mayResolve(lane, at: now)
        {
            first = urgent
        }
        return first
    }

    /// The one that checks whether a server is back that is down: the one for which it was so least often. While URLs
    /// are refused one that is known already does, as soon as its host is free.
    private func probe(of lane: Lane, at now: Date) -> Entry? {
        let known = lane.byPlace.filter { place, heap in
            place.isAnswered && place.host.map { !isLeftAlone($0, at: now) } ?? false
                && heap.unordered.contains { $0.usableUntil ?? .distantPast > now }
        }
        let isKnown = lane.isRefused && !known.isEmpty
        let places = isKnown ? known : lane.byPlace.filter { !$0.key.isAnswered }
        var heaps = places.filter { isFree($0.key.host, at: now) }.map(\.value)
        if !isKnown, mayResolve(lane, at: now) { heaps.append(lane.unresolved) }
        return heaps.lazy.flatMap(\.unordered).max { ($1.misses, $0) < ($0.misses, $1) }
    }

    private func nextToAsk(of lane: Lane, at now: Date) -> Entry? {
        guard lane.downUntil == nil else {
            return probe(of: lane, at: now).flatMap { $0.usableUntil == nil ? $0 : nil }
        }
        let first = firstToAsk(of: lane, at: now)
        guard first?.host == nil, isSearching(lane, at: now), lane.search.inVain % 2 == 1 else { return first }
        // If the hosts of the first ones are left alone, that of the last one may not be.
        return first == nil ? nil : lane.unresolved.min
    }

    /// The first one by priority and order that needs an answer: its host isn't known, or is free.
    private func firstToAsk(of lane: Lane, at now: Date) -> Entry? {
        let unresolved = mayResolve(lane, at: now) ? lane.unresolved.max : nil
        return [firstOfFreeHosts(lane, at: now), unresolved].compactMap(\.self).max()
    }

    /// The first one that needs another answer, and whose host is known and free.
    private func firstOfFreeHosts(_ lane: Lane, at now: Date) -> Entry? {
        lane.byPlace.compactMap { place, heap in
            !place.isAnswered && place.host != nil && isFree(place.host, at: now) ? heap.max : nil
        }.max()
    }

    /// The number of downloads with an answer that could begin with the next slot, and come before `entry`.
    package func ready(before entry: Entry, at now: Date) -> Int {
        lanes.reduce(0) { sum, item in
            let (server, lane) = item
            guard !isStopped(server), !lane.isRefused else { return sum }
            return lane.byPlace.reduce(sum) { sum, item in
                let (place, heap) = item
                guard place.isAnswered, isFree(place.host, at: now) else { return sum }
                return sum + heap.unordered.count { entry < $0 }
            }
        }
    }

    /// The downloads of a server that wait for hosts without a free connection; and the connections that these hosts
    /// take, nil if the server has downloads at other hosts, too. Without those whose host is left alone.
    package func busy(_ server: ProviderServer, at now: Date) -> (count: Int, connections: Int?) {
        var (count, isFreeElsewhere, busyHosts) = (0, false, Set<String>())
        for (place, heap) in lanes[server]?.byPlace ?? [:] {
            guard let host = place.host, !isLeftAlone(host, at: now) else { continue }
            if isFree(host, at: now) {
                isFreeElsewhere = true
            } else {
                count += heap.count
                busyHosts.insert(host)
            }
        }
        let isLimited = count > 0 && !isFreeElsewhere
        return (count, isLimited ? busyHosts.reduce(0) { $0 + hosts.cap(of: $1) } : nil)
    }

    /// Removes a download that ``next(at:)`` or ``nextToAsk(at:where:)`` has returned.
    package mutating func take(_ entry: Entry) {
        takeOut(entry)
        count -= 1
    }

    private mutating func takeOut(_ entry: Entry) {
        func remove(from heap: inout Heap<Entry>) {
            if heap.max == entry {
                heap.removeMax()
            } else if heap.min == entry {
                heap.removeMin()
            } else {
                heap = Heap(heap.unordered.filter { $0 != entry })
            }
        }
        if entry.host != nil || entry.isLinked {
            let place = Place(entry)
            remove(from: &lanes[entry.server, default: Lane()].byPlace[place, default: Heap()])
            if lanes[entry.server]?.byPlace[place]?.isEmpty == true { lanes[entry.server]?.byPlace[place] = nil }
        } else {
            remove(from: &lanes[entry.server, default: Lane()].unresolved)
        }
        // Every choice looks at all lanes.
        if lanes[entry.server]?.isBlank == true { lanes[entry.server] = nil }
    }

    /// Whether a download could run if it were its turn.
    package func canRun(_ entry: Entry, at now: Date) -> Bool {
        let lane = lanes[entry.server] ?? Lane()
        guard hasAnswer(entry) ? !isStopped(entry.server) : isAsked(entry.server, lane, at: now) else { return false }
        if entry.isLinked { return true }
        if let host = entry.host { return isFree(host, at: now) }
        return mayResolve(lane, at: now) && busy(entry.server, at: now).count < lookAhead
    }

    /// Whether it has an answer that is as good as before while its server isn't asked.
    package func hasAnswer(_ entry: Entry) -> Bool {
        entry.usableUntil != nil && lanes[entry.server]?.isRefused != true
    }

    /// Whether a provider may ask its server at that time.
    func isAsked(_ server: ProviderServer, at now: Date) -> Bool {
        isAsked(server, lanes[server] ?? Lane(), at: now)
    }

    private func isAsked(_ server: ProviderServer, _ lane: Lane, at now: Date) -> Bool {
        guard !lane.isStopped, lane.isBlockedUntil <= now, !stopped.contains(server.provider) else { return false }
        return lane.downUntil.map { $0 <= now && lane.probe == nil } ?? true
    }

    /// Whether an unresolved download is worth resolving. Those that wait for a host that is left alone say nothing
    /// about the next one's host; but if there are many only one at a time is resolved to check, and after a few with
    /// such a host the next check is at growing intervals.
    private func mayResolve(_ lane: Lane, at now: Date) -> Bool {
        !isSearching(lane, at: now) || (lane.resolving == 0 && lane.search.nextAt <= now)
    }

    private func isSearching(_ lane: Lane, at now: Date) -> Bool {
        lane.byPlace.reduce(0) { sum, entry in
            entry.key.host.map { isLeftAlone($0, at: now) } ?? false ? sum + entry.value.count : sum
        } >= lookAhead
    }

    private func isFree(_ host: String?, at now: Date) -> Bool { host.map { isFree($0, at: now) } ?? true }

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
    package mutating func beginResolving(_ server: ProviderServer) {
        lanes[server, default: Lane()].resolving += 1
        requests[server.provider, default: 0] += 1
    }

    /// Ends ``beginResolving(_:)``.
    package mutating func endResolving(_ server: ProviderServer) {
        lanes[server, default: Lane()].resolving -= 1
        requests[server.provider, default: 0] -= 1
    }

    /// The turns that are asking a provider.
    package func asking(_ provider: String) -> Int { requests[provider] ?? 0 }

    /// The earliest instant after `now` at which a waiting download could run; nil if there is none, or only the end of
    /// an active download can change it.
    package func nextDue(after now: Date) -> Date? {
        var earliest: Date?
        func consider(_ date: Date) { if date > now, earliest.map({ date < $0 }) ?? true { earliest = date } }
        for (server, lane) in lanes where !lane.isStopped && !stopped.contains(server.provider) {
            let asked = max(lane.isBlockedUntil, lane.downUntil ?? .distantPast)
            if !lane.unresolved.isEmpty { consider(max(asked, lane.search.nextAt)) }
            for place in lane.byPlace.keys {
                let free = place.host.flatMap { hosts.blockedUntil($0) } ?? .distantPast
                consider(place.isAnswered && !lane.isRefused ? free : max(asked, free))
            }
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
            for place in Array(lane.byPlace.keys) {
                guard var heap = lane.byPlace[place] else { continue }
                sift(&heap)
                lane.byPlace[place] = heap.isEmpty ? nil : heap
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

    /// Whether a download waits for this host.
    func isAwaited(_ host: String) -> Bool {
        lanes.values.contains { lane in
            lane.byPlace.keys.contains { $0.host.map { HostTable.host(of: $0) } == HostTable.host(of: host) }
        }
    }

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
    package mutating func hostServed(_ host: String, at now: Date) { hosts.served(host, at: now) }

    /// A transfer that began at `start` failed in a way that concerns the whole server. Returns the time until which it
    /// is left alone if that is new.
    package mutating func hostFailed(
        _ host: String, startedAt start: Date, now: Date, jitter: Double, atLeast: Duration?, isTooMany: Bool = false
    ) -> Date? {
        hosts.failed(
            host, startedAt: start, now: now, jitter: jitter, atLeast: atLeast, isTooMany: isTooMany)
    }
}
