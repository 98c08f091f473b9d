import CourseCatalog
import FileSystem
import Foundation
import ProviderHost
import ProviderKit
import YAMLSource

/// The text of a catalog with one course.
struct GeneratedCatalog: Equatable {
    let provider: String
    let parameters: [String: JSONValue]
    var id: String
    var title: String?
    /// Its only video; nil for a course that its provider lists.
    var video: Recognition.Video?

    init(provider: String, parameters: [String: JSONValue], id: String) {
        self.provider = provider
        self.parameters = parameters
        self.id = id
    }

    /// With its one video, or `discover: true`.
    func text() -> String { Self.text(of: [course()]) }

    /// Without courses: each sync asks the provider for them.
    func sourceText() -> String {
        "version: 1\ncourses_of:\n  provider: \(YAMLScalar.text(provider))\n" + parameterLines(indent: "  ")
    }

    /// A catalog with such entries.
    static func text(of courses: [String]) -> String {
        courses.isEmpty ? "version: 1\ncourses: []\n" : "version: 1\ncourses:\n" + courses.joined()
    }

    /// The entries of a list's courses, each of which lists itself.
    func courses(of listing: CourseListing, _ source: CourseSource) -> [String] {
        listing.videos.compactMap { listed in
            guard let course = source.course(listed) else { return nil }
            let own = course.settings.parameters.mapValues { JSONValue($0) }
            var draft = GeneratedCatalog(provider: provider, parameters: own, id: course.writtenID)
            draft.title = listed.title
            return (listed.date.map { "  # begins \($0)\n" } ?? "") + draft.course()
        }
    }

    /// The course alone, as an entry of the list of courses, whose dash has two blanks before it.
    func course() -> String {
        guard let video else { return head + "    discover: true\n" }
        let title = video.title.map { "        title: \(YAMLScalar.text($0))\n" } ?? ""
        return head + "    videos:\n      - id: \(YAMLScalar.text(video.id))\n" + title
    }

    /// With all videos of a listing.
    func text(expanding listing: CourseListing) -> String {
        var text = "version: 1\ncourses:\n" + head
        if let cover = listing.cover { text += "    cover: \(YAMLScalar.text(cover))\n" }
        let groups = Dictionary(grouping: listing.videos) { $0.chapter ?? -1 }
        if let direct = groups[-1] { text += "    videos:\n" + direct.map { video($0, "      ") }.joined() }
        if !listing.chapters.isEmpty { text += "    chapters:\n" }
        for (index, chapter) in listing.chapters.enumerated() {
            text += "      - id: \(YAMLScalar.text(chapter.writtenID))\n"
            if let title = chapter.title { text += "        title: \(YAMLScalar.text(title))\n" }
            if let cover = chapter.cover { text += "        cover: \(YAMLScalar.text(cover))\n" }
            if let season = chapter.season { text += "        season: \(season)\n" }
            let videos = groups[index] ?? []
            text += videos.isEmpty ? "        videos: []\n" : "        videos:\n"
            text += videos.map { video($0, "          ") }.joined()
        }
        return text
    }

    private var head: String {
        var text = "  - id: \(YAMLScalar.text(id))\n"
        if let title { text += "    title: \(YAMLScalar.text(title))\n" }
        text += "    provider: \(YAMLScalar.text(provider))\n"
        return text + parameterLines(indent: "    ")
    }

    private func parameterLines(indent: String) -> String {
        guard !parameters.isEmpty else { return "" }
        return "\(indent)parameters:\n"
            + parameters.sorted { $0.key < $1.key }.map { key, value in
                "\(indent)  \(YAMLScalar.text(key)): \(Self.flow(value))\n"
            }.joined()
    }

    private func video(_ video: CourseListing.Video, _ indent: String) -> String {
        var lines = ["id: \(YAMLScalar.text(video.writtenID))"]
        if let title = video.title { lines.append("title: \(YAMLScalar.text(title))") }
        if let date = video.date { lines.append("date: \(YAMLScalar.quoted(date))") }
        if let episode = video.episode { lines.append("episode: \(episode)") }
        if let text = video.summary { lines.append("description: \(YAMLScalar.text(text))") }
        if let cover = video.cover { lines.append("cover: \(YAMLScalar.text(cover))") }
        if let size = video.size { lines.append("size: \(size)") }
        if let sha256 = video.sha256 { lines.append("sha256: \(YAMLScalar.quoted(sha256.hex))") }
        if let checksums = video.checksums {
            let list = checksums.list.map { "\($0.algorithm): \(YAMLScalar.quoted($0.hex))" }
            lines.append("checksums: {\(list.joined(separator: ", "))}")
        }
        if !video.subtitleFiles.isEmpty {
            let files = video.subtitleFiles.map {
                "{lang: \(YAMLScalar.quoted($0.language)), url: \(YAMLScalar.quoted($0.url))}"
            }
            lines.append("subtitle_files: [\(files.joined(separator: ", "))]")
        }
        if !video.attachments.isEmpty {
            let files = video.attachments.map {
                "{title: \(YAMLScalar.quoted($0.title)), url: \(YAMLScalar.quoted($0.url))}"
            }
            lines.append("attachments: [\(files.joined(separator: ", "))]")
        }
        if !video.parameters.isEmpty {
            let node = YAMLNode(
                .mapping(YAMLMapping(video.parameters)), at: SourceLocation(file: "", line: 0, column: 0))
            let json = node.canonicalJSON
            lines.append("parameters: \(YAMLScalar.escaped(json))")
        }
        return indent + "- " + lines.joined(separator: "\n\(indent)  ") + "\n"
    }

    /// JSON is YAML.
    private static func flow(_ value: JSONValue) -> String {
        if case .string(let text) = value { return YAMLScalar.text(text) }
        return (try? JSONEncoder().encode(value)).map { YAMLScalar.escaped(String(decoding: $0, as: UTF8.self)) }
            ?? "null"
    }
}
