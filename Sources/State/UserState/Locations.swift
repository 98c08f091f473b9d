import FileSystem
import Foundation
package import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The locations of files, by the XDG base directory specification.
package struct Locations: Sendable, Hashable {
    /// Holds `users/NAME/`: `--state`, else `$XDG_STATE_HOME/coursefetch`.
    package let stateRoot: FilePath
    /// Holds `users/NAME/shards/`: `--local-state`, else the same.
    package let shardRoot: FilePath
    /// `$XDG_CONFIG_HOME/coursefetch/config.yaml`.
    package let settingsFile: FilePath
    /// The plugins that the user installed: `$XDG_DATA_HOME/coursefetch/plugins`.
    package let pluginFolder: FilePath
    package let home: FilePath

    /// - Parameters:
    ///   - environment: variables; a relative path in an XDG variable is ignored, as the specification requires.
    ///   - home: nil for `HOME`, else the account database's.
    ///   - state: `--state`; a relative one begins at the working directory.
    ///   - localState: `--local-state`, in the same way.
    package init(
        environment: [String: String], home: FilePath? = nil, state: FilePath? = nil, localState: FilePath? = nil
    ) {
        let home = home ?? Self.home(environment)
        self.home = home
        func folder(_ variable: String, _ fallback: String) -> FilePath {
            if let value = environment[variable], value.hasPrefix("/") { return FilePath(value) }
            return home.appending(fallback)
        }
        stateRoot = state.map(Self.absolute) ?? folder("XDG_STATE_HOME", ".local/state").appending("coursefetch")
        shardRoot = localState.map(Self.absolute) ?? stateRoot
        settingsFile = folder("XDG_CONFIG_HOME", ".config").appending("coursefetch").appending("config.yaml")
        pluginFolder = folder("XDG_DATA_HOME", ".local/share").appending("coursefetch").appending("plugins")
    }

    /// A user's state. Creates nothing.
    package func state(of user: UserName) -> StateFolder { Self.state(of: user, in: stateRoot) }

    /// The folder with the states of a user's shards. Creates nothing.
    package func shards(of user: UserName) -> StateFolder { Self.state(of: user, in: shardRoot) }

    private static func state(of user: UserName, in root: FilePath) -> StateFolder {
        StateFolder(path: root.appending("users").appending(user.text), user: user)
    }

    /// The library: the setting with `{user}` and a leading `~` replaced, made absolute; without a setting
    /// `~/coursefetch/NAME`.
    package func library(_ setting: String?, user: UserName) -> FilePath {
        guard let setting, !setting.isEmpty else { return home.appending("coursefetch").appending(user.text) }
        let text = setting.replacing("{user}", with: user.text)
        if text == "~" { return home }
        if text.hasPrefix("~/") { return home.appending(String(text.dropFirst(2))) }
        return Self.absolute(FilePath(text))
    }

    /// All users that have a state here, by name.
    package func users() throws(StateError) -> [UserName] { try Self.users(in: stateRoot.appending("users")) }

    package static func users(in folder: FilePath) throws(StateError) -> [UserName] {
        guard let stream = folder.withPlatformString({ opendir($0) }) else {
            let error = Errno(rawValue: errno)
            if error == .noSuchFileOrDirectory { return [] }
            throw error == .notDirectory
                ? .notAFolder(path: folder.string) : .system(.list, path: folder.string, error)
        }
        defer { closedir(stream) }
        var users: [UserName] = []
        while let entry = readdir(stream) {
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { break }
            let name = String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self))
            guard let user = UserName(folderName: name),
                StateFolder(path: folder.appending(name), user: user).exists
            else { continue }
            users.append(user)
        }
        return users.sorted { $0.text < $1.text }
    }

    private static func home(_ environment: [String: String]) -> FilePath {
        if let home = environment["HOME"], home.hasPrefix("/") { return FilePath(home) }
        if let entry = getpwuid(geteuid()), let home = entry.pointee.pw_dir { return FilePath(String(cString: home)) }
        return "/"
    }

    private static func absolute(_ path: FilePath) -> FilePath {
        if path.isAbsolute { return path.lexicallyNormalized() }
        return FilePath(FileManager.default.currentDirectoryPath).pushing(path).lexicallyNormalized()
    }
}
