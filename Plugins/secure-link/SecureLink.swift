import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signs links for nginx's `secure_link_md5`, without any request.
@main struct SecureLink: Provider {
    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
        let parameters = request.video.parameters
        guard var base = parameters["base"]?.string else {
            throw ProviderError(.invalidParameters, "base is missing", parameter: "base")
        }
        if base.hasSuffix("/") { base.removeLast() }
        guard base.contains("://"), let host = SecretSource.host(of: base) else {
            throw ProviderError(.invalidParameters, "base isn't a scheme and host", parameter: "base")
        }
        let string = parameters["string"]?.string ?? "{expires}{path} {secret}"
        let kind = parameters["kind"]?.string.flatMap(Resolution.Kind.init(rawValue:)) ?? .file
        // A signature without them would be valid for any file, or forever.
        let names = kind == .hls && string.contains("{folder}") ? ["{folder}"] : ["{path}"]
        guard (names + ["{expires}", "{secret}"]).allSatisfy(string.contains) else {
            throw ProviderError(
                .invalidParameters, "string must contain {path}, {expires} and {secret}", parameter: "string")
        }
        let lifetime = parameters["lifetime"]?.int ?? 3600
        guard lifetime > 0 else {
            throw ProviderError(.invalidParameters, "lifetime must be positive", parameter: "lifetime")
        }
        let expires = Int64(request.now.timeIntervalSince1970.rounded(.down)) + lifetime

        var words = parameters.compactMapValues(\.scalarText)
        words["id"] = request.video.id
        words["course"] = request.course.id
        words["chapter"] = request.chapter?.id ?? ""
        var template = Template(words: words)
        let path = try template.fill(parameters["path"]?.string ?? "/{id}.mp4", parameter: "path")

        // Only the hashed string may contain the secret.
        template.words["expires"] = String(expires)
        template.words["path"] = path
        template.words["folder"] = String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
        template.words["secret"] = try SecretSource(host: host, secretFile: parameters["secret_file"]?.string)
            .secret(request.credentials)
        let signed = try template.fill(string, parameter: "string")

        let encoded = Template.percentEncoded(path)
        let url: String
        if let pattern = parameters["url"]?.string {
            url = try Template(
                words: ["base": base, "md5": Self.mark(signed), "expires": String(expires), "path": encoded]
            ).fill(pattern, parameter: "url")
        } else {
            let argument = parameters["expires_argument"]?.string ?? "expires"
            url =
                "\(base)\(encoded)?\(parameters["md5_argument"]?.string ?? "md5")=\(Self.mark(signed))"
                + (argument.isEmpty ? "" : "&\(argument)=\(expires)")
        }
        return Resolution(
            url: url, kind: kind, expiresAt: Date(timeIntervalSince1970: Double(expires)),
            fileExtension: parameters["extension"]?.string, mediaType: parameters["media_type"]?.string)
    }

    /// Stores the typed secret for its host, beside those of other hosts.
    func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        guard let secret = request.secrets.value["secret"], !secret.isEmpty else {
            throw ProviderError(.authRequired, "the secret is missing")
        }
        guard let host = request.secrets.value["host"].flatMap(SecretSource.host) else {
            throw ProviderError(.authRequired, "the host that the secret is for is missing, such as media.example.org")
        }
        var hosts = request.credentials?.value["hosts"]?.object ?? [:]
        hosts[host] = .string(secret)
        return Login(credentials: ["hosts": .object(hosts)])
    }

    /// The value that nginx compares: the MD5 digest in base64url without padding.
    static func mark(_ text: String) -> String {
        Data(MD5.digest(text.utf8)).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

extension JSONValue {
    /// A scalar as a word to insert; nil for anything else.
    fileprivate var scalarText: String? {
        switch self {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): String(number)
        case .bool(let value): String(value)
        case .null, .array, .object: nil
        }
    }
}
