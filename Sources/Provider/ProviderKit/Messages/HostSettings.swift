/// The network settings of the host, so that a provider that asks a server can use the same ones.
public struct HostSettings: Sendable, Hashable, Codable {
    /// The host's `User-Agent`.
    public var userAgent: String?
    /// The URL of the proxy to use. A secret, since it may contain a password.
    public var proxy: Secret<String>?
    /// The path of a file with the certificate authorities to trust, in PEM.
    public var caFile: String?

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
