import Foundation

/// `index.html`: a course that plays in a browser without a network. Plain HTML and CSS; the page allows no script.
///
/// For a page that is a local file browsers don't load subtitles from other files: so subtitles are embedded, if they
/// exist.
struct IndexPage {
    private let course: MetadataCourse
    private let text: (String) -> [UInt8]?

    /// - Parameter text: the content of a subtitle by its path.
    init(_ course: MetadataCourse, text: @escaping (String) -> [UInt8]?) {
        self.course = course
        self.text = text
    }

    var file: MetadataFile { MetadataFile(path: "\(course.folder)/index.html", text: page) }

    private var page: String {
        let title = Markup.escaped(course.title)
        return """
            <!DOCTYPE html>
            <html>
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="script-src 'none'; object-src 'none'; base-uri 'none'; \
            form-action 'none'">
            <meta name="generator" content="coursefetch">
            <title>\(title)</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <header>
            \(picture(course.cover))<h1>\(title)</h1>
            <p class="sum">\(Self.sum(course.videos))</p>
            \(paragraph(course.description))</header>
            \(contents)<main>
            \(course.chapters.map(section).joined())</main>
            </body>
            </html>

            """
    }

    private var contents: String {
        let chapters = course.chapters.filter { $0.id != nil }
        guard chapters.count > 1 else { return "" }
        let items = chapters.map { "<li><a href=\"#\(Self.anchor($0))\">\(Markup.escaped($0.title))</a></li>\n" }
        return "<nav>\n<ol>\n\(items.joined())</ol>\n</nav>\n"
    }

    private func section(_ chapter: MetadataCourse.Chapter) -> String {
        var head = ""
        if chapter.id != nil {
            head = """
                \(picture(chapter.cover))<h2>\(Markup.escaped(chapter.title))</h2>
                <p class="sum">\(Self.sum(chapter.videos))</p>
                \(paragraph(chapter.description))
                """
        }
        return """
            <section id="\(Self.anchor(chapter))">
            \(head)<ol>
            \(chapter.videos.map(item).joined())</ol>
            </section>

            """
    }

    private func item(_ video: MetadataCourse.Video) -> String {
        let length = video.seconds.map { "<span class=\"length\">\(Markup.duration($0))</span>" } ?? ""
        let date = video.date.map { "<time datetime=\"\(Markup.escaped($0))\">\(Markup.escaped($0))</time>" } ?? ""
        return """
            <li value="\(video.number)">
            <details>
            <summary><span class="title">\(Markup.escaped(video.title))</span>\(date)\(length)</summary>
            \(players(video))\(paragraph(video.description))<p class="files">\(links(video))</p>
            </details>
            </li>

            """
    }

    /// Several views stand beside each other.
    private func players(_ video: MetadataCourse.Video) -> String {
        guard !video.views.isEmpty else { return player(video) }
        let others = video.views.map { view in
            let name = Markup.escaped(view.name)
            return "<video controls preload=\"none\" title=\"\(name)\" src=\"\(url(view.path))\">\n</video>\n"
        }
        return "<div class=\"views\">\n\(player(video))\(others.joined())</div>\n"
    }

    private func player(_ video: MetadataCourse.Video) -> String {
        let element = Self.audio.contains(video.fileExtension) ? "audio" : "video"
        let poster = element == "video" ? (video.cover.map { " poster=\"\(url($0))\"" } ?? "") : ""
        var text = "<\(element) controls preload=\"none\"\(poster) src=\"\(url(video.path))\">\n"
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
        let name = String(video.path.split(separator: "/").last ?? "")
        let others =
            video.views.map { ($0.path, $0.name) } + video.subtitles.map { ($0.path, "Subtitles: \($0.name)") }
            + video.attachments.map { ($0.path, $0.name) }
        return ([(video.path, name)] + others)
            .map { "<a href=\"\(url($0.0))\">\(Markup.escaped($0.1))</a>" }.joined(separator: " ")
    }

    private func picture(_ path: String?) -> String {
        path.map { "<img src=\"\(url($0))\" alt=\"\">\n" } ?? ""
    }

    private func paragraph(_ text: String?) -> String {
        text.map { "<p class=\"about\">\(Markup.escaped($0))</p>\n" } ?? ""
    }

    private func url(_ path: String) -> String { RelativePath.url(from: course.folder, to: path) }

    private static func anchor(_ chapter: MetadataCourse.Chapter) -> String { "chapter-\(chapter.number)" }

    /// `3 videos, 1:02:03`; the sum of the known durations.
    private static func sum(_ videos: [MetadataCourse.Video]) -> String {
        let count = videos.count == 1 ? "1 video" : "\(videos.count) videos"
        let seconds = videos.compactMap(\.seconds).reduce(0, +)
        return seconds > 0 ? "\(count), \(Markup.duration(seconds))" : count
    }

    private static let audio: Set<String> = [
        "mp3", "m4a", "aac", "oga", "ogg", "opus", "flac", "wav", "mka", "wma", "m4b", "weba",
    ]

    private static let style = """
        :root { color-scheme: light dark; }
        body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
        img { max-width: 16rem; max-height: 12rem; float: right; margin: 0 0 1rem 1rem; border-radius: .3rem; }
        section { clear: both; padding-top: 1rem; }
        ol { padding-left: 2.5rem; }
        li::marker { color: gray; font-variant-numeric: tabular-nums; }
        summary { cursor: pointer; padding: .3rem 0; }
        summary .length, summary time { float: right; margin-left: 1rem; color: gray; font-variant-numeric: \
        tabular-nums; }
        video { width: 100%; max-height: 80vh; background: black; }
        audio { width: 100%; }
        .views { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: .5rem; }
        .sum, .files { color: gray; }
        .files a { margin-right: 1rem; }
        .about { white-space: pre-line; }
        """
}
