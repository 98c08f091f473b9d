/// The server that a provider asks, which is what its errors are about; without a name all of the provider.
package struct ProviderServer: Sendable, Hashable, Comparable {
    package var provider: String
    /// Scheme, host and port, or the plugin's own name for it; nil if nothing names one.
    package var name: String?

    package init(_ provider: String, _ name: String? = nil) {
        self.provider = provider
        self.name = name
    }

    /// The server alone, or the provider if nothing names one.
    var shortName: String { name ?? provider }

    package static func < (a: ProviderServer, b: ProviderServer) -> Bool {
        (a.provider, a.name ?? "") < (b.provider, b.name ?? "")
    }
}
