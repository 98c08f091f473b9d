import FileSystem
import Foundation

/// A hidden folder beside the user's plugins in which one is put together, or goes out of the way.
///
/// It is removed with this object. Those of processes that were killed, or whose removal failed, are removed by
/// ``clean(_:)``: each running installation holds the lock of its own.
final class PluginStaging {
    private static let prefixes = [".installing-", ".removed-"]
    private static let lockName = "lock"
    private static let tries = 8

    /// Does not exist yet.
    let files: String
    private let folder: String
    /// Nil where the file system has no locks.
    private let lock: FileLock?

    /// Makes one in the folder of the plugins, which is made, too.
    init(in home: String) throws(PluginsProblem) {
        for _ in 0..<Self.tries {
            let folder = "\(home)/\(Self.prefixes[0])\(UUID().uuidString)"
            do {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            } catch {
                throw .unwritable(folder)
            }
            let lock: FileLock?
            do throws(LockError) {
                // Another installation may have taken it for a leftover.
                guard let own = try Self.lock(of: folder) else { continue }
                lock = own
            } catch {
                guard case .noLocks = error else {
                    // That one is made again.
                    if !FileManager.default.fileExists(atPath: folder) { continue }
                    try? FileManager.default.removeItem(atPath: folder)
                    throw .unwritable(folder)
                }
                lock = nil
            }
            (self.folder, self.lock, files) = (folder, lock, folder + "/files")
            return
        }
        throw .unwritable(home)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// The place of a plugin that another one replaces, where two names can't be exchanged. Until the new one is in its
    /// place, ``clean(_:)`` puts it back.
    func placeOfReplaced(_ name: String) throws(PluginsProblem) -> String {
        let place = Self.replaced(in: folder)
        do {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        } catch {
            throw .unwritable(place)
        }
        return place + "/" + name
    }

    /// Removes what no running process owns; what can't be removed stays for the next time.
    static func clean(_ home: String) {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: home)) ?? [] where prefixes.contains(where: name.hasPrefix)
        {
            let folder = home + "/" + name
            guard let lock = try? lock(of: folder) else { continue }
            withExtendedLifetime(lock) {
                let replaced = replaced(in: folder)
                for plugin in (try? files.contentsOfDirectory(atPath: replaced)) ?? []
                where !files.fileExists(atPath: home + "/" + plugin) {
                    // It was killed between two names.
                    guard rename(replaced + "/" + plugin, home + "/" + plugin) == 0 else { return }
                }
                try? files.removeItem(atPath: folder)
            }
        }
    }

    /// A name for a plugin that goes out of the way, in one step.
    static func placeOfRemoved(in home: String) -> String { "\(home)/\(prefixes[1])\(UUID().uuidString)" }

    private static func replaced(in folder: String) -> String { folder + "/replaced" }

    /// Nil if another process has it.
    private static func lock(of folder: String) throws(LockError) -> FileLock? {
        let file = LockFile(path: folder + "/" + lockName, mode: 0o600)
        guard case .acquired(let lock) = try FileLock.attempt(file, as: .current()) else { return nil }
        return lock
    }
}
