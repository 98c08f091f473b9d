package import FileSystem
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Incomplete files, in `.coursefetch/partials` or a shard's `partials`, each named by its download.
///
/// Only data flushed by an ``OpenPartial`` is durable. Files with another kind of name there aren't ours: they are
/// neither listed nor touched.
package struct Partials: Sendable {
    let folder: PrivateFolder
    /// The library's root.
    private let library: FilePath

    init(folder: PrivateFolder, library: FilePath) {
        self.folder = folder
        self.library = library
    }

    /// Opens a partial, creating it empty if there is none.
    ///
    /// A partial with a second name is a file of the library, left by a kill or made by a hard link: it is abandoned
    /// and a new one made, so that a finished file is never written to.
    package func open(_ name: PartialName) throws(LibraryError) -> OpenPartial {
        do {
            for _ in 0..<4 {
                let file = try folder.handle.openFile(name.fileName, O_RDWR | O_CREAT)
                let entry = try file.entry()
                if case .file(let facts) = entry, facts.links == 1 {
                    return OpenPartial(name: name, path: shown(name), file: file, size: facts.size)
                }
                guard case .file = entry else { throw LibraryError.notAFile(path: shown(name)) }
                try folder.handle.remove(name.fileName)
            }
            throw LibraryError.system(.open, path: shown(name), .fileExists)
        } catch let error as LibraryError {
            throw error
        } catch let error as Errno {
            if error == .tooManySymbolicLinkLevels { throw .leadsOut(path: shown(name)) }
            if error == .isDirectory || error == .noSuchAddressOrDevice { throw .notAFile(path: shown(name)) }
            throw .system(.open, path: shown(name), error)
        } catch {
            throw .badPath(shown(name))
        }
    }

    /// Opens a partial only for reading, whatever other names it has; nil unless it has this size.
    package func openToRead(_ name: PartialName, size: Int64) throws(LibraryError) -> OpenPartial? {
        do throws(Errno) {
            let file = try folder.handle.openFile(name.fileName, O_RDONLY)
            guard case .file(let facts)? = try? file.entry(), facts.size == size else { return nil }
            return OpenPartial(name: name, path: shown(name), file: file, size: size)
        } catch .noSuchFileOrDirectory {
            return nil
        } catch { throw .system(.open, path: shown(name), error) }
    }

    /// The absolute path of a partial.
    package func path(of name: PartialName) -> FilePath { library.appending(shown(name)) }

    /// From the library's root.
    private func shown(_ name: PartialName) -> String { folder.path(of: name.fileName) }

    /// Nil if there is none.
    package func facts(of name: PartialName) throws(LibraryError) -> FileFacts? {
        try folder.facts(of: name.fileName)
    }

    /// All partials, with their metadata.
    package func all() throws(LibraryError) -> [PartialName: FileFacts] {
        var partials: [PartialName: FileFacts] = [:]
        for fileName in try folder.names() {
            guard let name = PartialName(fileName: fileName) else { continue }
            partials[name] = try facts(of: name)
        }
        return partials
    }

    /// Removes a partial; a missing one is fine. Not durable by itself: at worst it comes back after a power loss.
    package func remove(_ name: PartialName) throws(LibraryError) { try folder.remove(name.fileName) }
}
