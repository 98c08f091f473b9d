import FileSystem
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The folder that is or becomes a library, open, before it is known whose it is.
///
/// It may be reached through links: that is the person's choice.
struct RootFolder: Sendable {
    /// As it was given.
    let path: FilePath
    let handle: FolderHandle

    init(at path: FilePath) throws(LibraryError) {
        self.path = path
        do {
            handle = try FolderHandle(at: path)
        } catch {
            if error == .notDirectory { throw .notAFolder(path: path.string) }
            throw .system(.open, path: path.string, error)
        }
    }

    /// As ``init(at:)``; nil if nothing is there.
    static func ifThere(_ path: FilePath) throws(LibraryError) -> RootFolder? {
        do {
            return try RootFolder(at: path)
        } catch .system(_, _, .noSuchFileOrDirectory) {
            return nil
        }
    }

    /// Makes the folder and those above it, where they are missing.
    static func create(_ path: FilePath) throws(LibraryError) {
        do {
            try makeFolder(path)
        } catch .noSuchFileOrDirectory {
            let above = path.removingLastComponent()
            guard above != path, !above.isEmpty else {
                throw .system(.create, path: path.string, .noSuchFileOrDirectory)
            }
            try create(above)
            do { try makeFolder(path) } catch { throw .system(.create, path: path.string, error) }
        } catch {
            throw .system(.create, path: path.string, error)
        }
    }

    /// One that is there is fine.
    private static func makeFolder(_ path: FilePath) throws(Errno) {
        do { try systemCall { path.withPlatformString { mkdir($0, 0o777) } } } catch .fileExists {}
    }

    /// The error for a path without a marker, and whether at least a folder is there.
    static func markerMissing(_ path: FilePath) -> LibraryError {
        var facts = stat()
        return .markerMissing(
            library: path.string, folderExists: path.withPlatformString { stat($0, &facts) } == 0)
    }

    /// `.coursefetch`; nil if there is none. Creates nothing.
    func home() throws(LibraryError) -> FolderHandle? {
        try handle.libraryFolder(LibraryPath.privateFolder, path: LibraryPath.privateFolder)
    }

    /// Nil if it has none. Creates nothing.
    func marker() throws(LibraryError) -> LibraryMarker? {
        guard let home = try home() else { return nil }
        return try MarkerFile(home: home).read(library: path)
    }

    /// Makes the name `.coursefetch` durable, and the root's own.
    func flush() throws(LibraryError) {
        do {
            try handle.flush()
        } catch {
            throw .system(.flush, path: path.string, error)
        }
        // The folder above may not be ours to open.
        if let above = try? RootFolder(at: path.removingLastComponent()) { try? above.handle.flush() }
    }
}
