import CPlatform
import FileSystem
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How a partial was made out of a file that is in the library already.
package enum Duplication: Sendable, Hashable {
    /// It is the donor under a second name.
    case hardLink
    /// It shares the donor's blocks until one of them is written.
    case clone
    /// It is a copy, hashed while it was written.
    case copy
    /// The donor is missing or isn't what was recorded; nothing was made.
    case donorUnusable
}

extension LibraryFolder {
    /// Makes a partial of a file that is in the library, instead of fetching it again: a hard link, else a clone, else a copy
    /// that is accepted only if it hashes to the recorded SHA-256.
    ///
    /// The partial then goes through ``place(_:at:)`` like any other, and its content is durable on return. An earlier partial
    /// of that name is replaced.
    ///
    /// - Parameter methods: what is tried; for tests, and for a library whose files are to be independent.
    package func duplicate(
        _ donor: String, record: FileRecord, as partial: PartialName,
        methods: Set<DuplicationMethod> = [.hardLink, .clone, .copy], shouldStop: () -> Bool = { false }
    ) throws(LibraryError) -> Duplication {
        let place = try LibraryPath(donor)
        let proven: FileFacts
        do {
            guard case .ours(let facts) = try proves(donor, is: record, shouldStop: shouldStop) else {
                return .donorUnusable
            }
            proven = facts
        } catch .notAFolder, .notAFile, .leadsOut {
            return .donorUnusable
        }
        guard let folder = try folder(place.folder) else { return .donorUnusable }
        do {
            try partialsHandle.remove(partial.fileName)
            if methods.contains(.hardLink), let made = try link(place.name, in: folder, as: partial, proven: proven) {
                return made
            }
            if methods.contains(.clone), try clone(place.name, in: folder, as: partial, proven: proven) {
                return .clone
            }
            guard methods.contains(.copy) else { return .donorUnusable }
            let sha256 = try FileCopy.copy(
                place.name, in: folder, to: partialsHandle, partial.fileName, shouldStop: shouldStop)
            let size = try partialFacts(partial)?.size
            guard size == record.size, record.sha256 == nil || record.sha256?.lowercased() == sha256 else {
                try partialsHandle.remove(partial.fileName)
                return .donorUnusable
            }
            return .copy
        } catch let error as LibraryError {
            throw error
        } catch let error as Errno {
            switch error {
            case .canceled: throw .stopped
            case .noSuchFileOrDirectory: return .donorUnusable
            default: throw .system(.link, path: donor, error)
            }
        } catch {
            throw .badPath(donor)
        }
    }

    /// Nil where the file system has no hard links, or no more for this file.
    private func link(
        _ name: String, in folder: FolderHandle, as partial: PartialName, proven: FileFacts
    ) throws(Errno) -> Duplication? {
        do {
            try folder.link(name, to: partialsHandle, partial.fileName)
        } catch .improperLink, .notPermitted, .tooManyLinks, .notSupported, .noFunction, .invalidArgument {
            return nil
        }
        // The name may have come to mean another file since it was proven.
        if case .file(let made)? = try partialsHandle.entry(partial.fileName), made.inode == proven.inode,
            made.modified == proven.modified
        {
            return .hardLink
        }
        try partialsHandle.remove(partial.fileName)
        return .donorUnusable
    }

    /// False where the file system can't share blocks.
    private func clone(
        _ name: String, in folder: FolderHandle, as partial: PartialName, proven: FileFacts
    ) throws(Errno) -> Bool {
        let from = try folder.open(name, O_RDONLY)
        defer { close(from) }
        let facts = try FileFacts(descriptor: from)
        guard facts.inode == proven.inode, facts.modified == proven.modified else { return false }
        let to = try partialsHandle.open(partial.fileName, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(to) }
        guard cf_clone_file(from, to) == 0 else {
            try partialsHandle.remove(partial.fileName)
            return false
        }
        do { try systemCall { cf_flush_data(to) } } catch {
            try? partialsHandle.remove(partial.fileName)
            throw error
        }
        return true
    }
}

/// A way to make a second file of the same bytes.
package enum DuplicationMethod: Sendable, Hashable { case hardLink, clone, copy }
