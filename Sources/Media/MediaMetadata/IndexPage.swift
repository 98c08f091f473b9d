import Foundation

/// `index.html` of a course: plays it in a browser without a network.
///
/// For a page that is a local file browsers don't load subtitles from other files: so subtitles are embedded, if they
/// exist.
struct IndexPage {
    private let course: MetadataCourse
    private let hasLibrary: Bool
    private let text: (String) -> [UInt8]?

    /// - Parameters:
    ///   - hasLibrary: whether there is a ``LibraryPage`` to go back to.
    ///   - text: the content of a subtitle by its path.
    init(_ course: MetadataCourse, hasLibrary: Bool, text: @escaping (String) -> [UInt8]?) {
        self.course = course
        self.hasLibrary = hasLibrary
        self.text = text
    }

    var file: MetadataFile { MetadataFile(path: "\(course.folder)/index.html", text: page) }

    private var page: String {
        PageFrame.document(
            title: course.title,
            body: """
                <header class="head course-head">
                \(PageFrame.picture(course.cover.map(url), of: course.title, course: course.id))
                <div>
                \(hasLibrary ? "<p class=\"meta\"><a href=\"\(url(MetadataWriter.pageOfAll))\">Courses</a></p>\n" : "")\
                <h1><bdi>\(Markup.escaped(course.title))</bdi></h1>
                <p class="meta">\(Self.sum(course.videos))</p>
                \(PageFrame.paragraph(course.description))</div>
                </header>
                <div class="tools">
                \(PageFrame.search("Search this course"))\(contents)</div>
                <main>
                \(chapters.map(section).joined())\(goneSection)</main>

                """)
    }

    /// Without what is gone.
    private var chapters: [MetadataCourse.Chapter] {
        course.chapters.compactMap { chapter in
            var present = chapter
            present.videos.removeAll(where: \.isGone)
            return present.videos.isEmpty ? nil : present
        }
    }

    private var contents: String {
        let chapters = chapters.filter { $0.id != nil }
        guard chapters.count > 1 else { return "" }
        let items = chapters.map {
            "<li><a href=\"#\(Self.anchor($0))\"><bdi>\(Markup.escaped($0.title))</bdi></a></li>\n"
        }
        return "<nav aria-label=\"Chapters\">\n<ol>\n\(items.joined())</ol>\n</nav>\n"
    }

    private func section(_ chapter: MetadataCourse.Chapter) -> String {
        var head = "<h2 class=\"hidden\">Videos</h2>\n"
        if chapter.id != nil {
            let cover = chapter.cover.map { PageFrame.picture(url($0), of: chapter.title, course: course.id) + "\n" }
            head = """
                <div class="group-head">
                \(cover ?? "")<h2><bdi>\(Markup.escaped(chapter.title))</bdi></h2>
                <p class="meta">\(Self.sum(chapter.videos))</p>
                \(PageFrame.paragraph(chapter.description))</div>

                """
        }
        return """
            <section class="group" id="\(Self.anchor(chapter))">
            \(head)<ol class="rows searched">
            \(chapter.videos.map { item($0) }.joined())</ol>
            </section>

            """
    }

    /// What has left the catalog; its files are still there.
    private var goneSection: String {
        let items = course.chapters.flatMap { chapter in
            chapter.videos.filter(\.isGone).map { item($0, chapter: chapter.id == nil ? nil : chapter.title) }
        }
        guard !items.isEmpty else { return "" }
        return """
            <section class="group" id="gone">
            <div class="group-head">
            <h2>No longer in the course</h2>
            <p class="meta">\(Self.sum(course.videos.filter(\.isGone)))</p>
            </div>
            <ol class="rows searched">
            \(items.joined())</ol>
            </section>

            """
    }

    /// - Parameter chapter: a title to be shown with it.
    private func item(_ video: MetadataCourse.Video, chapter: String? = nil) -> String {
        let anchor = video.index > 0 ? " id=\"video-\(video.index)\"" : ""
        let row = row(video, chapter)
        let rest = """
            \(PageFrame.paragraph(video.description))<p class="files">\(links(video))</p>

            """
        if video.views.isEmpty, Self.isSound(video) {
            return """
                <li value="\(video.number)" class="sound"\(anchor)>
                <div class="row">\(row)</div>
                \(player(video))<details><summary>Files\(video.description == nil ? "" : " and description")</summary>
                \(rest)</details>
                </li>

                """
        }
        return """
            <li value="\(video.number)"\(anchor)>
            <details><summary class="row">\(row)</summary>
            <div class="open">
            \(players(video))\(rest)</div>
            </details>
            </li>

            """
    }

