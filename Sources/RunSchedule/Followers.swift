package import DownloadStore

/// Downloads of the same bytes: one is transferred, the others wait for its file.
package struct Followers: Sendable {
    private var leaders: [DownloadID: DownloadID] = [:]
    private var followers: [DownloadID: [DownloadID]] = [:]

    package init() {}

    /// `follower` waits for `leader`, which must not follow anybody.
    package mutating func add(_ follower: DownloadID, to leader: DownloadID) {
        leaders[follower] = leader
        followers[leader, default: []].append(follower)
    }

    /// `follower` waits for nobody any more.
    package mutating func remove(_ follower: DownloadID) {
        guard let leader = leaders.removeValue(forKey: follower) else { return }
        followers[leader]?.removeAll { $0 == follower }
    }

    /// Whether it waits for another one.
    package func isFollower(_ id: DownloadID) -> Bool { leaders[id] != nil }

    /// For whom it waits.
    package func leader(of id: DownloadID) -> DownloadID? { leaders[id] }

    /// Whether nobody waits for anybody.
    package var isEmpty: Bool { leaders.isEmpty }

    /// Those that somebody waits for, in no order.
    package var all: some Sequence<DownloadID> { followers.lazy.filter { !$0.value.isEmpty }.map(\.key) }

    /// Who waits for a leader, in order.
    package func of(_ leader: DownloadID) -> [DownloadID] { followers[leader] ?? [] }

    /// One of a leader's followers takes the lead; the leader follows it, with the others.
    package mutating func yield(_ leader: DownloadID, to next: DownloadID) {
        for id in finished(leader) + [leader] where id != next { add(id, to: next) }
    }

    /// The leader's file is there: everybody who waited for it.
    package mutating func finished(_ leader: DownloadID) -> [DownloadID] {
        let released = followers.removeValue(forKey: leader) ?? []
        for id in released { leaders[id] = nil }
        return released
    }

    /// The leader's file won't come: the next leader, whom the others follow now. Of those that have a time to wait for, or had
    /// one, none is it if there is another.
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
