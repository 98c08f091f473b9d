/// The facts about a course for the files beside its media. Paths are relative to the library; it contains only
/// finished videos.
package struct MetadataCourse: Sendable {
    /// A picture, a text or a document beside a video.
    package struct Beside: Sendable, Equatable {
        /// A subtitle's language; an attachment's title; the role of another view.
        package var name: String
        package var path: String

        package init(name: String, path: String) {
            self.name = name
            self.path = path
        }
    }

    /// A finished video.
    package struct Video: Sendable, Equatable {
        package var id: String
        package var title: String
        package var description: String?
        /// As `2026-10-05`.
        package var date: String?
        package var provider: String
        /// The catalog's first preference.
        package var quality: String
        /// The number in its season.
        package var number: Int
        /// The number in its course.
        package var index: Int
        package var path: String
        /// In bytes.
        package var size: Int64
        /// In hexadecimal.
        package var sha256: String?
        /// The playing time; nil if unknown.
        package var seconds: Double?
        package var cover: String?
        package var subtitles: [Beside] = []
        package var attachments: [Beside] = []
        /// Other views of the video: the slides beside the lecturer.
        package var views: [Beside] = []
        /// Whether it is no longer in its catalog, so that less is known of it.
        package var isGone = false

        package init(
            id: String, title: String, description: String? = nil, date: String? = nil, provider: String,
            quality: String, number: Int, index: Int, path: String, size: Int64, sha256: String? = nil,
            seconds: Double? = nil, cover: String? = nil
        ) {
            self.id = id
            self.title = title
            self.description = description
            self.date = date
            self.provider = provider
            self.quality = quality
            self.number = number
            self.index = index
            self.path = path
            self.size = size
            self.sha256 = sha256
            self.seconds = seconds
            self.cover = cover
        }
    }

    /// A chapter, or the videos directly under the course.
    package struct Chapter: Sendable, Equatable {
        /// Nil for the videos directly under the course.
        package var id: String?
        package var title: String
        package var description: String?
        /// The course's, if the layout has none for chapters.
        package var folder: String
        package var number: Int
        /// Its number among the chapters; 0 for the videos beside them.
        package var season: Int
        package var cover: String?
        package var videos: [Video]
        /// Whether it is no longer in its catalog.
        package var isGone = false

        package init(
            id: String?, title: String, description: String? = nil, folder: String, number: Int, season: Int,
            cover: String? = nil, videos: [Video]
        ) {
            self.id = id
            self.title = title
            self.description = description
            self.folder = folder
            self.number = number
            self.season = season
            self.cover = cover
            self.videos = videos
        }
    }

    package var id: String
    package var title: String
    package var description: String?
    package var folder: String
    package var cover: String?
    /// In the catalog's order, what is gone at its number; only those with a finished video.
    package var chapters: [Chapter]

    package init(
        id: String, title: String, description: String? = nil, folder: String, cover: String? = nil,
        chapters: [Chapter]
    ) {
        self.id = id
        self.title = title
        self.description = description
        self.folder = folder
        self.cover = cover
        self.chapters = chapters
    }

    package var videos: [Video] { chapters.flatMap(\.videos) }
}

extension MetadataCourse.Video {
    /// The path without the extension: files with this beginning belong to it. For a package, its folder's.
    var stem: String { Self.stem(of: path) }

    static func stem(of path: String) -> String {
        let parts = path.split(separator: "/")
        if parts.count > 1, parts[parts.count - 2].hasSuffix(".hls") {
            return parts.dropLast().joined(separator: "/").dropSuffix(".hls")
        }
        let name = parts.last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return path }
        return String(path.dropLast(name.distance(from: dot, to: name.endIndex)))
    }

    var fileExtension: String {
        path.lastIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? ""
    }
}

extension String {
    fileprivate func dropSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
