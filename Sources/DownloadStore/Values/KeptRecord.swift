import FileSystem

/// All that it takes to know a file of the library again without a state: a finished video with what came along, or the
/// folder and cover of a course or chapter. One line of the list that lies in the library.
package struct KeptRecord: Sendable, Equatable, Codable {
    /// A file that came along with a video.
    package struct Beside: Sendable, Equatable, Codable {
        package var kind: String
        package var name: String
        package var path: String
        package var size: Int64
        package var modified: Int64
    }

    /// The course's id.
    package var course: String
    /// The chapter's id; nil for a course, and for a video directly under it.
    package var chapter: String?
    /// The video's id; nil for a course or chapter.
    package var video: String?
    /// What a person calls it.
    package var title: String
    /// 1-based among its siblings; nil for a course.
    package var position: Int?
    /// The catalog that a course is written in.
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
    /// Of the video's file: the source that it came from, and what else proves its bytes.
    package var source: String?
    package var proof: String?
    package var provider: String?
    /// The planned path without its extension.
    package var stem: String?
    /// What brought it; nil in lists of before the state knew it.
    package var kind: String?
    /// How long a stream plays.
    package var seconds: Double?
    /// Digest of the cover that is there.
    package var cover: String?
    /// Digest of the extras that are there.
    package var extras: String?
    /// What came along.
    package var beside: [Beside]?
    /// Of a video: whether nothing that is to come along is still wanted. Nil in lists of before it was known.
    package var complete: Bool?

    package init(course: String, title: String) {
        self.course = course
        self.title = title
    }

    /// What brought it: before lists said so, only streams had a length.
    var downloadKind: DownloadKind { kind.map(DownloadKind.init) ?? (seconds == nil ? .file : .stream) }

    /// A course's folder and cover.
    package init(_ course: CourseRecord) {
        self.init(course: course.id, title: course.title)
        catalog = course.file
        folder = course.folder
        setCover(course.cover, course.coverFile)
    }

    /// A chapter's folder and cover.
    package init(_ chapter: ChapterRecord) {
        self.init(course: chapter.course, title: chapter.title)
        self.chapter = chapter.id
        position = chapter.position
        folder = chapter.folder
        setCover(chapter.cover, chapter.coverFile)
    }

    /// With its ids in their normal spelling.
    package var normalized: KeptRecord {
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

/// A record whose files have been found at their places, with all digests as bytes.
package struct ProvenRecord: Sendable {
    /// As it was read.
    package var record: KeptRecord
    /// The video's file, or the cover; nil where there is none, or not any more.
    package var file: StoredFile?
    /// Of the cover.
    package var cover: CoverDigest?
    /// Of the extras; nil if not all of them are there.
    package var extras: ExtrasDigest?
    /// What came along and is there; the download's id is of no meaning.
    package var sidecars: [SidecarRecord]
    /// What came along and isn't there any more.
    package var missing: [SidecarName] = []
    /// Whether nobody knows what else is to come along: its provider is asked once.
    package var isUnasked: Bool { record.complete != true }

    package init(
        record: KeptRecord, file: StoredFile?, cover: CoverDigest? = nil, extras: ExtrasDigest? = nil,
        sidecars: [SidecarRecord] = []
    ) {
        self.record = record
        self.file = file
        self.cover = cover
        self.extras = extras
        self.sidecars = sidecars
    }
}
