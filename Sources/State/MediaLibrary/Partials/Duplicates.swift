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

/// The way a partial was made from an existing file of the library.
package enum Duplication: Sendable, Hashable {
    /// It is the donor under a second name.
    case hardLink
    /// It shares the donor's blocks until one of them is written.
    case clone
    /// It is a copy, hashed while it was written.
    case copy
    /// The donor is missing or isn't the recorded file; nothing was made.
    case donorUnusable
}

/// Makes partials from files of the library, instead of downloading the same bytes again.
///
/// A donor must be proven by its record. Such a partial is then handled like any other.
package struct Duplicates: Sendable {
    private let folders: FolderTree
    private let files: LibraryFiles
    private let partials: PrivateFolder

    init(folders: FolderTree, files: LibraryFiles, partials: PrivateFolder) {
        self.folders = folders
        self.files = files
        self.partials = partials
    }

    /// Makes a partial from a donor: a hard link, else a clone, else a copy that is accepted only if it hashes to the
    /// recorded SHA-256. Its content is durable on return. An earlier partial of that name is replaced.
    ///
    /// - Parameter methods: the methods to try; for tests, and for a library whose files have to be independent.
    package func make(
        of donor: String, record: FileRecord, as partial: PartialName,
        methods: Set<DuplicationMethod> = [.hardLink, .clone, .copy], shouldStop: () -> Bool = { false }
    ) throws(LibraryError) -> Duplication {
        let place = try LibraryPath(donor)
        guard let proven = try proven(donor, record, shouldStop: shouldStop),
            let folder = try folders.folder(place.folder)
        else { return .donorUnusable }
        do {
            try partials.handle.remove(partial.fileName)
            if methods.contains(.hardLink), let made = try link(place.name, in: folder, as: partial, proven: proven) {
                return made
            }
            if methods.contains(.clone), try clone(place.name, in: folder, as: partial, proven: proven) {
                return .clone
            }
            guard methods.contains(.copy) else { return .donorUnusable }
            let isCopied = try copy(place.name, in: folder, as: partial, record: record, shouldStop: shouldStop)
            return isCopied ? .copy : .donorUnusable
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

    /// Nil unless the donor exists and is the recorded file.
    private func proven(
        _ donor: String, _ record: FileRecord, shouldStop: () -> Bool
    ) throws(LibraryError) -> FileFacts? {
        do {
            if case .ours(let facts) = try files.proves(donor, is: record, shouldStop: shouldStop) { return facts }
            return nil
        } catch .notAFolder, .notAFile, .leadsOut {
            return nil
        }
    }

    /// Nil if the file system has no hard links, or no more for this file.
    private func link(
        _ name: String, in folder: FolderHandle, as partial: PartialName, proven: FileFacts
    ) throws(Errno) -> Duplication? {
        do {
            try folder.link(name, to: partials.handle, partial.fileName)
        } catch .improperLink, .notPermitted, .tooManyLinks, .notSupported, .noFunction, .invalidArgument {
            return nil
        }
        // The name may refer to another file since it was proven.
        if case .file(let made)? = try partials.handle.entry(partial.fileName), made.isUnchanged(since: proven) {
            return .hardLink
        }
        try partials.handle.remove(partial.fileName)
        return .donorUnusable
    }

    /// False if the copied file isn't the recorded one.
    private func copy(
        _ name: String, in folder: FolderHandle, as partial: PartialName, record: FileRecord, shouldStop: () -> Bool
    ) throws -> Bool {
        let sha256 = try FileCopy.copy(
            name, in: folder, to: partials.handle, partial.fileName, shouldStop: shouldStop)
        let size = try partials.facts(of: partial.fileName)?.size
        if size == record.size, record.sha256 == nil || record.sha256 == sha256 { return true }
        try partials.handle.remove(partial.fileName)
        return false
    }

    /// False if the file system can't share blocks.
    private func clone(
        _ name: String, in folder: FolderHandle, as partial: PartialName, proven: FileFacts
    ) throws(Errno) -> Bool {
        let from = try folder.open(name, O_RDONLY)
        defer { close(from) }
        guard try FileFacts(descriptor: from).isUnchanged(since: proven) else { return false }
        let to = try partials.handle.open(partial.fileName, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(to) }
        guard cf_clone_file(from, to) == 0 else {
            try partials.handle.remove(partial.fileName)
            return false
        }
        do { try systemCall { cf_flush_data(to) } } catch {
            try? partials.handle.remove(partial.fileName)
            throw error
        }
        return true
    }
}

/// A way to make a second file of the same bytes.
package enum DuplicationMethod: Sendable, Hashable { case hardLink, clone, copy }
