#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension NetworkScope {
    /// The network of a URL's host, whose name is looked up; nil if that isn't possible now. Blocks.
    ///
    /// Behind a proxy, which resolves names itself, the name decides.
    package static func lookUp(_ host: String, isProxied: Bool) -> NetworkScope? {
        of(lookUpAll(host, isProxied: isProxied))
    }

    /// Those of all addresses of the host; none if it can't be looked up now. Blocks.
    package static func lookUpAll(_ host: String, isProxied: Bool) -> Set<NetworkScope> {
        if let literal = NetworkScope(literal: host) { return [literal] }
        if isProxied { return [NetworkScope(name: host)] }
        var hints = addrinfo()
        #if canImport(Darwin)
        hints.ai_socktype = SOCK_STREAM
        #else
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        guard host.utf8.count <= 253, getaddrinfo(host, nil, &hints, &first) == 0, let first else { return [] }
        defer { freeaddrinfo(first) }
        var scopes: Set<NetworkScope> = []
        for entry in sequence(first: first, next: { $0.pointee.ai_next }) {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0,
                    NI_NUMERICHOST)
                    == 0
            else { continue }
            let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if let scope = NetworkScope(address: address) { scopes.insert(scope) }
        }
        return scopes
    }

    /// The network of a host with addresses in these; nil for none.
    ///
    /// A private address counts more than a public one: a server at home often has both. This machine and the link
    /// count only if there is nothing else: whoever owns a name could add their addresses to it.
    package static func of(_ scopes: Set<NetworkScope>) -> NetworkScope? {
        scopes.count <= 1 ? scopes.first : scopes.contains(.privateNetwork) ? .privateNetwork : .world
    }
}
