import DownloadStore
import FileSystem
import Foundation
import MigrationSources
import SyncFacts
import SystemPackage
import TextFormats
import YAMLSource

/// A catalog for records that are in none: with what their store knows of them, for the user to complete.
struct NewCatalog {
    private struct Video {
        var id: String
        var title: String?
        var cover: String?
        var parameters: [(key: String, value: String)]
    }

    private struct Chapter {
        var title: String?
        var videos: [Video] = []
    }

    private struct Course {
        var title: String?
        /// In the order of their first videos; the key of those without is empty.
        var order: [String] = []
        var chapters: [String: Chapter] = [:]
    }

    private let kind: SourceKind
    /// Of all courses, for a provider that has one.
    private let endpoint: String?
    private var order: [String] = []
    private var courses: [String: Course] = [:]
    /// Ids of courses that other catalogs have.
    private let taken: Set<String>
    /// The addresses of the videos so far.
    private var urls: [DownloadKey: String] = [:]

    /// The number of its videos.
    var count: Int { urls.count }

    /// - Parameters:
    ///   - endpoint: the server of all videos, which some stores don't have; nil if it isn't known.
    ///   - taken: ids of courses that other catalogs have.
    init(_ kind: SourceKind, endpoint: String? = nil, taken: Set<String> = []) {
        self.kind = kind
        self.endpoint = kind == .baijiayun ? endpoint ?? "https://unknown.invalid" : nil
        self.taken = taken
    }

    /// The videos that a record may be in a catalog made of its source, for later runs.
    static func keys(of record: SourceRecord, in source: OpenSource) -> [DownloadKey] {
        let course = course(of: record, in: source)
        return [course, other(course)].map { DownloadKey(course: $0, video: video(of: record)) }
    }

    /// Adds a record, unless it has the ids of an earlier one.
    mutating func add(_ record: SourceRecord, in source: OpenSource) {
        let id = Self.course(of: record, in: source)
        let title = Self.title(record.courseTitle) ?? Self.title(record.course) ?? id
        add(record, course: taken.contains(Identifier.normalized(id)) ? Self.other(id) : id, title: title)
    }

    /// The id of a course whose own one another catalog has.
    private static func other(_ course: String) -> String { "\(course)-migrated" }

    mutating func add(_ record: SourceRecord, course id: String, title: String) {
        var video = Self.video(of: record)
        var number = 1
        while let known = urls[DownloadKey(course: id, video: video)] {
            // Two addresses may end with the same name; later runs tell them apart by the addresses.
            guard let url = record.url, !known.isEmpty, known != url else { return }
            number += 1
            video = "\(Self.video(of: record))-\(number)"
        }
        urls[DownloadKey(course: id, video: video)] = record.url ?? ""
        if courses[id] == nil {
            order.append(id)
            courses[id] = Course(title: title)
        }
        let chapter = (record.chapter ?? record.chapterTitle).map { Self.identifier($0) } ?? ""
        if courses[id]?.chapters[chapter] == nil {
            courses[id]?.order.append(chapter)
            courses[id]?.chapters[chapter] = Chapter(title: Self.title(record.chapterTitle))
        }
        let cover = record.cover.flatMap { $0.contains("?") ? nil : Self.address($0) }
        let added = Video(
            id: video, title: Self.videoTitle(record.title, id: video), cover: cover,
            parameters: parameters(of: record, id: video))
        courses[id]?.chapters[chapter]?.videos.append(added)
    }

    /// The catalog's text.
    var text: String {
        var text = "version: 1\ncourses:\n"
        for id in order {
            guard let course = courses[id] else { continue }
            text += "  - id: \(YAMLScalar.text(id))\n"
            if let title = course.title { text += "    title: \(YAMLScalar.text(title))\n" }
            text += "    provider: \(provider)\n"
            if let endpoint { text += "    parameters: {endpoint: \(YAMLScalar.quoted(endpoint))}\n" }
            if let videos = course.chapters[""]?.videos {
                text += "    videos:\n" + videos.map { Self.lines(of: $0, indent: "      ") }.joined()
            }
            let chapters = course.order.filter { !$0.isEmpty }
            if !chapters.isEmpty { text += "    chapters:\n" }
            for name in chapters {
                guard let chapter = course.chapters[name] else { continue }
                text += "      - id: \(YAMLScalar.text(name))\n"
                if let title = chapter.title { text += "        title: \(YAMLScalar.text(title))\n" }
                text += "        videos:\n" + chapter.videos.map { Self.lines(of: $0, indent: "          ") }.joined()
            }
        }
        return text
    }

