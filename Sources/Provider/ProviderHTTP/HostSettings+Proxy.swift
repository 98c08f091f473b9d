import NetworkAddresses
import ProviderKit

extension HostSettings {
    /// Whether a request to `address` goes to a proxy, by these settings or by the environment.
    func usesProxy(for address: WebAddress) -> Bool {
        let environment = EnvironmentProxy.current
        guard let proxy = ownProxy else { return environment.isUsed(scheme: address.scheme, host: address.name) }
        return !proxy.isEmpty && !environment.isExempt(address.name)
    }

    /// The proxy for requests of every scheme; nil where the environment decides. Its variables, if a plugin gets them,
    /// say more: which of them is for http, and which for https.
    var ownProxy: String? { EnvironmentProxy.current.isSet ? nil : proxy?.value }
}
