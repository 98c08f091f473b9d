package import SystemPackage

/// The reason why a lock can't be taken or read. Facts only.
package enum LockError: Error, Sendable, Hashable {
    /// The lock's path is something else: a folder, a link, a pipe.
    case notAFile(path: String)
    /// The file system has no locks.
    case noLocks(path: String)
    /// A system call failed.
    case system(FileOperation, path: String, Errno)
}
