import DownloadJobs
import DownloadStore
import FilePlacement
import FileSystem
import Foundation
import MediaLibrary
import MigrationSources
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Removes a source whose records are all in the library: first every file of every record is compared with the
/// library's, by its SHA-256 unless they are one file with two names; then the files that the reader knows are removed,
/// each only if it and the library's are still the same, and the folders that are empty. What nobody knows stays.
/// It reads the source anew: what has come into it during the migration isn't in the library.
struct SourceRemoval {
    /// A file that the library has, too.
    private struct Proven {
        var facts: FileFacts
        /// The library's file with its bytes.
        var stored: StoredFile
    }

    private struct Kept: Error {
        var reason: MigrationSummary.KeptReason
    }

    let source: OpenSource
    let store: DownloadStore
    let library: LibraryFolder
    /// The video of each record, by the digest of its key.
    let journal: [Data: MigrationEntry]
    let shouldStop: () -> Bool

    /// Partials of which nothing is claimed, so that nothing could be compared.
    private var unclaimed: Set<String> = []

    init(
        source: OpenSource, store: DownloadStore, library: LibraryFolder, journal: [Data: MigrationEntry],
        shouldStop: @escaping () -> Bool
    ) {
        self.source = source
        self.store = store
        self.library = library
        self.journal = journal
        self.shouldStop = shouldStop
    }

    /// Whether it tells what a file is that stays.
    private func isOfKept(_ path: String) -> Bool {
        path.lastIndex(of: ".").map { unclaimed.contains(String(path[..<$0])) } ?? false
    }

    /// Removes it, or keeps all of it.
    mutating func run() throws -> MigrationSummary.Removal {
        var proven: [String: Proven] = [:]
        // Before anything is read: what comes into them later isn't in the library.
        let own = try source.reader.storeFiles().filter(source.isOutside)
        let facts = try own.map { try source.place.facts(of: $0) }
        do {
            try source.read { record in
                if shouldStop() { throw LibraryError.stopped }
                for (path, found) in try compare(record) { proven[path] = found }
            }
        } catch let kept as Kept { return .kept(kept.reason) }
        // Comparing takes long: somebody may have opened the store since.
        guard try source.reader.storeFiles().filter(source.isOutside) == own else {
            return .kept(.changed(own.first ?? source.place.path))
        }
        var removed = 0
        for (path, file) in proven.sorted(by: { $0.key < $1.key }) {
            if shouldStop() { throw LibraryError.stopped }
            guard let (folder, name) = source.place.parent(of: path), case .file(let now)? = try? folder.entry(name)
            else { continue }
            guard now.size == file.facts.size, now.isUnchanged(since: file.facts),
                case .ours = try library.files.proves(file.stored.path, is: FileRecord(file.stored))
            else { return .kept(.changed(path)) }
            do throws(Errno) { try folder.remove(name) } catch { return failed(path, error) }
            removed += 1
        }
        // At the end: without them nothing could be run again. The given file is the last.
        let last = source.place.file
        let others = zip(own, facts).filter { !isOfKept($0.0) }
        for (path, facts) in others.filter({ $0.0 != last }) + others.filter({ $0.0 == last }) {
            guard let (folder, name) = source.place.parent(of: path), case .file(let now)? = try? folder.entry(name)
            else { continue }
            guard let facts, now.size == facts.size, now.isUnchanged(since: facts) else { return .kept(.changed(path)) }
            do throws(Errno) { try folder.remove(name) } catch { return failed(path, error) }
            removed += 1
        }
        removeEmptyFolders(of: Set(proven.keys).union(own))
        var left = 0
        if source.place.file == nil { try source.place.walk { _ in left += 1 } }
        return .removed(files: removed, left: left)
    }

    private func failed(_ path: String, _ error: Errno) -> MigrationSummary.Removal {
        .failed(path: source.place.shown(path), errno: error.rawValue)
    }

    /// The files of a record, if its video is in the library with the same bytes. Those that are gone already don't
    /// matter.
    private mutating func compare(_ record: SourceRecord) throws -> [String: Proven] {
        let name = record.names.first ?? record.key
        let key = journal[OpenSource.digest(record)]?.key
        // It was only a line, and its video isn't wanted.
        if record.file == nil, record.unprovenBytes == nil,
            try key.flatMap({ try store.downloads.record($0) }).map({ $0.state == .cancelled })
                ?? record.companions.isEmpty
        {
            return [:]
        }
        guard let key, let row = try store.downloads.record(key),
            row.state == .finished, let stored = row.file,
            case .ours = try library.files.proves(stored.path, is: FileRecord(stored))
        else { throw Kept(reason: .missing(name)) }
        var found: [String: Proven] = [:]
        if let file = record.file, record.state != .unproven {
            try compare(file.pieces, with: stored, name, &found)
        } else if let partial = record.unprovenBytes {
            if partial.length == 0 {
                unclaimed.insert(partial.path)
            } else {
                try comparePartial(partial, with: stored, name, &found)
            }
        }
        let beside = record.companions.isEmpty ? [] : try store.sidecars.files(of: [row.id])
        for companion in record.companions {
            let last = String(companion.path.split(separator: "/").last ?? "")
            guard let stored = beside.first(where: { $0.name == last }) else { throw Kept(reason: .missing(name)) }
            try compare([companion.path], with: StoredFile(stored), name, &found)
        }
        return found
    }

