import FileSystem
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Operations on open folders for a library: errors that distinguish links from other obstacles, and moves across
/// mounts.
extension FolderHandle {
    /// A folder in this one; nil if it doesn't exist.
    ///
    /// - Parameter path: its path in errors.
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

    /// Moves a file and never replaces: a rename, and across mounts a flushed copy under its final name before the
    /// original is removed. The copy goes again if the original can't be removed.
    func moveAcross(_ name: String, to target: FolderHandle, _ newName: String) throws(Errno) {
        do {
            try rename(name, to: target, newName)
        } catch .improperLink {
            // Before gigabytes are copied for nothing.
            try checkWritable()
            let staging = StagingName.of(newName)
            try FileCopy.copy(name, in: self, to: target, staging)
            do {
                try target.rename(staging, to: target, newName)
            } catch {
                let isCopy = error == .fileExists ? try FileCopy.isEqual(target, staging, newName) : false
                try target.remove(staging)
                // A kill came after the copy got its name and before the original was removed.
                guard isCopy else { throw error }
            }
            try target.flush()
            do { try remove(name) } catch {
                if case .file? = try? entry(name) { try? target.remove(newName) }
                throw error
            }
        }
    }
}
