package import DownloadStore
package import FileSystem
package import MediaLibrary
package import MediaTransfer

/// A file whose bytes are all in a partial, and where it belongs.
package struct ArrivedFile: Sendable {
    package enum Role: Sendable {
        case video(DownloadID, source: SourceDigest)
        case sidecar(DownloadID, SidecarRecord.Kind, name: String)
        case courseCover(course: String, digest: CoverDigest)
        case chapterCover(course: String, chapter: String, digest: CoverDigest)

        /// The download that it is of, or beside.
        package var download: DownloadID? {
            switch self {
            case .video(let id, _), .sidecar(let id, _, _): id
            case .courseCover, .chapterCover: nil
            }
        }
    }

    package var role: Role
    /// Its number among the run's sidecars; nil of a video and of its parts.
    package var sidecar: Int?
    package var partialName: PartialName
    /// Nil for a file that was linked or copied and is durable already.
    package var partial: PartialFile?
    var size: Int64
    package var sha256: Checksum?
    /// Where it belongs, relative to the library, extension included.
    package var path: String
    /// Tells it apart when somebody else's file stands at `path`.
    var id: String
    /// Our own file that it replaces.
    var old: StoredFile?
    /// Files that the video isn't whole without: they are at their places before it is.
    var parts: [ArrivedFile] = []
    /// Whether what stands in its way keeps it from its place: another file leads to it by this very name.
    var keepsName = false
    /// Whether it may have had parts before that it doesn't have now.
    var hasPast = false
    /// What it can be compared by once it is there.
    var proof: FileProof?
    /// The partial's time, of one that a run before this one was about to place: it may be at its place already.
    var settles: Int64?

    package init(
        role: Role, sidecar: Int? = nil, partialName: PartialName, partial: PartialFile? = nil, size: Int64,
        sha256: Checksum? = nil, path: String, id: String, old: StoredFile? = nil, parts: [ArrivedFile] = [],
        keepsName: Bool = false, hasPast: Bool = false, proof: FileProof? = nil, settles: Int64? = nil
    ) {
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

/// A file at its place, durable.
package struct PlacedFile: Sendable {
    package var file: ArrivedFile
    package var stored: StoredFile
    /// Of ``ArrivedFile/parts``.
    package var parts: [PlacedFile] = []
    /// Whether it is one of these.
    var isPart = false
    /// Parts of what the video replaces that it doesn't have itself.
    var obsolete: [SidecarRecord] = []
}

/// Why a file isn't at its place.
package enum PlacingFailure: Sendable, Equatable {
    /// Its data didn't reach the disk and are lost: fetch it again.
    case flush(FileError)
    case library(LibraryError)
    /// It belongs beside a video that the person has given up meanwhile.
    case unwanted
    /// The state can't be written; the run ends.
    case store
}
