import FileSystem
import Foundation
import SystemPackage
import TextFormats

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// `.coursefetch/library.json` on disk.
struct MarkerFile {
    private static let name = "library.json"
    private static let longest = 64 * 1024

    /// `.coursefetch`.
    let home: FolderHandle

    /// Nil if there is none.
    func read(library: FilePath) throws(LibraryError) -> LibraryMarker? {
        let bytes: Data
        do {
            guard let read = try home.openFile(Self.name, O_RDONLY).content(upTo: Self.longest) else {
                throw LibraryError.markerUnreadable(library: library.string)
            }
            bytes = read
        } catch let error as Errno {
            if error == .noSuchFileOrDirectory { return nil }
            if error == .tooManySymbolicLinkLevels || error == .isDirectory {
                throw .markerUnreadable(library: library.string)
            }
            throw .system(.read, path: path, error)
        } catch {
            throw .markerUnreadable(library: library.string)
        }
        guard var marker = try? JSONReader.decode(LibraryMarker.self, from: bytes), !marker.id.isEmpty else {
            throw .markerUnreadable(library: library.string)
        }
        marker.id = TextSanitizer.of(marker.id, limit: 128)
        marker.user = TextSanitizer.of(marker.user, limit: 255)
        marker.host = TextSanitizer.of(marker.host, limit: 255)
        marker.copyOf = marker.copyOf.map { TextSanitizer.of($0, limit: 128) }
        marker.division = marker.division.flatMap { (0...1 << 30).contains($0) ? $0 : nil }
        return marker
    }

    /// Writes a marker if there is none, and returns the existing one. Durable on return.
    func create(_ marker: LibraryMarker) throws(LibraryError) -> LibraryMarker {
        let draft = try draft(marker)
        do {
            try draft.place()
            return marker
        } catch .fileExists {
            guard let there = try read(library: FilePath(LibraryPath.privateFolder)) else {
                throw .system(.create, path: path, .fileExists)
            }
            // Its writer may not have flushed it yet.
            do { try home.flush() } catch { throw .system(.flush, path: path, error) }
            return there
        } catch {
            throw .system(.create, path: path, error)
        }
    }

    /// Writes a marker, replacing any; durable on return.
    func overwrite(_ marker: LibraryMarker) throws(LibraryError) {
        let draft = try draft(marker)
        do { try draft.replace() } catch { throw .system(.create, path: path, error) }
    }

    private var path: String { "\(LibraryPath.privateFolder)/\(Self.name)" }

    private func draft(_ marker: LibraryMarker) throws(LibraryError) -> DraftFile {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            // Several states may come at the same time.
            let draft = try DraftFile(of: Self.name, in: home, draft: "\(Self.name).\(marker.id).new")
            try draft.write(try encoder.encode(marker) + [UInt8(ascii: "\n")])
            return draft
        } catch let error as Errno {
            throw .system(.write, path: path, error)
        } catch {
            throw .markerUnreadable(library: path)
        }
    }
}
