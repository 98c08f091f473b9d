package import CourseCatalog
package import DownloadStore
package import Foundation
package import RunSchedule

/// A download that this run is to bring in.
package struct WantedDownload: Sendable {
    package var id: DownloadID
    package var reference: VideoReference
    /// The catalog's entry.
    package var video: Video
    package var courseTitle: String
    /// The ids of course and chapter as the catalog spells them: what the provider is told.
    package var writtenCourse: String
    package var writtenChapter: String?
    package var chapterTitle: String?
    /// Digest of (provider, quality, sound, parameters).
    package var source: SourceDigest
    package var priority: Int
    package var ordinal: Int64
    /// Planned path without its extension, relative to the library.
    package var stem: String
    /// What the state knows of a partial; nil if there is none.
    package var resume: ResumeRecord?
    /// The file that its successor is to replace.
    package var oldFile: StoredFile?
    /// A file that the library has already and that may have the same bytes.
    package var donor: Donor?
    /// Not before then.
    package var retryAt: Date?
    /// Runs in a row that ended with it failed.
    package var failedRuns: Int
    /// The state didn't know it before this run.
    package var isNew: Bool
    /// Its host said last that it isn't there yet.
    package var isNotReady: Bool
    /// Every byte of it had arrived when a run was killed, so that the next one only gives it its name. A run itself has done
    /// that before it compares anything.
    package var hasArrived = false
    /// Digest of the catalog's extras; nil if there is nothing to fetch beside the video.
    package var extras: ExtrasDigest?

    package init(
        id: DownloadID, reference: VideoReference, video: Video, courseTitle: String, writtenCourse: String,
        writtenChapter: String? = nil, chapterTitle: String? = nil, source: SourceDigest, priority: Int, ordinal: Int64,
        stem: String, resume: ResumeRecord? = nil, oldFile: StoredFile? = nil, donor: Donor? = nil,
        retryAt: Date? = nil, failedRuns: Int, isNew: Bool, isNotReady: Bool, extras: ExtrasDigest? = nil
    ) {
        self.id = id
        self.reference = reference
        self.video = video
        self.courseTitle = courseTitle
        self.writtenCourse = writtenCourse
        self.writtenChapter = writtenChapter
        self.chapterTitle = chapterTitle
        self.source = source
        self.priority = priority
        self.ordinal = ordinal
        self.stem = stem
        self.resume = resume
        self.oldFile = oldFile
        self.donor = donor
        self.retryAt = retryAt
        self.failedRuns = failedRuns
        self.isNew = isNew
        self.isNotReady = isNotReady
        self.extras = extras
    }

    package var provider: String { video.provider.name }

    /// What can be said of its bytes before anybody is asked.
    package func bytes(ignoresCourse: Bool = false) -> WantedBytes {
        WantedBytes(
            video: reference.video, source: source, size: video.size, sha256: video.checksum,
            ignoresCourse: ignoresCourse)
    }
}
