import FileSystem
package import SystemPackage
import YAMLSource

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The plugins of this machine, by name.
package struct PluginRegistry: Sendable {
    /// The result of looking a name up.
    package enum Finding: Sendable {
        /// A plugin that can be started.
        case found(Plugin)
        /// The first one of that name is broken.
        case broken(BrokenPlugin)
        /// There is none; with a similar name, if there is one.
        case unknown(suggestion: String?)
    }

    /// The searched folders in order, whether they exist or not.
    package private(set) var searched: [FilePath] = []
    /// The usable plugins, by name.
    package private(set) var plugins: [String: Plugin] = [:]
    /// The unusable ones, in the order of discovery.
    package private(set) var broken: [BrokenPlugin] = []
    /// Folders of plugins whose name was found earlier.
    package private(set) var hidden: [(name: String, folder: FilePath)] = []

    /// Searches all places of the protocol. Starts nothing.
    ///
    /// The first plugin of a name wins, even if it is broken: one placed before an installed plugin must not be skipped
    /// silently. A mistake in one plugin doesn't affect the others.
    package static func discover(
        extraFolders: [FilePath] = [], environment: [String: String], executable: FilePath
    ) -> PluginRegistry {
        var registry = PluginRegistry()
        let path = PluginSearchPath(extraFolders: extraFolders, environment: environment, executable: executable)
        for place in path.places { registry.look(in: place, environment, executable) }
        return registry
    }

    /// The plugin in one folder; nil if the folder has no manifest. Starts nothing.
    package static func plugin(
        in folder: FilePath, environment: [String: String], executable: FilePath
    ) -> Result<Plugin, BrokenPlugin>? {
        PluginFolder(folder: folder, environment: environment, executable: executable).read()
    }

    package func plugin(named name: String) -> Finding {
        if let plugin = plugins[name] { return .found(plugin) }
        if let broken = broken.first(where: { $0.name == name }) { return .broken(broken) }
        return .unknown(suggestion: NearestName.suggestion(for: name, among: plugins.keys.sorted()))
    }

    private mutating func look(
        in place: PluginSearchPath.Place, _ environment: [String: String], _ executable: FilePath
    ) {
        let folder = absolute(place.folder)
        searched.append(folder)
        guard let status = FileStatus(folder), status.isFolder else {
            if place.isNamed { add(failure(folder, "there is no such folder")) }
            return
        }
        if let reason = FileStatus.distrust(folder) {
            add(failure(folder, reason))
            return
        }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.string) else {
            add(failure(folder, "\(folder) can't be read"))
            return
        }
        for name in names.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) where !name.hasPrefix(".") {
            let reader = PluginFolder(folder: folder.appending(name), environment: environment, executable: executable)
            switch reader.read() {
            case .success(let plugin): add(plugin)
            case .failure(let failure): add(failure)
            case nil: break
            }
        }
    }

    private mutating func add(_ plugin: Plugin) {
        if isTaken(plugin.name) {
            hidden.append((plugin.name, plugin.folder))
        } else {
            plugins[plugin.name] = plugin
        }
    }

    private mutating func add(_ failure: BrokenPlugin) {
        if plugins[failure.name] != nil { hidden.append((failure.name, failure.folder)) }
        broken.append(failure)
    }

    private func isTaken(_ name: String) -> Bool {
        plugins[name] != nil || broken.contains { $0.name == name }
    }

    private func failure(_ folder: FilePath, _ reason: String) -> BrokenPlugin {
        BrokenPlugin(name: folder.lastComponent?.string ?? folder.string, folder: folder, reason: reason)
    }

    private func absolute(_ folder: FilePath) -> FilePath {
        folder.isAbsolute ? folder : FilePath(FileManager.default.currentDirectoryPath).pushing(folder)
    }
}
