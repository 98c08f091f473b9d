package import FileSystem
import SystemPackage

/// What became of a partial that was to be put at its place.
package enum Placement: Sendable, Hashable {
    /// It stands there now. Durable after ``LibraryFolder/flushFolders(of:)``.
    case placed
    /// Something else stands there; nothing was changed. Nil facts: it isn't even a file.
    case exists(FileFacts?)
}

/// What became of a file that was to be replaced by its successor.
package enum Replacement: Sendable, Hashable {
    /// The new file stands there now, the old one is gone. Durable after ``LibraryFolder/flushFolders(of:)``.
    case replaced
    /// There was no old one any more; the new file stands there now.
    case placed
    /// What stands there isn't the file that was recorded; nothing was changed.
    case notOurs(FileFacts)
}

extension LibraryFolder {
    /// Renames a partial to its place, creating the folder, and never replaces anything.
    ///
    /// The partial's data must be durable before. Across a mount inside the library it is copied beside its place first, and
    /// flushed. If a kill had come between link and unlink where `renameat2` is missing, calling it again finishes.
    package func place(_ partial: PartialName, at path: String) throws(LibraryError) -> Placement {
        let place = try LibraryPath(path)
        do {
            try withFolder(of: place) { folder throws(Errno) in
                try moveAcross(partial.fileName, in: partialsHandle, to: folder, place.name)
            }
            return .placed
        } catch .system(_, _, .fileExists) {
            return .exists(try facts(of: path, tolerant: true))
        }
    }

    /// Puts a partial at the place of an older file of ours, in one step where the file system can swap names: at every
    /// instant one of the two stands there, whole.
    ///
    /// The old file must be proven by its record. The partial's data must be durable before.
    package func replace(
        _ path: String, with partial: PartialName, record: FileRecord
    ) throws(LibraryError) -> Replacement {
        let place = try LibraryPath(path)
        let proven: FileFacts
        switch try proves(path, is: record) {
        case .missing:
            switch try self.place(partial, at: path) {
            case .placed: return .placed
            case .exists(let facts?): return .notOurs(facts)
            case .exists(nil): throw .notAFile(path: path)
            }
        case .notOurs(let facts): return .notOurs(facts)
        case .ours(let facts): proven = facts
        }
        var stranger: FileFacts?
        try withFolder(of: place) { folder throws(Errno) in
            var source = (folder: partialsHandle, name: partial.fileName)
            do throws(Errno) {
                stranger = try swap(source, with: folder, place.name, proven: proven)
            } catch .improperLink {
                source = (folder, StagingName.of(place.name))
                try FileCopy.copy(partial.fileName, in: partialsHandle, to: folder, source.name)
                stranger = try swap(source, with: folder, place.name, proven: proven)
                if stranger != nil {
                    try folder.remove(source.name)
                } else {
                    try partialsHandle.remove(partial.fileName)
                }
            }
        }
        return stranger.map(Replacement.notOurs) ?? .replaced
    }

    /// Makes sure that open folders are still those that the paths lead to: somebody may have renamed or replaced one since
    /// it was opened. To be called before files are placed; a folder that has gone is made anew then.
    ///
    /// Throws what ``loss()`` says if the library as a whole is another one now.
    package func refreshFolders(of paths: some Sequence<String>) throws(LibraryError) {
        guard leadsHere else { throw loss() ?? .replaced(library: root.string) }
        var seen: Set<String> = []
        for path in paths {
            let folder = try LibraryPath(path).folder
            guard !folder.isEmpty, seen.insert(folder).inserted, let open = cache.handle(folder) else { continue }
            // What can't be looked at is told of by whoever places a file there.
            if let now = try? opened(folder), open.isSame(as: now) { continue }
            // The ones above may have gone with it.
            cache.forget(String(folder.prefix { $0 != "/" }))
        }
    }

    /// Makes the names of files durable: flushes the folder of each path once, and the folders above one that is new to this
    /// process. Files must have been flushed before they were placed.
    package func flushFolders(of paths: some Sequence<String>) throws(LibraryError) {
        var folders: Set<String> = []
        var newNames: Set<String> = []
        for path in paths {
            var folder = try LibraryPath(path).folder
            guard folders.insert(folder).inserted else { continue }
            while !folder.isEmpty, !cache.isNameDurable(folder), newNames.insert(folder).inserted {
                folder = try LibraryPath(folder).folder
                folders.insert(folder)
            }
        }
        // Innermost first: a name is worth nothing before what it names is there.
        for path in folders.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            guard let handle = try folder(path) else { continue }
            do { try handle.flush() } catch { throw .system(.flush, path: path, error) }
        }
        for path in newNames { cache.noteNameIsDurable(path) }
    }

    /// Runs `body` on the folder that `place` is in, created if need be; once more if the folder turns out to be a removed one.
    func withFolder(of place: LibraryPath, _ body: (FolderHandle) throws(Errno) -> Void) throws(LibraryError) {
        for attempt in 0..<2 {
            let handle = try folderCreating(place.folder)
            do {
                return try body(handle)
            } catch {
                if error == .noSuchFileOrDirectory, attempt == 0, !place.folder.isEmpty {
                    cache.forget(String(place.folder.prefix { $0 != "/" }))
                    continue
                }
                throw .system(.rename, path: place.text, error)
            }
        }
    }

    /// Moves a file and never replaces: a rename, and across mounts a flushed copy under its final name before the old one goes.
    func moveAcross(
        _ name: String, in source: FolderHandle, to target: FolderHandle, _ newName: String
    ) throws(Errno) {
        do {
            try source.rename(name, to: target, newName)
        } catch .improperLink {
            let staging = StagingName.of(newName)
            try FileCopy.copy(name, in: source, to: target, staging)
            do {
                try target.rename(staging, to: target, newName)
            } catch {
                let isCopy = error == .fileExists ? try FileCopy.isEqual(target, staging, newName) : false
                try target.remove(staging)
                // A kill came after the copy got its name and before the original went.
                guard isCopy else { throw error }
            }
            try target.flush()
            try source.remove(name)
        }
    }

    /// Nil when done; else what stood there instead of the proven file, and everything is as it was.
    private func swap(
        _ source: (folder: FolderHandle, name: String), with target: FolderHandle, _ name: String, proven: FileFacts
    ) throws(Errno) -> FileFacts? {
        do {
            try source.folder.exchange(source.name, with: target, name)
        } catch  where error.isUnsupported {
            guard case .file(let now)? = try target.entry(name) else { throw .noSuchFileOrDirectory }
            guard now.inode == proven.inode, now.modified == proven.modified else { return now }
            try source.folder.replace(source.name, over: target, name)
            return nil
        }
        // What was swapped out is what was proven, or it goes back.
        guard case .file(let old)? = try source.folder.entry(source.name), old.inode == proven.inode,
            old.modified == proven.modified
        else {
            try source.folder.exchange(source.name, with: target, name)
            guard case .file(let now)? = try target.entry(name) else { throw .fileExists }
            return now
        }
        try source.folder.remove(source.name)
        return nil
    }
}
