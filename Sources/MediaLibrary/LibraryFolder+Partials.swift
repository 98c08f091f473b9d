package import FileSystem
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension LibraryFolder {
    /// Opens a partial, creating it empty if there is none.
    ///
    /// A partial that has a second name is the very file that stands in the library under that name, left by a kill or made by
    /// a hard link: it is let go and a new one made, so that a finished file is never written to.
    package func openPartial(_ name: PartialName) throws(LibraryError) -> OpenPartial {
        do {
            for _ in 0..<4 {
                let descriptor = try partialsHandle.open(name.fileName, O_RDWR | O_CREAT)
                let entry: FolderHandle.Entry
                do { entry = try FolderHandle.entry(descriptor: descriptor) } catch {
                    close(descriptor)
                    throw error
                }
                if case .file(let facts) = entry, facts.links == 1 {
                    return OpenPartial(name: name, owning: descriptor, size: facts.size)
                }
                close(descriptor)
                guard case .file = entry else { throw LibraryError.notAFile(path: name.path) }
                try partialsHandle.remove(name.fileName)
            }
            throw LibraryError.system(.open, path: name.path, .fileExists)
        } catch let error as LibraryError {
            throw error
        } catch let error as Errno {
            if error == .tooManySymbolicLinkLevels { throw .leadsOut(path: name.path) }
            if error == .isDirectory || error == .noSuchAddressOrDevice { throw .notAFile(path: name.path) }
            throw .system(.open, path: name.path, error)
        } catch {
            throw .badPath(name.path)
        }
    }

    /// Where the partial is, as an absolute path.
    package func partialPath(_ name: PartialName) -> FilePath {
        root.appending(LibraryPath.privateFolder).appending("partials").appending(name.fileName)
    }

    /// Nil if there is none.
    package func partialFacts(_ name: PartialName) throws(LibraryError) -> FileFacts? {
        do {
            guard case .file(let facts)? = try partialsHandle.entry(name.fileName) else { return nil }
            return facts
        } catch {
            throw .system(.inspect, path: name.path, error)
        }
    }

    /// All partials, with their facts. What has another kind of name isn't ours and isn't listed.
    package func partials() throws(LibraryError) -> [PartialName: FileFacts] {
        var partials: [PartialName: FileFacts] = [:]
        for fileName in try names(in: partialsHandle, path: "\(LibraryPath.privateFolder)/partials") {
            guard let name = PartialName(fileName: fileName) else { continue }
            partials[name] = try partialFacts(name)
        }
        return partials
    }

    /// Removes a partial; a missing one is fine. Not durable by itself: at worst it comes back after a power loss.
    package func removePartial(_ name: PartialName) throws(LibraryError) {
        do {
            try partialsHandle.remove(name.fileName)
        } catch {
            throw .system(.remove, path: name.path, error)
        }
    }
}
