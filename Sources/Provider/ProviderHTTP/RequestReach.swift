import Dispatch
import NetworkAddresses
import ProviderKit
import Synchronization

/// Where requests may go whose addresses a stranger named: to the public network, or to the network of an address that
/// the user wrote.
struct RequestReach: Sendable {
    /// The name of the server that the user wrote, without its port.
    let server: String
    /// The networks of its addresses; none if they couldn't be found out.
    let scopes: Set<NetworkScope>

    /// Whether a request to `name` may be sent in `scope`. The server itself may have addresses in several networks; of
    /// them the one that ``NetworkScope/of(_:)`` chooses counts for others.
    func allows(_ scope: NetworkScope, for name: String) -> Bool {
        if scope == .world { return true }
        return name == server ? scopes.isEmpty || scopes.contains(scope) : scope == NetworkScope.of(scopes)
    }
}

/// Looks the server up that the user wrote, once: what its name leads to later doesn't widen the reach.
final class ReachLookup: Sendable {
    private let address: WebAddress
    private let known = Mutex<RequestReach?>(nil)

    init(_ address: WebAddress) { self.address = address }

    func reach(_ settings: HostSettings) async -> RequestReach {
        if let known = known.withLock(\.self) { return known }
        let (server, isProxied) = (address.name, settings.usesProxy(for: address))
        let scopes = await withCheckedContinuation { continuation in
            // It may take many seconds, which no thread of Swift's own should wait for.
            DispatchQueue.global().async {
                continuation.resume(returning: NetworkScope.lookUpAll(server, isProxied: isProxied))
            }
        }
        let reach = RequestReach(server: server, scopes: scopes)
        guard !scopes.isEmpty else { return reach }
        return known.withLock { known in
            let first = known ?? reach
            known = first
            return first
        }
    }
}
