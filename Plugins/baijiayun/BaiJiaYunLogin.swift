import ProviderHTTP
import ProviderKit

/// What a user has for a server: the key of the account, or tokens of single videos.
///
/// The credentials are those of ``HostLogins``, with `partner_id` and `partner_key`, and with `tokens` by the ids of
/// videos and playbacks.
struct BaiJiaYunLogin: Sendable, PrintsRedacted {
    let key: (partner: String, value: String)?
    private let tokens: [String: JSONValue]

    init(_ credentials: Secret<JSONValue>?, for server: WebAddress) {
        let entry = HostLogins(credentials).entry(for: server)
        if let partner = entry?["partner_id"]?.string, let value = entry?["partner_key"]?.string {
            key = (partner, value)
        } else {
            key = nil
        }
        tokens = entry?["tokens"]?.object ?? [:]
    }

    func token(of id: BaiJiaYunID) -> String? { tokens[Self.name(id)]?.string }

    /// The credentials with the token of a video, beside what they have.
    static func adding(
        _ token: String, of id: BaiJiaYunID, at server: WebAddress, to credentials: Secret<JSONValue>?
    ) -> JSONValue {
        var entry = HostLogins(credentials).entry(for: server) ?? [:]
        var tokens = entry["tokens"]?.object ?? [:]
        tokens[name(id)] = .string(token)
        entry["tokens"] = .object(tokens)
        return HostLogins.adding(entry, for: server, to: credentials)
    }

    private static func name(_ id: BaiJiaYunID) -> String { "\(id.isPlayback ? "class" : "vid") \(id.text)" }

    /// The number and the key of the account, or a page with a token of its video; which of them says the parameter
    /// `login`. Each is tried.
    static func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        let server = try HostLogins.server(of: request)
        let secrets = request.secrets.value
        if request.parameters["login"] == "page" {
            guard let page = secrets["page"] else {
                return Login(step: LoginStep(ask: [.init(name: "page", label: "address of the video's page")]))
            }
            return Login(credentials: try await credentials(page, at: server, request))
        }
        guard let partner = secrets["partner_id"]?.trimmed, let value = secrets["partner_key"]?.trimmed else {
            return Login(
                step: LoginStep(ask: [
                    .init(name: "partner_id", label: "number of the account (partner_id)", secret: false),
                    .init(name: "partner_key", label: "key of the account (partner_key)"),
                ]))
        }
        var entry = HostLogins(request.credentials).entry(for: server) ?? [:]
        entry["partner_id"] = .string(partner)
        entry["partner_key"] = .string(value)
        let credentials = HostLogins.adding(entry, for: server, to: request.credentials)
        let api = BaiJiaYunAPI(
            server, BaiJiaYunLogin(Secret(credentials), for: server), request.settings, now: request.now)
        _ = try await HostLogins.trying { () async throws(ProviderError) in
            try await api.call("video/getCategoryList", [])
        }
        return Login(credentials: credentials)
    }

    private static func credentials(
        _ page: String, at server: WebAddress, _ request: LoginRequest
    ) async throws(ProviderError) -> JSONValue {
        guard let address = WebAddress(page), let found = BaiJiaYunID.read(address), let token = found.token else {
            throw ProviderError(.authRequired, "this is no address of a page with a player and its token")
        }
        guard address.origin == server.origin else {
            throw ProviderError(
                .invalidParameters, "the page is at \(address.host), and the login for \(server.host)",
                parameter: "endpoint")
        }
        // Of the token alone, also where there is a key.
        let own = adding(token, of: found.id, at: server, to: nil)
        let api = BaiJiaYunAPI(server, BaiJiaYunLogin(Secret(own), for: server), request.settings, now: request.now)
        do throws(ProviderError) {
            _ = try await api.played(found.id)
        } catch {
            switch error.kind {
            case .notReady: break
            case .notFound: throw ProviderError(.authRequired, error.message, server: server.origin)
            default: throw error
            }
        }
        return adding(token, of: found.id, at: server, to: request.credentials)
    }
}
