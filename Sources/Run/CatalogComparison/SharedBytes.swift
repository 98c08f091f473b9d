import CourseCatalog
import DownloadStore
import FileSystem
import MediaLibrary
import RunSchedule
import SyncFacts

/// Finds downloads that may have the same bytes. Their turns prove whether they do.
struct SharedBytes {
    let store: DownloadStore
    let exists: (String) throws(LibraryError) -> Bool

    /// The same video from the same source, or the same checksum: never the id alone.
    private enum Sameness: Hashable {
        case source(video: String, source: SourceDigest)
        case sha256(Checksum)
    }

    private static func keys(_ wanted: WantedDownload) -> [Sameness] {
        let bySource = Sameness.source(video: wanted.reference.video, source: wanted.source)
        return wanted.video.checksum.map { [.sha256($0), bySource] } ?? [bySource]
    }

    /// Files in the library that may have the bytes, including those of courses that are gone.
    func findDonors(in result: inout Reconciliation) throws {
        guard !result.wanted.isEmpty else { return }
        var wanting: [Sameness: [Int]] = [:]
        for (index, wanted) in result.wanted.enumerated() where wanted.oldFile == nil {
            for key in Self.keys(wanted) { wanting[key, default: []].append(index) }
        }
        var givers: [Int: DownloadID] = [:]
        var brought: [DownloadID: Set<SidecarRecord.Kind>] = [:]
        let excluded = Set(result.changes.lost + result.changes.refetched)
        let targets = Dictionary(result.moves.map { ($0.from, $0.to) }, uniquingKeysWith: { first, _ in first })
        try store.downloads.scan { row in
            guard row.state == .finished, !excluded.contains(row.id), let file = row.storedFile else { return }
            let bySource = Sameness.source(video: row.string(.video) ?? "", source: file.source)
            let found = (wanting[bySource] ?? []) + (file.sha256.flatMap { wanting[.sha256($0)] } ?? [])
            guard !found.isEmpty, (try? exists(file.path)) == true else { return }
            var donor = Donor(file: file, video: row.string(.video) ?? "")
            // It is used after the moves of this run.
            donor.file.path = targets[file.path] ?? file.path
            for index in found
            where result.wanted[index].donor == nil && donor.isPossible(for: result.wanted[index].bytes()) {
                result.wanted[index].donor = donor
                givers[index] = row.id
                brought[row.id] = row.kind?.brings ?? []
            }
        }
        // A video with its own sound or subtitles can't be made by linking a file.
        let inParts = Set(
            try store.sidecars.files(of: brought.filter { !$0.value.isEmpty }.map(\.key))
                .filter { brought[$0.download]?.contains($0.kind) ?? false }.map(\.download))
        for (index, giver) in givers where inParts.contains(giver) { result.wanted[index].donor = nil }
    }

    /// Of several downloads that may have the same bytes, one is transferred before the others.
    ///
    /// - Parameter earlier: downloads of the run that were compared before, which lead.
    static func findFollowers(in result: inout Reconciliation, after earlier: [WantedDownload] = []) {
        var leaders: [Sameness: DownloadID] = [:]
        for wanted in earlier
        where wanted.oldFile == nil && wanted.retryAt == nil && wanted.video.settings.live != .record {
            for key in keys(wanted) where leaders[key] == nil { leaders[key] = wanted.id }
        }
        result.followers = Followers()
        // Of a live stream the second one would only begin when the first has ended.
        for wanted in result.wanted
        where wanted.donor == nil && wanted.oldFile == nil && wanted.video.settings.live != .record {
            let keys = keys(wanted)
            if let leader = keys.lazy.compactMap({ leaders[$0] }).first {
                result.followers.add(wanted.id, to: leader)
            } else if wanted.retryAt == nil {
                // A waiting download can't be a leader.
                for key in keys { leaders[key] = wanted.id }
            }
        }
    }
}
