package import SystemPackage

/// Why a lock can't be taken or looked at. Facts only.
package enum LockError: Error, Sendable, Hashable {
    /// Something else is where the lock's file is needed: a folder, a link, a pipe.
    case notAFile(path: String)
    /// The file system has no locks.
    case noLocks(path: String)
    /// A system call failed.
    case system(FileOperation, path: String, Errno)
}
