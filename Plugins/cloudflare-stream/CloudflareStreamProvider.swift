import ProviderHTTP
import ProviderKit

/// Signs for videos of Cloudflare Stream that require signed URLs. The token stands in the place of the video's id.
struct CloudflareStreamProvider: Provider {
    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let download = request.video.parameters["download"]?.string
        let media = try SignedMedia(request, of: "cloudflare-stream", isStream: download == nil)
        let id = request.video.id
        guard !id.isEmpty else { throw ProviderError(.notFound, "no video has such an id") }
        let keyID = JSONValue.string(try media.required("key_id"))
        var claims: [String: JSONValue] = ["sub": .string(id), "kid": keyID, "exp": .int(media.expires)]
        if download != nil { claims["downloadable"] = true }
        let token = try RSAKey(media.secret).webToken(.object(claims), header: ["alg": "RS256", "kid": keyID])
        let address = try media.address(
            of: [token] + (download.map { ["downloads", $0] } ?? ["manifest", "video.m3u8"]))
        return media.resolution(address.text)
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        try SignedMedia.login(request) { text throws(ProviderError) in _ = try RSAKey(text) }
    }
}
