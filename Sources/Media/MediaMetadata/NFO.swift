/// `.nfo` files: a course is a show, a chapter a season, a video an episode. Related:
/// kodi.wiki/view/NFO_files/TV_shows, jellyfin.org/docs/general/server/metadata/nfo.
enum NFO {
    static func files(of course: MetadataCourse) -> [MetadataFile] {
        var files = [MetadataFile(path: "\(course.folder)/tvshow.nfo", text: show(course))]
        for chapter in course.chapters {
            if chapter.id != nil, chapter.folder != course.folder {
                files.append(
                    MetadataFile(
                        path: "\(chapter.folder)/season.nfo", text: season(chapter), isKept: chapter.isGone))
            }
            for video in chapter.videos {
                let text = episode(video, chapter, course)
                files.append(MetadataFile(path: video.stem + ".nfo", text: text, isKept: video.isGone))
                // Players take each file for an item of its own.
                files += video.views.map { view in
                    MetadataFile(
                        path: MetadataCourse.Video.stem(of: view.path) + ".nfo",
                        text: episode(video, chapter, course, view: view.name), isKept: video.isGone)
                }
            }
        }
        return files
    }

    private static func show(_ course: MetadataCourse) -> String {
        document("tvshow") { lines in
            lines.add("title", course.title)
            lines.add("plot", course.description)
            for chapter in course.chapters where chapter.id != nil {
                lines.add("namedseason", chapter.title, attributes: "number=\"\(chapter.season)\"")
            }
            lines.add("uniqueid", course.id, attributes: #"type="coursefetch" default="true""#)
        }
    }

    private static func season(_ chapter: MetadataCourse.Chapter) -> String {
        document("season") { lines in
            lines.add("title", chapter.title)
            lines.add("plot", chapter.description)
            lines.add("seasonnumber", String(chapter.season))
        }
    }

    private static func episode(
        _ video: MetadataCourse.Video, _ chapter: MetadataCourse.Chapter, _ course: MetadataCourse,
        view: String? = nil
    ) -> String {
        let role = view.map { " (\($0))" } ?? ""
        return document("episodedetails") { lines in
            lines.add("title", video.title + role)
            lines.add("showtitle", course.title)
            lines.add("season", String(chapter.season))
            lines.add("episode", String(video.number))
            lines.add("plot", video.description)
            lines.add("aired", video.date)
            lines.add("uniqueid", "\(course.id)/\(video.id)\(role)", attributes: #"type="coursefetch" default="true""#)
            guard let seconds = video.seconds.map(Markup.wholeSeconds) else { return }
            lines.add("runtime", String((seconds + 59) / 60))
            lines.text += """
                  <fileinfo>
                    <streamdetails>
                      <video>
                        <durationinseconds>\(seconds)</durationinseconds>
                      </video>
                    </streamdetails>
                  </fileinfo>

                """
        }
    }

    private struct Lines {
        var text = ""

        /// An element on its own line; nothing for nil.
        mutating func add(_ name: String, _ value: String?, attributes: String = "") {
            guard let value else { return }
            text += "  <\(name)\(attributes.isEmpty ? "" : " " + attributes)>\(Markup.escaped(value))</\(name)>\n"
        }
    }

    private static func document(_ root: String, _ fill: (inout Lines) -> Void) -> String {
        var lines = Lines()
        fill(&lines)
        return """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <\(root)>
            \(lines.text)</\(root)>

            """
    }
}
