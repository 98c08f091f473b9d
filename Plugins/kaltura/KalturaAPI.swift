import Crypto
import ProviderHTTP
import ProviderKit
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The API of one account, asked with several actions in one request.
///
/// Related: api_v3/lib/KalturaFrontController.php of Kaltura
struct KalturaAPI: Sendable, PrintsRedacted {
    /// An action, its parameters, and what comes before it in the request.
    struct Action: Sendable {
        var service: String
        var action: String
        var parameters: [String: JSONValue] = [:]
    }

    /// A session for requests and for the addresses of media.
    struct Session: Sendable, PrintsRedacted {
        var ks: String
        /// Nil if it isn't told.
        var expiresAt: Date?
    }

    let server: WebAddress
    let partner: Int64
    let login: KalturaLogin?
    private let client: HTTPClient
    private let sessions: KalturaSessions

    init(
        _ parameters: [String: JSONValue], _ credentials: Secret<JSONValue>?, _ settings: HostSettings,
        sessions: KalturaSessions
    ) throws(ProviderError) {
        server = try Endpoint.address(parameters)
        guard let partner = parameters["partner"]?.wholeNumber, partner > 0 else {
            throw ProviderError(
                .invalidParameters, "partner is missing: the number of the account", parameter: "partner")
        }
        self.partner = partner
        self.sessions = sessions
        login = KalturaLogin(credentials, for: server, partner: partner)
        client = HTTPClient(settings: settings, confinedTo: server)
    }

    /// The answers of these actions, in their order. An action can take a value out of an answer before it, as
    /// `{1:result:id}`, where 1 is the first action of this array. Throws what the first exception among them means.
    func answers(_ actions: [Action]) async throws(ProviderError) -> [JSONValue] {
        guard let login else { return try await send(actions, session: nil) }
        let session = try await sessions.session(login, at: self)
        do throws(ProviderError) {
            return try await send(actions, session: session)
        } catch {
            guard error.kind == .authRequired, login.isRenewable else { throw error }
            return try await send(actions, session: try await sessions.session(login, at: self, insteadOf: session))
        }
    }

    /// The session that the addresses of media need; nil without a login.
    func mediaSession(isRefused: Bool) async throws(ProviderError) -> Session? {
        guard let login else { return nil }
        let session = try await sessions.session(login, at: self)
        return isRefused ? try await sessions.session(login, at: self, insteadOf: session) : session
    }

    /// One action without the login, or with another session.
    func answer(_ action: Action, ks: String? = nil) async throws(ProviderError) -> JSONValue {
        var body = action.parameters.merging(["format": 1, "partnerId": .int(partner)]) { $1 }
        if let ks { body["ks"] = .string(ks) }
        let answer = try await post(["service", action.service, "action", action.action], body)
        if let code = KalturaErrors.code(of: answer) { throw error(code) }
        return answer
    }

    /// The entries of an answer.
    func entries(_ objects: [JSONValue]?) throws(ProviderError) -> [KalturaEntry] {
        guard let objects else { throw unknownAnswer }
        return try objects.map { object throws(ProviderError) in
            guard let entry = KalturaEntry(object) else { throw unknownAnswer }
            return entry
        }
    }

    private func send(_ actions: [Action], session: Session?) async throws(ProviderError) -> [JSONValue] {
        var body: [String: JSONValue] = ["format": 1, "partnerId": .int(partner)]
        var parts = actions
        // Everybody gets a session by the account's widget, in the same request.
        if session == nil {
            parts.insert(
                Action(
                    service: "session", action: "startWidgetSession", parameters: ["widgetId": .string("_\(partner)")]),
                at: 0
            )
        }
        let shift = parts.count - actions.count
        for (place, part) in parts.enumerated() {
            var fields = part.parameters.mapValues { Self.shifted($0, by: shift) }
            fields["service"] = .string(part.service)
            fields["action"] = .string(part.action)
            if let session { fields["ks"] = .string(session.ks) } else if place > 0 { fields["ks"] = "{1:result:ks}" }
            body[String(place + 1)] = .object(fields)
        }
        let answer = try await post(["service", "multirequest"], body)
        if let code = KalturaErrors.code(of: answer) { throw error(code) }
        guard let answers = answer.array, answers.count == parts.count else { throw unknownAnswer }
        for case let code? in answers.map(KalturaErrors.code) { throw error(code) }
        return Array(answers.dropFirst(shift))
    }

    /// `{1:result:id}` as it is after actions were put before it.
    private static func shifted(_ value: JSONValue, by shift: Int) -> JSONValue {
        switch value {
        case .object(let fields): return .object(fields.mapValues { shifted($0, by: shift) })
        case .string(let text):
            guard let match = text.wholeMatch(of: /\{(\d+)(:result:.*)\}/), let number = Int(match.output.1) else {
                return value
            }
            return .string("{\(number + shift)\(match.output.2)}")
        default: return value
        }
    }

    private func post(_ path: [String], _ body: [String: JSONValue]) async throws(ProviderError) -> JSONValue {
        let address = server.replacing(path: "/").appending(["api_v3"] + path) ?? server
        let response = try await client.fetch(.json(address, .object(body)))
        // Where the server gives up it says so in a header, with 200 and nothing behind it.
        if response.body.isEmpty, let number = response[header: "X-Kaltura"] { throw error(number) }
        return try response.json()
    }

    func error(_ code: String) -> ProviderError {
        KalturaErrors.error(code, from: server, hasLogin: login != nil)
    }

    var unknownAnswer: ProviderError {
        ProviderError(.unavailable, "the answer of \(server.host) isn't Kaltura's", server: server.origin)
    }
}

/// The sessions that logins have at the moment, each used until shortly before its end.
final class KalturaSessions: Sendable {
    private static let margin: TimeInterval = 300
    private let kept = Mutex<[KalturaLogin: KalturaAPI.Session]>([:])

    /// - Parameter old: a session that was refused.
    func session(
        _ login: KalturaLogin, at api: KalturaAPI, insteadOf old: KalturaAPI.Session? = nil
    ) async throws(ProviderError) -> KalturaAPI.Session {
        if let session = kept.withLock({ $0[login] }), session.ks != old?.ks,
            session.expiresAt.map({ $0.timeIntervalSinceNow > Self.margin }) ?? true
        {
            return session
        }
        let session = try await login.start(at: api)
        kept.withLock { kept in
            if kept.count >= 64 { kept.removeAll() }
            kept[login] = session
        }
        return session
    }
}
