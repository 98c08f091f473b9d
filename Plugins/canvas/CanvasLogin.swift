import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A login at a Canvas server: with a token that the user has made there, or with OAuth and a developer key.
enum CanvasLogin {
    /// A developer key, which a server's administrator makes.
    struct Key: Sendable, PrintsRedacted {
        let id: String
        let secret: String

        init(id: String, secret: String) { (self.id, self.secret) = (id, secret) }

        init(_ entry: [String: JSONValue]?) {
            id = entry?["client_id"]?.string ?? ""
            secret = entry?["client_secret"]?.string ?? ""
        }

        var fields: [(name: String, value: String)] { [("client_id", id), ("client_secret", secret)] }
    }

    static let tokenPath = "/login/oauth2/token"

    static func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        let server = try HostLogins.server(of: request).replacing(path: "/")
        if let id = request.parameters["client_id"]?.string {
            return try await login(request, id, at: server)
        }
        guard let token = request.secrets.value["token"], !token.isEmpty else {
            return Login(
                step: LoginStep(
                    ask: [.init(name: "token", label: "access token, from Approved Integrations on that page")],
                    open: server.replacing(path: "/profile/settings").text))
        }
        return try await checked(["access_token": .string(token)], request, at: server)
    }

    /// Related: doc/api/oauth.md of Canvas
    private static func login(
        _ request: LoginRequest, _ id: String, at server: WebAddress
    ) async throws(ProviderError) -> Login {
        guard let secret = request.secrets.value["client_secret"] else {
            return Login(
                step: LoginStep(ask: [.init(name: "client_secret", label: "secret of the developer key")]))
        }
        guard let redirect = request.redirect else {
            let state = UUID().uuidString
            let page = server.replacing(path: "/login/oauth2/auth").adding(query: [
                ("client_id", id), ("response_type", "code"), ("state", state),
            ])
            return Login(step: LoginStep(open: page.text + "&redirect_uri={redirect}", redirect: state))
        }
        guard let code = redirect.query["code"] else {
            throw ProviderError(.authRequired, "\(server.host) didn't confirm this login", server: server.origin)
        }
        let key = Key(id: id, secret: secret)
        var client = HTTPClient(settings: request.settings, confinedTo: server)
        client.judge = CanvasServer.judge
        let answer = try await HostLogins.trying { [client] () async throws(ProviderError) in
            try await tokens(
                at: server, client, key,
                [("grant_type", "authorization_code"), ("redirect_uri", redirect.uri), ("code", code)]
            ).json()
        }
        let entry = try OAuthSession.entry(of: answer, from: server)
        return try await checked(
            entry.merging(["client_id": .string(id), "client_secret": .string(secret)]) { $1 }, request, at: server)
    }

    /// Asks for tokens. A renewal gives no new refresh token: the old one stays good.
    static func tokens(
        at server: WebAddress, _ client: HTTPClient, _ key: Key, _ fields: [(name: String, value: String)]
    ) async throws(ProviderError) -> HTTPResponse {
        try await client.fetch(.form(server.replacing(path: tokenPath), key.fields + fields))
    }

    /// The login, once the server has said whose it is.
    private static func checked(
        _ entry: [String: JSONValue], _ request: LoginRequest, at address: WebAddress
    ) async throws(ProviderError) -> Login {
        let credentials = HostLogins.adding(entry, for: address, to: request.credentials)
        let server = CanvasServer(address, Secret(credentials), request.settings) { _, _ throws(ProviderError) in
            throw ProviderError(.authRequired, "\(address.host) refuses this login", server: address.origin)
        }
        let user = try await HostLogins.trying { () async throws(ProviderError) in
            try await server.value(["users", "self"])
        }
        guard CanvasServer.id(user["id"]) != nil else { throw server.unknownAnswer }
        return Login(credentials: credentials)
    }
}
