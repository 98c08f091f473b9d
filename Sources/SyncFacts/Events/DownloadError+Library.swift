package import DownloadStore
import FileSystem
package import MediaLibrary

/// The library's errors as a download's, whose sentences are stored with its row: see ``DownloadError/message``.
extension DownloadError {
    /// The library can't do something for this download.
    package init(_ error: LibraryError) { self.init(kind: .disk, message: error.sentence) }

    /// The whole library is out of reach.
    package init(loss error: LibraryError) { self.init(kind: .disk, message: error.sentenceWithWaysOut) }
}

extension LibraryError {
    /// One sentence without its full stop.
    package var sentence: String {
        switch self {
        case .markerMissing(let library, _): "\(library) isn't the library that the state knows"
        case .markerOfAnother(let library, _): "\(library) is another state's library"
        case .inUse(let library, _): "\(library) is in use by another process"
        case .replaced(let library): "another folder stands at \(library) than when it was opened"
        case .markerUnreadable(let library): "\(library)/.coursefetch/library.json isn't what it should be"
        case .notAFolder(let path): "\(path) is needed as a folder, and is something else"
        case .notAFile(let path): "\(path) is needed as a file, and is something else"
        case .leadsOut(let path):
            "\(path) leads through a symbolic link, which is never followed in a library; use a bind mount instead"
        case .badPath(let path): "\(path) isn't a path in a library: a bug"
        case .stopped: "it was stopped"
        case .system(let operation, let path, let errno): "can't \(operation.rawValue) \(path): \(errno)"
        }
    }

    /// Whole sentences for a library that can't be used, ways out included.
    package var sentenceWithWaysOut: String {
        switch self {
        case .markerMissing(let library, folderExists: true):
            """
            \(library) isn't the library that the state knows. If its disk isn't mounted, mount it. If it has moved, \
            run: coursefetch library move NEW-FOLDER. To take this folder as the library, run: coursefetch library adopt \
            --library \(library)
            """
        case .markerMissing(let library, folderExists: false):
            """
            there is no folder \(library), the library that the state knows; make it or mount it first. If it has \
            moved, run: coursefetch library move NEW-FOLDER
            """
        case .markerOfAnother(let library, let found):
            """
            \(library) is the library of another state (user \(found.user) on \(found.host)). If \
            the wrong disk is mounted, mount the right one. If the library has moved, run: coursefetch library move \
            NEW-FOLDER. To take this folder over, run: coursefetch library adopt --library \(library)
            """
        default: "the library can't be used: \(sentence)"
        }
    }
}
