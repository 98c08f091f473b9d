import DownloadJobs
import Foundation
import ProviderHost
package import SyncFacts
import SystemPackage
import YAMLSource

/// A plugin on this machine.
package struct PluginSummary: Sendable {
    /// The provider's name in catalogs.
    package var name: String
    /// The version in its manifest.
    package var version: String?
    /// Nil for one that is broken or hidden.
    package var protocolVersion: Int?
    /// The manifest's description.
    package var summary: String?
    /// Sorted.
    package var methods: [String]
    /// The names of its parameters, the required ones first; nil if it takes any.
    package var parameters: [String]?
    /// Those of the parameters that a catalog must have.
    package var required: [String] = []
    /// The names of the secrets that a login asks for.
    package var credentials: [String] = []
    /// Those of them that are a browser's session.
    package var cookies: [String] = []
    package var folder: String
    /// Mistakes in the manifest that don't keep it from being used, each with its place.
    package var warnings: [String] = []
    /// The reason why it can't be used.
    package var problem: String?
    /// The folder of a plugin with the same name that comes first.
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

    /// All plugins by name, including unusable ones, and the folders that were searched.
    package static func all(plugins folders: [String]) async -> (listings: [PluginSummary], searched: [String]) {
        let registry = ProviderCheck.registry(folders)
        var listings = registry.plugins.values.map { plugin in
            var listing = PluginSummary(
                name: plugin.name, version: plugin.manifest.version, protocolVersion: Manifest.spokenProtocol,
                summary: plugin.manifest.description, methods: plugin.manifest.methods.sorted(),
                folder: plugin.folder.string)
            let schema = plugin.manifest.parameters
            let names = schema.properties.map(\.name)
            listing.required = schema.required.filter { schema.property($0)?.defaultValue == nil }
            if schema != .anything {
                listing.parameters = listing.required + names.filter { !listing.required.contains($0) }
            }
            listing.credentials = plugin.manifest.credentials
            listing.cookies = plugin.manifest.cookies
            listing.warnings = plugin.warnings.map { "\($0.location): \($0.summary)" }
            return listing
        }
        listings += registry.broken.map { plugin in
            PluginSummary(
                name: plugin.name, version: nil, protocolVersion: nil, summary: nil, methods: [],
                folder: plugin.folder.string, problem: plugin.reason)
        }
        listings += registry.hidden.map { hidden in
            let winner =
                registry.plugins[hidden.name]?.folder ?? registry.broken.first { $0.name == hidden.name }?.folder
            return PluginSummary(
                name: hidden.name, version: nil, protocolVersion: nil, summary: nil, methods: [],
                folder: hidden.folder.string, shadowedBy: winner?.string)
        }
        listings.sort {
            ($0.name, $0.shadowedBy == nil ? 0 : 1, $0.folder) < ($1.name, $1.shadowedBy == nil ? 0 : 1, $1.folder)
        }
        return (listings, ProviderCheck.searchPath(folders).places.map(\.folder.string))
    }
}

extension PluginSummary {
    /// Why a provider can't be used by its name; nil if a plugin has it.
    package static func missing(_ name: String, _ folders: [String]) -> Refusal? {
        guard case .unknown(let suggestion) = ProviderCheck.registry(folders).plugin(named: name) else { return nil }
        return .provider(.unknown(name, suggestion: suggestion))
    }

    /// The parameters that a catalog must have for a provider.
    package static func required(of name: String, _ folders: [String]) -> [String] {
        guard case .found(let plugin) = ProviderCheck.registry(folders).plugin(named: name) else { return [] }
        return plugin.manifest.parameters.required.sorted()
    }
}
