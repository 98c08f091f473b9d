import DownloadStore

/// Downloads of a run that may have the same bytes: one is transferred, the others wait for its file.
///
/// After a comparison with a file of other bytes, those that saw the same follow the first of them, and the others are
/// transferred beside each other: the requests of many downloads with one id are at most a few for each.
struct Sharing: Sendable {
    /// The comparisons of a download in a run: one tells its size, one its entity tag and middle, one is the proof.
    static let mostComparisons = 3

    /// What a download saw, in the last of some comparisons.
    private struct Comparisons: Sendable {
        var count = 0
        var seen = SeenFile()
    }

    var followers: Followers
    /// Until a download ends in this run.
    private var comparisons: [DownloadID: Comparisons] = [:]
    /// Those that are to be compared with a file.
    private var candidates: Set<DownloadID> = []
    /// The first of those that saw the same, by ``SeenFile/likenesses(besides:)``.
    private var first: [Int: DownloadID] = [:]
    /// Files of those that are in place.
    private var files: [DownloadID: Donor] = [:]

    init(followers: Followers) { self.followers = followers }

    /// It is to be compared with a file.
    mutating func willCompare(_ id: DownloadID) { candidates.insert(id) }

    /// It was compared, and differs.
    mutating func differs(_ id: DownloadID, _ seen: SeenFile) {
        candidates.remove(id)
        comparisons[id, default: Comparisons()].count += 1
        comparisons[id]?.seen = seen
    }

    /// Whether another comparison may prove that it has the bytes of this file.
    func allows(_ donor: Donor, for id: DownloadID) -> Bool {
        guard let known = comparisons[id] else { return true }
        return known.count < Self.mostComparisons && known.seen.allows(donor)
    }

    /// The first download that saw the same as this one when it differed from `donor`, with its file if that is in
    /// place; nil if this one is the first now.
    ///
    /// - Parameter isComing: whether the file of a download that isn't in place may still come.
    mutating func first(
        like id: DownloadID, besides donor: Donor, isComing: (DownloadID) -> Bool
    ) -> (id: DownloadID, file: Donor?)? {
        guard let known = comparisons[id], known.count < Self.mostComparisons else { return nil }
        let likenesses = known.seen.likenesses(besides: donor)
        for other in likenesses.compactMap({ first[$0] }) where other != id {
            if let file = files[other] { return (other, file) }
            if isComing(other), !followers.isFollower(other) { return (other, nil) }
        }
        for likeness in likenesses { first[likeness] = id }
        return nil
    }

    /// The leader's file is in place. Returns its followers.
    mutating func finished(_ leader: DownloadID, _ donor: Donor) -> [DownloadID] {
        if comparisons.removeValue(forKey: leader) != nil { files[leader] = donor }
        return followers.finished(leader)
    }

    /// It has ended in this run. What it saw stays if its file is in place, until ``finished(_:_:)``.
    mutating func ended(_ id: DownloadID, isFinished: Bool) {
        followers.remove(id)
        candidates.remove(id)
        if !isFinished { comparisons[id] = nil }
        forgetIfDone()
    }

    /// Once nobody waits for a file or a comparison, it doesn't matter any more who saw the same.
    mutating func forgetIfDone() {
        guard candidates.isEmpty, followers.isEmpty else { return }
        (first, files) = ([:], [:])
    }
}
