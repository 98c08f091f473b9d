import Crypto
import CryptoExtras
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A private key for RSASSA-PKCS1-v1_5.
struct RSAKey: PrintsRedacted {
    private let key: _RSA.Signing.PrivateKey

    /// Reads PEM (PKCS #1 or PKCS #8), or base64 of it, which is how Mux and Cloudflare hand a key out.
    init(_ text: String) throws(ProviderError) {
        var pem = text
        if !text.contains("-----BEGIN"),
            let data = Data(base64Encoded: String(text.filter { !$0.isWhitespace }))
        {
            pem = String(decoding: data, as: UTF8.self)
        }
        do {
            key = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
        } catch {
            throw ProviderError(
                .authRequired, "the key must be an RSA private key in PEM, of 2048 bits at least and without a password"
            )
        }
    }

    func signature(for digest: some Digest) throws(ProviderError) -> Data {
        do {
            return try key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation
        } catch {
            throw ProviderError(.authRequired, "the key can't sign")
        }
    }

    /// A JSON Web Token with RS256, whose members are in the order of their names.
    ///
    /// Related: RFC 7515 §3.1, RFC 7518 §3.3
    func webToken(_ claims: JSONValue, header: JSONValue) throws(ProviderError) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let header = try? encoder.encode(header), let claims = try? encoder.encode(claims) else {
            throw ProviderError(.invalidParameters, "the id can't be part of a token")
        }
        let signed = header.base64URL + "." + claims.base64URL
        return try signed + "." + signature(for: SHA256.hash(data: Data(signed.utf8))).base64URL
    }
}

extension Data {
    /// Base64 with the URL-safe alphabet, without padding.
    ///
    /// Related: RFC 4648 §5
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
