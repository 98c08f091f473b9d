/// How the host reaches the network, so that a provider that asks a server does it in the same way.
public struct HostSettings: Sendable, Hashable, Codable {
    /// What the host calls itself in `User-Agent`.
    public var userAgent: String?
    /// The URL of the proxy to go through. A secret, since it may hold a password.
    public var proxy: Secret<String>?
    /// The path of a file with the certificate authorities to trust, in PEM.
    public var caFile: String?

    /// Makes settings.
    public init(userAgent: String? = nil, proxy: String? = nil, caFile: String? = nil) {
        self.userAgent = userAgent
        self.proxy = proxy.map(Secret.init)
        self.caFile = caFile
    }

    private enum CodingKeys: String, CodingKey {
        case userAgent = "user_agent"
        case proxy
        case caFile = "ca_file"
    }
}
