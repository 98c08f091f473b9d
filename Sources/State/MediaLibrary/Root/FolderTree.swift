package import FileSystem
import SystemPackage

/// The folders of a library beneath its root, by their relative paths: opened without following a link, and kept open.
/// The empty path is the root itself.
///
/// No folder is replaced, and only empty ones are removed. Thread-safe.
package final class FolderTree: Sendable {
    let root: FolderHandle
    private let cache = FolderCache()
    /// Whether the kernel resolves a path beneath a folder in one call.
    private let opensBeneath: Bool

    /// - Parameter isStepwise: paths are opened component by component, as on a kernel without `openat2`.
    init(root: FolderHandle, isStepwise: Bool = false) {
        self.root = root
        opensBeneath = !isStepwise && (try? root.beneath(".")) != nil
    }

    /// Nil if it doesn't exist.
    func folder(_ path: String) throws(LibraryError) -> FolderHandle? {
        if path.isEmpty { return root }
        if let handle = cache.handle(path) { return handle }
        guard let handle = try opened(path) else { return nil }
        cache.insert(handle, at: path)
        return handle
    }

    package func exists(_ path: String) throws(LibraryError) -> Bool { try folder(path) != nil }

    /// Creates it, and those above it, if missing.
    func creating(_ path: String) throws(LibraryError) -> FolderHandle {
        // Twice: somebody may remove an empty folder between its creation and its use.
        for _ in 0..<2 {
            if let handle = try folder(path) { return handle }
            let place = try LibraryPath(path)
            let above = try creating(place.folder)
            do {
                try above.makeFolder(place.name)
            } catch .noSuchFileOrDirectory {
                cache.forget(place.folder)
            } catch {
                throw .system(.create, path: path, error)
            }
        }
        guard let handle = try folder(path) else { throw .system(.create, path: path, .noSuchFileOrDirectory) }
        return handle
    }

    /// Runs `body`, which puts a file at `place`, on its folder, created if necessary; once more if the folder has been
    /// removed.
    func bring(to place: LibraryPath, _ body: (FolderHandle) throws(Errno) -> Void) throws(LibraryError) {
        for attempt in 0..<2 {
            let handle = try creating(place.folder)
            do {
                return try body(handle)
            } catch {
                if error == .noSuchFileOrDirectory, attempt == 0, !place.folder.isEmpty {
                    forgetBranch(of: place.folder)
                    continue
                }
                throw .system(.rename, path: place.text, error)
            }
        }
    }

    /// Closes open folders that are no longer at the paths of these files.
    func refresh(of paths: some Sequence<String>) throws(LibraryError) {
        var seen: Set<String> = []
        for path in paths {
            let folder = try LibraryPath(path).folder
            guard !folder.isEmpty, seen.insert(folder).inserted, let open = cache.handle(folder) else { continue }
            // An unreadable one is reported when a file is placed there.
            if let now = try? opened(folder), open.isSame(as: now) { continue }
            forgetBranch(of: folder)
        }
    }

    /// Makes the names of files durable: flushes the folder of each path once, and the parents of folders new to this
    /// process. Files must have been flushed before they were placed.
    package func flushNames(of paths: some Sequence<String>) throws(LibraryError) {
        if let first = unflushedNames(of: paths).min(by: { $0.key < $1.key }) { throw first.value }
    }

    /// Like ``flushNames(of:)``: flushes what can be flushed. Returns the paths whose names may not be durable.
    package func unflushedNames(of paths: some Sequence<String>) -> [String: LibraryError] {
        var folders: Set<String> = []
        var newNames: Set<String> = []
        var files: [(path: String, folder: String)] = []
        var failures: [String: LibraryError] = [:]
        for path in paths {
            do throws(LibraryError) {
                var folder = try LibraryPath(path).folder
                files.append((path, folder))
                guard folders.insert(folder).inserted else { continue }
                while !folder.isEmpty, !cache.isNameDurable(folder), newNames.insert(folder).inserted {
                    folder = try LibraryPath(folder).folder
                    folders.insert(folder)
                }
            } catch { failures[path] = error }
        }
        var unflushed: [String: LibraryError] = [:]
        // Innermost first: a name is of no use before the named folder is durable.
        for path in folders.sorted(by: { $0.utf8.count > $1.utf8.count }) {
            do throws(LibraryError) { try flush(path) } catch { unflushed[path] = error }
        }
        for path in newNames where unflushed[LibraryPathParts.split(path).folder] == nil {
            cache.noteNameIsDurable(path)
        }
        guard !unflushed.isEmpty else { return failures }
        for (path, folder) in files {
            let above = [folder] + LibraryPath.chain(folder) + [""]
            if let error = above.lazy.compactMap({ unflushed[$0] }).first { failures[path] = error }
        }
        return failures
    }

    /// A folder that has been removed: what it was removed from.
    private func flush(_ path: String) throws(LibraryError) {
        guard let handle = try folder(path) else {
            return path.isEmpty ? () : try flush(LibraryPath(path).folder)
        }
        do { try handle.flush() } catch { throw .system(.flush, path: path, error) }
    }

    /// Removes a folder if it is empty, then its parent, and so on; never the library itself. A failure isn't an error:
    /// the folder just stays.
    package func removeEmpty(from folder: String) {
        for path in LibraryPath.chain(folder).reversed() {
            guard let place = try? LibraryPath(path), let above = try? self.folder(place.folder) else { return }
            // An error may pass, and the folder would stay for good: nobody knows of it any more.
            guard (try? above.removeFolder(place.name)) ?? (try? above.removeFolder(place.name)) == true else { return }
            cache.forget(path)
        }
    }

    /// The names in a folder, read once; none if it doesn't exist.
    package func listing(of folder: String) throws(LibraryError) -> FolderFileNames {
        try LibraryPath.checkFolder(folder)
        guard let handle = try self.folder(folder) else { return FolderFileNames() }
        do { return try FolderFileNames(of: handle) } catch { throw .system(.list, path: folder, error) }
    }

    /// Forgets a missing folder, from its outermost parent on: those may be missing, too.
    private func forgetBranch(of folder: String) { cache.forget(String(folder.prefix { $0 != "/" })) }

    /// Opens a folder now; nil if it doesn't exist.
    private func opened(_ path: String) throws(LibraryError) -> FolderHandle? {
        try opensBeneath ? openInOneCall(path) : openStepwise(path)
    }

    private func openInOneCall(_ path: String) throws(LibraryError) -> FolderHandle? {
        do {
            return try root.beneath(path)
        } catch {
            switch error {
            case .noSuchFileOrDirectory: return nil
            case .tooManySymbolicLinkLevels, .improperLink: throw .leadsOut(path: path)
            case .notDirectory: throw .notAFolder(path: path)
            default: throw .system(.open, path: path, error)
            }
        }
    }

    private func openStepwise(_ path: String) throws(LibraryError) -> FolderHandle? {
        var handle = root
        for component in path.split(separator: "/") {
            guard let next = try handle.libraryFolder(String(component), path: path) else { return nil }
            handle = next
        }
        return handle
    }
}
