package import FileSystem
package import SystemPackage

/// Why a state folder can't be used. Facts only.
package enum StateError: Error, Sendable, Hashable {
    /// Something else is where a folder is needed.
    case notAFolder(path: String)
    /// Something else is where a file of ours is needed: a folder, a link, a pipe.
    case notAFile(path: String)
    /// The folder belongs to another account, which could exchange what is in it.
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
