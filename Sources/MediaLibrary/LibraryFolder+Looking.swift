package import FileSystem
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension LibraryFolder {
    /// What is known of a file without reading it; nil if there is none.
    ///
    /// Throws ``LibraryError/leadsOut(path:)`` for a symbolic link and ``LibraryError/notAFile(path:)`` for a folder or device.
    package func facts(of path: String) throws(LibraryError) -> FileFacts? {
        try facts(of: path, tolerant: false)
    }

    /// As ``facts(of:)``; if tolerant, what isn't a file has no facts. A link always throws.
    func facts(of path: String, tolerant: Bool) throws(LibraryError) -> FileFacts? {
        let place = try LibraryPath(path)
        guard let folder = try folder(place.folder) else { return nil }
        do {
            switch try folder.entry(place.name) {
            case nil: return nil
            case .file(let facts): return facts
            case .link: throw LibraryError.leadsOut(path: path)
            case .folder, .other:
                if tolerant { return nil }
                throw LibraryError.notAFile(path: path)
            }
        } catch let error as LibraryError {
            throw error
        } catch let error as Errno {
            throw .system(.inspect, path: path, error)
        } catch {
            throw .badPath(path)
        }
    }

    /// Reads a file from its first byte to its last; nil if there is none. Throws ``LibraryError/stopped`` when `shouldStop`
    /// says so, asked for each mebibyte.
    package func hash(_ path: String, shouldStop: () -> Bool = { false }) throws(LibraryError) -> HashedFile? {
        guard let before = try facts(of: path) else { return nil }
        let place = try LibraryPath(path)
        guard let folder = try folder(place.folder) else { return nil }
        do {
            let descriptor = try folder.open(place.name, O_RDONLY)
            defer { close(descriptor) }
            let sha256 = try FileCopy.digest(of: descriptor, shouldStop: shouldStop)
            var after = try FileFacts(descriptor: descriptor)
            after.links = before.links
            return HashedFile(facts: before, sha256: sha256, isStable: after == before)
        } catch {
            switch error {
            case .canceled: throw .stopped
            case .noSuchFileOrDirectory: return nil
            case .tooManySymbolicLinkLevels: throw .leadsOut(path: path)
            default: throw .system(.read, path: path, error)
            }
        }
    }

    /// Whether the file at a path is the recorded one. Reads it only if its time doesn't settle it.
    package func proves(
        _ path: String, is record: FileRecord, shouldStop: () -> Bool = { false }
    ) throws(LibraryError) -> Proof {
        guard let facts = try facts(of: path) else { return .missing }
        guard facts.size == record.size else { return .notOurs(facts) }
        if let modified = record.modified, modified == facts.modified { return .ours(facts) }
        guard let sha256 = record.sha256 else { return .notOurs(facts) }
        guard let hashed = try hash(path, shouldStop: shouldStop) else { return .missing }
        return hashed.isStable && hashed.sha256 == sha256.lowercased() ? .ours(hashed.facts) : .notOurs(hashed.facts)
    }

    /// Makes the content of a file that somebody else wrote durable, before it is adopted.
    package func flushFile(_ path: String) throws(LibraryError) {
        let place = try LibraryPath(path)
        guard let folder = try folder(place.folder) else { return }
        do {
            let descriptor = try folder.open(place.name, O_RDONLY)
            defer { close(descriptor) }
            try systemCall { fsync(descriptor) }
        } catch {
            throw .system(.flush, path: path, error)
        }
    }

    /// Bytes that this account may still write in the library.
    package func freeSpace() throws(LibraryError) -> Int64 {
        do { return try partialsHandle.freeSpace() } catch { throw .system(.inspect, path: root.string, error) }
    }

    /// The names in a folder, read once; none if it doesn't exist. The empty path is the library itself.
    package func listing(of folder: String) throws(LibraryError) -> FolderListing {
        try LibraryPath.checkFolder(folder)
        guard let handle = try self.folder(folder) else { return FolderListing() }
        do { return try FolderListing(of: handle) } catch { throw .system(.list, path: folder, error) }
    }

    /// One listing of each folder, made when it is first asked about.
    package func names() -> LibraryListing { LibraryListing(library: self) }

    /// All names of files in a small folder of ours.
    func names(in handle: FolderHandle, path: String) throws(LibraryError) -> [String] {
        do { return try FolderListing(of: handle).names } catch { throw .system(.list, path: path, error) }
    }
}