    private func row(_ video: MetadataCourse.Video, _ chapter: String?) -> String {
        let picture = PageFrame.picture(
            video.cover.map(url), of: video.title, course: course.id, length: video.seconds)
        let facts = [
            video.date.map { "<time datetime=\"\(Markup.escaped($0))\">\(Markup.escaped(Self.day($0)))</time>" },
            chapter.map { "<bdi>\(Markup.escaped($0))</bdi>" },
        ].compactMap(\.self).joined()
        let meta = facts.isEmpty ? "" : "\n<span class=\"meta\">\(facts)</span>"
        let mark = video.isGone ? "\n<span class=\"state\">No longer in the course; kept here</span>" : ""
        return """
            <span class="number">\(video.number)</span>\(picture)
            <span class="text"><bdi class="title">\(Markup.escaped(video.title))</bdi>\(meta)\(mark)</span>
            """
    }

    /// Several views stand beside each other.
    private func players(_ video: MetadataCourse.Video) -> String {
        guard !video.views.isEmpty else { return player(video) }
        let others = video.views.map { view in
            let name = Markup.escaped(view.name)
            let media = """
                <video controls playsinline preload="none" title="\(name)" src="\(url(view.path))">
                </video>

                """
            return figure(media, name)
        }
        return "<div class=\"views\">\n\(figure(player(video), "Main"))\(others.joined())</div>\n"
    }

    /// - Parameter name: escaped.
    private func figure(_ media: String, _ name: String) -> String {
        """
        <figure>
        \(media)<figcaption><bdi>\(name)</bdi>
        <button type="button" aria-pressed="false" hidden>Large</button></figcaption>
        </figure>

        """
    }

    private func player(_ video: MetadataCourse.Video) -> String {
        let element = Self.isSound(video) ? "audio" : "video"
        let poster = element == "video" ? (video.cover.map { " poster=\"\(url($0))\"" } ?? "") : ""
        let inline = element == "video" ? " playsinline" : ""
        var text = "<\(element) controls\(inline) preload=\"none\"\(poster) src=\"\(url(video.path))\">\n"
        for (number, subtitle) in video.subtitles.enumerated() {
            guard subtitle.path.hasSuffix(".vtt"), let bytes = self.text(subtitle.path) else { continue }
            let language = Markup.escaped(subtitle.name)
            text += """
                <track kind="subtitles" srclang="\(language)" label="\(language)"\(number == 0 ? " default" : "") \
                src="data:text/vtt;base64,\(Data(bytes).base64EncodedString())">

                """
        }
        return text + "</\(element)>\n"
    }

    private func links(_ video: MetadataCourse.Video) -> String {
        let others =
            video.views.map { ($0.path, $0.name) } + video.subtitles.map { ($0.path, "Subtitles: \($0.name)") }
            + video.attachments.map { ($0.path, $0.name) }
        return ([(video.path, RelativePath.name(video.path))] + others)
            .map { "<a href=\"\(url($0.0))\"><bdi>\(Markup.escaped($0.1))</bdi></a>" }.joined(separator: " ")
    }

    private func url(_ path: String) -> String { RelativePath.url(from: course.folder, to: path) }

    private static func anchor(_ chapter: MetadataCourse.Chapter) -> String { "chapter-\(chapter.number)" }

    private static func sum(_ videos: [MetadataCourse.Video]) -> String {
        PageFrame.sum(videos.count, videos.compactMap(\.seconds).reduce(0, +))
    }

    /// `5 Oct 2026` for `2026-10-05`; anything else as it is.
    private static func day(_ date: String) -> String {
        let parts = date.utf8.split(separator: UInt8(ascii: "-")).map { Int(String(Substring($0))) ?? 0 }
        guard parts.count == 3, (1...12).contains(parts[1]), parts[2] > 0 else { return date }
        return "\(parts[2]) \(months[parts[1] - 1]) \(parts[0])"
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func isSound(_ video: MetadataCourse.Video) -> Bool { sound.contains(video.fileExtension) }

    private static let sound: Set<String> = [
        "mp3", "m4a", "aac", "oga", "ogg", "opus", "flac", "wav", "mka", "wma", "m4b", "weba",
    ]
}
