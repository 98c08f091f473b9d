import CLibCurl
public import ProviderKit

/// An absolute http or https URL without user name and fragment, in the form in which it is requested.
///
/// It is read by libcurl, which also makes the connection: what the two take for the host can't differ. It prints as
/// redacted, since its path and query may be secrets; ``host`` is for messages.
public struct WebAddress: Sendable, Hashable, PrintsRedacted {
    /// The limit on a host's name (RFC 1035 §3.1); libcurl before 8.4.0 overflows a buffer with longer ones on their
    /// way to a SOCKS proxy (CVE-2023-38545).
    private static let longestHost = 253
    private static let longest = 16_384

    public let text: String
    /// `http` or `https`.
    public let scheme: String
    /// The host, with its port if that isn't the scheme's own: `media.example.org`, `[::1]:8080`.
    public let host: String
    /// The path, percent-encoded; it begins with a slash.
    public let path: String
    /// The query without its question mark, percent-encoded; nil if there is none.
    public let query: String?

    /// ``host`` without its port.
    var name: String {
        guard let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") else { return host }
        return String(host[..<colon])
    }

    /// Scheme, host and port: `https://media.example.org`.
    public var origin: String { "\(scheme)://\(host)" }

    /// Reads `text`; blanks and characters beyond ASCII are percent-encoded. Nil if it isn't an absolute http or https
    /// URL, has a user name in it, or is longer than 16 KiB.
    public init?(_ text: String) { self.init(text, at: nil) }

    /// The address of `reference` within the document at this address: absolute or relative, as in a `Location` or
    /// `href`.
    ///
    /// Related: RFC 3986 §5.2
    public func resolving(_ reference: String) -> WebAddress? { WebAddress(reference, at: self.text) }

    /// The address with these names appended to the path, each percent-encoded in whole; a trailing slash of the path
    /// is not doubled, and the query is left out. Nil if one of them is empty, `.` or `..`, which no server takes for a
    /// name.
    public func appending(_ names: [String], isFolder: Bool = false) -> WebAddress? {
        guard names.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." && !$0.utf8.contains(0) }) else { return nil }
        let base = path.hasSuffix("/") ? String(path.dropLast()) : path
        let path = ([base] + names.map { PercentEncoding.encoded($0) }).joined(separator: "/")
        return WebAddress(origin: self, path: isFolder || names.isEmpty ? path + "/" : path, query: nil)
    }

    /// The address with this percent-encoded path, which begins with a slash, and no query.
    public func replacing(path: String) -> WebAddress { WebAddress(origin: self, path: path, query: nil) }

    /// The address with these fields appended to its query, percent-encoded.
    public func adding(query fields: [(name: String, value: String)]) -> WebAddress {
        let added = fields.map { "\(PercentEncoding.encoded($0.name))=\(PercentEncoding.encoded($0.value))" }
        let query = ((query.map { [$0] } ?? []) + added).joined(separator: "&")
        return WebAddress(origin: self, path: path, query: query.isEmpty ? nil : query)
    }

    private init(origin: WebAddress, path: String, query: String?) {
        scheme = origin.scheme
        host = origin.host
        self.path = path
        self.query = query
        text = "\(origin.origin)\(path)\(query.map { "?\($0)" } ?? "")"
    }

    private init?(_ text: String, at base: String?) {
        guard text.utf8.count <= Self.longest, !text.utf8.contains(0), let url = curl_url() else { return nil }
        defer { curl_url_cleanup(url) }
        func part(_ part: CURLUPart) -> String? {
            var value: UnsafeMutablePointer<CChar>?
            guard curl_url_get(url, part, &value, 0) == CURLUE_OK, let value else { return nil }
            defer { curl_free(value) }
            return String(validatingCString: value)
        }
        for text in [base, text].compactMap(\.self) {
            guard curl_url_set(url, CURLUPART_URL, text, UInt32(CURLU_URLENCODE)) == CURLUE_OK else { return nil }
        }
        guard let scheme = part(CURLUPART_SCHEME)?.lowercased(), scheme == "http" || scheme == "https",
            part(CURLUPART_USER) == nil, part(CURLUPART_PASSWORD) == nil, let name = part(CURLUPART_HOST)?.lowercased(),
            !name.isEmpty, name.utf8.count <= Self.longestHost
        else { return nil }
        let port = part(CURLUPART_PORT).flatMap { $0 == (scheme == "https" ? "443" : "80") ? nil : $0 }
        self.scheme = scheme
        host = name + (port.map { ":\($0)" } ?? "")
        path = part(CURLUPART_PATH) ?? "/"
        query = part(CURLUPART_QUERY)
        self.text = "\(scheme)://\(host)\(path)\(query.map { "?\($0)" } ?? "")"
    }
}
