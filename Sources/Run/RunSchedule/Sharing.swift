import DownloadStore

/// Downloads of a run that may have the same bytes: one is transferred, the others wait for its file.
struct Sharing: Sendable {
    /// The first download that needs other bytes than a file has, and its own file once that is in place.
    struct Other: Sendable {
        var leader: DownloadID
        var donor: Donor?
    }

    var followers: Followers
    /// By the path of a file that wasn't the expected one. Others for which the file is wrong, too, follow the leader.
    var otherwise: [String: Other] = [:]

    /// The leader's file is in place. Returns its followers.
    mutating func finished(_ leader: DownloadID, _ donor: Donor) -> [DownloadID] {
        for (path, other) in otherwise where other.leader == leader { otherwise[path]?.donor = donor }
        return followers.finished(leader)
    }
}
