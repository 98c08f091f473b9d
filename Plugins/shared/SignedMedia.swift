import ProviderHTTP
import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A video whose address a provider signs itself, with a secret that the user has for its server; no host is asked.
struct SignedMedia: PrintsRedacted {
    /// The secret for the server of the parameter `endpoint`.
    let secret: String
    /// When its signatures expire, in seconds since 1970.
    let expires: Int64
    let kind: Resolution.Kind
    private let endpoint: WebAddress
    private let request: ResolveRequest

    /// - Parameter isStream: whether it is HLS where the parameter `kind` doesn't say so.
    init(_ request: ResolveRequest, of provider: String, isStream: Bool = false) throws(ProviderError) {
        let parameters = request.video.parameters
        self.request = request
        endpoint = try Endpoint.address(parameters)
        kind = parameters["kind"]?.string.flatMap(Resolution.Kind.init(rawValue:)) ?? (isStream ? .hls : .file)
        let lifetime = parameters["lifetime"]?.int ?? 3600
        guard (1...315_360_000).contains(lifetime) else {
            throw ProviderError(.invalidParameters, "lifetime must be positive", parameter: "lifetime")
        }
        expires = Int64(request.now.timeIntervalSince1970.rounded(.down)) + lifetime
        if let typed = HostLogins(request.credentials).entry(for: endpoint)?["key"]?.string, !typed.isEmpty {
            secret = typed
        } else {
            secret = try SecretFile(of: provider, for: endpoint.origin).text()
        }
    }

    /// The first line of a secret that is one, without blanks around it.
    static func line(of secret: String) -> String {
        secret.trimmed.split(whereSeparator: \.isNewline).first.map { String($0).trimmed } ?? ""
    }

    func parameter(_ name: String) -> String? { request.video.parameters[name]?.string }

    /// A parameter that can't be left out.
    func required(_ name: String) throws(ProviderError) -> String {
        guard let value = parameter(name), !value.isEmpty else {
            throw ProviderError(.invalidParameters, "\(name) is missing", parameter: name)
        }
        return value
    }

    /// The address that the parameter `path` leads to.
    func address() throws(ProviderError) -> WebAddress {
        try address(of: parameter("path") ?? "/{id}.mp4", "path")
    }

    /// The address of these names at the server, one of which is the video's id.
    func address(of names: [String]) throws(ProviderError) -> WebAddress {
        guard let address = endpoint.replacing(path: "/").appending(names) else {
            throw ProviderError(.notFound, "no video has such an id")
        }
        return address
    }

    /// The folder that the signature of a stream is for, which ends with a slash: the parameter `folder`, or else that
    /// of its playlist.
    func folder(of playlist: WebAddress) throws(ProviderError) -> WebAddress {
        guard var folder = parameter("folder") else {
            let end = playlist.path.lastIndex(of: "/") ?? playlist.path.startIndex
            return playlist.replacing(path: String(playlist.path[...end]))
        }
        if !folder.hasSuffix("/") { folder += "/" }
        let address = try address(of: folder, "folder")
        guard playlist.path.hasPrefix(address.path) else {
            throw ProviderError(.invalidParameters, "path isn't in folder", parameter: "folder")
        }
        return address
    }

    /// The answer with this address, which is good until the signatures expire.
    func resolution(_ url: String, tokens: [Token] = []) -> Resolution {
        Resolution(
            url: url, kind: kind, expiresAt: Date(timeIntervalSince1970: Double(expires)),
            fileExtension: parameter("extension"), tokens: tokens)
    }

    private func address(of template: String, _ parameter: String) throws(ProviderError) -> WebAddress {
        let path = try Template(words: Template.words(of: request)).fill(template, parameter: parameter)
        // No server takes them for names, and a signature for such a path isn't good for where it leads.
        guard path.hasPrefix("/"), !path.split(separator: "/").contains(where: { $0 == "." || $0 == ".." }) else {
            throw ProviderError(.invalidParameters, "\(parameter) is no path at a server", parameter: parameter)
        }
        return endpoint.replacing(path: PercentEncoding.encoded(path, keeping: "/"))
    }

    /// Stores the typed `key` for the server of the parameter `endpoint`, beside those of other servers.
    ///
    /// - Parameter check: throws if the text is no such key.
    static func login(
        _ request: LoginRequest, check: (String) throws(ProviderError) -> Void
    ) throws(ProviderError) -> Login {
        try check(request.secrets.value["key"] ?? "")
        return Login(credentials: try HostLogins.adding(request, required: ["key"]).0)
    }
}
