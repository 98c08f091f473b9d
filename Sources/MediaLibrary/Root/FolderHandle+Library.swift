import FileSystem
import SystemPackage

/// What a library adds to open folders: errors that tell a link from other things in the way, and moves across mounts.
extension FolderHandle {
    /// A folder in this one; nil if there is nothing of that name.
    ///
    /// - Parameter path: what errors call it.
    func libraryFolder(_ name: String, path: String) throws(LibraryError) -> FolderHandle? {
        do {
            return try folder(name)
        } catch {
            switch error {
            case .noSuchFileOrDirectory: return nil
            case .notDirectory, .tooManySymbolicLinkLevels:
                throw (try? entry(name)) == .link ? .leadsOut(path: path) : .notAFolder(path: path)
            default: throw .system(.open, path: path, error)
            }
        }
    }

    /// Moves a file and never replaces: a rename, and across mounts a flushed copy under its final name before the old one goes.
    func moveAcross(_ name: String, to target: FolderHandle, _ newName: String) throws(Errno) {
        do {
            try rename(name, to: target, newName)
        } catch .improperLink {
            let staging = StagingName.of(newName)
            try FileCopy.copy(name, in: self, to: target, staging)
            do {
                try target.rename(staging, to: target, newName)
            } catch {
                let isCopy = error == .fileExists ? try FileCopy.isEqual(target, staging, newName) : false
                try target.remove(staging)
                // A kill came after the copy got its name and before the original went.
                guard isCopy else { throw error }
            }
            try target.flush()
            try remove(name)
        }
    }
}
