/// The facts about a library for its page. Paths are relative to the library.
package struct MetadataLibrary: Sendable {
    /// A course with a finished video.
    package struct Course: Sendable {
        package var id: String
        package var title: String
        package var folder: String
        package var cover: String?
        /// Whether its page is in its folder.
        package var hasPage: Bool
        /// The sum of the known playing times.
        package var seconds: Double
        package var videos: [Video]

        package init(
            id: String, title: String, folder: String, cover: String?, hasPage: Bool, seconds: Double, videos: [Video]
        ) {
            self.id = id
            self.title = title
            self.folder = folder
            self.cover = cover
            self.hasPage = hasPage
            self.seconds = seconds
            self.videos = videos
        }
    }

    /// A finished video.
    package struct Video: Sendable {
        package var title: String
        /// The number in its course.
        package var index: Int

        package init(title: String, index: Int) {
            self.title = title
            self.index = index
        }
    }

    /// In the order in which they are shown.
    package var courses: [Course]

    package init(courses: [Course]) { self.courses = courses }
}
