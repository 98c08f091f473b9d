package import CourseCatalog
package import DownloadStore
package import Foundation
package import MediaLibrary
package import RunSchedule

/// A download to be made in this run.
package struct WantedDownload: Sendable {
    package var id: DownloadID
    package var reference: VideoReference
    /// The catalog's entry.
    package var video: Video
    package var courseTitle: String
    /// The ids of course and chapter as the catalog spells them, for the provider.
    package var writtenCourse: String
    package var writtenChapter: String?
    package var chapterTitle: String?
    /// Digest of (provider, quality, sound, streams, parameters).
    package var source: SourceDigest
    package var priority: Int
    package var ordinal: Int64
    /// Planned path without its extension, relative to the library.
    package var stem: String
    /// The names of its other views.
    package var viewNames = ViewNames.standard
    /// The state's record of a partial; nil if there is none.
    package var resume: ResumeRecord?
    /// The file to be replaced by its successor.
    package var oldFile: StoredFile?
    /// A file in the library that may have the same bytes.
    package var donor: Donor?
    /// The earliest time to begin.
    package var retryAt: Date?
    /// The number of consecutive runs in which it failed.
    package var failedRuns: Int
    /// Whether the state didn't know it before this run.
    package var isNew: Bool
    /// Whether its host last answered that it isn't available yet.
    package var isNotReady: Bool
    /// Every byte of it had arrived when a run was killed, so that the next one only gives it its name. A running sync
    /// has done that before it compares anything.
    package var hasArrived = false
    /// Digest of the catalog's extras; nil if there are no extras to download.
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

    /// When it may begin, after a failure or by its provider's listing; nil for at once.
    package var notBefore: Date? {
        [retryAt, video.availableAt.map { Date(timeIntervalSince1970: $0) }].compactMap(\.self).max()
    }

    /// Whether its file stays, and only views beside it are missing.
    package var keepsFile: Bool { oldFile?.source.isSameBesidesViews(as: source) == true }

    /// The facts about its bytes that are known before any request.
    package func bytes(ignoresCourse: Bool = false) -> WantedBytes {
        // Of several views the catalog knows only the first one, and of a video with separate sound only the picture.
        guard video.settings.streams == .main, video.settings.audio.isEmpty else {
            return WantedBytes(
                video: reference.video, source: source, size: nil, sha256: nil, ignoresCourse: ignoresCourse)
        }
        return WantedBytes(
            video: reference.video, source: source, size: video.size, sha256: video.checksum,
            checksums: video.checksums, ignoresCourse: ignoresCourse)
    }
}
