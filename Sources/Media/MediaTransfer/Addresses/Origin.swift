/// Scheme, host and port (RFC 6454): the unit that tokens are limited to. Lower case, the default port filled in.
package struct Origin: Sendable, Hashable, CustomStringConvertible {
    /// `http` or `https`.
    package let scheme: String
    /// A name or address; IPv6 in brackets.
    package let host: String
    /// The port, also if it is the scheme's default.
    package let port: Int

    init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// The origin of an absolute http or https URL; nil for anything else.
    package init?(url: String) {
        guard let parsed = ParsedURL(url), parsed.origin.isHTTP else { return nil }
        self = parsed.origin
    }

    /// `https://media.example.org`, with the port unless it is the scheme's own.
    package var text: String {
        let usual = scheme == "https" ? 443 : 80
        return "\(scheme)://\(host)\(port == usual ? "" : ":\(port)")"
    }

    package var description: String { "\(scheme)://\(host):\(port)" }

    package var isHTTP: Bool { scheme == "http" || scheme == "https" }
}
