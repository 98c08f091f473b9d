/// The place of a lock: a name in an open folder, or a path.
package struct LockFile: Sendable {
    /// Nil: `name` is a path.
    package var folder: FolderHandle?
    package var name: String
    /// For messages.
    package var shownPath: String
    /// Of a new file, before the umask.
    package var mode: UInt16

    package init(path: String, mode: UInt16) {
        name = path
        shownPath = path
        self.mode = mode
    }

    /// A lock in an open folder.
    package init(_ name: String, in folder: FolderHandle, shownPath: String, mode: UInt16) {
        self.folder = folder
        self.name = name
        self.shownPath = shownPath
        self.mode = mode
    }
}
