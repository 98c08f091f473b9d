import FileSystem
import SystemPackage

extension SourcePlace {
    /// The entries of a folder beneath the source's, in the order of their names; empty if there is no such folder. Links
    /// and names that aren't UTF-8 are left out.
    ///
    /// - Parameter path: relative; empty for the folder itself.
    func entries(in path: String) throws(SourceProblem) -> [(name: String, isFolder: Bool)] {
        do throws(Errno) {
            var handle = folder
            for part in path.split(separator: "/") { handle = try handle.folder(String(part)) }
            return try Self.entries(of: handle)
        } catch .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels {
            return []
        } catch { throw .unreadable(path: shown(path), errno: error.rawValue) }
    }

    private static func entries(of handle: FolderHandle) throws(Errno) -> [(name: String, isFolder: Bool)] {
        var names: [(text: String, isFolder: Bool?)] = []
        try handle.forEachEntry { name, isFolder in
            if let text = String(validating: name, as: UTF8.self) { names.append((text, isFolder)) }
            return true
        }
        var entries: [(name: String, isFolder: Bool)] = []
        for name in names {
            if name.isFolder == true {
                entries.append((name.text, true))
                continue
            }
            // One that is gone by now isn't there.
            switch try handle.entry(name.text) {
            case .file: entries.append((name.text, false))
            case .folder: entries.append((name.text, true))
            case .link, .other, nil: continue
            }
        }
        return entries.sorted { $0.name < $1.name }
    }

    /// The size of a file; nil if there is none, or it can't be opened: what a record could do without.
    func size(of path: String) -> Int64? { ((try? facts(of: path)) ?? nil)?.size }

    /// Whether there is a folder of this name in the source's.
    func hasFolder(_ name: String) -> Bool { (try? folder.entry(name)) == .some(.folder) }

    /// The first of these files that is there and belongs to the folder; the given file, if a file was given.
    ///
    /// - Parameter list: what the user says instead; it has to be there.
    package func list(_ list: String?, among usual: [String]) throws(SourceProblem) -> String? {
        if let list {
            guard let path = Self.relative(list), try facts(of: path) != nil else { throw .missing(path: shown(list)) }
            return path
        }
        if let file { return file }
        for name in usual where try facts(of: name) != nil { return name }
        return nil
    }
}
