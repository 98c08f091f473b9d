#if canImport(Glibc)
import FileSystem
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Checks the existence of files, with one listing of each folder instead of a system call for each file.
///
/// Not thread-safe. Keeps the listing of every folder that it was asked about: drop it afterwards.
package final class LibraryFileIndex {
    private let library: LibraryFolder
    private var listings: [String: FolderFileNames] = [:]
    private var lastFolder: String?
    /// The last folder in the form of a path's beginning: its bytes and a slash, or nothing for the library itself.
    private var lastPrefix: [UInt8] = []
    private var lastListing = FolderFileNames()
    /// Names by their part before the extension, for folders that were asked about.
    private var stems: [String: (names: [String: [String]], withSound: Set<String>)] = [:]

    package init(of library: LibraryFolder) { self.library = library }

    /// Whether there is something other than a folder at `path`. A symbolic link counts: somebody put it there.
    ///
    /// A file missing in the listing is looked up by name before it counts as missing, since some file systems list
    /// names in another form (NFD, another case) than they accept. Throws if the folder's path is something else, such
    /// as a link: then it is unknown.
    package func contains(_ path: String) throws(LibraryError) -> Bool {
        var path = path
        if path.withUTF8({ isListed(UnsafeRawBufferPointer($0)) }) { return true }
        let place = try LibraryPath(path)
        if place.folder != lastFolder {
            if let known = listings[place.folder] {
                lastListing = known
            } else {
                lastListing = try library.folders.listing(of: place.folder)
                listings[place.folder] = lastListing
            }
            lastFolder = place.folder
            lastPrefix = place.folder.isEmpty ? [] : Array(place.folder.utf8) + [UInt8(ascii: "/")]
        }
        if lastListing.contains(place.name) { return true }
        return try library.files.facts(of: path, tolerant: true) != nil
    }

    /// Whether there is a folder at `path`. One that can't be looked at counts as there.
    package func hasFolder(_ path: String) -> Bool {
        do { return try library.folders.folder(path) != nil } catch { return true }
    }

    /// Files with their sizes whose paths are `stem` plus an extension of a video. Unreadable ones are left out, and so
    /// is a video with a separate sound file, which isn't complete by itself.
    package func videos(withStem stem: String) -> [(path: String, size: Int64)] {
        guard let place = try? LibraryPath(stem) else { return [] }
        let known = stems[place.folder] ?? media(in: place.folder)
        stems[place.folder] = known
        guard !known.withSound.contains(place.name) else { return [] }
        return (known.names[place.name] ?? []).compactMap { name in
            let path = place.folder.isEmpty ? name : "\(place.folder)/\(name)"
            guard let facts = (try? library.files.facts(of: path, tolerant: true)) ?? nil else { return nil }
            return (path, facts.size)
        }
    }

    /// Media files by their names without an extension, and the names that have media beside them: '01 T.en.m4a'.
    private func media(in folder: String) -> (names: [String: [String]], withSound: Set<String>) {
        var found: (names: [String: [String]], withSound: Set<String>) = ([:], [])
        for name in (try? library.folders.listing(of: folder))?.names ?? [] {
            guard let dot = name.lastIndex(of: "."), MediaTypes.isMedia(String(name[name.index(after: dot)...])) else {
                continue
            }
            let stem = name[..<dot]
            found.names[String(stem), default: []].append(name)
            if let inner = stem.lastIndex(of: ".") { found.withSound.insert(String(stem[..<inner])) }
        }
        return found
    }

    /// The usual case, without making a `String`: whether the path is in the folder of the last ``contains(_:)``, and
    /// listed there, so that no further check is needed. False means unknown.
    package func isListed(_ path: UnsafeRawBufferPointer) -> Bool {
        guard lastFolder != nil, path.count > lastPrefix.count, let start = path.baseAddress,
            lastPrefix.withUnsafeBytes({ memcmp(start, $0.baseAddress ?? start, $0.count) }) == 0
        else { return false }
        return lastListing.contains(UnsafeRawBufferPointer(rebasing: path[lastPrefix.count...]))
    }
}
