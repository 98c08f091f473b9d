import DownloadJobs
import Foundation
import ProviderHost
import SystemPackage

/// A plugin as it was found.
package struct PluginListing: Sendable {
    /// As catalogs call it.
    package var name: String
    /// As its manifest says.
    package var version: String?
    /// Nil for one that is broken or hidden.
    package var protocolVersion: Int?
    /// The manifest's description.
    package var summary: String?
    /// Sorted.
    package var methods: [String]
    /// Where it lies.
    package var folder: String
    /// Why it can't be used.
    package var problem: String?
    /// The folder of the one of the same name that comes before it.
    package var shadowedBy: String?

    package init(
        name: String, version: String?, protocolVersion: Int?, summary: String?, methods: [String], folder: String,
        problem: String? = nil, shadowedBy: String? = nil
    ) {
        self.name = name
        self.version = version
        self.protocolVersion = protocolVersion
        self.summary = summary
        self.methods = methods
        self.folder = folder
        self.problem = problem
        self.shadowedBy = shadowedBy
    }

    /// All plugins by name, those that can't be used among them, and the folders that were searched.
    package static func all(plugins folders: [String]) async -> (listings: [PluginListing], searched: [String]) {
        let registry = ProviderCheck.registry(folders)
        var listings = registry.plugins.values.map { plugin in
            PluginListing(
                name: plugin.name, version: plugin.manifest.version, protocolVersion: Manifest.spokenProtocol,
                summary: plugin.manifest.description, methods: plugin.manifest.methods.sorted(),
                folder: plugin.folder.string)
        }
        listings += registry.broken.map { plugin in
            PluginListing(
                name: plugin.name, version: nil, protocolVersion: nil, summary: nil, methods: [],
                folder: plugin.folder.string, problem: plugin.reason)
        }
        listings += registry.hidden.map { hidden in
            let winner =
                registry.plugins[hidden.name]?.folder ?? registry.broken.first { $0.name == hidden.name }?.folder
            return PluginListing(
                name: hidden.name, version: nil, protocolVersion: nil, summary: nil, methods: [],
                folder: hidden.folder.string, shadowedBy: winner?.string)
        }
        listings.sort {
            ($0.name, $0.shadowedBy == nil ? 0 : 1, $0.folder) < ($1.name, $1.shadowedBy == nil ? 0 : 1, $1.folder)
        }
        return (listings, ProviderCheck.searchPath(folders).places.map(\.folder.string))
    }
}
