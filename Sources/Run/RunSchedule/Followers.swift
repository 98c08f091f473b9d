package import DownloadStore

/// Downloads of the same bytes: one is transferred, the others wait for its file.
package struct Followers: Sendable {
    private var leaders: [DownloadID: DownloadID] = [:]
    private var followers: [DownloadID: [DownloadID]] = [:]

    package init() {}

    /// Makes `follower` wait for `leader`, which must not be a follower.
    package mutating func add(_ follower: DownloadID, to leader: DownloadID) {
        leaders[follower] = leader
        followers[leader, default: []].append(follower)
    }

    /// Ends the wait of `follower`.
    package mutating func remove(_ follower: DownloadID) {
        guard let leader = leaders.removeValue(forKey: follower) else { return }
        followers[leader]?.removeAll { $0 == follower }
    }

    /// Whether it waits for another one.
    package func isFollower(_ id: DownloadID) -> Bool { leaders[id] != nil }

    /// The download that it waits for.
    package func leader(of id: DownloadID) -> DownloadID? { leaders[id] }

    /// Whether there are no followers.
    package var isEmpty: Bool { leaders.isEmpty }

    /// All leaders, in no order.
    package var all: some Sequence<DownloadID> { followers.lazy.filter { !$0.value.isEmpty }.map(\.key) }

    /// The followers of a leader, in order.
    package func of(_ leader: DownloadID) -> [DownloadID] { followers[leader] ?? [] }

    /// Makes a follower the leader; the former leader follows it, with the others.
    package mutating func yield(_ leader: DownloadID, to next: DownloadID) {
        for id in finished(leader) + [leader] where id != next { add(id, to: next) }
    }

    /// The leader's file is in place: returns its followers.
    package mutating func finished(_ leader: DownloadID) -> [DownloadID] {
        let released = followers.removeValue(forKey: leader) ?? []
        for id in released { leaders[id] = nil }
        return released
    }

    /// The leader's file won't come: returns the next leader, which the others follow now. One that has, or had, a time
    /// to wait for is chosen only if there is no other.
    package mutating func failed(
        _ leader: DownloadID, hasTime: (DownloadID) -> Bool = { _ in false }
    ) -> DownloadID? {
        var rest = finished(leader)
        guard !rest.isEmpty else { return nil }
        let next = rest.remove(at: rest.firstIndex { !hasTime($0) } ?? 0)
        for id in rest { add(id, to: next) }
        return next
    }
}
