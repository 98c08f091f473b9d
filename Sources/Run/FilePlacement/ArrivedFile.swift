package import DownloadStore
package import FileSystem
package import MediaLibrary
package import MediaTransfer

/// A file whose bytes are complete in a partial, and its place.
package struct ArrivedFile: Sendable {
    package enum Role: Sendable {
        case video(DownloadID, source: SourceDigest)
        case sidecar(DownloadID, SidecarRecord.Kind, name: String)
        case courseCover(course: String, digest: CoverDigest)
        case chapterCover(course: String, chapter: String, digest: CoverDigest)

        /// The download that it belongs to.
        package var download: DownloadID? {
            switch self {
            case .video(let id, _), .sidecar(let id, _, _): id
            case .courseCover, .chapterCover: nil
            }
        }
    }

    package var role: Role
    /// Its number among the run's sidecars; nil for a video and its parts.
    package var sidecar: Int?
    package var partialName: PartialName
    /// Nil for a file that was linked or copied and is durable already.
    package var partial: PartialFile?
    package var size: Int64
    package var sha256: Checksum?
    /// Its place, relative to the library, extension included.
    package var path: String
    /// Appended if somebody else's file is at `path`.
    package var id: String
    /// Our own file that it replaces.
    package var old: StoredFile?
    /// Files that the video needs: they are placed before it.
    package var parts: [ArrivedFile] = []
    /// Whether it fails if its place is taken: another file refers to it by this exact name.
    package var keepsName = false
    /// Whether it may have had other parts before.
    package var hasPast = false
    /// Which view of the video it is, as its provider calls it.
    package var view: String?
    /// What ffmpeg has to make of it and its parts later.
    package var joining: String?
    /// Facts to compare it with other files, once it is placed.
    package var proof: FileProof?
    /// The published checksums that it has been compared with.
    package var checksums: PublishedChecksums?
    /// The time of the partial or the file, for a file that may be in place already: an earlier run was about to place
    /// it, or the video keeps it while others come beside it.
    package var settles: Int64?
    /// Whether another shard waits for it: it is in the list of files before anybody hears of it.
    package var isAwaited = false

    package init(
        role: Role, sidecar: Int? = nil, partialName: PartialName, partial: PartialFile? = nil, size: Int64,
        sha256: Checksum? = nil, path: String, id: String, old: StoredFile? = nil, parts: [ArrivedFile] = [],
        keepsName: Bool = false, hasPast: Bool = false, proof: FileProof? = nil, settles: Int64? = nil,
        checksums: PublishedChecksums? = nil
    ) {
        self.checksums = checksums
        self.role = role
        self.sidecar = sidecar
        self.partialName = partialName
        self.partial = partial
        self.size = size
        self.sha256 = sha256
        self.path = path
        self.id = id
        self.old = old
        self.parts = parts
        self.keepsName = keepsName
        self.hasPast = hasPast
        self.proof = proof
        self.settles = settles
    }
}

extension ArrivedFile {
    /// A part of the video that stays as it is while others come.
    package init(keeping part: SidecarRecord, number: Int, of video: String) {
        self.init(
            role: .sidecar(part.download, part.kind, name: part.name),
            partialName: PartialName(download: part.download.rawValue, sidecar: "kept\(number)"), size: part.size,
            sha256: part.sha256, path: part.path, id: video, settles: part.modified)
    }
}

/// A placed file, durable.
package struct PlacedFile: Sendable {
    package var file: ArrivedFile
    package var stored: StoredFile
    /// Of ``ArrivedFile/parts``.
    package var parts: [PlacedFile] = []
    /// Whether it is one of these.
    package var isPart = false
    var former = FormerParts()
}

/// Parts of a replaced video that its successor doesn't bring.
struct FormerParts: Sendable {
    /// Those that it no longer has.
    var obsolete: [SidecarRecord] = []
    /// Other views, which stay.
    var kept: [SidecarRecord] = []
}

/// The reason why a file isn't placed.
package enum PlacingFailure: Sendable, Equatable {
    /// Its data couldn't be flushed and is lost: download it again.
    case flush(FileError)
    case library(LibraryError)
    /// It belongs to a video that the user has cancelled or removed in the meantime.
    case unwanted
    /// The state can't be written; the run ends.
    case store
}
