import NetworkAddresses
import ProviderKit

extension HostSettings {
    /// Whether a request to `address` goes to a proxy, by these settings or by the environment.
    func usesProxy(for address: WebAddress) -> Bool {
        guard let proxy else { return EnvironmentProxy.current.isUsed(scheme: address.scheme, host: address.name) }
        return !proxy.value.isEmpty && !EnvironmentProxy.current.isExempt(address.name)
    }
}
