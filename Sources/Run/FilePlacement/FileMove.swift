package import DownloadStore
package import MediaLibrary

/// A recorded move, and what came of it.
package struct FileMove: Sendable {
    /// As it is recorded.
    package var move: RecordedMove
    /// The file's present path; nil if the move is unfinished, and stays recorded.
    package var path: String?
    /// The reason why the file isn't at its new path; nil if it is there, or missing.
    package var error: LibraryError?
    /// Whether the file is at its new path: it was in `moving/`, or stands there as an earlier run has put it, with its
    /// size and time.
    var isMoved = false
    /// Whether the file was removed, since it is nobody's any more.
    package var isOrphan = false
    package var isUnfinished: Bool { path == nil }

    init(_ move: RecordedMove, _ result: MoveResult) {
        self.move = move
        switch result {
        case .moved(let path): (self.path, isMoved) = (path, true)
        case .missing: path = move.to
        case .stayed(let path, let error): (self.path, self.error) = (path, error)
        case .unfinished(let error): self.error = error
        }
    }

    /// A move of a plan that couldn't be carried out.
    init(_ move: RecordedMove, _ error: LibraryError) {
        self.move = move
        self.error = error
    }
}
