import Crypto
import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signs for Akamai's Auth Token 2.0 Verification and Segmented Media Protection.
struct AkamaiProvider: Provider {
    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let media = try SignedMedia(request, of: "akamai")
        let plain = try media.address()
        let scope = media.kind == .file ? plain : try media.folder(of: plain)
        // A tilde is what stands between the fields of a token.
        let (address, path) = (Self.withoutTilde(plain), Self.withoutTilde(scope).path)
        var token = EdgeToken(expires: media.expires)
        if media.parameter("token") == "url" {
            guard media.kind == .file else {
                throw ProviderError(
                    .invalidParameters, "a token of a url is good for one file, not for the segments of a stream",
                    parameter: "token")
            }
            token.url = path
        } else {
            token.acl = media.kind == .file ? path : path + "*"
        }
        if request.video.parameters["start_time"]?.bool == true {
            token.start = Int64(request.now.timeIntervalSince1970.rounded(.down))
        }
        token.ip = media.parameter("ip")
        token.sessionID = media.parameter("session_id")
        token.payload = media.parameter("payload")
        token.isEscaped = request.video.parameters["escape"]?.bool == true
        let algorithm = media.parameter("algorithm").flatMap(EdgeToken.Algorithm.init(rawValue:)) ?? .sha256
        return media.resolution(
            address.text,
            tokens: [
                Token(
                    token.text(algorithm, key: try EdgeToken.key(media.secret)),
                    in: media.parameter("in").flatMap(Token.Placement.init(rawValue:)) ?? .query,
                    name: media.parameter("token_name") ?? "__token__",
                    urlPrefix: Self.withoutTilde(scope).text)
            ])
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        try SignedMedia.login(request) { text throws(ProviderError) in _ = try EdgeToken.key(text) }
    }

    private static func withoutTilde(_ address: WebAddress) -> WebAddress {
        address.replacing(path: address.path.replacing("~", with: "%7E"))
    }
}

/// What a token is made of, in the order of its fields.
struct EdgeToken {
    enum Algorithm: String { case sha256, sha1, md5 }

    var ip: String?
    /// In seconds since 1970, as ``expires``.
    var start: Int64?
    var expires: Int64
    /// The path that it is good for, with `*` at its end if it is one of a folder.
    var acl: String?
    var sessionID: String?
    var payload: String?
    /// In place of ``acl``: the path of one file. It isn't in the token, only in the code.
    var url: String?
    /// As "Escape token input" in the Property Manager.
    var isEscaped = false

    init(expires: Int64) { self.expires = expires }

    func text(_ algorithm: Algorithm, key: SymmetricKey) -> String {
        let fields = [
            ip.map { "ip=\(escaped($0))" }, start.map { "st=\($0)" }, "exp=\(expires)", acl.map { "acl=\($0)" },
            sessionID.map { "id=\(escaped($0))" }, payload.map { "data=\(escaped($0))" },
        ].compactMap(\.self)
        let message = Data((fields + [url.map { "url=\(escaped($0))" }].compactMap(\.self)).joined(separator: "~").utf8)
        let code =
            switch algorithm {
            case .sha256: Data(HMAC<SHA256>.authenticationCode(for: message, using: key))
            case .sha1: Data(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
            case .md5: Data(HMAC<Insecure.MD5>.authenticationCode(for: message, using: key))
            }
        return (fields + ["hmac=\(code.hex)"]).joined(separator: "~")
    }

    /// A key from its hexadecimal digits.
    static func key(_ text: String) throws(ProviderError) -> SymmetricKey {
        guard let bytes = [UInt8](hex: SignedMedia.line(of: text)), !bytes.isEmpty else {
            throw ProviderError(.authRequired, "the key must be an even number of hexadecimal digits")
        }
        return SymmetricKey(data: bytes)
    }

    /// Percent-encoded as in a form, with small letters.
    private func escaped(_ text: String) -> String {
        guard isEscaped else { return text }
        return PercentEncoding.encoded(text, keeping: " ").replacing(" ", with: "+")
            .replacing(/%[0-9A-F]{2}/) { $0.output.lowercased() }
    }
}
