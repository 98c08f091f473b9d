import DownloadStore
import Migration
import SyncFacts

/// The records of a migration, counted by what became of them; bounded, however many there are.
struct MigrationTally {
    /// Records with the same code and reason.
    struct Group {
        var code: MigrationCode
        /// What they have in common.
        var heading: String
        /// The next step of the first of them.
        var remedy: MigrationRemedy?
        /// Whether they have lines.
        var isListed: Bool
        var count: Int
    }

    private(set) var records = 0
    /// Files of this run.
    private(set) var added = 0
    private(set) var bytes: Int64 = 0
    private(set) var duplicates = 0
    /// Videos that were queued at the user's wish, by this run.
    private(set) var queued = 0
    /// Videos that the user has seen, and that were cancelled for that by this run.
    private(set) var seen = 0
    /// In since an earlier run.
    private(set) var earlier = 0
    /// Records that aren't in.
    private(set) var left = 0
    /// Whether no record was changed by this run.
    private(set) var isUnchanged = true
    /// In the order of their first records.
    private(set) var groups: [Group] = []
    private var indices: [String: Int] = [:]

    /// Counts a record; returns its number among those with its reason.
    mutating func add(_ record: MigratedRecord) -> Int {
        records += 1
        if !record.isEarlier, record.code == .added || record.isQueued { isUnchanged = false }
        if record.code.isIn {
            if record.isEarlier {
                earlier += 1
            } else if record.reason == .seen {
                seen += 1
            } else if record.code == .duplicate {
                duplicates += 1
            } else if record.isQueued {
                queued += 1
            } else {
                added += 1
                let (sum, isTooLarge) = bytes.addingReportingOverflow(record.bytes)
                bytes = isTooLarge ? .max : sum
            }
        } else {
            left += 1
        }
        guard record.problem != nil else { return 0 }
        let remedy = record.remedy
        let kind = "\(record.code) \(record.reason?.word ?? "") \(remedy?.kind ?? "")"
        guard let index = indices[kind] else {
            let heading = record.reason?.heading ?? record.problem ?? ""
            indices[kind] = groups.count
            groups.append(
                Group(
                    code: record.code, heading: heading, remedy: remedy,
                    isListed: !(record.code.isIn && record.isEarlier), count: 1))
            return 1
        }
        groups[index].count += 1
        return groups[index].count
    }
}

extension MigrationRemedy {
    /// Steps of the same kind are listed once; each other user has a command of its own.
    fileprivate var kind: String {
        switch self {
        case .refetchLost: "refetch"
        case .retry: "retry"
        case .otherUser(let user): "user \(user)"
        case .sync, .requeue, .map, .mapOrCatalog, .correctMap, .copy, .room, .correctRecord, .leave, .again: "\(self)"
        }
    }

    /// The step for several records.
    func step(count: Int) -> String {
        switch self {
        case .sync:
            count == 1
                ? "the next sync downloads it; to count it as done now:"
                : "the next sync downloads them; to count them as done now:"
        case .requeue: "to queue \(count == 1 ? "it" : "them") for the next sync:"
        case .map: "name \(count == 1 ? "its video" : "their videos") in --map FILE"
        case .mapOrCatalog:
            """
            name \(count == 1 ? "its video" : "their videos") in --map FILE, or write a catalog of the videos that no \
            catalog has:
            """
        case .otherUser: "to take that user's records over:"
        case .copy: "to copy:"
        case .room: "make room, then:"
        case .again: "to try again:"
        case .retry where count == 1: "to take it back:"
        case .retry: "\(SuggestedCommand.text("retry")) takes them back"
        case .refetchLost, .correctMap, .correctRecord, .leave: sentence
        }
    }
}