    private func compare(
        _ paths: [String], with stored: StoredFile, _ name: String, _ found: inout [String: Proven]
    ) throws {
        var pieces: [Imports.Piece] = []
        defer { for piece in pieces { close(piece.descriptor) } }
        var facts: [FileFacts] = []
        for path in paths {
            guard source.isOutside(path), !source.isInLibrary(path), try !isLibrarysName(path, stored.path) else {
                throw Kept(reason: .librarys(name))
            }
            guard let descriptor = try source.place.open(path) else { continue }
            pieces.append(Imports.Piece(descriptor))
            facts.append(try FileFacts(descriptor: descriptor))
        }
        // An earlier removal was killed: what is left of it stays.
        guard !pieces.isEmpty, pieces.count == paths.count else { return }
        if pieces.count == 1, try isOneFile(pieces[0].descriptor, stored.path) {
            guard facts[0].links > 1 else { throw Kept(reason: .librarys(name)) }
        } else {
            let digest = try Imports.digest(of: pieces, shouldStop: shouldStop)
            // Read again: its record proves its time, not its bytes.
            guard let there = try library.files.hash(stored.path, shouldStop: shouldStop) else {
                throw Kept(reason: .missing(name))
            }
            guard digest.size == there.facts.size, digest.sha256 == there.sha256 else {
                throw Kept(reason: .differs(name))
            }
        }
        for (path, facts) in zip(paths, facts) { found[path] = Proven(facts: facts, stored: stored) }
    }

    /// Each block of a partial has to be the finished file's, or empty.
    private func comparePartial(
        _ partial: SourcePartial, with stored: StoredFile, _ name: String, _ found: inout [String: Proven]
    ) throws {
        guard source.isOutside(partial.path), !source.isInLibrary(partial.path),
            let descriptor = try source.place.open(partial.path)
        else { return }
        defer { close(descriptor) }
        let facts = try FileFacts(descriptor: descriptor)
        guard try !isLibrarysName(partial.path, stored.path),
            try facts.links > 1 || !isOneFile(descriptor, stored.path)
        else { throw Kept(reason: .librarys(name)) }
        guard facts.size <= stored.size else { throw Kept(reason: .differs(name)) }
        let there = try FileDescriptor.open(library.root.appending(stored.path), .readOnly, options: [.closeOnExec])
        defer { try? there.close() }
        let block = 4096
        for start in stride(from: 0, to: facts.size, by: 1 << 20) {
            if shouldStop() { throw LibraryError.stopped }
            let range = start..<min(start + (1 << 20), facts.size)
            guard let mine = try SmallFile.read(descriptor, range),
                let other = try SmallFile.read(there.rawValue, range)
            else { throw Kept(reason: .differs(name)) }
            if mine == other { continue }
            for from in stride(from: 0, to: mine.count, by: block) {
                let piece = from..<min(from + block, mine.count)
                guard mine[piece] == other[piece] || mine[piece].allSatisfy({ $0 == 0 }) else {
                    throw Kept(reason: .differs(name))
                }
            }
        }
        found[partial.path] = Proven(facts: facts, stored: stored)
    }

    /// Whether a path in the source is the library's own name of a file, reached in another way, such as a bind mount.
    private func isLibrarysName(_ path: String, _ stored: String) throws -> Bool {
        guard let (folder, name) = source.place.parent(of: path),
            name == stored.split(separator: "/").last.map(String.init)
        else { return false }
        let above = library.root.appending(stored).removingLastComponent()
        guard let other = try? FolderHandle(at: above) else { return true }
        return folder.isSame(as: other)
    }

    private func isOneFile(_ descriptor: CInt, _ stored: String) throws -> Bool {
        var (mine, other) = (stat(), stat())
        guard fstat(descriptor, &mine) == 0,
            library.root.appending(stored).withPlatformString({ lstat($0, &other) }) == 0
        else { return false }
        return mine.st_dev == other.st_dev && mine.st_ino == other.st_ino
    }

    private func removeEmptyFolders(of paths: Set<String>) {
        var folders: Set<String> = []
        for path in paths {
            var parts = path.split(separator: "/").dropLast()
            while !parts.isEmpty {
                folders.insert(parts.joined(separator: "/"))
                parts = parts.dropLast()
            }
        }
        for folder in folders.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            guard let (above, name) = source.place.parent(of: folder) else { continue }
            _ = try? above.removeFolder(name)
        }
        guard source.place.file == nil else { return }
        let place = FilePath(source.place.path)
        let above = place.removingLastComponent()
        if let name = place.lastComponent?.string, let handle = try? FolderHandle(at: above.isEmpty ? "." : above) {
            _ = try? handle.removeFolder(name)
        }
    }
}
