import ProviderHTTP
import ProviderKit

/// A login at a Panopto site: with a client of its API, which an administrator makes, and name and password or a
/// browser, whichever the client is for; or with the session of a browser.
///
/// Related: common/panopto_oauth2.py of Panopto/panopto-api-python-examples
enum PanoptoLogin {
    /// Where the browser is sent, which the client has to allow: that of Panopto's own examples.
    private static let redirect = "http://localhost:9127/redirect"
    /// Without the last one there is no refresh token.
    private static let scope = "openid api offline_access"

    static func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        let server = try HostLogins.server(of: request).replacing(path: "/")
        let secrets = request.secrets.value
        guard let id = secrets["client_id"], let secret = secrets["client_secret"] else {
            if let session = secrets["session"] { return try await login(request, server, session: session) }
            return Login(
                step: LoginStep(ask: [
                    .init(name: "client_id", label: "client id of the API", secret: false),
                    .init(name: "client_secret", label: "client secret"),
                ]))
        }
        let client: [String: JSONValue] = ["client_id": .string(id), "client_secret": .string(secret)]
        var grant: [(name: String, value: String)]
        if let link = secrets["link"] {
            grant = [
                ("grant_type", "authorization_code"), ("redirect_uri", redirect),
                ("code", try code(in: link, state: request.state?.value.string)),
            ]
        } else if let username = secrets["username"], let password = secrets["password"] {
            grant = [("grant_type", "password"), ("username", username), ("password", password), ("scope", scope)]
        } else {
            return Login(step: try await step(request, client, at: server))
        }
        var http = HTTPClient(settings: request.settings, confinedTo: server)
        http.judge = PanoptoErrors.judge
        let answer = try await HostLogins.trying { [http, grant] () async throws(ProviderError) in
            try await http.fetch(form(grant, client, at: server)).json()
        }
        let entry = client.merging(try OAuthSession.entry(of: answer, from: server)) { $1 }
        return Login(credentials: HostLogins.adding(entry, for: server, to: request.credentials))
    }

    /// The request of new tokens, with what a login has stored.
    static func refresh(
        _ token: String, _ entry: [String: JSONValue], at server: WebAddress
    ) -> HTTPRequest {
        form([("grant_type", "refresh_token"), ("refresh_token", token)], entry, at: server)
    }

    private static func form(
        _ fields: [(name: String, value: String)], _ client: [String: JSONValue], at server: WebAddress
    ) -> HTTPRequest {
        let own = ["client_id", "client_secret"].compactMap { name in client[name]?.string.map { (name, $0) } }
        return .form(server.replacing(path: "/Panopto/oauth2/connect/token"), own + fields)
    }

    /// A "User Based Server Application" takes name and password, and a "Server-side Web Application" a browser. The
    /// refusal of a login without a name tells which of them the client is.
    private static func step(
        _ request: LoginRequest, _ client: [String: JSONValue], at server: WebAddress
    ) async throws(ProviderError) -> LoginStep {
        var http = HTTPClient(settings: request.settings, confinedTo: server)
        http.judge = { response in
            let code = PanoptoErrors.code(of: response)
            return code == nil || code == "invalid_client" ? PanoptoErrors.judge(response) : .good
        }
        let response = try await HostLogins.trying { [http] () async throws(ProviderError) in
            try await http.fetch(form([("grant_type", "password"), ("scope", scope)], client, at: server))
        }
        switch PanoptoErrors.code(of: response) {
        case nil:
            throw ProviderError(.unavailable, "the answer of \(server.host) isn't Panopto's", server: server.origin)
        case "unauthorized_client", "unsupported_grant_type":
            let state = "\(UInt64.random(in: .min ... .max))"
            let page = server.replacing(path: "/Panopto/oauth2/connect/authorize").adding(query: [
                ("client_id", client["client_id"]?.string ?? ""), ("redirect_uri", redirect), ("scope", scope),
                ("response_type", "code"), ("state", state),
            ])
            return LoginStep(
                ask: [.init(name: "link", label: "the address \(redirect)?code=… that the browser is sent to")],
                open: page.text, state: .string(state))
        default:
            return LoginStep(ask: [
                .init(name: "username", label: "user name", secret: false), .init(name: "password"),
            ])
        }
    }

    /// The code in the address that the browser was sent to.
    private static func code(in link: String, state: String?) throws(ProviderError) -> String {
        var fields: [String: String] = [:]
        for field in WebAddress(link)?.query?.split(separator: "&") ?? [] {
            let pair = field.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { fields[String(pair[0])] = PercentEncoding.decoded(pair[1]) }
        }
        guard let code = fields["code"], state == nil || fields["state"] == state else {
            throw ProviderError(
                .authRequired, "this isn't the address \(redirect)?code=… that the browser was sent to in this login")
        }
        return code
    }

    private static func login(
        _ request: LoginRequest, _ server: WebAddress, session: String
    ) async throws(ProviderError) -> Login {
        let credentials = HostLogins.adding(["session": .string(session)], for: server, to: request.credentials)
        let site = PanoptoSite(server, Secret(credentials), request.settings, now: request.now) {
            _, _ throws(ProviderError) in
            throw ProviderError(.authRequired, "the session of a browser isn't renewed")
        }
        try await HostLogins.trying { () async throws(ProviderError) in try await site.requireSession() }
        return Login(credentials: credentials)
    }
}
