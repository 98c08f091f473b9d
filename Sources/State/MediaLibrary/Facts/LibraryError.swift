package import FileSystem
package import SystemPackage

/// The reason why an operation in a library failed. Facts only; the commands make the text.
package enum LibraryError: Error, Sendable, Hashable {
    /// The state has a library, but this folder has no marker: not mounted, or a wrong path.
    case markerMissing(library: String, folderExists: Bool)
    /// The marker is another state's.
    case markerOfAnother(library: String, found: LibraryMarker)
    /// So many shards write to it, and these are others; nil if that is one state without shards.
    case dividedOtherwise(library: String, shards: Int?)
    /// Its shards divide videos, and the sync divides courses, or the other way round.
    case otherUnit(library: String, dividesVideos: Bool)
    /// The part of this shard was written by another state.
    case partOfAnother(library: String, part: String)
    /// Shards write to it, and no shard was given.
    case hasShards(library: String)
    /// The folder at the path isn't the opened one, but has the same marker.
    case replaced(library: String)
    /// `library.json` exists and isn't a marker.
    case markerUnreadable(library: String)
    /// Another process writes to it; nil if its lock doesn't identify it.
    case inUse(library: String, by: LockHolder?)
    /// A needed folder is something else.
    case notAFolder(path: String)
    /// A needed file is a folder or a device.
    case notAFile(path: String)
    /// A symbolic link is in the way. None is followed, wherever it points; a bind mount is.
    case leadsOut(path: String)
    /// Not a path inside a library. A bug of the caller.
    case badPath(String)
    /// The caller stopped it.
    case stopped
    /// A system call failed.
    case system(FileOperation, path: String, Errno)

    /// The errno of a failed system call.
    package var errno: Errno? {
        if case .system(_, _, let errno) = self { errno } else { nil }
    }

    /// No space: the disk or the quota is full. The limit on a file's size is different: other files fit.
    package var isFull: Bool {
        switch errno {
        case .noSpace, .diskQuotaExceeded: true
        default: false
        }
    }

    /// Nothing can be written: a read-only file system, or permissions.
    package var isReadOnly: Bool {
        switch errno {
        case .readOnlyFileSystem, .permissionDenied, .notPermitted: true
        default: false
        }
    }

    /// Written data may be lost. After a failed flush another flush proves nothing: download the bytes again.
    package var isDataLoss: Bool {
        if case .system(.flush, _, _) = self { true } else { errno == .ioError }
    }
}
