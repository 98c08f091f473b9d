import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signs paths of one server.
struct LinkSigner: PrintsRedacted {
    /// When its links expire, in seconds since 1970.
    let expires: Int64
    /// The kind of media that its links lead to.
    let kind: Resolution.Kind
    private let base: String
    private let string: String
    private let secret: String
    private let parameters: [String: JSONValue]

    init(
        _ parameters: [String: JSONValue], _ credentials: Secret<JSONValue>?, now: Date
    ) throws(ProviderError) {
        guard var base = parameters["base"]?.string else {
            throw ProviderError(.invalidParameters, "base is missing", parameter: "base")
        }
        if base.hasSuffix("/") { base.removeLast() }
        guard base.contains("://"), let server = SecretSource.server(of: base) else {
            throw ProviderError(.invalidParameters, "base isn't a scheme and host", parameter: "base")
        }
        self.base = base
        string = parameters["string"]?.string ?? "{expires}{path} {secret}"
        kind = parameters["kind"]?.string.flatMap(Resolution.Kind.init(rawValue:)) ?? .file
        // A signature without them would be valid for any file, or forever.
        let names = kind != .file && string.contains("{folder}") ? ["{folder}"] : ["{path}"]
        guard (names + ["{expires}", "{secret}"]).allSatisfy(string.contains) else {
            throw ProviderError(
                .invalidParameters, "string must contain {path}, {expires} and {secret}", parameter: "string")
        }
        let lifetime = parameters["lifetime"]?.int ?? 3600
        guard lifetime > 0 else {
            throw ProviderError(.invalidParameters, "lifetime must be positive", parameter: "lifetime")
        }
        expires = Int64(now.timeIntervalSince1970.rounded(.down)) + lifetime
        secret = try SecretSource(server: server, secretFile: parameters["secret_file"]?.string).secret(credentials)
        self.parameters = parameters
    }

    /// The signed address of a path. `words` are for names in `string` beyond those of a signature.
    func url(_ path: String, words: [String: String]) throws(ProviderError) -> String {
        var template = Template(words: words)
        // Only the hashed string may contain the secret.
        template.words["expires"] = String(expires)
        template.words["path"] = path
        template.words["folder"] = String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
        template.words["secret"] = secret
        let mark = Self.mark(try template.fill(string, parameter: "string"))
        let encoded = PercentEncoding.encoded(path, keeping: "/")
        if let pattern = parameters["url"]?.string {
            return try Template(words: ["base": base, "md5": mark, "expires": String(expires), "path": encoded])
                .fill(pattern, parameter: "url")
        }
        let argument = parameters["expires_argument"]?.string ?? "expires"
        return "\(base)\(encoded)?\(parameters["md5_argument"]?.string ?? "md5")=\(mark)"
            + (argument.isEmpty ? "" : "&\(argument)=\(expires)")
    }

    /// The value that nginx compares: the MD5 digest in base64url without padding.
    static func mark(_ text: String) -> String {
        Data(MD5.digest(text.utf8)).base64URL
    }
}
