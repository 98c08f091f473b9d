package import DownloadStore

/// Courses and chapters that the state knows and their catalogs have no longer. Downloads may be left of them.
package struct UnwrittenFolders: Sendable, Equatable {
    package var courses: [CourseRecord] = []
    package var chapters: [ChapterRecord] = []

    package var isEmpty: Bool { courses.isEmpty && chapters.isEmpty }
}
