import ProviderKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The source of a server's secret: the file in the configuration folder that the catalog names, else the credentials,
/// else the host's own file there. Never the catalog's own text, and never another server's secret: a catalog chooses
/// the URL, but the user decides which servers get signatures, and whether anybody on the way may read them.
struct SecretSource {
    private static let bound = 65_536

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
        if let secretFile {
            let file = try file(named: secretFile)
            for line in try lines(of: file) {
                let words = line.split(separator: " ", maxSplits: 1)
                if words.count == 2, Self.server(of: String(words[0])) == server { return String(words[1]) }
            }
            throw ProviderError(.authRequired, "\(file) has no line for \(shown); a line is: \(shown), space, secret")
        }
        let hosts = credentials?.value["hosts"]
        // Those of earlier versions have no scheme.
        if let secret = (hosts?[server] ?? hosts?[shown])?.string, !secret.isEmpty { return secret }
        let file = "\(folder)/secure-link/\(shown.replacing("http://", with: "http_")).secret"
        guard let line = try lines(of: file).first else {
            throw ProviderError(.authRequired, "there is no secret in \(file)")
        }
        return line
    }

    /// The server as the user writes it: a host is one of https.
    private var shown: String { server.hasPrefix("https://") ? String(server.dropFirst(8)) : server }

    /// coursefetch's configuration folder.
    private var folder: String {
        var folder = environment["XDG_CONFIG_HOME"] ?? ""
        if !folder.hasPrefix("/") { folder = (environment["HOME"] ?? "/") + "/.config" }
        return "\(folder)/coursefetch"
    }

    private func file(named name: String) throws(ProviderError) -> String {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." || $0.hasPrefix("~") }) else {
            throw ProviderError(
                .invalidParameters, "secret_file must be a file in \(folder), such as secure-link/secrets",
                parameter: "secret_file")
        }
        return "\(folder)/\(name)"
    }

    private func lines(of file: String) throws(ProviderError) -> [String] {
        var status = stat()
        guard stat(file, &status) == 0 else {
            throw ProviderError(
                .authRequired, "no secret for \(shown): log in, or write it to \(file) (mode 600)")
        }
        guard status.st_mode & 0o007 == 0 else {
            throw ProviderError(.authRequired, "everybody can read the secret in \(file); run: chmod 600 \(file)")
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.bound,
            let data = FileManager.default.contents(atPath: file), data.count <= Self.bound
        else { throw ProviderError(.authRequired, "there is no secret in \(file)") }
        return String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
    }
}
