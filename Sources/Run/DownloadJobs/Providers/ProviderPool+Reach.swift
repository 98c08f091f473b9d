import CourseCatalog
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
    ///
    /// Of a video that a list hands over to another provider, the list's: whoever wrote it chose that one's parameters.
    package func confinement(of source: ListingSource) async -> NetworkScope? {
        if let list = await listConfinement(of: source) { return list }
        guard let parameter = confiningParameter(of: source.provider) else { return nil }
        guard let text = parameters(of: source.settings)[parameter]?.string,
            let origin = Origin(url: text) ?? Origin(url: "https://\(text)")
        else {
            return .world
        }
        return await scope(of: origin)
    }

    /// The network of what a listing itself names for a video, such as its cover.
    func confinement(listedBy source: ListingSource) async -> NetworkScope? {
        source.settings.lister == nil ? await confinement(of: source) : await listConfinement(of: source)
    }

    /// Whether a provider may be asked for a video that a list hands over to it: its server, which the list names, has
    /// to be in the public network or in the list's own.
    package func mayReachServer(of source: ListingSource) async -> Bool {
        guard let confinement = await listConfinement(of: source) else { return true }
        let parameters = parameters(of: source.settings)
        for name in [serverParameter(of: source.provider), confiningParameter(of: source.provider)] {
            guard let text = name.flatMap({ parameters[$0]?.string }),
                let origin = Origin(url: text) ?? Origin(url: "https://\(text)")
            else { continue }
            let scope = await scope(of: origin)
            guard scope == .world || scope == confinement else { return false }
        }
        return true
    }

    /// The network of the list that hands a video over; nil if none does, or if its provider isn't confined.
    private func listConfinement(of source: ListingSource) async -> NetworkScope? {
        guard let lister = source.settings.lister, let provider = lister.provider else { return nil }
        return await confinement(of: ListingSource(provider: provider.name, settings: lister))
    }

    private func scope(of origin: Origin) async -> NetworkScope {
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
