package import FileSystem
import Synchronization
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The folder of finished media and of coursefetch's own files in it: opened, marked as ours, and locked.
///
/// Everything is opened beneath the root, and no symbolic link below it is followed. Nothing that isn't provably ours
/// is replaced or deleted. Paths are relative to the root. All functions block; they may be called from any thread. Its
/// parts have the operations.
package final class LibraryFolder: Sendable {
    /// The root, as given.
    package let root: FilePath
    package let id: LibraryID
    package let fileSystem: FileSystemKind

    package let folders: FolderTree
    /// Its placed files.
    package let files: LibraryFiles
    /// Incomplete files.
    package let partials: Partials
    package let placing: Placing
    /// Makes partials from existing files.
    package let duplicates: Duplicates
    /// Makes partials from files outside the library.
    package let imports: Imports
    package let moves: Moves
    /// Leftovers of moves and copies.
    package let stranded: StrandedFiles
    /// The copy of a shard's state.
    package let stateCopy: StateCopy

    /// `.coursefetch`, or the folder of a shard in it.
    let home: PrivateFolder
    /// `.coursefetch`, which the shards have in common; nil for a state without shards.
    let ofAllShards: PrivateFolder?
    /// How often the library was divided anew, as its marker said.
    package let division: Int
    /// Whether each course's videos are divided among its shards, as its marker said.
    package let dividesVideos: Bool
    /// The shard; nil for a state without shards.
    let part: LibraryPart?
    /// Whether it is open for a shard.
    package var isOfShard: Bool { part != nil }
    /// Held while this process may write to it.
    let ownLock = Mutex<FileLock?>(nil)

    /// - Parameter shard: with `.coursefetch`, in which `home` is; nil for a state without shards.
    init(
        _ root: RootFolder, id: LibraryID, division: Int, home: PrivateFolder,
        shard: (part: LibraryPart, common: PrivateFolder)? = nil, dividesVideos: Bool = false,
        isStepwise: Bool = false
    ) throws(LibraryError) {
        self.dividesVideos = dividesVideos
        ofAllShards = shard?.common
        part = shard?.part
        self.division = division
        self.root = root.path
        self.id = id
        self.home = home
        fileSystem = FileSystemKind.of(root.path)
        let partialsFolder = try home.folder("partials")
        let moving = try home.folder("moving")
        folders = FolderTree(root: root.handle, isStepwise: isStepwise)
        files = LibraryFiles(folders: folders)
        partials = Partials(folder: partialsFolder, library: root.path)
        placing = Placing(folders: folders, files: files, partials: partialsFolder.handle)
        duplicates = Duplicates(folders: folders, files: files, partials: partialsFolder)
        imports = Imports(partials: partialsFolder)
        moves = Moves(folders: folders, files: files, moving: moving)
        stranded = StrandedFiles(folders: folders, moving: moving)
        stateCopy = StateCopy(folder: home.handle, path: home.path)
    }

    /// Opens the library, and makes it if it is new.
    ///
    /// A folder with another library's marker is refused, and so is one without a marker if the state has a library. On
    /// return the marker is durable.
    ///
    /// - Parameters:
    ///   - part: of a shard; nil for a state without shards.
    ///   - takesOver: whether the part may be that of another state of this shard.
    ///   - original: of a copy: the library that it is of.
    ///   - isStepwise: paths are opened component by component, as on a kernel without `openat2`.
    package static func open(
        _ path: FilePath, expecting expectation: LibraryExpectation, owner: LibraryOwner, part: LibraryPart? = nil,
        takesOver: Bool = false, copyOf original: LibraryID? = nil, isStepwise: Bool = false,
        by calls: any FileSystemCalls = KernelCalls()
    ) throws(LibraryError) -> LibraryFolder {
        let marker = try marker(of: path, by: calls)
        var id = expectation.id
        var (division, dividesVideos) = (marker?.division ?? 0, marker?.dividesVideos ?? false)
        if let marker {
            id = try Self.id(of: marker, path, expecting: expectation, owner: owner, part)
        } else if case .known = expectation {
            throw RootFolder.markerMissing(path, by: calls)
        } else {
            try RootFolder.create(path, by: calls)
        }
        let root = try RootFolder(at: path, by: calls)
        let home = try PrivateFolder(inRoot: root.handle)
        if marker == nil {
            let written = try MarkerFile(home: home.handle).create(
                LibraryMarker(
                    id: id, owner: owner, shards: part?.count, dividesVideos: part?.dividesVideos ?? false,
                    copyOf: original))
            // Another sync may have marked the folder in the meantime.
            id = try Self.id(of: written, path, expecting: expectation, owner: owner, part)
            (division, dividesVideos) = (written.division ?? 0, written.dividesVideos)
            try root.flush()
        }
        let own = try part.map { part throws(LibraryError) in try home.folder("shards").folder(part.name) } ?? home
        if let part, case .new = expectation, !takesOver, try own.facts(of: FileListName.text) != nil {
            throw .partOfAnother(library: path.string, part: part.name)
        }
        return try LibraryFolder(
            root, id: id, division: division, home: own, shard: part.map { ($0, home) },
            dividesVideos: dividesVideos, isStepwise: isStepwise)
    }

    /// Opens a copy of a library, and makes it if it is new. A folder with any other marker is refused: its state
    /// wouldn't know of new files.
    package static func openCopy(
        _ path: FilePath, of original: LibraryID, owner: LibraryOwner
    ) throws(LibraryError) -> LibraryFolder {
        if let marker = try marker(of: path), marker.copyOf != original.rawValue {
            throw .markerOfAnother(library: path.string, found: marker)
        }
        return try open(path, expecting: .new(.ofCopy(of: original)), owner: owner, copyOf: original)
    }

    /// Whether shards write to it. Creates nothing.
    package static func hasShards(_ path: FilePath) throws(LibraryError) -> Bool {
        guard let home = try RootFolder.ifThere(path, by: KernelCalls())?.home() else { return false }
        return try home.libraryFolder("shards", path: "\(LibraryPath.privateFolder)/shards") != nil
    }

    /// The id of a marked library, if this state may use it. The first shard that comes marks it for all of them.
    private static func id(
        of marker: LibraryMarker, _ path: FilePath, expecting expectation: LibraryExpectation, owner: LibraryOwner,
        _ part: LibraryPart?
    ) throws(LibraryError) -> LibraryID {
        if marker.id != expectation.id.rawValue {
            guard case .new = expectation, marker.user == owner.user else {
                throw .markerOfAnother(library: path.string, found: marker)
            }
            if part == nil, marker.shards == nil { throw .markerOfAnother(library: path.string, found: marker) }
        }
        guard marker.shards == part?.count else {
            throw .dividedOtherwise(library: path.string, shards: marker.shards)
        }
        return LibraryID(rawValue: marker.id)
    }

    /// Makes the folder this state's library, whoever owned it: its marker is written again, durable on return.
    package static func adopt(
        _ path: FilePath, as id: LibraryID, owner: LibraryOwner
    ) throws(LibraryError) -> LibraryFolder {
        let root = try RootFolder(at: path, by: KernelCalls())
        let home = try PrivateFolder(inRoot: root.handle)
        try MarkerFile(home: home.handle).overwrite(LibraryMarker(id: id, owner: owner))
        try root.flush()
        return try LibraryFolder(root, id: id, division: 0, home: home)
    }

    /// The folder's marker; nil if it has none or doesn't exist. Creates nothing.
    package static func marker(
        of path: FilePath, by calls: any FileSystemCalls = KernelCalls()
    ) throws(LibraryError) -> LibraryMarker? {
        try RootFolder.ifThere(path, by: calls)?.marker()
    }

    /// The reason why the whole library is unreachable: deleted, unmounted or replaced since it was opened. Nil if it
    /// is there; to be called after an operation in it failed.
    package func loss() -> LibraryError? {
        do throws(LibraryError) {
            guard let marker = try Self.marker(of: root, by: calls) else {
                return RootFolder.markerMissing(root, by: calls)
            }
            guard marker.id == id.rawValue else { return .markerOfAnother(library: root.string, found: marker) }
            // A copy has the same marker.
            return leadsHere ? nil : .replaced(library: root.string)
        } catch {
            return error
        }
    }

    /// Checks that open folders are still those at the paths of these files: somebody may have renamed or replaced one
    /// since it was opened. To be called before files are placed; a missing folder is made again then.
    ///
    /// Throws the error of ``loss()`` if the library as a whole has changed.
    package func refreshFolders(of paths: some Sequence<String>) throws(LibraryError) {
        guard leadsHere else { throw loss() ?? .replaced(library: root.string) }
        try folders.refresh(of: paths)
    }

    /// The space of the disk that it is written to at first, as partials; nil if that can't be measured.
    package func space() throws(LibraryError) -> VolumeSpace? {
        do { return try partials.folder.handle.space() } catch { throw .system(.inspect, path: root.string, error) }
    }

    private var calls: any FileSystemCalls { folders.root.calls }

    /// Whether the root's path still leads to the open folder: the same device and inode.
    private var leadsHere: Bool {
        (try? RootFolder(at: root, by: calls)).map { folders.root.isSame(as: $0.handle) } ?? false
    }
}

extension LibraryFolder {
    /// Whether its file system refuses names that others take, as FAT and exFAT do. It is tried: through FUSE a file
    /// system doesn't say what it is.
    package func refusesNames() -> Bool {
        let name = #"coursefetch: a "name"?"#
        do throws(Errno) {
            _ = try home.handle.openFile(name, O_WRONLY | O_CREAT)
            try home.handle.remove(name)
            return false
        } catch {
            return true
        }
    }
}
