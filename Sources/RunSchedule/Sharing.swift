import DownloadStore

/// Who may have the same bytes as whom in a run: one is transferred, the others wait for its file.
struct Sharing: Sendable {
    /// The first download that wants other bytes than a file has, and its own file once that is there.
    struct Other: Sendable {
        var leader: DownloadID
        var donor: Donor?
    }

    var followers: Followers
    /// By the path of a file that wasn't what was thought. Those for which the file isn't right either follow the leader.
    var otherwise: [String: Other] = [:]

    /// The leader's file is there. Returns who waited for it.
    mutating func finished(_ leader: DownloadID, _ donor: Donor) -> [DownloadID] {
        for (path, other) in otherwise where other.leader == leader { otherwise[path]?.donor = donor }
        return followers.finished(leader)
    }
}
