package import FileSystem
package import SystemPackage

/// Why a user's credentials can't be read or written. Facts only, and none of the secrets.
package enum CredentialsError: Error, Sendable, Equatable {
    /// The file isn't what it should be. It is never overwritten.
    case damaged(path: String)
    /// A newer coursefetch wrote it.
    case newerVersion(path: String)
    /// Something else is at the file's place: a folder, a link, a pipe.
    case notAFile(path: String)
    /// More than is kept for one user.
    case tooMuch(path: String)
    /// Another process has kept the lock for too long.
    case busy(path: String)
    /// The file system has no locks.
    case noLocks(path: String)
    /// A system call failed.
    case system(FileOperation, path: String, Errno)
}
