import Crypto
import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signs addresses: AWS Signature Version 4 in the query.
struct S3Signer: Sendable, PrintsRedacted {
    let accessKey: String
    let secretKey: Secret<String>
    let sessionToken: Secret<String>?
    let region: String
    /// The time of the signature, since 1970.
    let seconds: Int

    /// `address` with a signature of GET in its query, for so many seconds.
    func presigned(_ address: WebAddress, lifetime: Int) -> WebAddress {
        let (day, time) = stamp
        let scope = "\(day)/\(region)/s3/aws4_request"
        var fields = [
            (name: "X-Amz-Algorithm", value: "AWS4-HMAC-SHA256"), ("X-Amz-Credential", "\(accessKey)/\(scope)"),
            ("X-Amz-Date", time), ("X-Amz-Expires", String(lifetime)), ("X-Amz-SignedHeaders", "host"),
        ]
        if let sessionToken { fields.append(("X-Amz-Security-Token", sessionToken.value)) }
        let unsigned = address.adding(query: fields)
        let query = (unsigned.query ?? "").split(separator: "&").sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let request = [
            "GET", address.path, query.joined(separator: "&"), "host:\(address.host)", "", "host", "UNSIGNED-PAYLOAD",
        ].joined(separator: "\n")
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(SHA256.hash(data: Data(request.utf8)).hex)"
        var key = SymmetricKey(data: Data("AWS4\(secretKey.value)".utf8))
        for part in [day, region, "s3", "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Data(part.utf8), using: key))
        }
        let signature = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
        return unsigned.adding(query: [("X-Amz-Signature", signature.hex)])
    }

    /// `20261120` and `20261120T230000Z`.
    private var stamp: (day: String, time: String) {
        let text = Timestamp.text(Date(timeIntervalSince1970: Double(seconds))).filter { $0 != "-" && $0 != ":" }
        return (String(text.prefix(8)), text)
    }
}
