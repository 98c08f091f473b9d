import DequeModule
package import DownloadStore
package import Foundation
import HeapModule

/// The sidecars of a run: few at a time, in order, and only with connections that no video can use. Those that wait for
/// one host never block those for another; each step costs a logarithm of the number that wait.
package struct SidecarQueue: Sendable {
    /// Downloaded at a time.
    package static let limit = 4

    /// A cover, subtitle or attachment to download.
    package struct Item: Sendable, Equatable {
        /// Its number in the run; the lower goes first.
        package var number: Int
        /// The video that it belongs to; nil for the cover of a course or chapter.
        package var download: DownloadID?
        /// Its host; nil for a file on the disk.
        package var host: String?
        /// Its row; nil for a sidecar of the catalog, which has none before it is stored.
        package var row: Row?
        /// Failed attempts.
        package var attempts = 0

        package init(number: Int, download: DownloadID?, host: String?, row: Row? = nil) {
            self.number = number
            self.download = download
            self.host = host
            self.row = row
        }
    }

    /// The row of a sidecar that a provider names.
    package struct Row: Sendable, Equatable {
        /// Its name among those of its video.
        package var name: SidecarName
        /// The number of consecutive runs in which it failed.
        package var failedRuns: Int

        package init(_ name: SidecarName, failedRuns: Int = 0) {
            self.name = name
            self.failedRuns = failedRuns
        }
    }

    /// The sidecars of a video's catalog entry, which count as stored only all together.
    private struct Group {
        var remaining: Set<Int>
        var hasFailed = false
        var digest: ExtrasDigest
    }

    private struct Delayed: Comparable {
        var dueAt: Date
        var number: Int

        static func < (a: Delayed, b: Delayed) -> Bool { (a.dueAt, a.number) < (b.dueAt, b.number) }
    }

    private struct Head: Comparable {
        var number: Int
        var host: String?

        static func < (a: Head, b: Head) -> Bool { a.number < b.number }
    }

    /// The waiting ones. Entries of the queues that aren't in it are ignored.
    private var waiting: [Int: Item] = [:]
    private var queues: [String?: Deque<Int>] = [:]
    /// The first of each queue that isn't set aside.
    private var heads = Heap<Head>()
    /// Hosts without a free connection at the last check.
    private var aside: Set<String> = []
    /// Those that wait for a time; they are in no queue.
    private var delayed = Heap<Delayed>()
    private var ofDownload: [DownloadID: Set<Int>] = [:]
    private var groups: [DownloadID: Group] = [:]
    private var resolutions: Set<DownloadID> = []
    private var isStopped = false
    /// The sidecars in transfer, by number.
    package private(set) var fetching: [Int: Item] = [:]
    /// Those being placed.
    package private(set) var placing: [Int: Item] = [:]

    package init() {}

    /// Adds one at the end.
    package mutating func add(_ item: Item) {
        guard !isStopped else { return }
        note(item)
        enqueue(item)
    }

    /// One in transfer waits again, at least until this time.
    package mutating func putBack(_ item: Item, dueAt: Date) {
        guard !isStopped else { return }
        note(item)
        delayed.insert(Delayed(dueAt: dueAt, number: item.number))
    }

    /// Queues those whose time has come.
    package mutating func recall(at now: Date) {
        while let first = delayed.min, first.dueAt <= now {
            delayed.removeMin()
            if let item = waiting[first.number] { enqueue(item) }
        }
    }

    private mutating func note(_ item: Item) {
        waiting[item.number] = item
        if let download = item.download { ofDownload[download, default: []].insert(item.number) }
    }

    private mutating func enqueue(_ item: Item) {
        let isNew = queues[item.host] == nil
        queues[item.host, default: []].append(item.number)
        if isNew { heads.insert(Head(number: item.number, host: item.host)) }
    }

    /// Adds all sidecars that the catalog names for a video.
    package mutating func add(_ items: [Item], of id: DownloadID, digest: ExtrasDigest) {
        guard !isStopped, groups[id] == nil, !items.isEmpty else { return }
        groups[id] = Group(remaining: Set(items.map(\.number)), digest: digest)
        for item in items { add(item) }
    }

    /// Whether no sidecar that a provider names for this video has been added yet.
    package func awaitsResolution(of id: DownloadID) -> Bool { !resolutions.contains(id) && !isStopped }

    /// Adds a provider's sidecars of a video; only once. Returns the numbers of those in progress already.
    package mutating func addResolved(_ items: [Item], of id: DownloadID) -> [Int] {
        guard !items.isEmpty, resolutions.insert(id).inserted else { return [] }
        let busy = [fetching, placing].flatMap { $0.values.filter { $0.download == id }.compactMap(\.row?.name) }
        for item in items where !busy.contains(where: { $0 == item.row?.name }) { add(item) }
        return items.filter { item in busy.contains { $0 == item.row?.name } }.map(\.number)
    }

    /// Its provider is asked once more: sidecars that it has named so far and that aren't in progress are dropped.
    /// Returns their numbers.
    package mutating func awaitResolution(of id: DownloadID) -> [Int] {
        resolutions.remove(id)
        let numbers = (ofDownload[id] ?? []).filter { waiting[$0]?.row != nil }.sorted()
        for number in numbers { _ = take(number) }
        return numbers
    }

    /// Removes and returns the next one whose host has a free connection.
    package mutating func next(hasConnection: (String) -> Bool) -> Item? {
        guard fetching.count < Self.limit, !waiting.isEmpty else { return nil }
        for host in aside where hasConnection(host) { recall(host) }
        while let head = heads.popMin() {
            guard let number = first(of: head.host) else { continue }
            guard number == head.number else {
                heads.insert(Head(number: number, host: head.host))
                continue
            }
            if let host = head.host, !hasConnection(host) {
                aside.insert(host)
                continue
            }
            queues[head.host]?.removeFirst()
            if let next = first(of: head.host) { heads.insert(Head(number: next, host: head.host)) }
            guard let item = take(number) else { continue }
            fetching[number] = item
            return item
        }
        return nil
    }

    private mutating func recall(_ host: String) {
        aside.remove(host)
        if let number = first(of: host) { heads.insert(Head(number: number, host: host)) }
    }

    /// The first of a queue that still waits; an empty queue is removed.
    private mutating func first(of host: String?) -> Int? {
        while let number = queues[host]?.first {
            if waiting[number] != nil { return number }
            queues[host]?.removeFirst()
        }
        queues[host] = nil
        if let host { aside.remove(host) }
        return nil
    }

    private mutating func take(_ number: Int) -> Item? {
        guard let item = waiting.removeValue(forKey: number) else { return nil }
        // The time of a dropped one must not cause a wake-up.
        while let first = delayed.min, waiting[first.number] == nil { delayed.removeMin() }
        if let download = item.download {
            ofDownload[download]?.remove(number)
            if ofDownload[download]?.isEmpty == true { ofDownload[download] = nil }
        }
        return item
    }

    /// Removes those whose host is left alone for longer than the run waits.
    package mutating func hopeless(_ isHopeless: (String) -> Bool) -> [Item] {
        var taken: [Item] = []
        for host in aside where isHopeless(host) {
            taken += (queues.removeValue(forKey: host) ?? []).compactMap { take($0) }
            aside.remove(host)
        }
        return taken
    }

    /// A download has ended; if it succeeded, it is placed. Returns the item.
    package mutating func fetched(_ number: Int, isPlaced: Bool) -> Item? {
        guard let item = fetching.removeValue(forKey: number) else { return nil }
        if isPlaced { placing[number] = item }
        return item
    }

    /// It is placed, or never will be. Returns the digest to record when it was the last of a video's and all are
    /// stored.
    package mutating func settled(_ number: Int, of id: DownloadID?, isStored: Bool) -> (DownloadID, ExtrasDigest)? {
        placing[number] = nil
        guard let id, var group = groups[id], group.remaining.remove(number) != nil else { return nil }
        group.hasFailed = group.hasFailed || !isStored
        groups[id] = group.remaining.isEmpty ? nil : group
        return group.remaining.isEmpty && !group.hasFailed ? (id, group.digest) : nil
    }

    /// Drops all sidecars of this video. Those in transfer are completed nevertheless. Returns the numbers of the
    /// dropped ones.
    package mutating func drop(_ id: DownloadID) -> [Int] {
        groups[id] = nil
        resolutions.remove(id)
        let numbers = Array(ofDownload[id] ?? [])
        for number in numbers { _ = take(number) }
        return numbers
    }

    /// Starts nothing more.
    package mutating func stop() {
        isStopped = true
        waiting = [:]
        queues = [:]
        heads = Heap()
        aside = []
        delayed = Heap()
        ofDownload = [:]
    }

    /// Whether none is waiting.
    package var hasNothingWaiting: Bool { waiting.isEmpty }

    /// Whether none is waiting, in transfer or being placed.
    package var isIdle: Bool { waiting.isEmpty && fetching.isEmpty && placing.isEmpty }

    /// The time when the first host that was set aside is free again, or the first due time.
    package func nextDue(after now: Date, _ queue: DownloadQueue) -> Date? {
        let free = aside.compactMap { queue.blockedUntil($0) }.filter { $0 > now }.min()
        return [free, delayed.min.map { max($0.dueAt, now) }].compactMap { $0 }.min()
    }
}
