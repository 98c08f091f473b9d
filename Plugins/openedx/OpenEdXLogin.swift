import ProviderHTTP
import ProviderKit

/// A login at an Open edX site: with name and password as its app, or with a browser's session.
///
/// Related: openedx/core/djangoapps/oauth_dispatch/views.py of openedx/edx-platform
enum OpenEdXLogin {
    /// The public client that sites make for the app, unless they name it otherwise.
    static let client = "android"

    static func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        let server = try HostLogins.server(of: request)
        let secrets = request.secrets.value.filter { !$0.value.isEmpty }
        var entry: [String: JSONValue] = [:]
        if let username = secrets["username"], let password = secrets["password"] {
            let client = request.parameters["client"]?.string ?? Self.client
            var http = HTTPClient(settings: request.settings, confinedTo: server)
            http.judge = OpenEdXErrors.judge
            let answer = try await HostLogins.trying { [http] () async throws(ProviderError) in
                try await tokens(
                    at: server, http, of: client,
                    [("grant_type", "password"), ("username", username), ("password", password)])
            }
            entry = try OAuthSession.entry(of: answer.json(), from: server)
            entry["client"] = .string(client)
        }
        if let session = secrets["session"] { entry["session"] = .string(session) }
        guard !entry.isEmpty else {
            throw ProviderError(.authRequired, "the user name or the password is missing", server: server.origin)
        }
        let credentials = HostLogins.adding(entry, for: server, to: request.credentials)
        let site = OpenEdXSite(server, Secret(credentials), request.settings, now: request.now) {
            _, _ throws(ProviderError) in
            throw ProviderError(.authRequired, "\(server.host) refuses this login (401)", server: server.origin)
        }
        // A mail address is good for a login, too, but the API wants the name.
        entry["user"] = .string(
            try await HostLogins.trying { () async throws(ProviderError) in try await site.userName() })
        return Login(credentials: HostLogins.adding(entry, for: server, to: request.credentials))
    }

    /// Asks for tokens as a public client.
    static func tokens(
        at server: WebAddress, _ http: HTTPClient, of client: String?, _ fields: [(name: String, value: String)]
    ) async throws(ProviderError) -> HTTPResponse {
        try await http.fetch(
            .form(
                server.replacing(path: "/oauth2/access_token/"),
                [("client_id", client ?? Self.client), ("token_type", "jwt"), ("asymmetric_jwt", "true")] + fields))
    }
}
