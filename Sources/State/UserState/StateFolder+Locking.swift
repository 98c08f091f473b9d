package import FileSystem
package import Foundation
import SystemPackage

/// The user's own lock, `sync.lock`: the right to change the user's downloads.
extension StateFolder {
    /// Takes the lock, see ``FileLock/acquire(_:user:catalogs:now:grace:wait:waiting:)``.
    package func acquireLock(
        catalogs: [String], now: Date = Date(), grace: Duration = .milliseconds(500), wait: Duration = .zero,
        waiting: (LockHolder?) -> Void = { _ in }
    ) async throws(StateError) -> FileLock.Outcome {
        do {
            return try await FileLock.acquire(
                lockFile, catalogs: catalogs, now: now, grace: grace, wait: wait, waiting: waiting)
        } catch {
            throw StateError(error)
        }
    }

    /// Takes the lock without any wait; nil if another process has it.
    package func lockNow() throws(StateError) -> FileLock? {
        do {
            guard case .acquired(let lock) = try FileLock.attempt(lockFile, as: .current()) else { return nil }
            return lock
        } catch { throw StateError(error) }
    }

    /// The holder of the lock; nil if there is none. Creates nothing.
    package func lockHolder() throws(StateError) -> FileLock.Held? {
        do { return try FileLock.holder(of: lockFile) } catch { throw StateError(error) }
    }

    private var lockFile: LockFile { LockFile(path: lock.string, mode: 0o600) }
}
