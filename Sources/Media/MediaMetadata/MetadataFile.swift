/// The kinds of files written beside media. Each has its own setting.
package enum MetadataKind: String, Sendable, Hashable, CaseIterable {
    /// For Kodi, Jellyfin and Emby.
    case nfo
    /// The facts about a video, for programs.
    case infoJSON = "info-json"
    /// A playlist of a course and of each chapter.
    case playlist
    /// A page that plays a course in a browser, and one of all courses.
    case index
}

/// A complete file to write beside media.
package struct MetadataFile: Sendable, Equatable {
    /// Relative to the library.
    package var path: String
    package var bytes: [UInt8]
    /// Whether a file of ours in its place stays as it is, since it may say more.
    package var isKept: Bool

    package init(path: String, text: String, isKept: Bool = false) {
        self.path = path
        self.isKept = isKept
        bytes = Array(text.utf8)
    }
}

/// Makes the files beside the media of a course: the same course gives the same bytes.
package struct MetadataWriter: Sendable {
    /// Raised whenever the same facts give other bytes: all files are written again then.
    package static let version = 3

    /// The path of the page of all courses.
    package static let pageOfAll = "index.html"

    /// The wanted kinds.
    package let kinds: Set<MetadataKind>
    /// Whether there is a page of all courses; a shard doesn't know those of the others.
    package let hasLibrary: Bool

    package init(_ kinds: Set<MetadataKind>, hasLibrary: Bool = true) {
        self.kinds = kinds
        self.hasLibrary = hasLibrary && kinds.contains(.index)
    }

    /// All files of a course; none for a course without a finished video.
    ///
    /// - Parameter text: the content of a subtitle, by its path, for a page that embeds it; nil if it can't be read, or
    ///   is too large.
    package func files(of course: MetadataCourse, text: @escaping (String) -> [UInt8]?) -> [MetadataFile] {
        guard !course.chapters.isEmpty else { return [] }
        var files: [MetadataFile] = []
        if kinds.contains(.nfo) { files += NFO.files(of: course) }
        if kinds.contains(.infoJSON) { files += InfoJSON.files(of: course) }
        if kinds.contains(.playlist) { files += Playlists.files(of: course) }
        if kinds.contains(.index) { files.append(IndexPage(course, hasLibrary: hasLibrary, text: text).file) }
        return files
    }

    /// The page of all courses; nil if there is to be none.
    package func page(of library: MetadataLibrary) -> MetadataFile? {
        hasLibrary && !library.courses.isEmpty ? LibraryPage(library).file : nil
    }
}
