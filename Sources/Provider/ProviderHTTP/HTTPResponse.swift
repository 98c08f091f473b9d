public import ProviderKit
public import XMLSource

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The response to a request, after redirects.
public struct HTTPResponse: Sendable, PrintsRedacted {
    /// The status, such as 200.
    public let status: Int
    /// The header fields, by their names in lower case; of several with one name the last, but all of `Link`, with
    /// commas between them, and of `Set-Cookie`, with line ends.
    public let headers: [String: String]
    /// The body, decompressed.
    public let body: [UInt8]
    /// The address that answered, which differs from ``asked`` after redirects.
    public let address: WebAddress
    /// The address that was requested.
    public internal(set) var asked: WebAddress
    /// Whether a redirect on the way was the request of a single sign-on.
    var wasSentToLogIn = false
    /// Whether a login, an `Authorization` or a `Cookie` went with the request.
    let hadLogin: Bool

    package init(
        status: Int, headers: [String: String], body: [UInt8], address: WebAddress, hadLogin: Bool = false
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.address = address
        asked = address
        self.hadLogin = hadLogin
    }

    /// The field with this name, in whatever case.
    public subscript(header name: String) -> String? { headers[name.lowercased()] }

    /// The cookies that it sets, in their order. The value of one that is to be forgotten is usually empty.
    public var setCookies: [(name: String, value: String)] {
        (self[header: "Set-Cookie"] ?? "").split(separator: "\n").compactMap { line in
            let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return pair.count == 2 ? (String(pair[0]), String(pair[1])) : nil
        }
    }

    /// The media type of ``headers``, in lower case and without parameters.
    public var mediaType: String? {
        self[header: "Content-Type"].map { type in
            type.prefix { $0 != ";" }.lowercased().filter { !$0.isWhitespace }
        }
    }

    /// Whether the body is an HTML page: by its media type, or by its beginning if that says nothing.
    public var isHTML: Bool {
        if let mediaType { return mediaType == "text/html" || (mediaType == "text/plain" && beginsLikeHTML) }
        return beginsLikeHTML
    }

    private var beginsLikeHTML: Bool {
        let start = String(decoding: body.prefix(512), as: UTF8.self).lowercased()
            .drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        return start.hasPrefix("<!doctype html") || start.hasPrefix("<html")
    }

    /// The response itself if its status is of the 200s; otherwise throws what the status means.
    @discardableResult
    public func checked() throws(ProviderError) -> HTTPResponse {
        guard !(200...299).contains(status) else { return self }
        throw statusError
    }

    /// What the status means to the runner. `Retry-After` counts for 429 and 5xx.
    public var statusError: ProviderError {
        let host = address.host
        switch status {
        case 400 where refusesGrant, 401:
            return ProviderError(
                .authRequired,
                hadLogin || refusesGrant
                    ? "\(host) refuses this login (\(status))" : "\(host) asks for a login (\(status))",
                server: address.origin)
        case 402, 403: return ProviderError(.forbidden, "\(host) refuses access (\(status))")
        // An address that can't be one: the id in it is none of the server's.
        case 404, 414, 422: return ProviderError(.notFound, "\(host) has nothing at this address (\(status))")
        case 410: return ProviderError(.gone, "\(host) has removed what was at this address (410)")
        case 429:
            return ProviderError(
                .rateLimited, "\(host) asks for fewer requests (429)", retryAfter: retryAfter, server: address.origin)
        case 451: return ProviderError(.geoBlocked, "\(host) doesn't offer this here (451)")
        default:
            return ProviderError(
                .unavailable, "\(host) answers \(status)", retryAfter: retryAfter, server: address.origin)
        }
    }

    /// Whether it is OAuth's word for a wrong password or a used refresh token.
    ///
    /// Related: RFC 6749 §5.2
    private var refusesGrant: Bool { (try? JSONReader.value(of: body))?["error"] == "invalid_grant" }

    /// The time to wait according to `Retry-After`: seconds, or a date, which counts from the server's `Date` or else
    /// from this machine's clock.
    ///
    /// Related: RFC 9110 §10.2.3
    public var retryAfter: Duration? {
        guard let text = self[header: "Retry-After"] else { return nil }
        if let seconds = Int64(text) { return .seconds(max(0, min(seconds, 31_536_000))) }
        let clock = Int64(Date().timeIntervalSince1970)
        // Some servers write a date as in a mail.
        let date = { (text: String) in HTTPDate.seconds(text, now: clock) ?? WebDate.seconds(text) }
        guard let then = date(text) else { return nil }
        let now = self[header: "Date"].flatMap(date) ?? clock
        return .seconds(max(0, min(then - now, 31_536_000)))
    }

