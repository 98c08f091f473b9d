import FileSystem
package import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The folders searched for plugins, in order.
package struct PluginSearchPath: Sendable, Equatable {
    /// A folder that may hold plugins.
    package struct Place: Sendable, Equatable {
        package var folder: FilePath
        /// Whether the user named it, so that it has to exist.
        package var isNamed = false
    }

    /// In order of precedence.
    package var places: [Place]

    /// The places of the protocol: `extraFolders` (of `--plugins`), `COURSEFETCH_PLUGINS`, the user's data folder, the
    /// installation folder beside `executable`, and in a checkout its `Plugins`.
    package init(extraFolders: [FilePath], environment: [String: String], executable: FilePath) {
        places = extraFolders.map { Place(folder: $0, isNamed: true) }
        let listed = (environment["COURSEFETCH_PLUGINS"] ?? "").split(separator: ":")
        places += listed.map { Place(folder: FilePath(String($0)), isNamed: true) }
        if let data = Self.dataFolder(environment) {
            places.append(Place(folder: data.appending("coursefetch/plugins")))
        }
        let executable = Self.resolved(executable)
        let prefix = executable.removingLastComponent().removingLastComponent()
        places.append(Place(folder: prefix.appending("lib/coursefetch/plugins")))
        if let checkout = Self.checkout(of: executable) { places.append(Place(folder: checkout)) }
        // An option may repeat a folder of the environment.
        var seen: Set<FilePath> = []
        places = places.filter { seen.insert($0.folder.lexicallyNormalized()).inserted }
    }

    /// The user's data folder; a relative `XDG_DATA_HOME` is ignored, as its specification requires.
    private static func dataFolder(_ environment: [String: String]) -> FilePath? {
        if let path = environment["XDG_DATA_HOME"].map({ FilePath($0) }), path.isAbsolute { return path }
        guard let home = environment["HOME"], !home.isEmpty else { return nil }
        return FilePath(home).appending(".local/share")
    }

    /// `Plugins` beside the nearest `Package.swift` above the executable, if it has the executable's owner: anybody who
    /// could put another one there could replace the executable, too.
    private static func checkout(of executable: FilePath) -> FilePath? {
        var folder = executable.removingLastComponent()
        while !folder.components.isEmpty {
            if FileManager.default.fileExists(atPath: folder.appending("Package.swift").string) {
                let plugins = folder.appending("Plugins")
                guard let owner = FileStatus(plugins)?.owner, owner == FileStatus(executable)?.owner else { return nil }
                return plugins
            }
            folder = folder.removingLastComponent()
        }
        return nil
    }

    static func resolved(_ path: FilePath) -> FilePath {
        FilePath(URL(filePath: path.string).resolvingSymlinksInPath().path(percentEncoded: false))
    }
}
