import FileSystem
import SystemPackage

/// A walk over everything in a library except folders, without coursefetch's own folder. No link is followed.
package struct LibraryWalk {
    private let folders: FolderTree

    package init(of library: LibraryFolder) { folders = library.folders }

    /// Calls `body` with each path. Ends early when `body` returns false.
    ///
    /// - Returns: folders that could not be read.
    package func forEachPath(_ body: (String) -> Bool) -> [String] {
        var unreadable: [String] = []
        var open = [""]
        while let path = open.popLast() {
            do {
                guard let folder = try folders.folder(path) else { continue }
                var goesOn = true
                try folder.forEachEntry { bytes, isFolder throws(Errno) in
                    let name = String(decoding: bytes, as: UTF8.self)
                    if path.isEmpty, name == LibraryPath.privateFolder { return true }
                    let entry = path.isEmpty ? name : "\(path)/\(name)"
                    let isFolder = if let isFolder { isFolder } else { try folder.entry(name) == .folder }
                    if isFolder { open.append(entry) } else { goesOn = body(entry) }
                    return goesOn
                }
                if !goesOn { return unreadable }
            } catch {
                unreadable.append(path)
            }
        }
        return unreadable
    }
}
