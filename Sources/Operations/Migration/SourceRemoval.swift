import DownloadJobs
import DownloadStore
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
/// library's, byte by byte through digests unless they are one file; then the files that the reader knows are removed,
/// and the folders that are empty. What nobody knows stays.
struct SourceRemoval {
    let source: OpenSource
    let store: DownloadStore
    let library: LibraryFolder
    /// The video of each record, by the digest of its key.
    let journal: [Data: MigrationEntry]
    let shouldStop: () -> Bool

    /// Removes it, or keeps all of it.
    func run() throws -> MigrationSummary.Removal {
        var known: Set<String> = []
        var difference: String?
        do {
            try source.reader.read { record in
                if shouldStop() { throw LibraryError.stopped }
                guard let paths = try provenPaths(of: record) else {
                    difference = record.names.first ?? record.key
                    throw Kept()
                }
                known.formUnion(paths)
            }
        } catch is Kept { return .kept(difference: difference) }
        known.formUnion(try source.reader.storeFiles())
        if let file = source.place.file { known.insert(file) }
        var removed = 0
        for path in known.sorted() where source.isOutside(path) {
            guard let (folder, name) = source.place.parent(of: path) else { continue }
            do throws(Errno) {
                guard case .file? = try folder.entry(name) else { continue }
                try folder.remove(name)
                removed += 1
            } catch { return .failed(path: source.place.shown(path), errno: error.rawValue) }
        }
        removeEmptyFolders(of: known)
        var left = 0
        if source.place.file == nil { try source.place.walk { _ in left += 1 } }
        return .removed(files: removed, left: left)
    }

    private struct Kept: Error {}

    /// The paths of a record whose video is in the library with the same bytes; nil otherwise.
    private func provenPaths(of record: SourceRecord) throws -> [String]? {
        // The first record of that name decides; what else this one names stays.
        if record.fault == .repeated { return [] }
        guard let key = journal[OpenSource.digest(record)]?.key,
            let row = try store.downloads.record(key), row.state == .finished, let stored = row.file,
            case .ours(let facts) = try library.files.proves(stored.path, is: FileRecord(stored))
        else { return nil }
        guard let file = record.file else {
            // The bytes that it had are part of the finished file: nothing of the source is more than that.
            return [record.partial?.path].compactMap(\.self)
        }
        let paths = file.pieces
        var pieces: [Imports.Piece] = []
        defer { for piece in pieces { close(piece.descriptor) } }
        for path in paths {
            guard source.isOutside(path), let descriptor = try source.place.open(path) else { return nil }
            pieces.append(Imports.Piece(descriptor))
        }
        let companions = try self.companions(of: record, row.id)
        guard let companions else { return nil }
        if pieces.count == 1, try FileFacts(descriptor: pieces[0].descriptor).inode == facts.inode, facts.links > 1,
            try isOneFile(paths[0], stored.path)
        {
            return paths + companions
        }
        let found = try Imports.digest(of: pieces, shouldStop: shouldStop)
        guard found.size == stored.size else { return nil }
        let sha256 = try stored.sha256 ?? library.files.hash(stored.path, shouldStop: shouldStop)?.sha256
        return found.sha256 == sha256 ? paths + companions : nil
    }

    /// Whether both names lead to one file: numbers of files repeat on other file systems.
    private func isOneFile(_ path: String, _ stored: String) throws -> Bool {
        let there = library.root.appending(stored)
        guard let descriptor = try source.place.open(path) else { return false }
        defer { close(descriptor) }
        var (mine, other) = (stat(), stat())
        guard fstat(descriptor, &mine) == 0, there.withPlatformString({ lstat($0, &other) }) == 0 else { return false }
        return mine.st_dev == other.st_dev && mine.st_ino == other.st_ino
    }

    /// The files beside a video, if the library has them too.
    private func companions(of record: SourceRecord, _ id: DownloadID) throws -> [String]? {
        guard !record.companions.isEmpty else { return [] }
        let sizes = try store.sidecars.files(of: [id]).map { ($0.name, $0.size) }
        for companion in record.companions {
            let name = String(companion.path.split(separator: "/").last ?? "")
            guard let facts = try source.place.facts(of: companion.path),
                sizes.contains(where: { $0.0 == name && $0.1 == facts.size })
            else { return nil }
        }
        return record.companions.map(\.path)
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
        if let name = place.lastComponent?.string, let above = try? FolderHandle(at: place.removingLastComponent()) {
            _ = try? above.removeFolder(name)
        }
    }
}
