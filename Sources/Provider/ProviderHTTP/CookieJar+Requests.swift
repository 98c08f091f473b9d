public import ProviderKit

extension CookieJar {
    /// The limit on the tokens of a resolution.
    private static let tokenBound = 64

    /// The value of the `Cookie` field for a request to this address, the longest path first; nil without any.
    ///
    /// Related: RFC 6265 §5.4
    public func field(for address: WebAddress) -> String? {
        field(host: address.name, path: address.path, isSecure: address.scheme == "https")
    }

    /// The cookies for the servers of these addresses as ``Resolution/tokens``, so that the host's downloads have the
    /// session: each goes to its own paths at its own server. At most 64.
    public func tokens(for addresses: [WebAddress]) -> [Token] {
        var origins: Set<String> = []
        var tokens: [Token] = []
        for address in addresses where origins.insert(address.origin).inserted {
            let folders = cookies.filter { $0.isOf(host: address.name) }.map { cookie in
                cookie.path.hasSuffix("/") ? cookie.path : cookie.path + "/"
            }
            for folder in Set(folders).sorted() where Self.isPlain(folder) {
                guard let field = field(for: address.replacing(path: folder)) else { continue }
                tokens.append(
                    Token(field, in: .header, name: "Cookie", urlPrefix: "\(address.origin)\(folder)"))
            }
        }
        return Array(tokens.prefix(Self.tokenBound))
    }

    /// Whether a path may be part of a URL as it is.
    private static func isPlain(_ path: String) -> Bool {
        path.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"?#\"<>\\^`{|}".utf8.contains($0) }
    }
}
