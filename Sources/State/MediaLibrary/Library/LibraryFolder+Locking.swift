package import FileSystem
import Foundation
import Synchronization
package import SystemPackage

/// The library's own lock, `.coursefetch/lock`: it keeps another state, or a copy of this one on another machine, from
/// using partials of the same names. It ends with the process, however that ends. File systems without locks have none.
/// Whoever has it removes what an interrupted division has left.
extension LibraryFolder {
    /// Takes the lock, and keeps it until ``unlock()`` or as long as the library is open. Tries for at least half a
    /// second, and for `wait` if that is longer; `waiting` is called once if another process has it.
    package func lock(
        user: String, catalogs: [String] = [], wait: Duration = .zero, waiting: (LockHolder?) -> Void = { _ in }
    ) async throws(LibraryError) {
        let attempt: FileLock.Outcome
        do {
            attempt = try await FileLock.acquire(
                Self.lockFile(in: home.handle, home.path, of: root), user: user, catalogs: catalogs, wait: wait,
                waiting: waiting)
        } catch {
            try Self.note(error)
            return try settleDivision()
        }
        try take(attempt)
    }

    /// Like ``lock(user:catalogs:wait:waiting:)``, without any wait.
    package func lockNow(user: String) throws(LibraryError) {
        let attempt: FileLock.Outcome
        do {
            attempt = try FileLock.attempt(
                Self.lockFile(in: home.handle, home.path, of: root), as: .current(user: user))
        } catch {
            try Self.note(error)
            return try settleDivision()
        }
        try take(attempt)
    }

    package func unlock() { ownLock.withLock { $0 = nil } }

    /// Whether another process, or another opening of this one, has the lock of the library at `root`. Creates nothing.
    ///
    /// - Parameter part: the shard whose lock it is; nil for a state without shards.
    package static func isInUse(_ root: FilePath, part: LibraryPart? = nil) throws(LibraryError) -> FileLock.Held? {
        do {
            guard let (home, path) = try RootFolder(at: root, by: KernelCalls()).home(of: part) else { return nil }
            return try FileLock.holder(of: lockFile(in: home, path, of: root))
        } catch let error as LockError {
            try note(error)
        } catch {
            // A missing library isn't in use; other errors are reported when it is opened.
        }
        return nil
    }

    /// - Parameter path: of `home`, from the root.
    private static func lockFile(in home: FolderHandle, _ path: String, of root: FilePath) -> LockFile {
        LockFile("lock", in: home, shownPath: "\(root)/\(path)/lock", mode: 0o666)
    }

    private func take(_ attempt: FileLock.Outcome) throws(LibraryError) {
        switch attempt {
        case .acquired(let lock):
            ownLock.withLock { $0 = lock }
            do { try settleDivision() } catch {
                unlock()
                throw error
            }
        case .held(let holder): throw .inUse(library: root.string, by: holder)
        }
    }

    private static func note(_ error: LockError) throws(LibraryError) {
        switch error {
        case .noLocks: return
        case .system(_, let path, let errno): throw .system(.lock, path: path, errno)
        case .notAFile(let path): throw .notAFile(path: path)
        }
    }
}
