import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A Panopto site as one user sees it: through its API, with the tokens of a login, or as its own pages ask it, with
/// the session of a browser or without any.
///
/// Related: https://demo.hosted.panopto.com/Panopto/api/docs/index.html
struct PanoptoSite: Sendable, PrintsRedacted {
    /// How the user is logged in.
    enum Access: Sendable {
        case tokens
        case browser
        case nobody
    }

    /// What a page of the site answered, and the cookie that it was asked with.
    struct Visit<Answer: Sendable>: Sendable, PrintsRedacted {
        var answer: Answer
        var cookie: String?
        /// Whether the cookie was asked for just now.
        var isNew = false
    }

    private static let authCookie = ".ASPXAUTH"

    let address: WebAddress
    let access: Access
    let session: OAuthSession
    private let client: HTTPClient
    private let renewal: OAuthSession.Renewal
    /// The cookie that a token was exchanged for.
    private let tokenCookie: String?

    init(
        _ endpoint: WebAddress, _ credentials: Secret<JSONValue>?, _ settings: HostSettings, now: Date,
        renewal: @escaping OAuthSession.Renewal
    ) {
        address = endpoint.replacing(path: "/")
        let entry = HostLogins(credentials).entry(for: address) ?? [:]
        var client = HTTPClient(settings: settings, confinedTo: address)
        client.judge = PanoptoErrors.judge
        let api = OAuthSession(at: address, credentials, client, renewal: renewal) {
            [address] token, client throws(ProviderError) in
            try await client.fetch(PanoptoLogin.refresh(token, entry, at: address))
        }
        access = api.hasLogin ? .tokens : entry["session"] != nil ? .browser : .nobody
        client.cookies = entry["session"]?.string.map { CookieJar($0, at: now) }
        (session, self.client, self.renewal, tokenCookie) = (api, client, renewal, entry["cookie"]?.string)
    }

    // MARK: - The API

    /// What is at a path of the API.
    func value(_ path: [String]) async throws(ProviderError) -> JSONValue { try await session.get(api(path)).json() }

    func api(_ path: [String]) -> WebAddress { place("api/v1/" + path.joined(separator: "/")) }

    // MARK: - The site's pages

    /// Calls a function of the service that the site's pages ask. An answer to a session that has ended has only what
    /// everybody may see: it is `auth_required`.
    func service(_ function: String, _ arguments: JSONValue) async throws(ProviderError) -> JSONValue {
        let headers = csrfToken.map { ["X-CSRF-Token": $0] } ?? [:]
        let request = HTTPRequest.json(place("Services/Data.svc/\(function)"), arguments, headers: headers)
        return try await own(request) { $0["d"] }
    }

    /// The answer to a request for which the session has to be valid. `read` gives nil for one that isn't Panopto's.
    func own(
        _ request: HTTPRequest, read: (JSONValue) -> JSONValue?
    ) async throws(ProviderError) -> JSONValue {
        var request = request
        request.headers["Accept"] = "application/json"
        let response = try await client.fetch(request)
        let checked = try PanoptoErrors.checked(response, otherwise: .unavailable)
        guard let answer = read(checked) else { throw unknownAnswer }
        // The site sets the cookie again with each answer to somebody who is logged in.
        guard access != .browser || Self.authCookie(of: response) != nil else { throw sessionEnded }
        return answer
    }

    /// Asks a page that also shows what is for everybody. The API's tokens don't count there, but the cookie does that
    /// the site gives for one.
    func visit<Answer: Sendable>(
        _ address: WebAddress, read: (HTTPResponse) throws(ProviderError) -> Answer
    ) async throws(ProviderError) -> Visit<Answer> {
        guard access == .tokens else {
            let answer = try read(try await client.get(address))
            return Visit(answer: answer, cookie: client.cookies?.field(for: place("")))
        }
        if let tokenCookie {
            do throws(ProviderError) {
                let answer = try read(try await get(address, cookie: tokenCookie))
                return Visit(answer: answer, cookie: tokenCookie)
            } catch { guard error.kind == .authRequired else { throw error } }
        }
        let cookie = try await newCookie()
        let answer = try read(try await get(address, cookie: cookie))
        return Visit(answer: answer, cookie: cookie, isNew: true)
    }

    /// A page with the cookie of a visit before.
    func get(_ address: WebAddress, cookie: String?) async throws(ProviderError) -> HTTPResponse {
        try await client.get(address, headers: cookie.map { ["Cookie": $0] } ?? [:])
    }

    /// A page of the site: `Pages/Viewer.aspx`.
    func place(_ path: String) -> WebAddress { address.replacing(path: "/Panopto/" + path) }

    /// Exchanges the token for a cookie, which is kept with the login: a site refuses those who ask often.
    private func newCookie() async throws(ProviderError) -> String {
        let (site, session) = (self, session)
        let renewed = try await renewal("cookie of \(address.host)") { newest throws(ProviderError) in
            let response = try await session.get(site.api(["auth", "legacyLogin"]))
            guard let value = Self.authCookie(of: response) else {
                // A page may say why.
                if response.isHTML { _ = try response.json() }
                throw site.unknownAnswer
            }
            var entry = HostLogins(Secret(newest)).entry(for: site.address) ?? [:]
            entry["cookie"] = .string("\(Self.authCookie)=\(value)")
            return HostLogins.adding(entry, for: site.address, to: Secret(newest))
        }
        guard let cookie = HostLogins(renewed).entry(for: address)?["cookie"]?.string else { throw unknownAnswer }
        return cookie
    }

    /// The value that some sites want to see in a field, too.
    private var csrfToken: String? {
        let pairs = client.cookies?.field(for: place("")).map { $0.split(separator: "; ") } ?? []
        let pair = pairs.first { $0.hasPrefix("csrfToken=") }
        return pair.flatMap { PercentEncoding.decoded($0.dropFirst("csrfToken=".count)) }
    }

    private static func authCookie(of response: HTTPResponse) -> String? {
        response.setCookies.last { $0.name == authCookie && !$0.value.isEmpty }?.value
    }

    // MARK: - Errors

    var sessionEnded: ProviderError {
        ProviderError(.authRequired, "the session at \(address.host) has ended", server: address.origin)
    }

    /// Of what somebody who isn't logged in doesn't see.
    func loginNeeded(for what: String) -> ProviderError {
        ProviderError(
            .authRequired, "\(address.host) doesn't show \(what) without a login", server: address.origin)
    }

    var unknownAnswer: ProviderError {
        ProviderError(.unavailable, "the answer of \(address.host) isn't Panopto's", server: address.origin)
    }
}
