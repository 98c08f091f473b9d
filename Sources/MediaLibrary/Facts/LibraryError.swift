package import FileSystem
package import SystemPackage

/// Why something in a library could not be done. Facts only; the commands make the text.
package enum LibraryError: Error, Sendable, Hashable {
    /// The state knows a library, and this folder has no marker: not mounted, or a wrong path.
    case markerMissing(library: String, folderExists: Bool)
    /// The marker is another state's.
    case markerOfAnother(library: String, found: LibraryMarker)
    /// Another folder with the same marker is there than the one that was opened.
    case replaced(library: String)
    /// `library.json` is there and isn't a marker.
    case markerUnreadable(library: String)
    /// Another process writes in it; nil if its lock doesn't tell who.
    case inUse(library: String, by: LockHolder?)
    /// Something else is where a folder is needed.
    case notAFolder(path: String)
    /// A folder or a device is where a file is needed.
    case notAFile(path: String)
    /// A symbolic link is in the way. None is followed, wherever it leads; a bind mount is.
    case leadsOut(path: String)
    /// Not a path inside a library. A bug of the caller's.
    case badPath(String)
    /// The caller wanted to stop.
    case stopped
    /// A system call failed.
    case system(FileOperation, path: String, Errno)

    /// The system's reason, if that is what it was.
    package var errno: Errno? {
        if case .system(_, _, let errno) = self { errno } else { nil }
    }

    /// No room: the disk or the quota. The limit on a file's size is another matter: other files fit.
    package var isFull: Bool {
        switch errno {
        case .noSpace, .diskQuotaExceeded: true
        default: false
        }
    }

    /// Nothing can be written there: a read-only file system, or permissions.
    package var isReadOnly: Bool {
        switch errno {
        case .readOnlyFileSystem, .permissionDenied, .notPermitted: true
        default: false
        }
    }

    /// Data that was written may be gone. After a failed flush another flush proves nothing: fetch the bytes again.
    package var isDataLoss: Bool {
        if case .system(.flush, _, _) = self { true } else { errno == .ioError }
    }
}
