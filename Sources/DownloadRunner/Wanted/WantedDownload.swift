import CourseCatalog
import DownloadStore
import Foundation
import RunSchedule

/// A download that this run is to bring in.
struct WantedDownload: Sendable {
    var id: DownloadID
    var reference: VideoReference
    /// The catalog's entry.
    var video: Video
    var courseTitle: String
    /// The ids of course and chapter as the catalog spells them: what the provider is told.
    var writtenCourse: String
    var writtenChapter: String?
    var chapterTitle: String?
    /// Digest of (provider, quality, sound, parameters).
    var source: [UInt8]
    var priority: Int
    var ordinal: Int64
    /// Planned path without its extension, relative to the library.
    var stem: String
    /// What the state knows of a partial; nil if there is none.
    var resume: ResumeRecord?
    /// The file that its successor is to replace.
    var oldFile: StoredFile?
    /// A file that the library has already and that may have the same bytes.
    var donor: Donor?
    /// Not before then.
    var retryAt: Date?
    /// Runs in a row that ended with it failed.
    var failedRuns: Int
    /// The state didn't know it before this run.
    var isNew: Bool
    /// Its host said last that it isn't there yet.
    var isNotReady: Bool
    /// Digest of the catalog's extras; nil if there is nothing to fetch beside the video.
    var extras: [UInt8]?

    var provider: String { video.provider.name }

    /// What can be said of its bytes before anybody is asked.
    func bytes(ignoresCourse: Bool = false) -> WantedBytes {
        WantedBytes(
            video: reference.video, source: source, size: video.size, sha256: video.sha256,
            ignoresCourse: ignoresCourse)
    }
}
