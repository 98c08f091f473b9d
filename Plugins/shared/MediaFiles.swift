import ProviderKit

/// Which files of a folder are videos.
struct MediaFiles {
    /// Extensions of video and audio files.
    static let extensions: Set<String> = [
        "3gp", "aac", "aif", "aiff", "asf", "avi", "flac", "flv", "m2ts", "m4a", "m4b", "m4v", "mka", "mkv", "mov",
        "mp3", "mp4", "mpeg", "mpg", "mts", "oga", "ogg", "ogv", "opus", "ts", "wav", "webm", "wma", "wmv",
    ]

    /// Extensions of files that come with the video of the same name, other than its subtitles.
    private static let documents: Set<String> = [
        "7z", "csv", "doc", "docx", "epub", "gz", "ipynb", "key", "md", "odp", "ods", "odt", "pdf", "ppt", "pptx",
        "rtf",
        "tar", "tex", "tgz", "txt", "xls", "xlsx", "zip",
    ]
    private static let subtitles: Set<String> = ["srt", "ttml", "vtt"]

    /// Extensions of other files that somebody may list.
    private static let others: Set<String> = [
        "bib", "c", "cpp", "gif", "h", "java", "jpeg", "jpg", "json", "m", "png", "py", "r", "rar", "sql", "svg", "xml",
        "yaml", "yml",
    ]

    /// The parameter `files`; nil for those with an extension of media.
    private let patterns: [[Character]]?

    /// Reads the parameter `files`: a pattern, or a list of them.
    init(_ parameters: [String: JSONValue]) throws(ProviderError) {
        switch parameters["files"] {
        case nil, .null: patterns = nil
        case .string(let pattern): patterns = [Array(pattern.lowercased())]
        case .array(let list):
            var patterns: [[Character]] = []
            for entry in list {
                guard let pattern = entry.string else {
                    throw ProviderError(
                        .invalidParameters, "files has something else than patterns", parameter: "files")
                }
                patterns.append(Array(pattern.lowercased()))
            }
            self.patterns = patterns
        default: throw ProviderError(.invalidParameters, "files is no pattern", parameter: "files")
        }
    }

    /// Whether the file with this name is listed. Hidden files aren't, unless a pattern begins with a dot, too.
    func includes(_ name: String) -> Bool {
        guard let patterns else {
            return !name.hasPrefix(".") && Self.isMedia(name)
        }
        let name = Array(name.lowercased())
        return patterns.contains { ($0.first == ".") == (name.first == ".") && Self.matches(name[...], $0[...]) }
    }

    /// Whether the file with this name, which isn't listed itself, comes with a video of the same name.
    func mayBelong(_ name: String) -> Bool {
        guard !name.hasPrefix("."), let end = Self.fileExtension(name) else { return false }
        return Self.documents.contains(end) || Self.subtitles.contains(end)
    }

    /// Whether the file with this name is a video or audio file.
    static func isMedia(_ name: String) -> Bool { fileExtension(name).map(extensions.contains) == true }

    static func hasSubtitles(_ name: String) -> Bool { fileExtension(name).map(subtitles.contains) == true }

    /// The extension in lower case, without its dot.
    static func fileExtension(_ name: String) -> String? {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return nil }
        return name[name.index(after: dot)...].lowercased()
    }

    /// The name without its extension, which its file gets again; with whatever else follows its last dot.
    static func title(_ name: String) -> String {
        guard let end = fileExtension(name),
            [extensions, documents, subtitles, others].contains(where: { $0.contains(end) })
        else { return name }
        return String(name.dropLast(end.count + 1))
    }

    /// `*` is any number of characters, `?` one. Linear in the product of both lengths: after a mismatch only the last
    /// star is tried again.
    private static func matches(_ name: ArraySlice<Character>, _ pattern: ArraySlice<Character>) -> Bool {
        var (position, place) = (name.startIndex, pattern.startIndex)
        var star: (place: Int, position: Int)?
        while position < name.endIndex {
            if place < pattern.endIndex, pattern[place] == "*" {
                star = (place, position)
                place += 1
            } else if place < pattern.endIndex, pattern[place] == "?" || pattern[place] == name[position] {
                place += 1
                position += 1
            } else if let last = star {
                star = (last.place, last.position + 1)
                place = last.place + 1
                position = last.position + 1
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == "*" }
    }
}
