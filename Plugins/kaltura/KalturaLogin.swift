import Crypto
import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a session of an account is started with.
///
/// The credentials are those of ``HostLogins``, with `accounts` by their numbers, each of them `{"secret": …}`,
/// `{"ks": …}` or `{"app_token_id": …, "app_token": …, "hash": …}`.
struct KalturaLogin: Hashable, Sendable, PrintsRedacted {
    private enum Means: Hashable {
        case appToken(id: String, value: String, hash: String)
        case secret(String)
        case session(String)
    }

    /// What a session by the account's secret may do: list and play all that the account has.
    private static let privileges = "list:*,sview:*,disableentitlement"
    private static let life: Int64 = 86_400

    private let server: WebAddress
    private let partner: Int64
    private let means: Means

    init?(_ credentials: Secret<JSONValue>?, for server: WebAddress, partner: Int64) {
        guard let entry = HostLogins(credentials).entry(for: server)?["accounts"]?[String(partner)] else { return nil }
        if let id = entry["app_token_id"]?.string, let value = entry["app_token"]?.string {
            means = .appToken(id: id, value: value, hash: entry["hash"]?.string ?? "SHA1")
        } else if let secret = entry["secret"]?.string {
            means = .secret(secret)
        } else if let ks = entry["ks"]?.string {
            means = .session(ks)
        } else {
            return nil
        }
        (self.server, self.partner) = (server, partner)
    }

    /// Whether another session can be started when one has ended.
    var isRenewable: Bool { if case .session = means { false } else { true } }

    func start(at api: KalturaAPI) async throws(ProviderError) -> KalturaAPI.Session {
        switch means {
        case .session(let ks): return .init(ks: ks)
        case .secret(let secret):
            let answer = try await api.answer(
                .init(
                    service: "session", action: "start",
                    parameters: [
                        "secret": .string(secret), "type": 0, "expiry": .int(Self.life),
                        "privileges": .string(Self.privileges),
                    ]))
            guard let ks = answer.string else { throw api.unknownAnswer }
            // An account may allow less, which isn't told: the server refuses it then, and a new one is started.
            return .init(ks: ks, expiresAt: nil)
        case .appToken(let id, let value, let hash):
            let widget = try await api.answer(
                .init(
                    service: "session", action: "startWidgetSession",
                    parameters: ["widgetId": .string("_\(partner)")]))
            guard let first = widget["ks"]?.string else { throw api.unknownAnswer }
            let answer = try await api.answer(
                .init(
                    service: "appToken", action: "startSession",
                    parameters: [
                        "id": .string(id), "tokenHash": .string(Self.digest(of: first + value, hash)), "type": 0,
                    ]), ks: first)
            guard let ks = answer["ks"]?.string else { throw api.unknownAnswer }
            return .init(ks: ks, expiresAt: Date(seconds: answer["expiry"]))
        }
    }

    private static func digest(of text: String, _ hash: String) -> String {
        let data = Data(text.utf8)
        return switch hash {
        case "MD5": Insecure.MD5.hash(data: data).hex
        case "SHA256": SHA256.hash(data: data).hex
        case "SHA512": SHA512.hash(data: data).hex
        default: Insecure.SHA1.hash(data: data).hex
        }
    }
}

extension KalturaLogin {
    /// An application token, the secret of the account, or a session that somebody has started; which of them says the
    /// parameter `session`.
    static func login(_ request: LoginRequest, sessions: KalturaSessions) async throws(ProviderError) -> Login {
        let server = try HostLogins.server(of: request)
        let secrets = request.secrets.value
        let wanted =
            switch request.parameters["session"]?.string {
            case "secret": [LoginStep.Question(name: "secret", label: "secret of the account")]
            case "ks": [LoginStep.Question(name: "ks", label: "session (KS)")]
            default:
                [
                    LoginStep.Question(name: "app_token_id", label: "id of the application token", secret: false),
                    LoginStep.Question(name: "app_token", label: "application token"),
                ]
            }
        let entry = wanted.reduce(into: [String: JSONValue]()) { $0[$1.name] = secrets[$1.name].map { .string($0) } }
        guard entry.count == wanted.count else { return Login(step: LoginStep(ask: wanted)) }
        var last = ProviderError(.authRequired, "this login wasn't tried")
        // The token's own hash isn't told.
        for hash in entry["app_token"] == nil ? [nil] : ["SHA1", "SHA256", "MD5", "SHA512"] {
            let full = hash.map { entry.merging(["hash": .string($0)]) { $1 } } ?? entry
            let credentials = try adding(full, for: server, request)
            let api = try KalturaAPI(request.parameters, Secret(credentials), request.settings, sessions: sessions)
            do throws(ProviderError) {
                _ = try await HostLogins.trying { () async throws(ProviderError) in
                    // Whoever may do nothing else may look for an entry.
                    try await api.answers([
                        .init(
                            service: "baseEntry", action: "list",
                            parameters: ["filter": ["idEqual": "0_nothing"], "pager": ["pageSize": 1]])
                    ])
                }
                return Login(credentials: credentials)
            } catch {
                guard error.kind == .authRequired else { throw error }
                last = error
            }
        }
        throw last
    }

    private static func adding(
        _ entry: [String: JSONValue], for server: WebAddress, _ request: LoginRequest
    ) throws(ProviderError) -> JSONValue {
        guard let partner = request.parameters["partner"]?.wholeNumber else {
            throw ProviderError(
                .invalidParameters, "say which account the login is for: --set partner=NUMBER", parameter: "partner")
        }
        var known = HostLogins(request.credentials).entry(for: server) ?? [:]
        var accounts = known["accounts"]?.object ?? [:]
        accounts[String(partner)] = .object(entry)
        known["accounts"] = .object(accounts)
        return HostLogins.adding(known, for: server, to: request.credentials)
    }
}
