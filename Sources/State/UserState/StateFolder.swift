package import FileSystem
import Foundation
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// One user's state: a folder that only the account can enter.
package struct StateFolder: Sendable, Hashable {
    /// Absolute.
    package let path: FilePath
    package let user: UserName

    package init(path: FilePath, user: UserName) {
        self.path = path
        self.user = user
    }

    /// The state of one shard of the user's downloads, with a lock of its own.
    package func shard(_ name: String) -> StateFolder {
        StateFolder(path: path.appending(Self.shards).appending(name), user: user)
    }

    /// The names of the shards that have a state here; those of other machines aren't known.
    package var shardNames: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path.appending(Self.shards).string)) ?? []
        return names.filter { shard($0).exists }.sorted()
    }

    private static let shards = "shards"

    /// The databases, by their names.
    package enum Database: String {
        case state = "state.sqlite"
        case searchIndex = "page.sqlite"
        case marks = "marks.sqlite"

        /// Of a file; a draft or a copy is one of a state.
        package init(at path: String) {
            self = FilePath(path).lastComponent.flatMap { Self(rawValue: $0.string) } ?? .state
        }
    }

    package var database: FilePath { path.appending(Database.state.rawValue) }
    /// The index of titles and subtitles for search, which can be made anew.
    package var searchIndex: FilePath { path.appending(Database.searchIndex.rawValue) }
    /// What the user has watched, in the page: it can't be made anew.
    package var marks: FilePath { path.appending(Database.marks.rawValue) }
    /// Small pictures of videos for the page, which can be made anew.
    package var thumbnails: FilePath { path.appending("thumbnails") }
    /// This machine's copy of the register of a library whose videos are divided among shards.
    package var register: FilePath { path.appending("register.sqlite") }
    /// Providers' credentials, mode 0600.
    package var credentials: FilePath { path.appending("credentials.json") }
    /// The lock that a sync holds while it runs.
    package var lock: FilePath { path.appending("sync.lock") }

    /// The bytes that a run has written and not flushed yet.
    package var unflushed: FilePath { path.appending("unflushed") }

    /// The data of plugins for this user, a folder for each.
    package var pluginData: FilePath { path.appending("plugins") }

    /// The folder that a plugin may write to, mode 0700; made if it is missing.
    package func pluginData(of plugin: String) throws(StateError) -> FilePath {
        let folder = pluginData.appending(plugin)
        try Self.create(folder)
        return folder
    }

    package func removePluginData(of plugin: String? = nil) {
        let folder = plugin.map(pluginData.appending) ?? pluginData
        try? FileManager.default.removeItem(atPath: folder.string)
    }

    /// Removes the database of a shard, with what belongs to it. For the holder of its lock.
    package func removeState() {
        let drafts = ["register-home.sqlite", "register-copy.sqlite"].map { path.appending($0) }
        let databases = ([database, register, searchIndex] + drafts).flatMap { file in
            ["", "-wal", "-shm", "-journal"].map { file.string + $0 }
        }
        let files = databases + [unflushed.string, lock.string]
        for file in files { unlink(file) }
        rmdir(path.string)
    }

    /// The file system that it is on, or will be.
    package var fileSystem: FileSystemKind { .of(path) }

    /// Whether it exists, and is a folder.
    package var exists: Bool {
        var facts = stat()
        return path.withPlatformString { stat($0, &facts) } == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    /// Creates the folder and those above it, with mode 0700, or closes an existing one of ours to others.
    ///
    /// Existing folders above the user's own aren't changed. A folder of another account is refused, except for root.
    package func create() throws(StateError) {
        try Self.create(path)
        var facts = stat()
        do {
            try systemCall { path.withPlatformString { lstat($0, &facts) } }
            guard facts.st_mode & S_IFMT == S_IFDIR else { throw StateError.notAFolder(path: path.string) }
            guard facts.st_uid == geteuid() || geteuid() == 0 else {
                throw StateError.ownedByAnother(path: path.string, account: facts.st_uid)
            }
            if facts.st_mode & 0o077 != 0 { try systemCall { path.withPlatformString { chmod($0, 0o700) } } }
        } catch let error as StateError {
            throw error
        } catch let error as Errno {
            throw .system(.create, path: path.string, error)
        } catch {
            throw .notAFolder(path: path.string)
        }
    }

    private static func create(_ path: FilePath) throws(StateError) {
        var facts = stat()
        if path.withPlatformString({ stat($0, &facts) }) == 0 {
            guard facts.st_mode & S_IFMT == S_IFDIR else { throw .notAFolder(path: path.string) }
            return
        }
        let above = path.removingLastComponent()
        if !above.isEmpty, above != path { try create(above) }
        do {
            try systemCall { path.withPlatformString { mkdir($0, 0o700) } }
        } catch .fileExists {
            // Another process was faster, or it is a link that leads nowhere: the caller checks again.
        } catch .notDirectory {
            throw .notAFolder(path: path.string)
        } catch {
            throw .system(.create, path: path.string, error)
        }
    }
}
