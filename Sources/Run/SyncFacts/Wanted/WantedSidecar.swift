package import DownloadStore
import FileSystem
package import MediaLibrary
import ProviderKit

/// A cover, subtitle or attachment to download.
package struct WantedSidecar: Sendable {
    package enum Owner: Sendable, Hashable {
        case video(DownloadID, SidecarRecord.Kind, name: String)
        case course(String, digest: CoverDigest)
        case chapter(course: String, chapter: String, digest: CoverDigest)
    }

    package enum Source: Sendable, PrintsRedacted {
        /// A file beside the catalog.
        case file(LocalCover)
        /// A URL, which may be signed if a provider names it.
        case url(String)
        /// Subtitles that came with the answer.
        case text(String)

        package var url: String? { if case .url(let url) = self { url } else { nil } }
    }

    package var owner: Owner
    package var source: Source
    /// Whether a resolution names its URL: it is requested with that answer's headers, and its token for its origins
    /// only.
    package var isResolved: Bool
    /// Its folder, relative to the library; empty for the root.
    package var folder: String
    /// The name without its extension; for a subtitle the whole name.
    package var name: String
    /// Nil for a subtitle, whose name is complete.
    package var purpose: FileExtension.Purpose?
    /// Stated by catalog or provider.
    package var mediaType: String?
    /// The provider whose listing names its URL; nil if the catalog does, or a resolution.
    package var listed: ListingSource?
    /// The catalog's largest size of its video's files, in bytes.
    package var maxSize: Int64?
    /// For messages.
    package var video: VideoReference?
    /// Our own file that it replaces.
    package var old: StoredFile?

    package init(
        owner: Owner, source: Source, isResolved: Bool = false, folder: String, name: String,
        purpose: FileExtension.Purpose? = nil, mediaType: String? = nil, listed: ListingSource? = nil,
        video: VideoReference? = nil, old: StoredFile? = nil
    ) {
        self.owner = owner
        self.source = source
        self.isResolved = isResolved
        self.folder = folder
        self.name = name
        self.purpose = purpose
        self.mediaType = mediaType
        self.listed = listed
        self.video = video
        self.old = old
    }

    /// The video that it belongs to; nil for the cover of a course or chapter.
    package var download: DownloadID? { if case .video(let id, _, _) = owner { id } else { nil } }

    /// Whether a web page is wanted. Only its address can tell: a login page is one, too.
    package var isPage: Bool {
        guard purpose == .attachment, let path = source.url?.prefix(while: { $0 != "?" && $0 != "#" }) else {
            return false
        }
        return ["html", "htm", "xhtml", "xht", "mhtml"].contains { path.lowercased().hasSuffix(".\($0)") }
    }

    /// Whether XML or JSON may be what is wanted. In the place of a PDF it is a server's refusal.
    package var allowsMarkup: Bool {
        purpose == .attachment && !FileExtension.excludesMarkup(mediaType: mediaType, url: source.url)
    }

    package var isSubtitle: Bool {
        if case .video(_, .subtitle, _) = owner { true } else { false }
    }

    /// Its name among the sidecars of its video; nil for the cover of a course or chapter.
    package var rowName: SidecarName? {
        if case .video(_, let kind, let name) = owner { SidecarName(kind, name) } else { nil }
    }

    /// Its name in a warning.
    package var shown: SyncWarning.Sidecar {
        switch owner {
        case .video(_, let kind, let name): .ofVideo(kind, name: name)
        case .course(let course, _): .courseCover(course)
        case .chapter(let course, let chapter, _): .chapterCover(course: course, chapter: chapter)
        }
    }

    /// A key that is the same in each run, and unique in this state.
    package var missKey: String {
        switch owner {
        case .video(let id, let kind, let name): "\(id.rawValue) \(kind.rawValue) \(name)"
        case .course(let course, _): "cover \(course)"
        case .chapter(let course, let chapter, _): "cover \(course)/\(chapter)"
        }
    }

    /// Whether it is one of these files.
    package func isAmong(_ records: [SidecarRecord]) -> Bool { records.contains { isFile(of: $0) } }

    /// Sets the file that it replaces, if it is among these.
    package mutating func replace(one records: [SidecarRecord]) {
        old = records.first { isFile(of: $0) }.map {
            StoredFile(path: $0.path, size: $0.size, modified: $0.modified, sha256: nil, source: [])
        }
    }

    private func isFile(of record: SidecarRecord) -> Bool {
        guard case .video(_, record.kind, record.name) = owner else { return false }
        return true
    }

    /// Distinguishes the partials of one run: covers of courses and chapters have no download.
    package func partialName(ordinal: Int) -> PartialName {
        if case .video(let id, _, _) = owner { return PartialName(download: id.rawValue, sidecar: "s\(ordinal)") }
        return PartialName(download: 0, sidecar: "c\(ordinal)")
    }
}
