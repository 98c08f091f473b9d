import DownloadStore
import MediaLibrary
import MediaTransfer

/// A file whose bytes are all in a partial, and where it belongs.
struct ArrivedFile: Sendable {
    enum Role: Sendable {
        case video(DownloadID, source: [UInt8])
        case sidecar(DownloadID, SidecarRecord.Kind, name: String)
        case courseCover(course: String, digest: [UInt8])
        case chapterCover(course: String, chapter: String, digest: [UInt8])

        /// The download that it is of, or beside.
        var download: DownloadID? {
            switch self {
            case .video(let id, _), .sidecar(let id, _, _): id
            case .courseCover, .chapterCover: nil
            }
        }
    }

    var role: Role
    /// Its number among the run's sidecars; nil of a video and of its parts.
    var sidecar: Int?
    var partialName: PartialName
    /// Nil for a file that was linked or copied and is durable already.
    var partial: PartialFile?
    var size: Int64
    var sha256: [UInt8]?
    /// Where it belongs, relative to the library, extension included.
    var path: String
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
}

/// A file at its place, durable.
struct PlacedFile: Sendable {
    var file: ArrivedFile
    var stored: StoredFile
    /// Of ``ArrivedFile/parts``.
    var parts: [PlacedFile] = []
    /// Whether it is one of these.
    var isPart = false
    /// Parts of what the video replaces that it doesn't have itself.
    var obsolete: [SidecarRecord] = []
}

/// Why a file isn't at its place.
enum PlacingFailure: Sendable, Equatable {
    /// Its data didn't reach the disk and are lost: fetch it again.
    case flush(FileError)
    case library(LibraryError)
    /// The state can't be written; the run ends.
    case store
}
