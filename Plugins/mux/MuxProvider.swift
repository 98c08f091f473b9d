import ProviderHTTP
import ProviderKit

/// Signs playback ids of Mux whose policy is `signed`.
struct MuxProvider: Provider {
    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let rendition = request.video.parameters["rendition"]?.string
        let media = try SignedMedia(request, of: "mux", isStream: rendition == nil)
        let id = request.video.id
        let address = try media.address(of: rendition.map { [id, $0] } ?? [id.isEmpty ? id : id + ".m3u8"])
        let token = try RSAKey(media.secret).webToken(
            ["sub": .string(id), "aud": "v", "exp": .int(media.expires)],
            header: ["alg": "RS256", "typ": "JWT", "kid": .string(try media.required("key_id"))])
        // The playlist's own addresses are signed by the host.
        return media.resolution(
            address.text, tokens: [Token(token, in: .query, name: "token", urlPrefix: address.text)])
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        try SignedMedia.login(request) { text throws(ProviderError) in _ = try RSAKey(text) }
    }
}
