import CLibCurl
import TextFormats

/// A URL parsed and composed by libcurl, so that it is judged by the same rules as it is requested.
package struct ParsedURL: Sendable, Equatable, RedactedInPrint {
    /// Absolute, without fragment and without user information.
    package let text: String
    package let origin: Origin
    /// From the URL, decoded; nil if there was none.
    package let user: String?
    /// Like ``user``.
    package let password: String?

    /// The limit on a host's name (RFC 1035 §3.1); libcurl before 8.4.0 overflows a buffer with longer ones on their
    /// way to a SOCKS proxy (CVE-2023-38545).
    private static let longestHost = 253

    /// Nil unless `text` is an absolute http or https URL.
    package init?(_ text: String) {
        self.init(text, base: nil)
    }

    /// `reference` resolved against `self`: absolute, relative to the protocol, to the host or to the path (RFC 3986
    /// §5). Nil if the result isn't a URL; its scheme may be any that libcurl knows.
    package func resolving(_ reference: String) -> ParsedURL? {
        // A fragment is never sent, and libcurl takes a lone one for a path.
        let reference = reference.prefix { $0 != "#" }
        return reference.isEmpty ? self : ParsedURL(String(reference), base: text)
    }

    private init?(_ reference: String, base: String?) {
        guard reference.utf8.count <= 16_384, let handle = curl_url() else { return nil }
        defer { curl_url_cleanup(handle) }
        if let base {
            guard curl_url_set(handle, CURLUPART_URL, base, 0) == CURLUE_OK else { return nil }
        }
        let flags = UInt32(CURLU_URLENCODE | CURLU_NON_SUPPORT_SCHEME)
        guard curl_url_set(handle, CURLUPART_URL, reference, flags) == CURLUE_OK else { return nil }
        func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
            var value: UnsafeMutablePointer<CChar>?
            guard curl_url_get(handle, part, &value, UInt32(flags)) == CURLUE_OK, let value else { return nil }
            defer { curl_free(value) }
            return String(cString: value)
        }
        user = part(CURLUPART_USER, CURLU_URLDECODE)
        password = part(CURLUPART_PASSWORD, CURLU_URLDECODE)
        for unwanted in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_FRAGMENT] {
            curl_url_set(handle, unwanted, nil, 0)
        }
        guard let scheme = part(CURLUPART_SCHEME).map(ASCII.lowercased),
            let host = part(CURLUPART_HOST).map(ASCII.lowercased), !host.isEmpty, host.utf8.count <= Self.longestHost,
            let text = part(CURLUPART_URL)
        else { return nil }
        let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap { Int($0) } ?? 0
        self.text = text
        origin = Origin(scheme: scheme, host: host, port: port)
    }

    /// From its first slash to the query.
    var path: Substring {
        let rest = text.dropFirst(origin.scheme.utf8.count + 3)
        guard let start = rest.firstIndex(where: { $0 == "/" || $0 == "?" }), rest[start] == "/" else { return "" }
        return rest[start...].prefix { $0 != "?" }
    }

    package func hasQueryItem(_ name: String) -> Bool {
        guard let mark = text.firstIndex(of: "?") else { return false }
        let encoded = PercentEncoding.encoded(name)
        return text[text.index(after: mark)...].split(separator: "&").contains { item in
            let key = item.prefix { $0 != "=" }
            return key == name || key == encoded
        }
    }

    /// The URL's text with more query items, but for those that it has already.
    func adding(_ items: [(name: String, value: String)]) -> String {
        var text = text
        for item in items where !hasQueryItem(item.name) {
            text += (text.contains("?") ? "&" : "?") + PercentEncoding.encoded(item.name) + "="
            text += PercentEncoding.encoded(item.value)
        }
        return text
    }
}
