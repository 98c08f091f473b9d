import TextFormats

/// `index.html` of a library: its courses, and a search for the titles of all videos.
///
/// Browsers let no local page read another file: so the titles are in the page, as JSON.
struct LibraryPage {
    /// The limit on the titles of videos in the page. Beyond it only courses are found.
    private static let mostTitles = 16 << 20

    private let library: MetadataLibrary

    init(_ library: MetadataLibrary) { self.library = library }

    var file: MetadataFile { MetadataFile(path: MetadataWriter.pageOfAll, text: page) }

    private var page: String {
        let courses = library.courses
        let count = "<span>\(courses.count) \(courses.count == 1 ? "course" : "courses")</span>"
        let videos = courses.reduce(0) { $0 + $1.videos.count }
        let data = titles
        return PageFrame.document(
            title: "Courses",
            body: """
                <header class="head">
                <div>
                <h1>Courses</h1>
                <p class="meta">\(count)\(PageFrame.sum(videos, courses.reduce(0) { $0 + $1.seconds }))</p>
                </div>
                </header>
                <div class="tools">
                \(PageFrame.search(data == nil ? "Search courses" : "Search courses and videos"))</div>
                <main>
                <ul class="cards searched">
                \(courses.map(card).joined())</ul>
                <section id="hits" hidden>
                <h2>Videos</h2>
                <ol></ol>
                </section>
                </main>

                """, data: data)
    }

    private func card(_ course: MetadataLibrary.Course) -> String {
        // A browser shows the files of a folder without a page.
        let page = RelativePath.url(from: "", to: course.folder) + (course.hasPage ? "/index.html" : "/")
        let cover = course.cover.map { RelativePath.url(from: "", to: $0) }
        return """
            <li>
            \(PageFrame.picture(cover, of: course.title, course: course.id))
            <h2 class="title"><a href="\(page)"><bdi>\(Markup.escaped(course.title))</bdi></a></h2>
            <p class="meta">\(PageFrame.sum(course.videos.count, course.seconds))</p>
            </li>

            """
    }

    /// Of each course the titles and numbers of its videos; nil if they are too many.
    private var titles: String? {
        var bytes = Array("[".utf8)
        for (place, course) in library.courses.enumerated() {
            bytes += (place == 0 ? "[" : ",\n[").utf8
            for (place, video) in course.videos.enumerated() {
                bytes += (place == 0 ? "[" : ",[").utf8
                JSONString.append(Markup.line(video.title), to: &bytes)
                bytes += ",\(video.index)]".utf8
            }
            bytes += "]".utf8
            if bytes.count > Self.mostTitles { return nil }
        }
        return String(decoding: bytes + "]".utf8, as: UTF8.self)
    }
}
