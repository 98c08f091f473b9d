package import FileSystem
import SystemPackage

/// What became of a file that was to be removed.
package enum Removal: Sendable, Hashable {
    /// It is gone; durable after ``LibraryFolder/flushFolders(of:)``, at worst it comes back.
    case removed
    /// It was gone already.
    case missing
    /// What stands there isn't the file that was recorded; it stays.
    case notOurs(FileFacts)
}

extension LibraryFolder {
    /// Removes a file of ours, and then the folders above it that are empty.
    ///
    /// What isn't provably the recorded file is left alone. A second name of it (a hard link) stays.
    package func remove(_ path: String, record: FileRecord) throws(LibraryError) -> Removal {
        let place = try LibraryPath(path)
        let proof: Proof
        do {
            proof = try proves(path, is: record)
        } catch .notAFolder {
            return .missing
        }
        switch proof {
        case .missing:
            removeEmptyFolders(from: place.folder)
            return .missing
        case .notOurs(let facts):
            return .notOurs(facts)
        case .ours(let facts):
            guard let folder = try folder(place.folder) else { return .missing }
            do {
                // Reading it may have taken long: it must still be the one that was proven.
                guard case .file(let now)? = try folder.entry(place.name) else { return .missing }
                guard now.inode == facts.inode, now.modified == facts.modified else { return .notOurs(now) }
                try folder.remove(place.name)
            } catch {
                throw .system(.remove, path: path, error)
            }
            removeEmptyFolders(from: place.folder)
            return .removed
        }
    }

    /// Removes a folder if it is empty, then the one above, and so on; never the library itself. Failing is no error: the
    /// folder just stays.
    package func removeEmptyFolders(from folder: String) {
        for path in LibraryPath.chain(folder).reversed() {
            guard let place = try? LibraryPath(path), let above = try? self.folder(place.folder) else { return }
            guard (try? above.removeFolder(place.name)) == true else { return }
            cache.forget(path)
        }
    }
}
