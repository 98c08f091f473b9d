import ProviderHTTP
import ProviderKit
import Synchronization

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
    private let given: Secret<JSONValue>?
    private let renewed = Renewed()
    private let renewal: Renewal
    private let refresh: Refresh

    init(
        at server: WebAddress, _ credentials: Secret<JSONValue>?, _ client: HTTPClient, renewal: @escaping Renewal,
        refresh: @escaping Refresh
    ) {
        self.server = server
        self.client = client
        given = credentials
        self.renewal = renewal
        self.refresh = refresh
    }

    /// Credentials that were renewed for this session: the old ones aren't tried again.
    private final class Renewed: Sendable {
        let credentials = Mutex<Secret<JSONValue>?>(nil)
    }

    private var credentials: Secret<JSONValue>? { renewed.credentials.withLock(\.self) ?? given }

    /// Whether there is a login for the server.
    var hasLogin: Bool { accessToken != nil }

    var accessToken: String? { Self.token(in: credentials, for: server) }

    /// Sends a request with the access token, if there is one, and once more with a new one if the server refuses it.
    func fetch(_ request: HTTPRequest) async throws(ProviderError) -> HTTPResponse {
        guard request.address.origin == server.origin, let field = Self.field(in: credentials, for: server) else {
            return try await client.fetch(request)
        }
        do throws(ProviderError) {
            return try await client.fetch(Self.authorised(request, field))
        } catch {
            guard error.kind == .authRequired, let new = try await newField(), new != field else { throw error }
            return try await client.fetch(Self.authorised(request, new))
        }
    }

    func get(_ address: WebAddress, headers: [String: String] = [:]) async throws(ProviderError) -> HTTPResponse {
        try await fetch(HTTPRequest("GET", address, headers: headers))
    }

    /// The field `Authorization` with a new access token; nil without a refresh token.
    private func newField() async throws(ProviderError) -> String? {
        guard HostLogins(given).entry(for: server)?["refresh_token"]?.string != nil else { return nil }
        let (server, client, refresh) = (server, client, refresh)
        let newest = try await renewal(server.text) { newest throws(ProviderError) in
            let entry = HostLogins(Secret(newest)).entry(for: server) ?? [:]
            guard let token = entry["refresh_token"]?.string else {
                throw ProviderError(.authRequired, "\(server.host) refuses this login (401)", server: server.origin)
            }
            let answer = try await refresh(token, client).json()
            return HostLogins.adding(
                entry.merging(try Self.entry(of: answer, from: server)) { $1 }, for: server, to: Secret(newest))
        }
        renewed.credentials.withLock { $0 = newest }
        return Self.field(in: newest, for: server)
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
        for name in ["refresh_token", "token_type"] {
            if let text = answer[name]?.string { entry[name] = .string(text) }
        }
        return entry
    }

    private static func token(in credentials: Secret<JSONValue>?, for server: WebAddress) -> String? {
        HostLogins(credentials).entry(for: server)?["access_token"]?.string
    }

    /// The field `Authorization`. The type `JWT` is that of Django's servers.
    private static func field(in credentials: Secret<JSONValue>?, for server: WebAddress) -> String? {
        let type = HostLogins(credentials).entry(for: server)?["token_type"]?.string?.lowercased()
        return token(in: credentials, for: server).map { "\(type == "jwt" ? "JWT" : "Bearer") \($0)" }
    }

    private static func authorised(_ request: HTTPRequest, _ field: String) -> HTTPRequest {
        var request = request
        request.headers["Authorization"] = field
        return request
    }
}
