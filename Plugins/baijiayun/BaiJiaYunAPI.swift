import Crypto
import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The server API of an account, whose requests are signed with its key, and the API of its players, which want a token
/// of the video.
///
/// Related: https://dev.baijiayun.com/wiki/detail/4 and 6; references/api-room.md of bjycloud/baijiayun-skills
struct BaiJiaYunAPI: Sendable, PrintsRedacted {
    /// An account may call 200 times in ten seconds.
    private static let pace = Pace(requests: 180, in: .seconds(10))
    /// Of a token, in seconds: it is used at once.
    private static let tokenLife = "3600"

    let server: WebAddress
    let login: BaiJiaYunLogin
    private let client: HTTPClient
    private let now: Date
    private let begun = ContinuousClock.now

    init(
        _ parameters: [String: JSONValue], _ credentials: Secret<JSONValue>?, _ settings: HostSettings, now: Date
    ) throws(ProviderError) {
        let server = try Endpoint.address(parameters)
        self.init(server, BaiJiaYunLogin(credentials, for: server), settings, now: now)
    }

    init(_ server: WebAddress, _ login: BaiJiaYunLogin, _ settings: HostSettings, now: Date) {
        self.server = server
        self.login = login
        self.now = now
        var client = HTTPClient(settings: settings, confinedTo: server)
        client.pace = Self.pace
        self.client = client
    }

    /// `data` of the answer of a function of the server API.
    func call(_ function: String, _ fields: [(name: String, value: String)]) async throws(ProviderError) -> JSONValue {
        guard let key = login.key else {
            throw ProviderError(
                .authRequired, "\(server.host) answers this with the account's key only", server: server.origin)
        }
        let time = now.timeIntervalSince1970 + begun.duration(to: .now) / .seconds(1)
        let all = fields + [("partner_id", key.partner), ("timestamp", String(Int64(time)))]
        let signed = all + [("sign", Self.sign(all, with: key.value))]
        return try data(try await client.fetch(.form(server.replacing(path: "/openapi/\(function)"), signed)))
    }

    /// What a player gets of a video or a playback, as ``BaiJiaYunMedia`` reads it.
    func played(_ id: BaiJiaYunID) async throws(ProviderError) -> JSONValue {
        guard login.key != nil else {
            guard let token = login.token(of: id) else {
                throw ProviderError(
                    .authRequired,
                    "\(server.host) plays this with the account's key, or the address of its page (--set login=page)",
                    server: server.origin)
            }
            return try await play(id, with: token)
        }
        let token = try await token(of: id)
        do throws(ProviderError) {
            return try await play(id, with: token)
        } catch {
            guard error.kind == .authRequired else { throw error }
            return try await play(id, with: try await self.token(of: id))
        }
    }

    private func token(of id: BaiJiaYunID) async throws(ProviderError) -> String {
        let function = "\(id.isPlayback ? "playback" : "video")/getPlayerToken"
        let answer = try await call(function, id.fields + [("expires_in", Self.tokenLife)])
        guard let token = answer["token"]?.string, !token.isEmpty else { throw unknownAnswer }
        return token
    }

    private func play(_ id: BaiJiaYunID, with token: String) async throws(ProviderError) -> JSONValue {
        // Whoever asks for more formats, or doesn't refuse the encryption, gets what only the vendor's players read.
        let address = server.replacing(path: id.isPlayback ? "/web/playback/getPlayInfo" : "/vod/video/getPlayUrl")
            .adding(
                query: id.playerFields + [
                    ("token", token), ("use_encrypt", "0"), ("supports_format", "mp4,m3u8"), ("render", "jsonp"),
                ])
        let answer = try data(try await client.get(address), concealing: token)
        guard answer["play_info"] != nil else { throw unknownAnswer }
        return answer
    }

    /// The answer is always 200, in JSON, or as the argument of a function.
    private func data(_ response: HTTPResponse, concealing token: String? = nil) throws(ProviderError) -> JSONValue {
        let answer = try response.jsonp()
        guard let code = answer["code"]?.wholeNumber else { throw unknownAnswer }
        guard code == 0 else {
            let message = answer["msg"]?.string ?? ""
            throw BaiJiaYunErrors.error(
                code, token.map { message.replacing($0, with: "…") } ?? message, from: server)
        }
        return answer["data"] ?? .null
    }

    var unknownAnswer: ProviderError {
        ProviderError(.unavailable, "the answer of \(server.host) isn't BaijiaYun's", server: server.origin)
    }

    /// In hexadecimal.
    static func sign(_ fields: [(name: String, value: String)], with key: String) -> String {
        let text = fields.sorted { $0.name < $1.name }.map { "\($0.name)=\($0.value)&" }.joined()
        return Insecure.MD5.hash(data: Data("\(text)partner_key=\(key)".utf8)).hex
    }
}
