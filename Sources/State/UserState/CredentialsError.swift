package import FileSystem
package import SystemPackage

/// The reason why a user's credentials can't be read or written. Facts only, without secrets.
package enum CredentialsError: Error, Sendable, Equatable {
    /// The file is invalid. It is never overwritten.
    case damaged(path: String)
    /// A newer coursefetch wrote it.
    case newerVersion(path: String)
    /// The file's path is something else: a folder, a link, a pipe.
    case notAFile(path: String)
    /// More than the limit for one user.
    case tooMuch(path: String)
    /// Another process has kept the lock for too long.
    case busy(path: String)
    /// The file system has no locks.
    case noLocks(path: String)
    /// A system call failed.
    case system(FileOperation, path: String, Errno)
}
