import PathLayout

@testable import MediaLibrary

/// Names by the standard layout.
extension LibraryName {
    static func course(_ title: String) -> String { folder(0, course: title) }

    static func chapter(_ title: String, position: Int) -> String {
        folder(1, course: "", chapter: (title, "", position))
    }

    static func video(_ title: String, position: Int) -> String {
        stem(.standard, course: "", title: title, number: position)
    }

    /// A video's stem by any layout.
    static func stem(
        _ layout: PathLayout, course: String, chapter: (title: String, id: String, number: Int)? = nil, title: String,
        number: Int = 1, date: String? = nil
    ) -> String {
        let video = LayoutValues.Video(
            title: title, id: "v", number: number, index: number, date: date, quality: "best")
        let values = LayoutValues(
            course: (course, "c"), chapter: chapter, season: chapter?.number ?? 0, provider: "p", video: video)
        return layout.components.last.map { stem($0, values) } ?? ""
    }

    private static func folder(
        _ index: Int, course: String, chapter: (title: String, id: String, number: Int)? = nil
    ) -> String {
        let values = LayoutValues(course: (course, ""), chapter: chapter, season: 0, provider: "p")
        return folder(PathLayout.standard.components[index], values) ?? "_"
    }
}
