import ProviderHTTP
import ProviderKit

/// A server whose API takes an access token, and gives a new one for a refresh token, which may be good once.
///
/// The credentials are those of ``HostLogins``, with `access_token` and `refresh_token` for each server.
///
/// Related: RFC 6749 §6, RFC 6750 §2.1
struct OAuthSession: Sendable, PrintsRedacted {
    typealias Make = @Sendable (JSONValue) async throws(ProviderError) -> JSONValue
    /// `renewCredentials` of the request.
    typealias Renewal = @Sendable (String, @escaping Make) async throws(ProviderError) -> Secret<JSONValue>
    /// Asks for new tokens with a refresh token.
    typealias Refresh = @Sendable (_ token: String, HTTPClient) async throws(ProviderError) -> HTTPResponse

    /// The server's address: tokens go to its origin only.
    let server: WebAddress
    let client: HTTPClient
    private let credentials: Secret<JSONValue>?
    private let renewal: Renewal
    private let refresh: Refresh

    init(
        at server: WebAddress, _ credentials: Secret<JSONValue>?, _ client: HTTPClient, renewal: @escaping Renewal,
        refresh: @escaping Refresh
    ) {
        self.server = server
        self.client = client
        self.credentials = credentials
        self.renewal = renewal
        self.refresh = refresh
    }

    /// Whether there is a login for the server.
    var hasLogin: Bool { accessToken != nil }

    var accessToken: String? { Self.token(in: credentials, for: server) }

    /// Sends a request with the access token, if there is one, and once more with a new one if the server refuses it.
    func fetch(_ request: HTTPRequest) async throws(ProviderError) -> HTTPResponse {
        guard request.address.origin == server.origin, let token = accessToken else {
            return try await client.fetch(request)
        }
        do throws(ProviderError) {
            return try await client.fetch(Self.authorised(request, token))
        } catch {
            guard error.kind == .authRequired, let renewed = try await renewed(), renewed != token else { throw error }
            return try await client.fetch(Self.authorised(request, renewed))
        }
    }

    func get(_ address: WebAddress, headers: [String: String] = [:]) async throws(ProviderError) -> HTTPResponse {
        try await fetch(HTTPRequest("GET", address, headers: headers))
    }

    /// A new access token; nil without a refresh token.
    private func renewed() async throws(ProviderError) -> String? {
        guard HostLogins(credentials).entry(for: server)?["refresh_token"]?.string != nil else { return nil }
        let (server, client, refresh) = (server, client, refresh)
        let renewed = try await renewal(server.text) { newest throws(ProviderError) in
            let entry = HostLogins(Secret(newest)).entry(for: server) ?? [:]
            guard let token = entry["refresh_token"]?.string else {
                throw ProviderError(.authRequired, "\(server.host) refuses this login (401)", server: server.origin)
            }
            let answer = try await refresh(token, client).json()
            return HostLogins.adding(
                entry.merging(try Self.entry(of: answer, from: server)) { $1 }, for: server, to: Secret(newest))
        }
        return Self.token(in: renewed, for: server)
    }

    /// The tokens in the answer of a token endpoint, for the credentials.
    ///
    /// Related: RFC 6749 §5.1
    static func entry(of answer: JSONValue, from server: WebAddress) throws(ProviderError) -> [String: JSONValue] {
        guard let token = answer["access_token"]?.string, !token.isEmpty else {
            throw ProviderError(
                .unavailable, "the answer of \(server.host) has no access token", server: server.origin)
        }
        var entry: [String: JSONValue] = ["access_token": .string(token)]
        if let refresh = answer["refresh_token"]?.string { entry["refresh_token"] = .string(refresh) }
        return entry
    }

    private static func token(in credentials: Secret<JSONValue>?, for server: WebAddress) -> String? {
        HostLogins(credentials).entry(for: server)?["access_token"]?.string
    }

    private static func authorised(_ request: HTTPRequest, _ token: String) -> HTTPRequest {
        var request = request
        request.headers["Authorization"] = "Bearer \(token)"
        return request
    }
}
