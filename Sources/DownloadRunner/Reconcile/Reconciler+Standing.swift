import CourseCatalog
import DownloadStore

/// Files that the state doesn't know.
extension Reconciler {
    /// What stands where a video belongs may be that video, if its catalog has a SHA-256: after a state was lost, all of them
    /// are. It proves itself when its turn comes, before anybody is asked for anything.
    mutating func findStanding() {
        for index in result.wanted.indices {
            let wanted = result.wanted[index]
            guard wanted.oldFile == nil, wanted.donor == nil, let sha256 = wanted.video.sha256,
                let file = standing(wanted.stem).first(where: {
                    wanted.video.size == nil || wanted.video.size == $0.size
                })
            else { continue }
            let stored = StoredFile(
                path: file.path, size: file.size, modified: nil, sha256: sha256, source: wanted.source)
            result.wanted[index].donor = Donor(file: stored, video: wanted.reference.video, isStanding: true)
        }
    }
}
