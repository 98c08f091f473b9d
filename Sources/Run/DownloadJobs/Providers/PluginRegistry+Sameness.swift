import ProviderHost

extension PluginRegistry {
    /// Whether the plugin of this name declares that its answers don't depend on the course; false if it is missing.
    package func ignoresCourse(_ name: String) -> Bool {
        guard case .found(let plugin) = plugin(named: name) else { return false }
        return plugin.manifest.ignoresCourse
    }
}
