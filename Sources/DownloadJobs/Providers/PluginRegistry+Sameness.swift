import ProviderHost

extension PluginRegistry {
    /// Whether the plugin of this name says that its answers are the same in every course; false for one that isn't there.
    package func ignoresCourse(_ name: String) -> Bool {
        guard case .found(let plugin) = plugin(named: name) else { return false }
        return plugin.manifest.ignoresCourse
    }
}
