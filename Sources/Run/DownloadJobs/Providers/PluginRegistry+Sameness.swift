import ProviderHost

extension PluginRegistry {
    /// Whether the plugin of this name declares that its answers don't depend on the course; false if it is missing.
    package func ignoresCourse(_ name: String) -> Bool {
        guard case .found(let plugin) = plugin(named: name) else { return false }
        return plugin.manifest.ignoresCourse
    }

    /// The parameter that names the server of its logins, refusals and waits; the usual one if the plugin is missing.
    package func serverParameter(of name: String) -> String {
        guard case .found(let plugin) = plugin(named: name) else { return Manifest.standardServer }
        return plugin.manifest.server
    }
}
