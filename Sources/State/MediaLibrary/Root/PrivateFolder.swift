import FileSystem
import SystemPackage

/// A private folder of coursefetch in a library: `.coursefetch`, or one directly in it. Its files have plain names, and
/// errors contain the path from the library's root.
struct PrivateFolder: Sendable {
    let handle: FolderHandle
    /// From the library's root.
    let path: String

    init(_ handle: FolderHandle, path: String) { (self.handle, self.path) = (handle, path) }

    /// Opens a folder, and makes it if it is missing.
    private init(_ name: String, in above: FolderHandle, path: String) throws(LibraryError) {
        do { try above.makeFolder(name) } catch { throw .system(.create, path: path, error) }
        guard let handle = try above.libraryFolder(name, path: path) else {
            throw .system(.open, path: path, .noSuchFileOrDirectory)
        }
        self.handle = handle
        self.path = path
    }

    /// `.coursefetch`.
    init(inRoot root: FolderHandle) throws(LibraryError) {
        try self.init(LibraryPath.privateFolder, in: root, path: LibraryPath.privateFolder)
    }

    func folder(_ name: String) throws(LibraryError) -> PrivateFolder {
        try PrivateFolder(name, in: handle, path: path(of: name))
    }

    /// A file's path, from the library's root.
    func path(of name: String) -> String { "\(path)/\(name)" }

    /// Nil if there is no file of that name.
    func facts(of name: String) throws(LibraryError) -> FileFacts? {
        do {
            guard case .file(let facts)? = try handle.entry(name) else { return nil }
            return facts
        } catch {
            throw .system(.inspect, path: path(of: name), error)
        }
    }

    /// Removes a file; a missing one is fine.
    func remove(_ name: String) throws(LibraryError) {
        do { try handle.remove(name) } catch { throw .system(.remove, path: path(of: name), error) }
    }

    /// The folders in it, on a file system that tells them apart.
    func folders() throws(LibraryError) -> [String] {
        var names: [String] = []
        do {
            try handle.forEachEntry { name, isFolder in
                if isFolder != false { names.append(String(decoding: name, as: UTF8.self)) }
                return true
            }
        } catch { throw .system(.list, path: path, error) }
        return names
    }

    /// Everything in it except folders.
    func names() throws(LibraryError) -> [String] {
        do { return try FolderFileNames(of: handle).names } catch { throw .system(.list, path: path, error) }
    }
}
