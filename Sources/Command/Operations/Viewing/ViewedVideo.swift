package import DownloadStore
package import Foundation
import SyncFacts
package import ViewerMarks

/// A course of a library that is looked at.
package struct ViewedCourse: Sendable {
    package var record: CourseRecord
    package var sums: CourseSums
    /// Videos that the viewer has watched.
    package var watched: Int

    package var id: String { record.id }
    package var title: String { record.title.isEmpty ? record.id : record.title }
}

/// A video of a library that is looked at.
package struct ViewedVideo: Sendable {
    package var id: DownloadID
    package var row: StatusRow
    /// Its number in its course; nil if an older list of files didn't say it.
    package var number: Int?
    package var mark: ViewerMark?
    /// What its provider's listing says; nil without one.
    package var listed: ListedFacts?
    /// Whether it has a picture of its own.
    package var hasCover: Bool
    /// The extension of its file, in lower case; nil without a file.
    package var fileExtension: String?

    package var key: DownloadKey { DownloadKey(course: row.reference.course, video: row.reference.video) }
    package var title: String { row.reference.title.isEmpty ? row.reference.video : row.reference.title }

    /// In seconds; nil if nobody knows it.
    package var seconds: Double? { row.mediaSeconds ?? mark?.length ?? listed?.duration }

    /// Whether it is only sound.
    package var isSound: Bool { fileExtension.map(ServedType.isSound) ?? false }

    /// When it was published, or else when its file came.
    package var date: Date? { listed?.publishedAt ?? row.finishedAt }
}

/// A part of a long list of videos.
package struct ViewedPage: Sendable {
    package var videos: [ViewedVideo] = []
    /// How many the whole list has.
    package var count = 0
    /// The place of the first one in it, from 1 on.
    package var first = 1
    /// The mark of the list's next part; nil at its end.
    package var next: Int64?
    /// Whether there is a part before this one.
    package var hasPrevious: Bool { first > 1 }
}

/// Which videos of a course are shown.
package enum VideoChoice: String, Sendable, CaseIterable {
    case all, unwatched, failed
    /// Without a file, and not failed.
    case missing
}

/// A video with all that belongs to it.
package struct ViewedDetail: Sendable {
    package var video: ViewedVideo
    package var course: ViewedCourse
    package var chapter: ChapterRecord?
    /// Stored files beside its own: subtitles, attachments, other views.
    package var files: [SidecarRecord]
    /// The names of its streams → how much later than the main one each is to be shown, in seconds.
    package var offsets: [String: Double]
    /// The speed at which the course is played; nil if none was chosen.
    package var speed: Double?
    package var previous: DownloadKey?
    package var next: DownloadKey?
}
