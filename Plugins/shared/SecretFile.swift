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

/// A file with a secret in coursefetch's configuration folder, which not everybody may read.
///
/// Which servers it is for is up to the user: the file's name says it, or its lines do. A catalog chooses the address.
struct SecretFile {
    private static let bound = 65_536

    let path: String
    /// The server as the user writes it: a host is one of https.
    private let server: String

    /// The file `HOST.secret` in the folder of a provider, for a server such as `https://media.example.org`.
    init(of provider: String, for server: String, environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.server = Self.shown(server)
        path = "\(Self.folder(environment))/\(provider)/\(self.server.replacing("http://", with: "http_")).secret"
    }

    /// A file that the parameter `secret_file` names.
    init(named name: String, for server: String, environment: [String: String]) throws(ProviderError) {
        let folder = Self.folder(environment)
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." || $0.hasPrefix("~") }) else {
            throw ProviderError(
                .invalidParameters, "secret_file must be a file in \(folder), such as secure-link/secrets",
                parameter: "secret_file")
        }
        self.server = Self.shown(server)
        path = "\(folder)/\(name)"
    }

    /// What is in it.
    func text() throws(ProviderError) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw ProviderError(.authRequired, "no secret for \(server): log in, or write it to \(path) (mode 600)")
        }
        guard status.st_mode & 0o007 == 0 else {
            throw ProviderError(.authRequired, "everybody can read the secret in \(path); run: chmod 600 \(path)")
        }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.bound,
            let data = FileManager.default.contents(atPath: path), data.count <= Self.bound
        else { throw ProviderError(.authRequired, "there is no secret in \(path)") }
        let text = String(decoding: data, as: UTF8.self)
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw ProviderError(.authRequired, "there is no secret in \(path)")
        }
        return text
    }

    func lines() throws(ProviderError) -> [String] {
        try text().split(whereSeparator: \.isNewline).map(String.init)
    }

    static func shown(_ server: String) -> String {
        server.hasPrefix("https://") ? String(server.dropFirst(8)) : server
    }

    /// coursefetch's configuration folder.
    private static func folder(_ environment: [String: String]) -> String {
        var folder = environment["XDG_CONFIG_HOME"] ?? ""
        if !folder.hasPrefix("/") { folder = (environment["HOME"] ?? "/") + "/.config" }
        return "\(folder)/coursefetch"
    }
}
