package import FileSystem
import SystemPackage

/// What became of a partial that was to be put at its place.
package enum Placement: Sendable, Hashable {
    /// It is there now. Durable after ``FolderTree/flushNames(of:)``.
    case placed
    /// Something else is there; nothing was changed. Nil facts: it isn't even a file.
    case exists(FileFacts?)
}

/// What became of a file that was to be replaced by its successor.
package enum Replacement: Sendable, Hashable {
    /// The new file is there now, the old one is gone. Durable after ``FolderTree/flushNames(of:)``.
    case replaced
    /// There was no old one any more; the new file is there now.
    case placed
    /// What is there isn't the file that was recorded; nothing was changed.
    case notOurs(FileFacts)
}

/// Brings partials to their places in a library.
///
/// A partial's data must be durable before. What is at a place is never replaced, but by ``replace(_:with:record:)``, and
/// then only the file that was recorded. The new names are durable after ``FolderTree/flushNames(of:)``.
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
    /// Across a mount inside the library it is copied beside its place first, and flushed. If a kill had come between link
    /// and unlink where `renameat2` is missing, calling it again finishes.
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

    /// Puts a partial at the place of an older file of ours, in one step where the file system can swap names: at every
    /// instant one of the two is there, whole.
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

    /// Nil when done; else what stood there instead of the proven file, and everything is as it was.
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
        // What was swapped out is what was proven, or it goes back.
        guard case .file(let old)? = try source.folder.entry(source.name), old.isUnchanged(since: proven) else {
            try source.folder.exchange(source.name, with: target, name)
            guard case .file(let now)? = try target.entry(name) else { throw .fileExists }
            return now
        }
        try source.folder.remove(source.name)
        return nil
    }
}
