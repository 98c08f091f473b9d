import CourseCatalog
import DownloadStore
import MediaLibrary
import RunSchedule
import SyncFacts

/// Finds files that the state doesn't know.
struct UnrecordedFiles {
    let store: DownloadStore
    /// Files whose paths are this one plus an extension of a video.
    let filesAtStem: (String) -> [(path: String, size: Int64)]

    /// A file in a video's place may be that video, if its catalog has a SHA-256: after the loss of a state all of them
    /// are. It is verified at its turn, before any request. A file of another row, perhaps left there by a move,
    /// belongs to that row only.
    func find(in result: inout Reconciliation) throws {
        var found: [(index: Int, file: StoredFile)] = []
        for (index, wanted) in result.wanted.enumerated() {
            guard wanted.oldFile == nil, wanted.donor == nil, let sha256 = wanted.video.checksum,
                let file = filesAtStem(wanted.stem).first(where: {
                    wanted.video.size == nil || wanted.video.size == $0.size
                })
            else { continue }
            let stored = StoredFile(
                path: file.path, size: file.size, modified: nil, sha256: sha256, source: wanted.source)
            found.append((index, stored))
        }
        guard !found.isEmpty else { return }
        let places = Set(found.map { LibraryName.key($0.file.path) })
        var owned: Set<String> = []
        try store.downloads.scan { row in
            guard let path = row.string(.path) else { return }
            let key = LibraryName.key(path)
            if places.contains(key) { owned.insert(key) }
        }
        for (index, file) in found where !owned.contains(LibraryName.key(file.path)) {
            result.wanted[index].donor = Donor(
                file: file, video: result.wanted[index].reference.video, isInPlace: true)
        }
    }
}
