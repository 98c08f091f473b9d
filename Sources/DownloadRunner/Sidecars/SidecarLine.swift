import DequeModule
import DownloadStore
import Foundation

/// The sidecars of a run: few at a time, and only with connections that no video can use.
struct SidecarLine: Sendable {
    /// Fetched at once.
    static let limit = 4
    /// How far down the line one looks for a sidecar whose host has room.
    private static let window = 64

    struct Item: Sendable {
        var wish: SidecarWish
        var ordinal: Int
    }

    /// What a video's catalog entry names is stored as a whole or not.
    private struct Group {
        var remaining: Set<SidecarWish.Owner>
        var hasFailed = false
        var digest: [UInt8]?
    }

    private var waiting: Deque<Item> = []
    private var groups: [DownloadID: Group] = [:]
    private var resolutions: Set<DownloadID> = []
    private var lastOrdinal = 0
    private(set) var running = 0
    private var isStopped = false

    init(_ wishes: [SidecarWish]) {
        for wish in wishes { add(wish) }
    }

    mutating func add(_ wish: SidecarWish) {
        guard !isStopped else { return }
        lastOrdinal += 1
        waiting.append(Item(wish: wish, ordinal: lastOrdinal))
    }

    /// Adds all that the catalog names for a video.
    mutating func add(_ wishes: [SidecarWish], of id: DownloadID, digest: [UInt8]) {
        guard !isStopped, groups[id] == nil, !wishes.isEmpty else { return }
        groups[id] = Group(remaining: Set(wishes.map(\.owner)), digest: digest)
        for wish in wishes { add(wish) }
    }

    /// True once for each download.
    mutating func isFirstResolution(of id: DownloadID) -> Bool { resolutions.insert(id).inserted }

    /// The wishes that aren't there yet.
    func missing(_ wishes: [SidecarWish], having records: [SidecarRecord]) -> [SidecarWish] {
        wishes.filter { wish in
            guard case .video(_, let kind, let name) = wish.owner else { return true }
            return !records.contains { $0.kind == kind && $0.name == name }
        }
    }

    /// Takes out the next whose host has room; `room` answers for a host, nil being no host at all.
    mutating func next(room: (String?) -> Bool) -> Item? {
        guard running < Self.limit, !isStopped else { return nil }
        guard let index = waiting.prefix(Self.window).firstIndex(where: { room($0.wish.host) }) else { return nil }
        running += 1
        return waiting.remove(at: index)
    }

    /// Takes out those whose host is left alone for longer than the run waits.
    mutating func hopeless(_ isHopeless: (String) -> Bool) -> [Item] {
        let items = Array(waiting.filter { $0.wish.host.map(isHopeless) == true })
        if !items.isEmpty { waiting.removeAll { $0.wish.host.map(isHopeless) == true } }
        return items
    }

    /// A fetch has ended. What it brought is placed, or it is over with it.
    mutating func fetchEnded() { running -= 1 }

    /// It is at its place, or never will be. Returns the digest to record when it was the last of a video's and all are
    /// there.
    mutating func settled(_ owner: SidecarWish.Owner, isStored: Bool) -> (DownloadID, [UInt8])? {
        guard case .video(let id, _, _) = owner, var group = groups[id], group.remaining.remove(owner) != nil else {
            return nil
        }
        group.hasFailed = group.hasFailed || !isStored
        groups[id] = group
        guard group.remaining.isEmpty else { return nil }
        groups[id] = nil
        return group.hasFailed ? nil : group.digest.map { (id, $0) }
    }

    /// Nothing that belongs beside this video is wanted any more. What is being fetched comes nevertheless.
    mutating func drop(_ id: DownloadID) {
        waiting.removeAll { item in
            if case .video(id, _, _) = item.wish.owner { true } else { false }
        }
        groups[id] = nil
    }

    /// Starts nothing more.
    mutating func stop() {
        isStopped = true
        waiting = []
    }

    /// Whether nothing is running or to be started.
    var isIdle: Bool { running == 0 && waiting.isEmpty }

    /// When the first host that holds one back is free again.
    func nextDue(after now: Date, _ queue: DownloadQueue) -> Date? {
        waiting.prefix(Self.window).compactMap { $0.wish.host.flatMap { queue.blockedUntil($0) } }.filter { $0 > now }
            .min()
    }
}
