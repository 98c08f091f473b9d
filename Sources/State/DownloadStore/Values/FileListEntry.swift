import FileSystem

/// The facts needed to recognize a file of the library without a state: a finished video with its sidecars, or the
/// folder and cover of a course or chapter. One line of the list in the library.
package struct FileListEntry: Sendable, Equatable, Codable {
    /// A sidecar of a video, or a file made from the facts about a course.
    package struct Beside: Sendable, Equatable, Codable {
        /// The kind of a file of a course that is made from facts; no ``SidecarRecord/Kind``.
        package static let metadata = "metadata"

        package var kind: String
        package var name: String
        package var path: String
        package var size: Int64
        package var modified: Int64
        /// Nil if none was computed.
        package var sha256: String?

        package init(
            kind: String, name: String, path: String, size: Int64, modified: Int64, sha256: String? = nil
        ) {
            self.kind = kind
            self.name = name
            self.path = path
            self.size = size
            self.modified = modified
            self.sha256 = sha256
        }
    }

    /// The course's id.
    package var course: String
    /// The chapter's id; nil for a course, and for a video directly under it.
    package var chapter: String?
    /// The video's id; nil for a course or chapter.
    package var video: String?
    package var title: String
    /// 1-based among its siblings; nil for a course.
    package var position: Int?
    /// A video's number in its season, a chapter's in its course; nil in older lists.
    package var number: Int?
    /// A video's number in its course; nil in older lists.
    package var index: Int?
    /// A chapter's number as a season, or that of the videos directly under a course; nil in older lists.
    package var season: Int?
    /// Whether it keeps its number although its source has another.
    package var keepsNumber: Bool?
    /// The catalog of a course.
    package var catalog: String?
    /// The folder of a course or chapter.
    package var folder: String?
    /// The video's file, or the cover.
    package var path: String?
    /// In bytes.
    package var size: Int64?
    /// In ns since 1970.
    package var modified: Int64?
    /// In hex, as all digests here.
    package var sha256: String?
    /// Of the video's file: its source, and the further proof of its bytes.
    package var source: String?
    package var proof: String?
    /// Which view of the video it is.
    package var role: String?
    /// What ffmpeg has to make of it and the files beside it.
    package var joining: String?
    package var provider: String?
    /// The planned path without its extension.
    package var stem: String?
    /// The kind of its download; nil in older lists.
    package var kind: String?
    /// The playing time of a stream.
    package var seconds: Double?
    /// Digest of the stored cover.
    package var cover: String?
    /// Digest of the stored extras.
    package var extras: String?
    /// Its sidecars; of a course in a copy of a library, the files made from its facts.
    package var beside: [Beside]?
    /// For a video: whether no sidecar is still wanted. Nil in older lists.
    package var complete: Bool?

    package init(course: String, title: String) {
        self.course = course
        self.title = title
    }

    /// The kind of its download: in older lists only streams had a duration.
    var downloadKind: DownloadKind { kind.map(DownloadKind.init) ?? (seconds == nil ? .file : .stream) }

    /// Whether it keeps its number although its source has another: in older lists there are none but those of names.
    var keepsItsNumber: Bool { keepsNumber ?? (number == nil) }

    /// A course's folder and cover.
    package init(_ course: CourseRecord) {
        self.init(course: course.id, title: course.title)
        catalog = course.file
        folder = course.folder
        season = course.season
        setCover(course.cover, course.coverFile)
    }

    /// A chapter's folder and cover.
    package init(_ chapter: ChapterRecord) {
        self.init(course: chapter.course, title: chapter.title)
        self.chapter = chapter.id
        position = chapter.position
        folder = chapter.folder
        number = chapter.number
        season = chapter.season
        keepsNumber = chapter.keepsNumber ? true : nil
        setCover(chapter.cover, chapter.coverFile)
    }

    /// With its ids in their normal spelling.
    package var normalized: FileListEntry {
        var record = self
        record.course = Identifier.normalized(course)
        record.chapter = chapter.map(Identifier.normalized)
        record.video = video.map(Identifier.normalized)
        return record
    }

    private mutating func setCover(_ digest: CoverDigest?, _ file: StoredFile?) {
        guard let digest, let file else { return }
        cover = digest.hex
        path = file.path
        size = file.size
        modified = file.modified
    }
}

/// A record whose files have been found in place, with all digests as bytes.
package struct ProvenListEntry: Sendable {
    /// The record as read.
    package var record: FileListEntry
    /// The video's file, or the cover; nil if there is none, or it is missing.
    package var file: StoredFile?
    package var cover: CoverDigest?
    /// Digest of the extras; nil if some are missing.
    package var extras: ExtrasDigest?
    /// Its existing sidecars; the download's id is unused.
    package var sidecars: [SidecarRecord]
    package var missing: [SidecarName] = []
    /// Existing files made from the facts about a course.
    package var metadata: [MetadataRecord] = []
    /// Whether other sidecars are unknown: its provider is asked once.
    package var isUnasked: Bool { record.complete != true }

    package init(
        record: FileListEntry, file: StoredFile?, cover: CoverDigest? = nil, extras: ExtrasDigest? = nil,
        sidecars: [SidecarRecord] = []
    ) {
        self.record = record
        self.file = file
        self.cover = cover
        self.extras = extras
        self.sidecars = sidecars
    }
}
