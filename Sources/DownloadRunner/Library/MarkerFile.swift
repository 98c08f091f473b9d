import Foundation
import ProviderKit
import SystemPackage

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
    private static let draft = "library.json.new"
    private static let longest = 64 * 1024

    /// `.coursefetch`.
    let home: FolderHandle

    /// Nil if there is none.
    func read(library: FilePath) throws(LibraryError) -> LibraryMarker? {
        let bytes: Data
        do {
            let descriptor = try home.open(Self.name, O_RDONLY)
            defer { close(descriptor) }
            guard let read = try SmallFile.read(descriptor, upTo: Self.longest) else {
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
        guard var marker = try? JSONText.decode(LibraryMarker.self, from: bytes), !marker.id.isEmpty else {
            throw .markerUnreadable(library: library.string)
        }
        marker.id = HarmlessText.of(marker.id, limit: 128)
        marker.user = HarmlessText.of(marker.user, limit: 255)
        marker.host = HarmlessText.of(marker.host, limit: 255)
        return marker
    }

    /// Writes a marker where there is none, and returns the one that is there afterwards.
    func create(_ marker: LibraryMarker) throws(LibraryError) -> LibraryMarker {
        try writeDraft(marker)
        do {
            try home.rename(Self.draft, to: home, Self.name)
            return marker
        } catch .fileExists {
            try? home.remove(Self.draft)
            if let there = try read(library: FilePath(LibraryPath.privateFolder)) { return there }
            throw .system(.create, path: path, .fileExists)
        } catch {
            throw .system(.create, path: path, error)
        }
    }

    /// Writes a marker whatever was there.
    func overwrite(_ marker: LibraryMarker) throws(LibraryError) {
        try writeDraft(marker)
        do {
            try home.replace(Self.draft, over: home, Self.name)
        } catch {
            throw .system(.create, path: path, error)
        }
    }

    private var path: String { "\(LibraryPath.privateFolder)/\(Self.name)" }

    private func writeDraft(_ marker: LibraryMarker) throws(LibraryError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            var bytes = try encoder.encode(marker)
            bytes.append(UInt8(ascii: "\n"))
            // A draft that a kill left behind may be a second name of nothing but itself: make a new one.
            try home.remove(Self.draft)
            let descriptor = try home.open(Self.draft, O_WRONLY | O_CREAT | O_EXCL)
            defer { close(descriptor) }
            try SmallFile.write(bytes, to: descriptor)
            try call { fsync(descriptor) }
        } catch let error as Errno {
            throw .system(.write, path: path, error)
        } catch {
            throw .markerUnreadable(library: path)
        }
    }
}
