package import FileSystem
import Foundation
import Synchronization
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The folder that finished media live in, with what coursefetch keeps in it.
///
/// Everything is opened beneath the root, and no symbolic link below it is followed. Nothing that isn't provably ours is
/// replaced or deleted. Paths are relative to the root. All functions block; they may be called from any thread.
package final class LibraryFolder: Sendable {
    /// The root, as it was given.
    package let root: FilePath
    /// Which library it is.
    package let id: LibraryID
    /// What kind it lies on.
    package let fileSystem: FileSystemKind

    let rootHandle: FolderHandle
    let homeHandle: FolderHandle
    let partialsHandle: FolderHandle
    let movingHandle: FolderHandle
    let cache = FolderCache()
    /// While this process may write in it.
    let ownLock = Mutex<FileLock?>(nil)
    /// Whether the kernel resolves a path beneath a folder in one call.
    private let opensBeneath: Bool

    private init(
        root: FilePath, id: LibraryID, rootHandle: FolderHandle, home: FolderHandle, stepwise: Bool = false
    ) throws(LibraryError) {
        self.root = root
        self.id = id
        self.rootHandle = rootHandle
        homeHandle = home
        fileSystem = FileSystemKind.of(root)
        opensBeneath = !stepwise && (try? rootHandle.beneath(".")) != nil
        partialsHandle = try Self.privateFolder("partials", in: home)
        movingHandle = try Self.privateFolder("moving", in: home)
    }

    /// Opens the library, and makes it if it is a new one.
    ///
    /// A folder that already bears another library's marker is refused, and so is one without a marker when the state knows
    /// its library. On return the marker is durable.
    package static func open(
        _ root: FilePath, expecting expectation: LibraryExpectation, owner: LibraryOwner
    ) throws(LibraryError) -> LibraryFolder {
        try open(root, expecting: expectation, owner: owner, stepwise: false)
    }

    /// As ``open(_:expecting:owner:)``; `stepwise` opens paths component by component, as on a kernel without `openat2`.
    static func open(
        _ root: FilePath, expecting expectation: LibraryExpectation, owner: LibraryOwner, stepwise: Bool
    ) throws(LibraryError) -> LibraryFolder {
        let marker = try marker(of: root)
        if let marker {
            guard marker.id == expectation.id.rawValue else {
                throw .markerOfAnother(library: root.string, found: marker)
            }
        } else if case .known = expectation {
            throw markerMissing(root)
        } else {
            try createRoot(root)
        }
        let rootHandle = try openRoot(root)
        let home = try privateFolder(LibraryPath.privateFolder, in: rootHandle)
        if marker == nil {
            let written = try MarkerFile(home: home).create(LibraryMarker(id: expectation.id, owner: owner))
            // Another sync may have made the folder its own in the meantime.
            guard written.id == expectation.id.rawValue else {
                throw .markerOfAnother(library: root.string, found: written)
            }
            try flushMarker(rootHandle: rootHandle, root: root)
        }
        return try LibraryFolder(
            root: root, id: expectation.id, rootHandle: rootHandle, home: home, stepwise: stepwise)
    }

    /// Makes the folder this state's library, whoever's it was: its marker is written anew, durable on return.
    package static func adopt(
        _ root: FilePath, as id: LibraryID, owner: LibraryOwner
    ) throws(LibraryError) -> LibraryFolder {
        let rootHandle = try openRoot(root)
        let home = try privateFolder(LibraryPath.privateFolder, in: rootHandle)
        try MarkerFile(home: home).overwrite(LibraryMarker(id: id, owner: owner))
        try flushMarker(rootHandle: rootHandle, root: root)
        return try LibraryFolder(root: root, id: id, rootHandle: rootHandle, home: home)
    }

    /// The folder's marker; nil if it has none or doesn't exist. Creates nothing.
    package static func marker(of root: FilePath) throws(LibraryError) -> LibraryMarker? {
        let rootHandle: FolderHandle
        do {
            rootHandle = try openRoot(root)
        } catch .system(_, _, .noSuchFileOrDirectory) {
            return nil
        }
        let home: FolderHandle
        do {
            home = try rootHandle.folder(LibraryPath.privateFolder)
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw refusal(of: LibraryPath.privateFolder, in: rootHandle, path: LibraryPath.privateFolder, error)
        }
        return try MarkerFile(home: home).read(library: root)
    }

    /// Why the library as a whole is out of reach: deleted, unmounted or replaced since it was opened. Nil if it is there;
    /// to be asked after something in it failed.
    package func loss() -> LibraryError? {
        do throws(LibraryError) {
            guard let marker = try Self.marker(of: root) else { return Self.markerMissing(root) }
            guard marker.id == id.rawValue else { return .markerOfAnother(library: root.string, found: marker) }
            // A copy bears the same marker.
            return leadsHere ? nil : .replaced(library: root.string)
        } catch {
            return error
        }
    }

    /// Whether the root's path still leads to the folder that is open: the same device and inode.
    var leadsHere: Bool {
        (try? Self.openRoot(root)).map { rootHandle.isSame(as: $0) } ?? false
    }

    private static func markerMissing(_ root: FilePath) -> LibraryError {
        var facts = stat()
        return .markerMissing(
            library: root.string, folderExists: root.withPlatformString { stat($0, &facts) } == 0)
    }

    // MARK: Folders

    /// An open folder of the library; nil if it doesn't exist.
    func folder(_ path: String) throws(LibraryError) -> FolderHandle? {
        if path.isEmpty { return rootHandle }
        if let handle = cache.handle(path) { return handle }
        guard let handle = try opened(path) else { return nil }
        cache.insert(handle, at: path)
        return handle
    }

    /// A folder of the library that is opened now; nil if it doesn't exist.
    func opened(_ path: String) throws(LibraryError) -> FolderHandle? {
        try opensBeneath ? openInOneCall(path) : openStepwise(path)
    }

    /// An open folder of the library, created with those above it where it is missing.
    func folderCreating(_ path: String) throws(LibraryError) -> FolderHandle {
        // Twice: somebody may remove an empty folder between its creation and its use.
        for _ in 0..<2 {
            if let handle = try folder(path) { return handle }
            let place = try LibraryPath(path)
            let above = try folderCreating(place.folder)
            do {
                try above.makeFolder(place.name)
            } catch .noSuchFileOrDirectory {
                cache.forget(place.folder)
            } catch {
                throw .system(.create, path: path, error)
            }
        }
        guard let handle = try folder(path) else { throw .system(.create, path: path, .noSuchFileOrDirectory) }
        return handle
    }

    private func openInOneCall(_ path: String) throws(LibraryError) -> FolderHandle? {
        do {
            return try rootHandle.beneath(path)
        } catch {
            switch error {
            case .noSuchFileOrDirectory: return nil
            case .tooManySymbolicLinkLevels, .improperLink: throw .leadsOut(path: path)
            case .notDirectory: throw .notAFolder(path: path)
            default: throw .system(.open, path: path, error)
            }
        }
    }

    private func openStepwise(_ path: String) throws(LibraryError) -> FolderHandle? {
        var handle = rootHandle
        for component in path.split(separator: "/") {
            let name = String(component)
            do {
                handle = try handle.folder(name)
            } catch {
                if error == .noSuchFileOrDirectory { return nil }
                throw Self.refusal(of: name, in: handle, path: path, error)
            }
        }
        return handle
    }

    private static func refusal(
        of name: String, in folder: FolderHandle, path: String, _ error: Errno
    ) -> LibraryError {
        guard error == .notDirectory || error == .tooManySymbolicLinkLevels else {
            return .system(.open, path: path, error)
        }
        let entry = try? folder.entry(name)
        return entry == .link ? .leadsOut(path: path) : .notAFolder(path: path)
    }

    private static func privateFolder(_ name: String, in folder: FolderHandle) throws(LibraryError) -> FolderHandle {
        let path = name == LibraryPath.privateFolder ? name : "\(LibraryPath.privateFolder)/\(name)"
        do { try folder.makeFolder(name) } catch { throw .system(.create, path: path, error) }
        do {
            return try folder.folder(name)
        } catch {
            throw refusal(of: name, in: folder, path: path, error)
        }
    }

    // MARK: The root

    /// The root itself may be reached through links: that is the person's choice.
    static func openRoot(_ root: FilePath) throws(LibraryError) -> FolderHandle {
        do {
            return try FolderHandle(at: root)
        } catch {
            if error == .notDirectory { throw .notAFolder(path: root.string) }
            throw .system(.open, path: root.string, error)
        }
    }

    private static func createRoot(_ root: FilePath) throws(LibraryError) {
        do {
            try systemCall { root.withPlatformString { mkdir($0, 0o777) } }
        } catch .fileExists {
            return
        } catch .noSuchFileOrDirectory {
            let above = root.removingLastComponent()
            guard above != root, !above.isEmpty else {
                throw .system(.create, path: root.string, .noSuchFileOrDirectory)
            }
            try createRoot(above)
            do {
                try systemCall { root.withPlatformString { mkdir($0, 0o777) } }
            } catch {
                if error != .fileExists { throw .system(.create, path: root.string, error) }
            }
        } catch {
            throw .system(.create, path: root.string, error)
        }
    }

    private static func flushMarker(rootHandle: FolderHandle, root: FilePath) throws(LibraryError) {
        do {
            try rootHandle.flush()
        } catch {
            throw .system(.flush, path: root.string, error)
        }
        // The root's own name; its folder may not be ours to open.
        if let above = try? openRoot(root.removingLastComponent()) { try? above.flush() }
    }
}
