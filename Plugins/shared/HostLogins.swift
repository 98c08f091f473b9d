import ProviderHTTP
import ProviderKit

/// The logins of a user, each for one server: a catalog chooses the address, but what was typed for one server goes to
/// no other.
///
/// The credentials are `{"hosts": {"https://media.example.org": {"username": …, "password": …}}}`. Others, such as a
/// bare `{"username": …, "password": …}` of another plugin that had the name before, don't say whose they are, and
/// count for nothing.
struct HostLogins: PrintsRedacted {
    private let credentials: JSONValue

    init(_ credentials: Secret<JSONValue>?) { self.credentials = credentials?.value ?? .null }

    /// What is stored for the server of `address`; nil if nothing is.
    func entry(for address: WebAddress) -> [String: JSONValue]? { credentials["hosts"]?[address.origin]?.object }

    /// The user name and password for the server of `address`.
    func login(for address: WebAddress) -> BasicLogin? {
        guard let entry = entry(for: address), let username = entry["username"]?.string, !username.isEmpty else {
            return nil
        }
        return BasicLogin(username: username, password: entry["password"]?.string ?? "")
    }

    /// The credentials with what was typed for the server of the parameter `endpoint`, beside those of other servers.
    /// Secrets that were left empty aren't stored; one of `required` must not be.
    static func adding(_ request: LoginRequest, required: [String]) throws(ProviderError) -> (JSONValue, WebAddress) {
        let address = try server(of: request)
        let typed = request.secrets.value.filter { !$0.value.isEmpty }
        for name in required where typed[name] == nil { throw ProviderError(.authRequired, "the \(name) is missing") }
        return (adding(typed.mapValues { .string($0) }, for: address, to: request.credentials), address)
    }

    /// The server that a login is for.
    static func server(of request: LoginRequest) throws(ProviderError) -> WebAddress {
        guard request.parameters["endpoint"] != nil else {
            throw ProviderError(
                .invalidParameters, "say which server the login is for: --set endpoint=https://…", parameter: "endpoint"
            )
        }
        return try Endpoint.address(request.parameters)
    }

    /// Credentials with an entry for the server of `address`, beside those of other servers.
    static func adding(
        _ entry: [String: JSONValue], for address: WebAddress, to credentials: Secret<JSONValue>?
    ) -> JSONValue {
        var hosts = credentials?.value["hosts"]?.object ?? [:]
        hosts[address.origin] = .object(entry)
        return ["hosts": .object(hosts)]
    }

    /// A login with a user name and password, tried with one request.
    static func login(
        _ request: LoginRequest, trying attempt: (Endpoint) -> HTTPRequest
    ) async throws(ProviderError) -> Login {
        let (credentials, _) = try adding(request, required: ["username", "password"])
        let endpoint = try Endpoint(request.parameters, Secret(credentials), request.settings)
        _ = try await trying { () async throws(ProviderError) in
            try await endpoint.client.send(attempt(endpoint)).checked()
        }
        return Login(credentials: credentials)
    }

    /// Runs a login's request. What isn't there is a mistake in the parameter `endpoint`, or beside it: a login is
    /// about no course.
    static func trying<Answer>(
        _ body: () async throws(ProviderError) -> Answer
    ) async throws(ProviderError) -> Answer {
        do throws(ProviderError) {
            return try await body()
        } catch {
            guard [.notFound, .gone].contains(error.kind) else { throw error }
            throw ProviderError(.invalidParameters, error.message, parameter: "endpoint")
        }
    }
}
