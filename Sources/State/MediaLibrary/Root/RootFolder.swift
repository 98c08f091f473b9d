import FileSystem
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The folder that is or becomes a library, open, before its owner is known.
///
/// It may be reached through links: that is the user's choice.
struct RootFolder: Sendable {
    /// As it was given.
    let path: FilePath
    let handle: FolderHandle

    init(at path: FilePath, by calls: any FileSystemCalls) throws(LibraryError) {
        self.path = path
        do {
            handle = try FolderHandle(at: path, calls: calls)
        } catch {
            if error == .notDirectory { throw .notAFolder(path: path.string) }
            throw .system(.open, path: path.string, error)
        }
    }

    /// Like ``init(at:by:)``; nil if it doesn't exist.
    static func ifThere(_ path: FilePath, by calls: any FileSystemCalls) throws(LibraryError) -> RootFolder? {
        do {
            return try RootFolder(at: path, by: calls)
        } catch .system(_, _, .noSuchFileOrDirectory) {
            return nil
        }
    }

    /// Makes the folder and those above it, if missing.
    static func create(_ path: FilePath, by calls: any FileSystemCalls) throws(LibraryError) {
        do {
            try makeFolder(path, by: calls)
        } catch .noSuchFileOrDirectory {
            let above = path.removingLastComponent()
            guard above != path, !above.isEmpty else {
                throw .system(.create, path: path.string, .noSuchFileOrDirectory)
            }
            try create(above, by: calls)
            do { try makeFolder(path, by: calls) } catch { throw .system(.create, path: path.string, error) }
        } catch {
            throw .system(.create, path: path.string, error)
        }
    }

    /// Accepts an existing one.
    private static func makeFolder(_ path: FilePath, by calls: any FileSystemCalls) throws(Errno) {
        do { try calls.makeFolder(at: path) } catch .fileExists {}
    }

    /// The error for a path without a marker, with whether a folder exists.
    static func markerMissing(_ path: FilePath, by calls: any FileSystemCalls) -> LibraryError {
        .markerMissing(library: path.string, folderExists: (try? calls.status(at: path)) != nil)
    }

    /// `.coursefetch`; nil if there is none. Creates nothing.
    func home() throws(LibraryError) -> FolderHandle? {
        try handle.libraryFolder(LibraryPath.privateFolder, path: LibraryPath.privateFolder)
    }

    /// `.coursefetch`, or the folder of a shard in it, with its path from here; nil if there is none. Creates nothing.
    func home(of part: LibraryPart?) throws(LibraryError) -> (FolderHandle, path: String)? {
        guard var home = try home() else { return nil }
        var path = LibraryPath.privateFolder
        for name in part.map({ ["shards", $0.name] }) ?? [] {
            path += "/" + name
            guard let next = try home.libraryFolder(name, path: path) else { return nil }
            home = next
        }
        return (home, path)
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
        // The parent folder may not be ours to open.
        if let above = try? RootFolder(at: path.removingLastComponent(), by: handle.calls) { try? above.handle.flush() }
    }
}
