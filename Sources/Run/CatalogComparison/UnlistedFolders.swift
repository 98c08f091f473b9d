package import DownloadStore

/// Courses and chapters of the state that their catalogs no longer list. They may still have downloads.
package struct UnlistedFolders: Sendable, Equatable {
    package var courses: [CourseRecord] = []
    package var chapters: [ChapterRecord] = []

    package var isEmpty: Bool { courses.isEmpty && chapters.isEmpty }

    /// Adds those of other courses.
    mutating func add(_ other: UnlistedFolders) {
        courses += other.courses
        chapters += other.chapters
    }
}
