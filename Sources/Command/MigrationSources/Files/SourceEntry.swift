import FileSystem
import SystemPackage

/// A file or folder of a source; links and names that aren't UTF-8 are none.
struct SourceEntry {
    let name: String
    let isFolder: Bool

    /// Those of a folder, in the order of their names; empty if there is no such folder.
    ///
    /// - Parameter path: relative; empty for the source's folder itself.
    static func all(in path: String, of place: SourceFolder) throws(SourceProblem) -> [SourceEntry] {
        do throws(Errno) {
            var handle = place.folder
            for part in path.split(separator: "/") { handle = try handle.folder(String(part)) }
            return try all(in: handle)
        } catch .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels {
            return []
        } catch { throw .unreadable(path: place.shown(path), errno: error.rawValue) }
    }

    private static func all(in handle: FolderHandle) throws(Errno) -> [SourceEntry] {
        var names: [(text: String, isFolder: Bool?)] = []
        try handle.forEachEntry { name, isFolder in
            if let text = String(validating: name, as: UTF8.self) { names.append((text, isFolder)) }
            return true
        }
        var entries: [SourceEntry] = []
        for name in names {
            if name.isFolder == true {
                entries.append(SourceEntry(name: name.text, isFolder: true))
                continue
            }
            // One that is gone by now isn't there.
            switch try handle.entry(name.text) {
            case .file: entries.append(SourceEntry(name: name.text, isFolder: false))
            case .folder: entries.append(SourceEntry(name: name.text, isFolder: true))
            case .link, .other, nil: continue
            }
        }
        return entries.sorted { $0.name < $1.name }
    }

    /// The size of a file; nil if there is none, or it can't be opened: for what a record could do without.
    static func size(of path: String, in place: SourceFolder) -> Int64? { ((try? place.facts(of: path)) ?? nil)?.size }

    /// Whether there is a folder of this name in the source's.
    static func hasFolder(_ name: String, in place: SourceFolder) -> Bool {
        (try? place.folder.entry(name)) == .some(.folder)
    }
}
