import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The source of a server's secret: the file in the configuration folder that the catalog names, else the credentials,
/// else the host's own file there. Never the catalog's own text, and never another server's secret: a catalog chooses
/// the URL, but the user decides which servers get signatures, and whether anybody on the way may read them.
struct SecretSource {
    /// In the form of ``server(of:)``.
    let server: String
    /// The parameter `secret_file`.
    var secretFile: String?
    var environment = ProcessInfo.processInfo.environment

    /// Scheme, host and port of `base` in the one form in which secrets are stored: in lower case, without the scheme's
    /// default port. A host alone is one of https. Nil for anything else.
    static func server(of base: String) -> String? {
        var rest = base.lowercased()[...]
        let isPlain = rest.hasPrefix("http://")
        for scheme in ["https://", "http://"] where rest.hasPrefix(scheme) {
            rest = rest.dropFirst(scheme.count)
            break
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        let ownPort = isPlain ? ":80" : ":443"
        if rest.hasSuffix(ownPort) { rest = rest.dropLast(ownPort.count) }
        let isHost = rest.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 >= 0x80 || ".-_:[]".utf8.contains($0)
        }
        guard isHost, !rest.isEmpty, rest != ".", rest != ".." else { return nil }
        return "\(isPlain ? "http" : "https")://\(rest)"
    }

    func secret(_ credentials: Secret<JSONValue>?) throws(ProviderError) -> String {
        let shown = SecretFile.shown(server)
        if let secretFile {
            let file = try SecretFile(named: secretFile, for: server, environment: environment)
            for line in try file.lines() {
                let words = line.split(separator: " ", maxSplits: 1)
                if words.count == 2, Self.server(of: String(words[0])) == server { return String(words[1]) }
            }
            throw ProviderError(
                .authRequired, "\(file.path) has no line for \(shown); a line is: \(shown), space, secret")
        }
        let hosts = credentials?.value["hosts"]
        // Those of earlier versions have no scheme.
        if let secret = (hosts?[server] ?? hosts?[shown])?.string, !secret.isEmpty { return secret }
        let file = SecretFile(of: "secure-link", for: server, environment: environment)
        guard let line = try file.lines().first else {
            throw ProviderError(.authRequired, "there is no secret in \(file.path)")
        }
        return line
    }
}
