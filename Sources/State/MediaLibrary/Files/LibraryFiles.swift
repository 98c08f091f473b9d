package import FileSystem
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The result of removing a file.
package enum Removal: Sendable, Hashable {
    /// It is removed; durable after ``FolderTree/flushNames(of:)``, at worst it comes back.
    case removed
    /// The file was missing already.
    case missing
    /// The file isn't the recorded one; it stays.
    case notOurs(FileFacts)
}

/// The placed files of a library: which exist, and whether they are the recorded ones.
///
/// Others with access may change any of them at any time. Only a file that currently matches its record is read for
/// another purpose, or removed.
package struct LibraryFiles: Sendable {
    private let folders: FolderTree

    init(folders: FolderTree) { self.folders = folders }

    /// The metadata of a file; nil if there is none.
    ///
    /// Throws ``LibraryError/leadsOut(path:)`` for a symbolic link and ``LibraryError/notAFile(path:)`` for a folder or
    /// device.
    package func facts(of path: String) throws(LibraryError) -> FileFacts? {
        try facts(of: path, tolerant: false)
    }

    /// Like ``facts(of:)``; if tolerant, a special file counts as missing. A link always throws.
    func facts(of path: String, tolerant: Bool) throws(LibraryError) -> FileFacts? {
        let place = try LibraryPath(path)
        guard let folder = try folders.folder(place.folder) else { return nil }
        let entry: FolderHandle.Entry?
        do { entry = try folder.entry(place.name) } catch { throw .system(.inspect, path: path, error) }
        switch entry {
        case nil: return nil
        case .file(let facts): return facts
        case .link: throw .leadsOut(path: path)
        case .folder, .other:
            if tolerant { return nil }
            throw .notAFile(path: path)
        }
    }

    /// Hashes a whole file, and compares it with `checksums`; nil if there is none. Throws ``LibraryError/stopped``
    /// when `shouldStop` returns true, called for each mebibyte.
    package func hash(
        _ path: String, comparingWith checksums: PublishedChecksums? = nil, shouldStop: () -> Bool = { false }
    ) throws(LibraryError) -> HashedFile? {
        guard let before = try facts(of: path) else { return nil }
        return try read(path) { file throws(Errno) in
            var digest = checksums?.digest
            let sha256 = try FileCopy.digest(of: file, shouldStop: shouldStop) { digest?.update($0) }
            var after = try file.facts()
            after.links = before.links
            let found = digest?.checksums
            return HashedFile(
                facts: before, sha256: sha256, isStable: after == before,
                contradicted: found.flatMap { checksums?.contradiction(to: $0) })
        }
    }

    /// Whether the file at a path is the recorded one. Reads it only if its time doesn't decide.
    package func proves(
        _ path: String, is record: FileRecord, shouldStop: () -> Bool = { false }
    ) throws(LibraryError) -> Proof {
        guard let facts = try facts(of: path) else { return .missing }
        guard facts.size == record.size else { return .notOurs(facts) }
        if let modified = record.modified, modified == facts.modified { return .ours(facts) }
        guard let sha256 = record.sha256 else { return .notOurs(facts) }
        guard let hashed = try hash(path, shouldStop: shouldStop) else { return .missing }
        return hashed.isStable && hashed.sha256 == sha256 ? .ours(hashed.facts) : .notOurs(hashed.facts)
    }

    /// Some bytes of a file; nil if it isn't the recorded one, or has fewer.
    package func bytes(
        of path: String, record: FileRecord, _ range: Range<Int64>
    ) throws(LibraryError) -> [UInt8]? {
        guard case .ours = try proves(path, is: record) else { return nil }
        return try read(path) { file throws(Errno) in try file.bytes(range) }
    }

    /// Makes the content of a file written by somebody else durable, before it is adopted.
    package func flush(_ path: String) throws(LibraryError) {
        let place = try LibraryPath(path)
        guard let folder = try folders.folder(place.folder) else { return }
        do {
            try folder.openFile(place.name, O_RDONLY).flush()
        } catch {
            throw .system(.flush, path: path, error)
        }
    }

    /// Removes a file of ours, and then the empty folders above it.
    ///
    /// A file that isn't provably the recorded one stays. A second name of it (a hard link) stays.
    package func remove(_ path: String, record: FileRecord) throws(LibraryError) -> Removal {
        let place = try LibraryPath(path)
        let proof: Proof
        do {
            proof = try proves(path, is: record)
        } catch .notAFolder {
            return .missing
        }
        switch proof {
        case .missing:
            folders.removeEmpty(from: place.folder)
            return .missing
        case .notOurs(let facts):
            return .notOurs(facts)
        case .ours(let facts):
            guard let folder = try folders.folder(place.folder) else { return .missing }
            do {
                // Reading it may have taken long: it must still be the proven one.
                guard case .file(let now)? = try folder.entry(place.name) else { return .missing }
                guard now.isUnchanged(since: facts) else { return .notOurs(now) }
                try folder.remove(place.name)
            } catch {
                throw .system(.remove, path: path, error)
            }
            folders.removeEmpty(from: place.folder)
            return .removed
        }
    }

    /// Opens a file to read it; nil if there is none.
    package func open(_ path: String) throws(LibraryError) -> OpenFile? {
        let place = try LibraryPath(path)
        guard let folder = try folders.folder(place.folder) else { return nil }
        // A pipe in its place must not hold anybody.
        do { return try folder.openFile(place.name, O_RDONLY | O_NONBLOCK) } catch {
            switch error {
            case .noSuchFileOrDirectory: return nil
            case .tooManySymbolicLinkLevels: throw .leadsOut(path: path)
            default: throw .system(.read, path: path, error)
            }
        }
    }

    /// Passes an open file to `body`; nil if there is none.
    private func read<Value>(
        _ path: String, _ body: (OpenFile) throws(Errno) -> Value?
    ) throws(LibraryError) -> Value? {
        guard let file = try open(path) else { return nil }
        do { return try body(file) } catch {
            if error == .canceled { throw .stopped }
            throw .system(.read, path: path, error)
        }
    }
}
