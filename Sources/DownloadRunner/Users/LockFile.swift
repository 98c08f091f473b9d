import SystemPackage

/// Where a lock is: a name in an open folder, or a path.
struct LockFile: Sendable {
    /// Nil: `name` is a path.
    var folder: FolderHandle?
    /// The file's name.
    var name: String
    /// For messages.
    var shownPath: String
    /// Of a new file, before the umask.
    var mode: UInt16

    /// The lock on a user's state, which is nobody else's.
    init(_ state: StateFolder) {
        name = state.lock.string
        shownPath = name
        mode = 0o600
    }

    /// The lock on a library, which several accounts may share.
    init(libraryHome home: FolderHandle) {
        folder = home
        name = "lock"
        shownPath = "\(LibraryPath.privateFolder)/\(name)"
        mode = 0o666
    }
}
