import YAMLSource

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(System)
package import System
#else
package import SystemPackage
#endif

/// The plugins of this machine, by name.
package struct PluginRegistry: Sendable {
    /// What a name leads to.
    package enum Finding: Sendable {
        /// A plugin that can be started.
        case found(Plugin)
        /// The first one of that name is broken.
        case broken(BrokenPlugin)
        /// There is none; the nearest name, if one is near.
        case unknown(suggestion: String?)
    }

    /// The folders that were looked in, the first ones first, whether they are there or not.
    package private(set) var searched: [FilePath] = []
    /// The plugins that can be used, by name.
    package private(set) var plugins: [String: Plugin] = [:]
    /// Those that can't, in the order in which they were found.
    package private(set) var broken: [BrokenPlugin] = []
    /// Folders whose name an earlier one bears already.
    package private(set) var hidden: [(name: String, folder: FilePath)] = []

    /// Looks through all places of the protocol. Starts nothing.
    ///
    /// The first that bears a name wins, also if it is broken: what somebody put before an installed plugin must not
    /// be passed over in silence. Nothing that is wrong with one plugin keeps another from being found.
    package static func discover(
        extraFolders: [FilePath] = [], environment: [String: String], executable: FilePath
    ) -> PluginRegistry {
        var registry = PluginRegistry()
        let path = PluginSearchPath(extraFolders: extraFolders, environment: environment, executable: executable)
        for place in path.places { registry.look(in: place, environment, executable) }
        return registry
    }

    /// What the name leads to.
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
