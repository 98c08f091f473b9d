package import DownloadStore

/// Identifies a video of the catalog.
package struct VideoReference: Sendable, Hashable {
    /// The course's id.
    package var course: String
    /// The chapter's id; nil for a video directly under its course.
    package var chapter: String?
    /// The video's id.
    package var video: String
    package var title: String

    package init(course: String, chapter: String?, video: String, title: String) {
        self.course = course
        self.chapter = chapter
        self.video = video
        self.title = title
    }
}

extension DownloadRecord {
    /// Its video, with the title that the catalog gives it.
    package var reference: VideoReference {
        VideoReference(course: key.course, chapter: catalog.chapter, video: key.video, title: catalog.title)
    }
}
