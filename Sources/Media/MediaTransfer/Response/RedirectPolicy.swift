/// The complete policy for redirects, for one transfer: the next URL and the secrets that it gets.
///
/// Only GET is ever sent, so that all redirect statuses mean the same. Range and If-Range are sent with each hop: the
/// last response counts. Related: RFC 9110 §15.4.
package struct RedirectPolicy: Sendable, RedactedInPrint {
    package private(set) var current: ParsedURL
    /// The number of redirects so far.
    package private(set) var hops = 0
    private var visited: Set<String>
    private let initial: Origin
    private let basicCredentials: (user: String, password: String)?

    /// Nil if `url` isn't an absolute http or https URL.
    package init?(url: String) {
        guard let parsed = ParsedURL(url), parsed.origin.isHTTP else { return nil }
        current = parsed
        visited = [parsed.text]
        initial = parsed.origin
        basicCredentials = parsed.user.map { ($0, parsed.password ?? "") }
    }

    /// Whether a status is a redirect that is followed. 300, 304 and 305 are not.
    package static func isRedirect(_ status: Int) -> Bool {
        [301, 302, 303, 307, 308].contains(status)
    }

    /// Follows a redirect, or returns its problem and stays.
    package mutating func follow(_ location: String?) -> RedirectProblem? {
        guard let location, !location.isEmpty else { return .noLocation }
        guard let next = current.resolving(location) else { return .badLocation }
        guard next.origin.isHTTP else { return .unsupportedScheme }
        guard next.user == nil, next.password == nil else { return .credentials }
        guard current.origin.scheme != "https" || next.origin.scheme == "https" else { return .downgrade }
        guard visited.insert(next.text).inserted else { return .loop }
        guard hops < RedirectProblem.mostHops else { return .tooMany }
        hops += 1
        current = next
        return nil
    }

    /// The URL to request, with the secrets of its query.
    package func url(for request: TransferRequest) -> String {
        current.adding(
            request.secrets.parts(for: current).compactMap { part in
                if case .query(let item) = part { (item.name, item.value) } else { nil }
            })
    }

    /// The header fields to send.
    package func fields(for request: TransferRequest) -> [HTTPField] {
        let isTrusted = request.trustedOrigins.contains(current.origin)
        var fields = request.fields.filter { isTrusted || !$0.isPrivateByName }
        var cookies: [String] = []
        for part in request.secrets.parts(for: current) {
            switch part {
            case .field(let field): fields.append(field)
            case .cookie(let name, let value): cookies.append("\(name)=\(value)")
            case .query: break
            }
        }
        let isCookie = { (field: HTTPField) in ASCII.lowercased(field.name) == "cookie" }
        if !cookies.isEmpty || fields.count(where: isCookie) > 1 {
            // All cookies are one field (RFC 6265 §5.4).
            cookies = fields.filter(isCookie).map(\.value) + cookies
            fields.removeAll(where: isCookie)
            fields.append(HTTPField(name: "Cookie", value: cookies.joined(separator: "; ")))
        }
        if let basicCredentials, current.origin == initial,
            !fields.contains(where: { ASCII.lowercased($0.name) == "authorization" })
        {
            let pair = Array("\(basicCredentials.user):\(basicCredentials.password)".utf8)
            fields.append(HTTPField(name: "Authorization", value: "Basic " + Base64.encoded(pair)))
        }
        return fields
    }
}