    /// Whether a page asks for a password, begins a single sign-on, or lies where redirects lead those who aren't
    /// logged in. Who keeps no cookies gets to no form of some identity servers.
    private var wantsLogin: Bool {
        let page = String(decoding: body.prefix(256 << 10), as: UTF8.self)
        let field = /<input\b[^>]*\b(type\s*=\s*["']?password|name\s*=\s*["']?SAMLRequest)\b/.ignoresCase()
        if wasSentToLogIn || page.contains(field) { return true }
        guard asked != address else { return false }
        let place = "\(address.path)/\(address.host.prefix { $0 != "." })".lowercased()
        let words = place.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        return words.contains { Self.loginWords.contains(String($0)) }
    }

    private static let loginWords: Set = [
        "login", "logon", "signin", "auth", "authn", "authorize", "authenticate", "oauth", "oauth2", "sso", "saml",
        "saml2", "cas", "idp", "shibboleth", "account", "accounts",
    ]

    /// The body as a JSON value.
    public func json() throws(ProviderError) -> JSONValue {
        guard !isHTML else { throw unexpectedPage("JSON") }
        return try JSONBody.value(of: body, from: address.host)
    }

    /// The body, in JSON, decoded. Of a mistake the message has the place: `items[3].title is a number, not a string`.
    public func json<T: Decodable>(as type: T.Type) throws(ProviderError) -> T {
        guard !isHTML else { throw unexpectedPage("JSON") }
        return try JSONBody.decode(type, of: body, from: address.host)
    }

    /// The body, in JSON or as the argument of a function: `name({…});`.
    public func jsonp() throws(ProviderError) -> JSONValue {
        guard !isHTML else { throw unexpectedPage("JSON") }
        return try JSONBody.value(of: JSONBody.argument(of: body) ?? body, from: address.host)
    }

    /// The address of the next page, if a `Link` field has one. One that can't be requested is `unavailable`: the list
    /// doesn't end there.
    ///
    /// Related: RFC 8288 §3
    public var next: WebAddress? {
        get throws(ProviderError) {
            for link in (self[header: "Link"] ?? "").matches(of: /<([^>]*)>([^<]*)/) {
                guard link.output.2.contains(/;\s*rel\s*=\s*("[^"]*\bnext\b[^"]*"|next\b)/.ignoresCase()) else {
                    continue
                }
                guard let next = address.resolving(String(link.output.1)) else {
                    throw ProviderError(.unavailable, "\(address.host) names no usable address of the next page")
                }
                return next
            }
            return nil
        }
    }

    /// The body as XML, in whatever encoding it or its `Content-Type` names. With an internal subset it is refused.
    public func xml() throws(ProviderError) -> XMLElement {
        try xml { bytes throws(XMLMistake) in try XMLReader.root(of: bytes, charset: charset) }
    }

    /// The same for documents that are written without care: also with blanks before them, text behind them, bare
    /// ampersands, HTML's named characters, or in another encoding than they say. `mistake` is the first mistake that
    /// was repaired; it has nothing of the text.
    public func repairedXML() throws(ProviderError) -> (root: XMLElement, mistake: String?) {
        let read = try xml { bytes throws(XMLMistake) in try XMLReader.repairedRoot(of: bytes, charset: charset) }
        return (read.root, read.mistake?.message)
    }

    private func xml<Read>(_ read: ([UInt8]) throws(XMLMistake) -> Read) throws(ProviderError) -> Read {
        guard mediaType != "text/html" || !beginsLikeHTML else { throw unexpectedPage("XML") }
        do throws(XMLMistake) {
            return try read(body)
        } catch {
            // HTML that calls itself something else isn't worth a line number.
            if beginsLikeHTML { throw unexpectedPage("XML") }
            throw ProviderError(.unavailable, "the answer of \(address.host) isn't XML: \(error.message)")
        }
    }

    /// The encoding that `Content-Type` names.
    private var charset: String? {
        let parts = self[header: "Content-Type"]?.split(separator: ";").dropFirst() ?? []
        for part in parts {
            let pair = part.split(separator: "=", maxSplits: 1).map { $0.filter { !$0.isWhitespace && $0 != "\"" } }
            if pair.count == 2, pair[0].lowercased() == "charset" { return pair[1] }
        }
        return nil
    }

    /// A page to log in at is `auth_required`, of the server that was asked, wherever the page is.
    private func unexpectedPage(_ wanted: String) -> ProviderError {
        if wantsLogin {
            return ProviderError(
                .authRequired, "\(asked.host) answers with a page to log in at", server: asked.origin)
        }
        return ProviderError(.unavailable, "\(address.host) answers with a web page where \(wanted) was expected")
    }
}
