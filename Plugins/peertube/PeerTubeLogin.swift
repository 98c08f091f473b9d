import ProviderHTTP
import ProviderKit

/// A login at a PeerTube instance: name, password, and a one-time code if the account has two factors; or the password
/// of one video.
enum PeerTubeLogin {
    static func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        let server = try HostLogins.server(of: request)
        let secrets = request.secrets.value
        let known = HostLogins(request.credentials).entry(for: server) ?? [:]
        if let video = request.parameters["video"]?.string {
            guard let password = secrets["video_password"] else {
                return Login(step: LoginStep(ask: [.init(name: "video_password", label: "password of the video")]))
            }
            let passwords = try await passwords(password, of: video, at: server, request.settings)
            let all = (known["passwords"]?.object ?? [:]).merging(passwords) { $1 }
            return Login(
                credentials: HostLogins.adding(
                    known.merging(["passwords": .object(all)]) { $1 }, for: server, to: request.credentials))
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

    /// The password of a video under each of its ids, once it has opened the video.
    private static func passwords(
        _ password: String, of video: String, at server: WebAddress, _ settings: HostSettings
    ) async throws(ProviderError) -> [String: JSONValue] {
        let credentials = HostLogins.adding(
            ["passwords": .object([video: .string(password)])], for: server, to: nil)
        let instance = PeerTubeInstance(server, Secret(credentials), settings) { _, _ throws(ProviderError) in
            throw ProviderError(.authRequired, "the password of a video isn't renewed")
        }
        do throws(ProviderError) {
            let found = try await instance.video(video)
            return [video, found["uuid"]?.string, found["shortUUID"]?.string].compactMap(\.self)
                .reduce(into: [:]) { $0[$1] = .string(password) }
        } catch {
            switch error.kind {
            case .forbidden: throw ProviderError(.authRequired, error.message, server: server.origin)
            case .notFound, .gone: throw ProviderError(.invalidParameters, error.message, parameter: "video")
            default: throw error
            }
        }
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
