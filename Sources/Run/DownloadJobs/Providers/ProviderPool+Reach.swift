import FileSystem
import MediaTransfer
package import NetworkAddresses
import ProviderHost
import ProviderKit
package import SyncFacts

extension ProviderPool {
    /// The network that addresses which a provider names may be in, besides the public one; nil for any. Its manifest
    /// says which parameter has the address of the server that it lists: a stranger's list must not reach into a
    /// network that it doesn't come from.
    package func confinement(of source: ListingSource) async -> NetworkScope? {
        guard let parameter = confiningParameter(of: source.provider) else { return nil }
        guard let text = parameters(of: source.settings)[parameter]?.string,
            let origin = Origin(url: text) ?? Origin(url: "https://\(text)")
        else {
            return .world
        }
        if let known = knownScope(of: origin) { return known }
        let isProxied = EnvironmentProxy.current.isUsed(scheme: origin.scheme, host: origin.host)
        // Without an answer nothing near is reached, and the next request looks again.
        guard let scope = await Blocking.run({ _ in NetworkScope.lookUp(origin.host, isProxied: isProxied) }) else {
            return .world
        }
        note(scope, of: origin)
        return scope
    }
}
