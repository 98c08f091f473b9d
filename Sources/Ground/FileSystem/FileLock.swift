package import Foundation
import Synchronization
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A lock that one process holds at a time; it ends with the process, however that ends.
///
/// It is a `flock` on a file, which the kernel passes to other machines on NFS, too; the file's content only names the
/// holder for messages. The descriptor is closed on exec, so that no child inherits the lock.
package final class FileLock: Sendable {
    /// The result of trying to take the lock.
    package enum Outcome: Sendable {
        case acquired(FileLock)
        /// Another process has it; nil if the file doesn't identify it.
        case held(LockHolder?)
    }

    /// The state of a lock that is held.
    package struct Held: Sendable, Hashable {
        /// Nil if the file doesn't identify it.
        package var holder: LockHolder?
    }

    /// Nil once it was released.
    private let descriptor: Mutex<CInt?>

    private init(owning descriptor: CInt) { self.descriptor = Mutex(descriptor) }

    deinit { release() }

    /// Releases the lock; repeated calls are fine.
    package func release() {
        descriptor.withLock { descriptor in
            if let open = descriptor { close(open) }
            descriptor = nil
        }
    }

    /// Takes a lock. Readers, and commands with small changes, hold it only for a moment: so it is tried for at least
    /// `grace`, and for `wait` if that is longer. Cancelling the task ends the wait at once.
    ///
    /// - Parameters:
    ///   - user: the recorded user; nil if that is clear from the lock's place.
    ///   - catalogs: the recorded catalogs; empty for a command.
    ///   - waiting: called once, when `grace` is over and another process still has it.
    package static func acquire(
        _ file: LockFile, user: String? = nil, catalogs: [String], now: Date = Date(),
        grace: Duration = .milliseconds(500), wait: Duration = .zero, waiting: (LockHolder?) -> Void = { _ in }
    ) async throws(LockError) -> Outcome {
        let begun = ContinuousClock.now
        var isWaiting = false
        while true {
            // It records since when it has the lock, not since when it waits.
            let since = now.addingTimeInterval((ContinuousClock.now - begun) / .seconds(1))
            let me = LockHolder.current(user: user, since: since, catalogs: catalogs)
            let holder: LockHolder?
            switch try attempt(file, as: me) {
            case .acquired(let lock): return .acquired(lock)
            case .held(let other): holder = other
            }
            let waited = ContinuousClock.now - begun
            if waited >= max(grace, wait) || Task.isCancelled { return .held(holder) }
            if !isWaiting, waited >= grace {
                isWaiting = true
                waiting(holder)
            }
            // Short waits end soon; long ones cost nothing.
            let rest = max(grace, wait) - waited
            try? await Task.sleep(for: isWaiting ? min(.milliseconds(500), rest) : .milliseconds(10))
        }
    }

    /// The holder of the lock; nil if there is none. Creates nothing.
    package static func holder(of file: LockFile) throws(LockError) -> Held? {
        let descriptor: CInt
        do {
            descriptor = try open(file, O_RDONLY)
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw refusal(file.shownPath, error)
        }
        defer { close(descriptor) }
        if try lock(descriptor, LOCK_SH, file.shownPath) { return nil }
        return Held(holder: read(descriptor))
    }

    /// Takes the lock if it is free.
    package static func attempt(_ file: LockFile, as me: LockHolder) throws(LockError) -> Outcome {
        let path = file.shownPath
        do {
            // Once more if the file was deleted between opening and locking: a lock on it would exclude nobody.
            for _ in 0..<8 {
                let descriptor = try open(file, O_RDWR | O_CREAT)
                guard try lock(descriptor, LOCK_EX, path) else {
                    defer { close(descriptor) }
                    return .held(read(descriptor))
                }
                guard try isStill(descriptor, at: file) else {
                    close(descriptor)
                    continue
                }
                // Full disks don't matter here: the lock works without its content.
                let line = me.line
                try? SmallFile.write(line, to: descriptor)
                _ = ftruncate(descriptor, off_t(line.count))
                return .acquired(FileLock(owning: descriptor))
            }
            throw Errno.noSuchFileOrDirectory
        } catch let error as LockError {
            throw error
        } catch let error as Errno {
            throw refusal(path, error)
        } catch {
            throw .notAFile(path: path)
        }
    }

    /// False if another process has it. Closes the descriptor when it throws.
    private static func lock(_ descriptor: CInt, _ kind: CInt, _ path: String) throws(LockError) -> Bool {
        while flock(descriptor, kind | LOCK_NB) != 0 {
            let error = Errno(rawValue: errno)
            if error == .interrupted { continue }
            if error == .wouldBlock { return false }
            if kind == LOCK_EX { close(descriptor) }
            if error == .noLocks || error == .notSupported || error == .noFunction { throw .noLocks(path: path) }
            throw .system(.lock, path: path, error)
        }
        return true
    }

    private static func isStill(_ descriptor: CInt, at file: LockFile) throws(Errno) -> Bool {
        var mine = stat()
        var there = stat()
        try systemCall { fstat(descriptor, &mine) }
        guard fstatat(file.folder?.descriptor ?? AT_FDCWD, file.name, &there, AT_SYMLINK_NOFOLLOW) == 0 else {
            return false
        }
        return mine.st_ino == there.st_ino && mine.st_dev == there.st_dev
    }

    private static func open(_ file: LockFile, _ flags: CInt) throws(Errno) -> CInt {
        let descriptor = try systemCall {
            openat(
                file.folder?.descriptor ?? AT_FDCWD, file.name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
                mode_t(file.mode))
        }
        do throws(Errno) {
            guard case .file = try FolderHandle.entry(descriptor: descriptor) else { throw Errno.invalidArgument }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func read(_ descriptor: CInt) -> LockHolder? {
        guard let line = try? SmallFile.read(descriptor, upTo: LockHolder.longest) else { return nil }
        return LockHolder(line: line)
    }

    private static func refusal(_ path: String, _ error: Errno) -> LockError {
        switch error {
        case .tooManySymbolicLinkLevels, .isDirectory, .noSuchAddressOrDevice, .invalidArgument: .notAFile(path: path)
        default: .system(.open, path: path, error)
        }
    }
}
