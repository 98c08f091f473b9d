import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Renews the credentials of each user and server once, however many requests ask for it.
final class CredentialRenewals: Sendable {
    /// Makes new credentials of the newest there are.
    typealias Make = @Sendable (JSONValue) async throws(ProviderError) -> JSONValue

    private typealias Renewal = Task<Result<JSONValue, ProviderError>, Never>

    private struct User {
        var history = CredentialHistory()
        /// By server.
        var underway: [String: Renewal] = [:]
    }

    private enum Step {
        case done(JSONValue)
        case foreign
        /// Somebody else has to renew them.
        case notNow
        case wait(Renewal)
    }

    /// Those of this process.
    static let shared = CredentialRenewals()

    /// The servers whose credentials the present task renews.
    @TaskLocal private static var renewing: Set<String> = []

    private let users = Mutex<[String: User]>([:])

    /// Takes the credentials of a request. Returns those that it should use.
    func arrived(_ credentials: Secret<JSONValue>?, of user: String) -> Secret<JSONValue>? {
        let given = credentials?.value ?? .null
        let used = users.withLock { users in
            let before = users[user, default: User()].history.login
            let used = users[user, default: User()].history.arrived(given)
            // What was begun for an earlier login is nobody's any more.
            if users[user]?.history.login != before { users[user]?.underway = [:] }
            return used
        }
        return used == .null ? nil : Secret(used)
    }

    /// The renewed credentials that go back with the answer to a request that had these; nil if there are none.
    func newer(than credentials: Secret<JSONValue>?, of user: String) -> Secret<JSONValue>? {
        users.withLock { $0[user]?.history.newer(than: credentials?.value ?? .null) }.map { Secret($0) }
    }

    /// - Parameter mayBegin: whether it may renew them itself; otherwise it only takes part in what another request has
    ///   begun, and throws `renewalNeeded` if none has.
    func renew(
        _ credentials: Secret<JSONValue>?, of user: String, at server: String, mayBegin: Bool = true,
        _ make: @escaping Make
    ) async throws(ProviderError) -> Secret<JSONValue> {
        let credentials = credentials?.value ?? .null
        let server = Self.origin(of: server)
        let key = "\(user)\n\(server)"
        guard !Self.renewing.contains(key) else {
            throw ProviderError(.pluginFault, "renew is called while it renews the same credentials")
        }
        let step = users.withLock { users -> Step in
            var state = users[user] ?? User()
            defer { users[user] = state }
            switch state.history.begin(credentials, at: server) {
            case .isDone(let newest): return .done(newest)
            case .isForeign: return mayBegin ? .foreign : .notNow
            case .make(let base, let login):
                if let renewal = state.underway[server] { return .wait(renewal) }
                guard mayBegin else { return .notNow }
                let renewal = Renewal { [self] in
                    let made = await Self.made(of: base, by: make, renewing: key)
                    return self.users.withLock { users in
                        // Otherwise another login has begun its own.
                        if users[user]?.history.login == login { users[user]?.underway[server] = nil }
                        guard case .success(let made) = made else { return made }
                        let newest = users[user]?.history.finish(made, of: base, login: login, at: server)
                        return .success(newest ?? made)
                    }
                }
                state.underway[server] = renewal
                return .wait(renewal)
            }
        }
        switch step {
        case .done(let newest): return Secret(newest)
        case .foreign: return Secret(try await Self.made(of: credentials, by: make, renewing: key).get())
        case .notNow: throw ProviderError(.renewalNeeded, "the login has to be renewed")
        case .wait(let renewal): return Secret(try await renewal.value.get())
        }
    }

    /// Scheme, host and port of an address; another name as it is.
    private static func origin(of server: String) -> String {
        guard let url = URL(string: server), let scheme = url.scheme?.lowercased(), let host = url.host() else {
            return server
        }
        return "\(scheme)://\(host.lowercased()):\(url.port ?? (scheme == "https" ? 443 : 80))"
    }

    private static func made(
        of base: JSONValue, by make: Make, renewing key: String
    ) async -> Result<JSONValue, ProviderError> {
        await $renewing.withValue(renewing.union([key])) {
            do throws(ProviderError) { return .success(try await make(base)) } catch { return .failure(error) }
        }
    }
}

extension ResolveRequest {
    /// New credentials, made by `make` of the newest there are.
    ///
    /// `make` runs once, however many requests find that the old ones are refused: the others of this server wait, and
    /// get what it returned, or the error that it threw. The host learns of them with every answer from here on, errors
    /// included, until its requests have them. If another process of the user has to renew them (``mayRenew``), it
    /// throws ``ProviderError/Kind/renewalNeeded``: pass that on.
    ///
    /// - Parameters:
    ///   - server: an address, or another name of it; nil for the parameter `endpoint`.
    ///   - make: gets null if there are no credentials.
    public func renewCredentials(
        at server: String? = nil,
        _ make: @escaping @Sendable (JSONValue) async throws(ProviderError) -> JSONValue
    ) async throws(ProviderError) -> Secret<JSONValue> {
        let server = server ?? video.parameters["endpoint"]?.string ?? ""
        return try await CredentialRenewals.shared.renew(
            credentials, of: user, at: server, mayBegin: mayRenew, make)
    }
}

extension ListRequest {
    /// New credentials, made by `make` of the newest there are; see ``ResolveRequest/renewCredentials(at:_:)``.
    public func renewCredentials(
        at server: String? = nil,
        _ make: @escaping @Sendable (JSONValue) async throws(ProviderError) -> JSONValue
    ) async throws(ProviderError) -> Secret<JSONValue> {
        let server = server ?? course.parameters["endpoint"]?.string ?? ""
        return try await CredentialRenewals.shared.renew(
            credentials, of: user, at: server, mayBegin: mayRenew, make)
    }
}

extension CoursesRequest {
    /// New credentials, made by `make` of the newest there are; see ``ResolveRequest/renewCredentials(at:_:)``.
    public func renewCredentials(
        at server: String? = nil,
        _ make: @escaping @Sendable (JSONValue) async throws(ProviderError) -> JSONValue
    ) async throws(ProviderError) -> Secret<JSONValue> {
        let server = server ?? parameters["endpoint"]?.string ?? ""
        return try await CredentialRenewals.shared.renew(
            credentials, of: user, at: server, mayBegin: mayRenew, make)
    }
}

extension RecogniseRequest {
    /// New credentials, made by `make` of the newest there are; see ``ResolveRequest/renewCredentials(at:_:)``. Without
    /// a `server` they are those for ``address``.
    public func renewCredentials(
        at server: String? = nil,
        _ make: @escaping @Sendable (JSONValue) async throws(ProviderError) -> JSONValue
    ) async throws(ProviderError) -> Secret<JSONValue> {
        try await CredentialRenewals.shared.renew(
            credentials, of: user, at: server ?? address, mayBegin: mayRenew, make)
    }
}
