package import FileSystem
package import SystemPackage

/// The reason why a state folder can't be used. Facts only.
package enum StateError: Error, Sendable, Hashable {
    /// A needed folder is something else.
    case notAFolder(path: String)
    /// A needed file of ours is something else: a folder, a link, a pipe.
    case notAFile(path: String)
    /// The folder belongs to another account, which could replace its contents.
    case ownedByAnother(path: String, account: UInt32)
    /// The file system has no locks, so two syncs could run at once.
    case noLocks(path: String)
    /// A system call failed.
    case system(FileOperation, path: String, Errno)
}

extension StateError {
    init(_ error: LockError) {
        self =
            switch error {
            case .notAFile(let path): .notAFile(path: path)
            case .noLocks(let path): .noLocks(path: path)
            case .system(let operation, let path, let errno): .system(operation, path: path, errno)
            }
    }
}
