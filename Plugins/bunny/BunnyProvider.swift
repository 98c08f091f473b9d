import Crypto
import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signs for the token authentication of a pull zone of Bunny CDN.
struct BunnyProvider: Provider {
    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let media = try SignedMedia(request, of: "bunny")
        let address = try media.address()
        let isStream = media.kind != .file
        let scope = isStream ? try media.folder(of: address) : address
        let form = media.parameter("token").flatMap(BunnyToken.Form.init(rawValue:)) ?? .hmac
        guard form != .md5 || !isStream else {
            throw ProviderError(
                .invalidParameters, "a token of md5 is good for one file, not for the segments of a stream",
                parameter: "token")
        }
        var parts: [(name: String, value: String)] = []
        if form != .md5 {
            parts += media.parameter("countries").map { [("token_countries", $0)] } ?? []
            parts += media.parameter("blocked_countries").map { [("token_countries_blocked", $0)] } ?? []
            if isStream { parts.append(("token_path", scope.path)) }
        }
        let token = BunnyToken(path: scope.path, expires: media.expires, parts: parts, ip: media.parameter("ip"))
        let value = token.text(form, key: SignedMedia.line(of: media.secret))
        parts = [("token", value)] + parts + [("expires", String(media.expires))]
        guard media.parameter("in") ?? (isStream ? "path" : "query") == "path", form != .md5 else {
            return media.resolution(
                address.text,
                tokens: parts.map { Token($0.value, in: .query, name: $0.name, urlPrefix: scope.text) })
        }
        let inPath = parts.map { "\($0.name)=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
        return media.resolution(address.replacing(path: "/bcdn_\(inPath)\(address.path)").text)
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        try SignedMedia.login(request) { text throws(ProviderError) in
            guard !SignedMedia.line(of: text).isEmpty else { throw ProviderError(.authRequired, "the key is empty") }
        }
    }
}

/// What a token is made of.
struct BunnyToken {
    enum Form: String {
        /// HMAC with SHA-256, since 2026.
        case hmac
        /// SHA-256 of the key and the rest, until then the advanced form.
        case sha256
        /// The basic form.
        case md5
    }

    /// Of the file, or of a folder if `parts` has it as `token_path`.
    var path: String
    var expires: Int64
    /// What else is in the address, in the order of the names.
    var parts: [(name: String, value: String)] = []
    /// The IPv4 address that may use it.
    var ip: String?

    func text(_ form: Form, key: String) -> String {
        let fields = parts.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        switch form {
        case .hmac:
            let bytes = ip?.split(separator: ".").compactMap { UInt8($0) } ?? []
            let message = Data("\(path)\(expires)".utf8) + Data(bytes) + Data(fields.utf8)
            let code = HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: Data(key.utf8)))
            return "HS256-\(ip == nil ? "" : "1-")\(Data(code).base64URL)"
        case .sha256:
            return Data(SHA256.hash(data: Data("\(key)\(path)\(expires)\(fields)\(ip ?? "")".utf8))).base64URL
        case .md5:
            return Data(Insecure.MD5.hash(data: Data("\(key)\(path)\(expires)\(ip ?? "")".utf8))).base64URL
        }
    }
}