    /// Writes it, all or nothing, with the folders above. A file that is there stays as it is: another run has written
    /// it.
    func write(to path: String) throws(Refusal) {
        let place = FilePath(path)
        let above = place.removingLastComponent()
        do {
            try FileManager.default.createDirectory(atPath: above.string, withIntermediateDirectories: true)
        } catch { throw .run(.unmadeFile(path: above.string, reason: "\(Errno(rawValue: errno))")) }
        do throws(Errno) {
            guard let name = place.lastComponent?.string else { throw .isDirectory }
            let draft = try DraftFile(
                of: name, in: try FolderHandle(at: above), draft: ".\(name.prefix(200)).\(getpid()).tmp",
                // A query may be somebody's key.
                mode: urls.values.contains { $0.contains("?") } ? 0o600 : nil)
            try draft.write(Data(text.utf8))
            try draft.place()
        } catch .fileExists {} catch { throw .run(.unmadeFile(path: path, reason: "\(error)")) }
    }

    private static func lines(of video: Video, indent: String) -> String {
        var lines = ["id: \(YAMLScalar.text(video.id))"]
        if let title = video.title { lines.append("title: \(YAMLScalar.text(title))") }
        if let cover = video.cover { lines.append("cover: \(YAMLScalar.quoted(cover))") }
        let parameters = video.parameters.map { "\(YAMLScalar.text($0.key)): \(YAMLScalar.quoted($0.value))" }
        if !parameters.isEmpty { lines.append("parameters: {\(parameters.joined(separator: ", "))}") }
        return indent + "- " + lines.joined(separator: "\n\(indent)  ") + "\n"
    }

    // MARK: what a kind of source leads to

    private var provider: String {
        switch kind {
        case .ytDlp, .galleryDL: "yt-dlp"
        case .baijiayun: "baijiayun"
        default: "direct"
        }
    }

    private func parameters(of record: SourceRecord, id: String) -> [(key: String, value: String)] {
        let address = record.url.flatMap(Self.address)
        switch kind {
        case .baijiayun: return record.parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        case .ytDlp, .galleryDL:
            // Its provider takes no address with a user name.
            let page = address.flatMap { $0.split(separator: "/").dropFirst().first?.contains("@") == true ? nil : $0 }
            return [("endpoint", page ?? Self.page(of: record, id: id))]
        default:
            guard let address else { return [("url", "https://unknown.invalid/{id}")] }
            // Braces are the provider's.
            let url = address.replacing("{", with: "%7B").replacing("}", with: "%7D")
            let isStream = url.prefix { $0 != "?" && $0 != "#" }.lowercased().hasSuffix(".m3u8")
            return [("url", url)] + (isStream ? [("kind", "hls")] : [])
        }
    }

    // MARK: ids

    private static func course(of record: SourceRecord, in source: OpenSource) -> String {
        identifier(record.course ?? record.courseTitle ?? source.folderName)
    }

    private static func video(of record: SourceRecord) -> String {
        if let video = record.video { return identifier(video) }
        let name = record.names.first ?? record.key
        guard name.contains("://") else { return identifier(name) }
        // Ids are shown, and stored: without a query, which may be somebody's key.
        let path = name.prefix { $0 != "?" && $0 != "#" }
        let last = path.split(separator: "/").last.map(String.init) ?? ""
        return identifier(last.removingPercentEncoding ?? last)
    }

    /// A store's name as an id of a catalog: without slashes, blanks around it and what nobody can see.
    private static func identifier(_ text: String) -> String {
        let plain = String(
            String.UnicodeScalarView(
                text.unicodeScalars.prefix(200).map { scalar in
                    let isHidden =
                        scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
                    return scalar == "/" || scalar == "*" || isHidden ? "-" : scalar
                }))
        let trimmed = plain.trimmingCharacters(in: .whitespacesAndNewlines)
        return trimmed.isEmpty ? "unnamed" : trimmed
    }

    /// The title for a video: none has the ending of a file, which its file gets anyway. Nil if its id is enough.
    private static func videoTitle(_ text: String?, id: String) -> String? {
        let title = title(text) ?? id
        guard MediaFileName.rank(title) != nil, let (stem, _) = MediaFileName.split(title), self.title(stem) != nil
        else {
            return self.title(text)
        }
        return stem
    }

    /// The page of a video of which an archive has no more than a line.
    private static func page(of record: SourceRecord, id: String) -> String {
        let encoded = PercentEncoding.encoded(id)
        let isOfYouTube = record.key.hasPrefix("youtube ") || record.names.contains { $0.hasPrefix("youtube ") }
        return isOfYouTube ? "https://www.youtube.com/watch?v=\(encoded)" : "https://unknown.invalid/\(encoded)"
    }

    /// Nil for one that nobody can see.
    private static func title(_ text: String?) -> String? {
        text.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    }

    /// An address that a catalog takes, with its scheme in small letters; nil for any other.
    private static func address(_ text: String) -> String? {
        guard text.utf8.count <= 8192, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }),
            text.wholeMatch(of: /(?i)https?:\/\/[^\/?#\s]\S*/) != nil, let end = text.range(of: "://")
        else { return nil }
        return text[..<end.lowerBound].lowercased() + text[end.lowerBound...]
    }
}

/// Its addresses may hold secrets.
extension NewCatalog: CustomReflectable {
    var customMirror: Mirror { Mirror(self, children: ["kind": kind, "count": count]) }
}
