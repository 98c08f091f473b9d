import Foundation

/// A catalog as text, put together by a test.
struct CatalogText {
    struct Video {
        var id: String
        var title: String?
        /// More lines, such as `sha256: …`.
        var extra: [String] = []
    }

    struct Course {
        var id: String
        var title: String
        var videos: [Video]
        var chapters: [(id: String, title: String, videos: [Video])] = []
        var extra: [String] = []
    }

    var provider = "direct"
    /// The parameter `url` that all videos inherit.
    var url: String?
    /// More parameters, as YAML.
    var parameters: [String: String] = [:]
    var courses: [Course]

    /// One course with these videos.
    init(provider: String = "direct", url: String? = nil, parameters: [String: String] = [:], videos: [Video]) {
        self.provider = provider
        self.url = url
        self.parameters = parameters
        courses = [Course(id: "c", title: "Course", videos: videos)]
    }

    init(provider: String = "direct", url: String? = nil, courses: [Course]) {
        self.provider = provider
        self.url = url
        self.courses = courses
    }

    var text: String {
        var parameters = parameters
        if let url { parameters["url"] = Self.quoted(url) }
        let inherited = parameters.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        var lines = ["version: 1", "defaults: {provider: \(provider), parameters: {\(inherited)}}", "courses:"]
        for course in courses {
            lines += ["  - id: \(Self.quoted(course.id))", "    title: \(Self.quoted(course.title))"]
            lines += course.extra.map { "    " + $0 }
            if !course.videos.isEmpty {
                lines.append("    videos:")
                lines += course.videos.flatMap { Self.lines($0, indent: "      ") }
            }
            if !course.chapters.isEmpty { lines.append("    chapters:") }
            for chapter in course.chapters {
                lines.append("      - id: \(Self.quoted(chapter.id))")
                lines.append("        title: \(Self.quoted(chapter.title))")
                lines.append("        videos:")
                lines += chapter.videos.flatMap { Self.lines($0, indent: "          ") }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ video: Video, indent: String) -> [String] {
        var lines = ["\(indent)- id: \(quoted(video.id))"]
        if let title = video.title { lines.append("\(indent)  title: \(quoted(title))") }
        return lines + video.extra.map { "\(indent)  \($0)" }
    }

    /// A double-quoted scalar that means exactly this text.
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case " "..."~": quoted.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
            }
        }
        return quoted + "\""
    }
}
