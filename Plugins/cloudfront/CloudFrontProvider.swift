import Crypto
import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signs for Amazon CloudFront with the private key of a key group: signed URLs or signed cookies.
struct CloudFrontProvider: Provider {
    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let media = try SignedMedia(request, of: "cloudfront")
        let address = try media.address()
        let scope = media.kind == .file ? address : try media.folder(of: address)
        let resource = media.kind == .file ? scope.text : scope.text + "*"
        let ip = media.parameter("ip")
        let policy = Self.policy(resource, until: media.expires, ip: ip)
        let isSHA256 = media.parameter("hash") == "SHA256"
        let key = try RSAKey(media.secret)
        let signature =
            try isSHA256
            ? key.signature(for: SHA256.hash(data: policy)) : key.signature(for: Insecure.SHA1.hash(data: policy))

        // A canned policy isn't sent: CloudFront makes it of the address and the time.
        let isCanned = media.kind == .file && ip == nil
        var parts = [
            isCanned ? ("Expires", String(media.expires)) : ("Policy", Self.encoded(policy)),
            ("Signature", Self.encoded(signature)), ("Key-Pair-Id", try media.required("key_id")),
        ]
        if isSHA256 { parts.append(("Hash-Algorithm", "SHA256")) }
        let isCookie = media.parameter("in") == "cookie"
        return media.resolution(
            address.text,
            tokens: parts.map { name, value in
                Token(
                    value, in: isCookie ? .cookie : .query, name: isCookie ? "CloudFront-\(name)" : name,
                    urlPrefix: scope.text)
            })
    }

    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        try SignedMedia.login(request) { text throws(ProviderError) in _ = try RSAKey(text) }
    }

    /// The policy without white space. The order of its members counts in a canned policy.
    static func policy(_ resource: String, until expires: Int64, ip: String?) -> Data {
        // Neither text has what JSON escapes: in an address the manifest allows only digits, dots and a slash.
        let network = ip.map { #","IpAddress":{"AWS:SourceIp":"\#($0.contains("/") ? $0 : $0 + "/32")"}"# } ?? ""
        let condition = #"{"DateLessThan":{"AWS:EpochTime":\#(expires)}\#(network)}"#
        return Data(#"{"Statement":[{"Resource":"\#(resource)","Condition":\#(condition)}]}"#.utf8)
    }

    /// Base64 with CloudFront's own three characters.
    static func encoded(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("=", with: "_").replacing("/", with: "~")
    }
}
