import ProviderHTTP
import ProviderKit

/// A login at a PeerTube instance: name, password, and a one-time code if the account has two factors; or the password
/// of one video.
enum PeerTubeLogin {
    static func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        guard request.parameters["endpoint"] != nil else {
            throw ProviderError(
                .invalidParameters, "say which instance the login is for: --set endpoint=https://…",
                parameter: "endpoint")
        }
        let server = try Endpoint.address(request.parameters)
        let secrets = request.secrets.value
        let known = HostLogins(request.credentials).entry(for: server) ?? [:]
        if let video = request.parameters["video"]?.string {
            guard let password = secrets["video_password"] else {
                return Login(step: LoginStep(ask: [.init(name: "video_password", label: "password of the video")]))
            }
            let passwords = (known["passwords"]?.object ?? [:]).merging([video: .string(password)]) { $1 }
            return Login(
                credentials: HostLogins.adding(
                    known.merging(["passwords": .object(passwords)]) { $1 }, for: server, to: request.credentials))
        }
        guard let username = secrets["username"], let password = secrets["password"] else {
            return Login(
                step: LoginStep(ask: [
                    .init(name: "username", label: "user name", secret: false), .init(name: "password"),
                ]))
        }
        var client = HTTPClient(settings: request.settings, confinedTo: server)
        // The answer that wants a code is one, too.
        client.judge = { PeerTubeErrors.code(of: $0) == "missing_two_factor" ? .good : PeerTubeErrors.judge($0) }
        let answer = try await HostLogins.trying { [client] () async throws(ProviderError) in
            try await tokens(
                at: server, client,
                [("grant_type", "password"), ("username", username), ("password", password)], otp: secrets["otp"])
        }
        if PeerTubeErrors.code(of: answer) == "missing_two_factor" {
            return Login(step: LoginStep(ask: [.init(name: "otp", label: "one-time code", secret: false)]))
        }
        let entry = known.merging(try OAuthSession.entry(of: answer.json(), from: server)) { $1 }
        return Login(credentials: HostLogins.adding(entry, for: server, to: request.credentials))
    }

    /// Asks for tokens as the instance's own client.
    static func tokens(
        at server: WebAddress, _ client: HTTPClient, _ fields: [(name: String, value: String)], otp: String? = nil
    ) async throws(ProviderError) -> HTTPResponse {
        let own = try await client.get(server.replacing(path: "/api/v1/oauth-clients/local")).json()
        guard let id = own["client_id"]?.string, let secret = own["client_secret"]?.string else {
            throw ProviderError(.unavailable, "\(server.host) doesn't offer PeerTube's login", server: server.origin)
        }
        return try await client.fetch(
            .form(
                server.replacing(path: "/api/v1/users/token"),
                [("client_id", id), ("client_secret", secret)] + fields,
                headers: otp.map { ["x-peertube-otp": $0] } ?? [:]))
    }
}
