import Crypto
import FileSystem
import Foundation
import MediaLibrary
import MigrationSources
import SyncFacts
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A source that is being read.
struct OpenSource: Sendable {
    let kind: SourceKind
    let place: SourceFolder
    let reader: any SourceReader
    /// Its name in the journal: kind and absolute path.
    let name: String
    /// The name of the source's folder.
    let folderName: String
    /// Paths relative to the source's folder that don't belong to it: of the library, the state, and what the command
    /// itself reads or writes.
    private let excluded: [String]

    init(_ options: MigrationOptions, library: FilePath, state: FilePath) throws(MigrationProblem) {
        do throws(SourceProblem) {
            kind = options.kind
            place = try SourceFolder(options.source)
            reader = try options.kind.reader.init(place, options.reading)
        } catch { throw .source(error) }
        let absolute = Self.absolute(options.source) ?? options.source
        name = "\(options.kind.rawValue) \(absolute)"
        let folder = place.file == nil ? absolute : FilePath(absolute).removingLastComponent().string
        folderName = FilePath(folder).lastComponent?.string ?? options.kind.rawValue
        if let library = Self.absolute(library.string) {
            let isInside = library == folder || library.hasPrefix(folder + "/")
            // A list may name files anywhere; a folder is taken as a whole.
            if (isInside && place.file == nil) || folder.hasPrefix(library + "/") { throw .overlapping }
        }
        // Of another user, or another state.
        if Self.isInLibrary(folder) { throw .overlapping }
        let own =
            [library.string, state.string] + options.sync.catalogs
            + [options.map, options.writeCatalog].compactMap(\.self)
        excluded = own.compactMap { path in
            let place = FilePath(Self.absoluteOrPlanned(path))
            guard place.string.hasPrefix(folder + "/") else { return nil }
            return String(place.string.dropFirst(folder.utf8.count + 1))
        }
    }

    private static func isInLibrary(_ folder: String) -> Bool {
        var place = FilePath(folder)
        while true {
            let marker = place.appending(".coursefetch").appending("library.json")
            if access(marker.string, F_OK) == 0 { return true }
            let above = place.removingLastComponent()
            guard above != place, !above.isEmpty else { return false }
            place = above
        }
    }

    /// With links resolved; a file that isn't there yet has its folder's path.
    private static func absoluteOrPlanned(_ path: String) -> String {
        if let absolute = absolute(path) { return absolute }
        let place = FilePath(path)
        let above = place.removingLastComponent()
        guard let name = place.lastComponent, let folder = absolute(above.isEmpty ? "." : above.string) else {
            return path
        }
        return FilePath(folder).appending(name).string
    }

    /// Whether a path in the source leads into somebody's library.
    func isInLibrary(_ path: String) -> Bool {
        var handle = place.folder
        for name in path.split(separator: "/").dropLast() {
            guard let next = try? handle.folder(String(name)) else { return false }
            if (try? next.entry(".coursefetch")) == .some(.folder) { return true }
            handle = next
        }
        return false
    }

    /// Calls `body` with each record, but for files in the source's folder that are the command's own.
    func read(_ body: (SourceRecord) throws -> Void) throws {
        try reader.read { record in
            if place.file == nil, let path = record.file?.path ?? record.partial?.path, !isOutside(path) { return }
            try body(record)
        }
    }

    /// All records, but for those of the command's own files.
    func records() throws -> [SourceRecord] {
        var records: [SourceRecord] = []
        try read { records.append($0) }
        return records
    }

    /// Whether a path in the source isn't one of the command's own.
    func isOutside(_ path: String) -> Bool {
        !excluded.contains { path == $0 || path.hasPrefix($0 + "/") }
    }

    /// Whether files of the source can have second names in a library: both are on one file system. A library
    /// that isn't there yet counts by the folder above it.
    func isOnDisk(of library: FilePath) -> Bool {
        var place = library
        var (there, here) = (stat(), stat())
        while place.withPlatformString({ stat($0, &there) }) != 0 {
            let above = place.removingLastComponent()
            guard above != place, !above.isEmpty else { return false }
            place = above
        }
        return fstat(self.place.folder.descriptor, &here) == 0 && here.st_dev == there.st_dev
    }

    /// How many bytes of a partial would be taken over for a video of this size; nil for none.
    func bytes(of partial: SourcePartial, size: Int64?) throws(SourceProblem) -> Int64? {
        guard isOutside(partial.path), let found = try place.facts(of: partial.path)?.size else { return nil }
        let length = min(found, partial.length ?? found, partial.total ?? size ?? .max)
        let isOfSize = size.map { $0 == partial.total ?? $0 } ?? true
        return length > 0 && isOfSize ? length : nil
    }

    /// The digest of a record's key, for the journal.
    static func digest(_ record: SourceRecord) -> Data { Data(SHA256.hash(data: Data(record.key.utf8)).prefix(16)) }

    private static func absolute(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
