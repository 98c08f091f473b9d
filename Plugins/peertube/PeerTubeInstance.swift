import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The API of a PeerTube instance.
///
/// Related: support/doc/api/openapi.yaml of PeerTube
struct PeerTubeInstance: Sendable, PrintsRedacted {
    /// The most that a page may have.
    private static let pageCount = 100
    /// An instance takes 50 requests of an address in ten seconds, unless its administrator says otherwise.
    private static let pace = Pace(requests: 45, in: .seconds(10))

    let session: OAuthSession
    private let passwords: [String: JSONValue]

    init(
        _ address: WebAddress, _ credentials: Secret<JSONValue>?, _ settings: HostSettings,
        renewal: @escaping OAuthSession.Renewal
    ) {
        var client = HTTPClient(settings: settings, confinedTo: address)
        client.judge = PeerTubeErrors.judge
        client.pace = Self.pace
        session = OAuthSession(at: address, credentials, client, renewal: renewal) {
            token, client throws(ProviderError) in
            try await PeerTubeLogin.tokens(
                at: address, client, [("grant_type", "refresh_token"), ("refresh_token", token)])
        }
        passwords = HostLogins(credentials).entry(for: address)?["passwords"]?.object ?? [:]
    }

    /// A video as the API has it.
    func video(_ id: String) async throws(ProviderError) -> JSONValue {
        let video = try await session.get(address(["videos", id]), headers: passwordField(of: id)).json()
        guard video["uuid"]?.string != nil else { throw unknownAnswer }
        return video
    }

    /// The secret for the files of a video that isn't public, and when it ends.
    func fileToken(of id: String) async throws(ProviderError) -> (value: String, expiresAt: Date?) {
        let answer = try await session.fetch(
            HTTPRequest("POST", address(["videos", id, "token"]), headers: passwordField(of: id))
        ).json()
        guard let token = answer["files"]?["token"]?.string else { throw unknownAnswer }
        return (token, answer["files"]?["expires"]?.string.flatMap(WebDate.date))
    }

    /// The subtitles of a video; none if they can't be read: the video doesn't need them.
    func captions(of id: String) async -> [JSONValue] {
        do throws(ProviderError) {
            return try await session.get(address(["videos", id, "captions"]), headers: passwordField(of: id)).json()[
                "data"]?.list ?? []
        } catch {
            HostLog.write(.debug, "can't read the captions of a video: \(error.message)")
            return []
        }
    }

    /// What is at a path of the API.
    func value(_ path: [String]) async throws(ProviderError) -> JSONValue {
        try await session.get(address(path)).json()
    }

    /// All entries of a list of the API.
    func all(
        _ path: [String], _ fields: [(name: String, value: String)] = []
    ) async throws(ProviderError) -> [JSONValue] {
        let list = PagedList(server: session.server, pageCount: Self.pageCount, countsHidden: true)
        return try await list.entries { entry throws(ProviderError) in
            guard let id = entry["id"]?.wholeNumber else { throw unknownAnswer }
            return String(id)
        } page: { _, offset throws(ProviderError) in
            let page = try await session.get(
                address(path).adding(query: fields + [("start", "\(offset)"), ("count", "\(Self.pageCount)")])
            ).json()
            guard let data = page["data"]?.array, let total = page["total"]?.wholeNumber else { throw unknownAnswer }
            return (data, total)
        }
    }

    /// Whether the server is PeerTube.
    func isPeerTube() async throws(ProviderError) -> Bool {
        let response = try await session.client.send(HTTPRequest("GET", address(["config"])))
        guard response.status == 200, !response.isHTML else { return false }
        return try response.json()["serverVersion"] != nil
    }

    /// The address of something that the instance names by its path.
    func file(_ path: JSONValue?) -> WebAddress? {
        path?.string.flatMap { $0.isEmpty ? nil : session.server.resolving($0) }
    }

    /// The password that a person has given for a video.
    func password(of id: String) -> String? { passwords[id]?.string }

    private func passwordField(of id: String) -> [String: String] {
        password(of: id).map { ["x-peertube-video-password": $0] } ?? [:]
    }

    private func address(_ path: [String]) -> WebAddress {
        // A name of the API can't be a dot.
        session.server.replacing(path: "/").appending(["api", "v1"] + path)
            ?? session.server.replacing(path: "/api/v1/nothing")
    }

    var unknownAnswer: ProviderError {
        ProviderError(
            .unavailable, "the answer of \(session.server.host) isn't PeerTube's", server: session.server.origin)
    }
}
