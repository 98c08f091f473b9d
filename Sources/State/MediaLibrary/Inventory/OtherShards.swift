package import FileSystem
import SystemPackage

/// What the shards of a library see of each other: their lists of files, and which of them fetches a video that several
/// have.
package struct OtherShards: Sendable {
    /// `.coursefetch`.
    private let home: PrivateFolder

    /// Nil for the library of a state without shards.
    package init?(of library: LibraryFolder) {
        guard let home = library.ofAllShards else { return nil }
        self.home = home
    }

    /// The list of a shard's files; nil if it has no folder. Creates nothing.
    ///
    /// - Parameter name: of the shard's folder, `2-of-8`.
    package func list<Record>(of name: String) throws(LibraryError) -> FileList<Record>? {
        var (handle, path) = (home.handle, home.path)
        for next in ["shards", name] {
            path += "/" + next
            guard let folder = try handle.libraryFolder(next, path: path) else { return nil }
            handle = folder
        }
        return FileList(in: handle, path: path)
    }

    /// Removes the claims of processes that were killed.
    package func removeStaleClaims(as holder: LockHolder) throws(LibraryError) {
        let path = home.path(of: Self.claims)
        guard let handle = try home.handle.libraryFolder(Self.claims, path: path) else { return }
        // One that nobody has is removed as it ends.
        for name in try PrivateFolder(handle, path: path).names() { _ = try claim(name, as: holder) }
    }

    private static let claims = "claims"

    /// Claims a video for this shard, as long as the result is held; nil if another shard, or another claim of this
    /// process, has it. A claim ends with its process, however that ends. A file system without locks has no claims.
    ///
    /// - Parameter name: of a file in `.coursefetch/claims`.
    package func claim(_ name: String, as holder: LockHolder) throws(LibraryError) -> VideoClaim? {
        let folder = try home.folder(Self.claims)
        let file = LockFile(name, in: folder.handle, shownPath: folder.path(of: name), mode: 0o666)
        do throws(LockError) {
            guard case .acquired(let lock) = try FileLock.attempt(file, as: holder) else { return nil }
            return VideoClaim(lock: lock, name: name, folder: folder)
        } catch {
            switch error {
            case .noLocks: return VideoClaim(lock: nil, name: name, folder: folder)
            case .system(_, let path, let errno): throw .system(.lock, path: path, errno)
            case .notAFile(let path): throw .notAFile(path: path)
            }
        }
    }
}

/// The right of one shard to fetch a video that several have. It ends when it is released or forgotten.
package final class VideoClaim: Sendable {
    private let lock: FileLock?
    private let name: String
    private let folder: PrivateFolder

    init(lock: FileLock?, name: String, folder: PrivateFolder) {
        (self.lock, self.name, self.folder) = (lock, name, folder)
    }

    deinit {
        guard let lock else { return }
        // While it is held: whoever waits for it makes the file again.
        try? folder.remove(name)
        lock.release()
    }
}
