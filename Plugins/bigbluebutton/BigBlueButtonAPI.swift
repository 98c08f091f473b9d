import Crypto
import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The API of a BigBlueButton server, or of a Scalelite in front of several, whose requests are signed with a secret.
///
/// Related: docs/docs/development/api.md of BigBlueButton
struct BigBlueButtonAPI: Sendable, PrintsRedacted {
    /// What a server takes; it may be set to one of them.
    enum Algorithm: String, CaseIterable, Sendable {
        case sha256, sha1, sha512, sha384

        /// In hexadecimal.
        func digest(_ text: String) -> String {
            let data = Data(text.utf8)
            return switch self {
            case .sha1: Insecure.SHA1.hash(data: data).hex
            case .sha256: SHA256.hash(data: data).hex
            case .sha384: SHA384.hash(data: data).hex
            case .sha512: SHA512.hash(data: data).hex
            }
        }
    }

    let address: WebAddress
    let client: HTTPClient
    let secret: Secret<String>
    let algorithm: Algorithm

    /// Nil without a secret for the server.
    init?(_ endpoint: WebAddress, _ credentials: Secret<JSONValue>?, _ client: HTTPClient) {
        let entry = HostLogins(credentials).entry(for: endpoint)
        guard let secret = entry?["secret"]?.string else { return nil }
        let algorithm = entry?["algorithm"]?.string.flatMap(Algorithm.init(rawValue:))
        self.init(endpoint, secret, by: algorithm ?? .sha256, client)
    }

    init(_ endpoint: WebAddress, _ secret: String, by algorithm: Algorithm, _ client: HTTPClient) {
        var names = endpoint.path.split(separator: "/").map(String.init)
        if names.last == "api" { names.removeLast() }
        if names.last != "bigbluebutton" { names.append("bigbluebutton") }
        address = endpoint.replacing(path: "/\(names.joined(separator: "/"))/api")
        self.client = client
        self.secret = Secret(secret)
        self.algorithm = algorithm
    }

    /// Recordings of a meeting, or those whose ids begin so. Those that nobody may see, and that aren't made yet, too.
    func recordings(_ filter: (name: String, value: String)) async throws(ProviderError) -> [BigBlueButtonRecording] {
        // Without a limit: with one, newer servers answer with single formats.
        let answer = try await call("getRecordings", [filter, ("state", "any")])
        let found = answer.first("recordings")?.all("recording")
        guard let found = found ?? (answer.text(of: "messageKey") == "noRecordings" ? [] : nil) else {
            throw unknownAnswer
        }
        let recordings = found.compactMap(BigBlueButtonRecording.init)
        guard recordings.count == found.count else { throw unknownAnswer }
        return recordings
    }

    private var unknownAnswer: ProviderError {
        ProviderError(.unavailable, "the answer of \(address.host) isn't BigBlueButton's", server: address.origin)
    }

    /// Calls a function; `query` is signed as it is sent.
    func call(
        _ name: String, _ fields: [(name: String, value: String)]
    ) async throws(ProviderError) -> XMLElement {
        let query = fields.map { "\($0.name)=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
        let checksum = algorithm.digest(name + query + secret.value)
        let function = address.replacing(path: "\(address.path)/\(name)")
        let response = try await client.get(function.adding(query: fields + [("checksum", checksum)]))
        let answer = try response.xml()
        guard answer.name == "response", let code = answer.text(of: "returncode") else {
            throw unknownAnswer
        }
        guard code == "SUCCESS" else {
            let key = answer.text(of: "messageKey") ?? code
            throw ProviderError(
                key == "checksumError" ? .authRequired : .unavailable,
                key == "checksumError"
                    ? "\(address.host) refuses the secret" : "\(address.host) answers \(key) to \(name)",
                server: address.origin)
        }
        return answer
    }
}
