package import FileSystem
import SystemPackage

/// The result of placing a partial.
package enum Placement: Sendable, Hashable {
    /// It is in place. Durable after ``FolderTree/flushNames(of:)``.
    case placed
    /// Something else is in its place; nothing was changed. Nil facts: it isn't even a file.
    case exists(FileFacts?)
}

/// The result of replacing a file with its successor.
package enum Replacement: Sendable, Hashable {
    /// The new file is in place, the old one is removed. Durable after ``FolderTree/flushNames(of:)``.
    case replaced
    /// The old one was missing; the new file is in place.
    case placed
    /// The file in its place isn't the recorded one; nothing was changed.
    case notOurs(FileFacts)
}

/// Places partials in a library.
///
/// A partial's data must be durable before. An existing file is never replaced, except by ``replace(_:with:record:)``,
/// and then only the recorded one. The new names are durable after ``FolderTree/flushNames(of:)``.
package struct Placing: Sendable {
    private let folders: FolderTree
    private let files: LibraryFiles
    private let partials: FolderHandle

    init(folders: FolderTree, files: LibraryFiles, partials: FolderHandle) {
        self.folders = folders
        self.files = files
        self.partials = partials
    }

    /// Renames a partial to its place, creating the folder, and never replaces anything.
    ///
    /// Across a mount inside the library it is first copied beside its place, and flushed. After a kill between link
    /// and unlink without `renameat2`, another call completes it.
    package func put(_ partial: PartialName, at path: String) throws(LibraryError) -> Placement {
        let place = try LibraryPath(path)
        do {
            try folders.bring(to: place) { folder throws(Errno) in
                try partials.moveAcross(partial.fileName, to: folder, place.name)
            }
            return .placed
        } catch .system(_, _, .fileExists) {
            return .exists(try files.facts(of: path, tolerant: true))
        }
    }

    /// Undoes ``put(_:at:)``: the file is the partial again. Nothing is replaced.
    package func takeBack(_ partial: PartialName, from path: String) throws(LibraryError) {
        let place = try LibraryPath(path)
        try folders.bring(to: place) { folder throws(Errno) in
            try folder.moveAcross(place.name, to: partials, partial.fileName)
        }
    }

    /// Replaces an older file of ours with a partial, in one step if the file system can swap names: at every instant
    /// one of the two is in place, complete.
    ///
    /// The old file must be proven by its record.
    package func replace(
        _ path: String, with partial: PartialName, record: FileRecord
    ) throws(LibraryError) -> Replacement {
        let place = try LibraryPath(path)
        let proven: FileFacts
        switch try files.proves(path, is: record) {
        case .missing:
            switch try put(partial, at: path) {
            case .placed: return .placed
            case .exists(let facts?): return .notOurs(facts)
            case .exists(nil): throw .notAFile(path: path)
            }
        case .notOurs(let facts): return .notOurs(facts)
        case .ours(let facts): proven = facts
        }
        var stranger: FileFacts?
        try folders.bring(to: place) { folder throws(Errno) in
            var source = (folder: partials, name: partial.fileName)
            do throws(Errno) {
                stranger = try swap(source, with: folder, place.name, proven: proven)
            } catch .improperLink {
                source = (folder, StagingName.of(place.name))
                try FileCopy.copy(partial.fileName, in: partials, to: folder, source.name)
                stranger = try swap(source, with: folder, place.name, proven: proven)
                if stranger != nil {
                    try folder.remove(source.name)
                } else {
                    try partials.remove(partial.fileName)
                }
            }
        }
        return stranger.map(Replacement.notOurs) ?? .replaced
    }

    /// Nil when done; else the file that was there instead of the proven one, with everything unchanged.
    private func swap(
        _ source: (folder: FolderHandle, name: String), with target: FolderHandle, _ name: String, proven: FileFacts
    ) throws(Errno) -> FileFacts? {
        do {
            try source.folder.exchange(source.name, with: target, name)
        } catch  where error.isUnsupported {
            guard case .file(let now)? = try target.entry(name) else { throw .noSuchFileOrDirectory }
            guard now.isUnchanged(since: proven) else { return now }
            try source.folder.replace(source.name, over: target, name)
            return nil
        }
        // The swapped-out file has to be the proven one, otherwise it is swapped back.
        guard case .file(let old)? = try source.folder.entry(source.name), old.isUnchanged(since: proven) else {
            try source.folder.exchange(source.name, with: target, name)
            guard case .file(let now)? = try target.entry(name) else { throw .fileExists }
            return now
        }
        do throws(Errno) {
            try source.folder.remove(source.name)
        } catch {
            // Nothing has changed, as with any other error.
            try source.folder.exchange(source.name, with: target, name)
            throw error
        }
        return nil
    }
}
