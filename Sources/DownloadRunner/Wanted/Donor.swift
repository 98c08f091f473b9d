import CourseCatalog
import DownloadStore

/// A file of the library that may have the bytes which another download wants.
struct Donor: Sendable, Equatable {
    var file: StoredFile
    /// The id of the video that it came for.
    var video: String
    /// Digest of the URL and headers under which it came; nil if that wasn't in this run.
    var request: [UInt8]?
    /// It stands where the download's own file belongs, and no row knows it.
    var isStanding = false

    /// Whether the catalog leaves open that it has the bytes.
    func isPossible(for wanted: WantedDownload) -> Bool {
        if let expected = wanted.video.sha256, file.sha256 != expected { return false }
        if let expected = wanted.video.size, file.size != expected { return false }
        return true
    }

    /// Whether it has the bytes for certain, so that nobody has to be asked: by a SHA-256 of the catalog, or by the word of
    /// a provider whose answers don't depend on the course.
    func isProven(for wanted: WantedDownload, ignoresCourse: Bool) -> Bool {
        guard isPossible(for: wanted) else { return false }
        if wanted.video.sha256 != nil { return true }
        return ignoresCourse && file.source == wanted.source && video == wanted.reference.video
    }
}
