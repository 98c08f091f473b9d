package import DownloadStore
import FileSystem
package import MediaLibrary

/// The library's errors as errors of a download, whose sentences are stored with its row: see
/// ``DownloadError/message``.
extension DownloadError {
    /// An operation of the library failed for this download.
    package init(_ error: LibraryError) { self.init(kind: .disk, message: error.sentence) }

    /// The whole library is unreachable.
    package init(loss error: LibraryError) { self.init(kind: .disk, message: error.sentenceWithWaysOut) }
}

extension LibraryError {
    /// One sentence without its full stop.
    package var sentence: String {
        switch self {
        case .markerMissing(let library, _): "\(library) isn't the library that the state belongs to"
        case .markerOfAnother(let library, _): "\(library) is another state's library"
        case .dividedOtherwise(let library, let shards?):
            """
            \(library) is the library of \(shards) shards (--shard I/\(shards)); use another library with --library, \
            or divide this one anew with reshard
            """
        case .dividedOtherwise(let library, nil):
            """
            \(library) is the library of a state without shards; for shards use another one with --library, or divide \
            this one with reshard
            """
        case .otherUnit(let library, dividesVideos: true):
            """
            \(library) is the library of shards that divide videos (--shard-by video); use another library with \
            --library, or divide this one anew with reshard
            """
        case .otherUnit(let library, dividesVideos: false):
            """
            \(library) is the library of shards that divide courses (without --shard-by video); use another library \
            with --library, or divide this one anew with reshard
            """
        case .partOfAnother(let library, let part): "another state has the shard \(part) of \(library)"
        case .hasShards(let library): "\(library) is the library of shards; give one with --shard I/N"
        case .inUse(let library, _): "\(library) is in use by another process"
        case .replaced(let library): "the folder \(library) was replaced by another one"
        case .markerUnreadable(let library): "\(library)/.coursefetch/library.json is damaged"
        case .notAFolder(let path): "\(path) isn't a folder"
        case .notAFile(let path): "\(path) isn't a file"
        case .leadsOut(let path):
            """
            \(path) leads through a symbolic link, which coursefetch never follows in a library; use a bind mount \
            instead
            """
        case .badPath(let path): "\(path) isn't a path in a library: a bug"
        case .stopped: "it was stopped"
        case .system(let operation, let path, let errno): "can't \(operation.rawValue) \(path): \(errno)"
        }
    }

    /// Whole sentences for a library that can't be used, remedies included.
    package var sentenceWithWaysOut: String {
        switch self {
        case .markerMissing(let library, folderExists: true):
            """
            \(library) isn't the library that the state belongs to. If its disk isn't mounted, mount it. If it has \
            moved, run: \(SuggestedCommand.text("library move NEW-FOLDER")); to use this folder as the library, run: \
            \(SuggestedCommand.text("library adopt --library \(ShellWord.quoted(library))"))
            """
        case .markerMissing(let library, folderExists: false):
            """
            the library \(library) doesn't exist. If its disk isn't mounted, mount it. If it has moved, run: \
            \(SuggestedCommand.text("library move NEW-FOLDER"))
            """
        case .markerOfAnother(let library, let found):
            """
            \(library) belongs to another state (user \(found.user) on \(found.host)). If the wrong disk is mounted, \
            mount the right one. If the library has moved, run: \
            \(SuggestedCommand.text("library move NEW-FOLDER")). If the state of this folder is lost, or to take it \
            over from \(found.user), run: \
            \(SuggestedCommand.adoption(of: library, from: found))
            """
        case .partOfAnother(let library, let part):
            """
            another state has the shard \(part) of \(library). Sync it where that state is; if the state is lost, run: \
            \(SuggestedCommand.text("library adopt --rebuild"))
            """
        default: "the library can't be used: \(sentence)"
        }
    }
}

extension SuggestedCommand {
    /// The command that takes a library over, with what it has: without `--rebuild` all of it would be downloaded
    /// again. It is refused for a library of another user without that user's name.
    package static func adoption(of library: String, from marker: LibraryMarker) -> String {
        let (path, user) = (ShellWord.quoted(library), ShellWord.quoted(marker.user))
        return text("library adopt --rebuild --library \(path) --from-user \(user)")
    }
}
