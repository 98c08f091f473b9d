import DownloadStore
import Foundation
import SyncFacts

/// The reason for a sync's action, in a few words.
extension DryRunItem.Reason {
    func words(now: Date, zone: TimeZone) -> String {
        switch self {
        case .new: return "new"
        case .notBegun: return "not begun"
        case .unfinished: return "unfinished"
        case .arrived: return "all of it had arrived when a sync was killed"
        case .fetchedAgain: return "downloaded again; the present file stays until then"
        case .renamed: return "its title, position or layout changed"
        case .fileInPlace: return "a file is there; it is kept if it has the catalog's SHA-256"
        case .sameFile: return "the library already has the same file"
        case .perhapsSame(let path, let other):
            return "\(other.words(now: now, zone: zone)); linked to \(path) if that is the same file"
        case .follows: return "linked when the same video of another course is finished"
        case .perhapsFollows(let other):
            return "\(other.words(now: now, zone: zone)); linked if another course has the same file"
        case .contradicted: return "the file doesn't have the catalog's size or checksum"
        case .viewsMissing: return "a view is missing, or the catalog chooses others"
        case .failedBefore(let error):
            let reason = error.map { ": " + Explainer(catalogs: []).reason($0) } ?? ""
            return "failed before\(reason); tried again"
        case .lost: return "its file is missing from the library"
        case .incomplete: return "a subtitle, cover or attachment is missing"
        case .notBefore(let time, let other):
            return "\(other.words(now: now, zone: zone)); not before \(ClockFormat.local(time, now: now, zone: zone))"
        case .putOff(let error):
            return error.map { Explainer(catalogs: []).reason($0) } ?? "its host or provider asked for time"
        case .failed(let error, let retryAt):
            let reason = error.map { ": " + Explainer(catalogs: []).reason($0) } ?? ""
            let next =
                retryAt.map { "next try after \(ClockFormat.local($0, now: now, zone: zone))" }
                ?? "no sync will try it again by itself"
            return "failed\(reason); \(next)"
        case .paused: return "paused"
        case .cancelled: return "cancelled"
        case .gone: return "no longer listed"
        case .goneHeld: return "no longer listed, but --max-delete holds it"
        case .goneUnfinished: return "no longer listed, but --prune waits until no video is failed"
        }
    }

    /// The name of the reason for programs.
    var code: String {
        switch self {
        case .new: "new"
        case .notBegun: "not_begun"
        case .unfinished: "unfinished"
        case .arrived: "arrived"
        case .fetchedAgain: "fetched_again"
        case .renamed: "renamed"
        case .fileInPlace: "standing"
        case .sameFile: "same_file"
        case .perhapsSame: "perhaps_same_file"
        case .follows: "follows"
        case .perhapsFollows: "perhaps_follows"
        case .contradicted: "contradicted"
        case .viewsMissing: "views_missing"
        case .lost: "lost"
        case .failedBefore: "failed_before"
        case .incomplete: "incomplete"
        case .notBefore(_, let other): other.code
        case .putOff: "put_off"
        case .failed: "failed"
        case .paused: "paused"
        case .cancelled: "cancelled"
        case .gone: "gone"
        case .goneHeld: "gone_held"
        case .goneUnfinished: "gone_unfinished"
        }
    }
}
