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

/// Where the secret comes from: the file that the catalog names, else the credentials, else the host's file. Never the
/// catalog's own text.
struct SecretSource {
    private static let bound = 4096

    let parameters: [String: JSONValue]
    let base: String
    var environment = ProcessInfo.processInfo.environment

    /// The secret.
    func secret(_ credentials: Secret<JSONValue>?) throws(ProviderError) -> String {
        if parameters["secret_file"] == nil, let secret = credentials?.value["secret"]?.string, !secret.isEmpty {
            return secret
        }
        let file = file
        var status = stat()
        guard stat(file, &status) == 0 else {
            throw ProviderError(
                .authRequired, "no secret for \(base): log in with it, or write it into \(file) (mode 600)")
        }
        guard status.st_mode & 0o007 == 0 else {
            throw ProviderError(.authRequired, "everybody can read the secret in \(file): chmod 600 it")
        }
        guard let data = FileManager.default.contents(atPath: file), data.count <= Self.bound,
            let line = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).first
        else { throw ProviderError(.authRequired, "there is no secret in \(file)") }
        return String(line)
    }

    /// The file that holds the secret: `secret_file`, else `secure-link/HOST.secret`, in coursefetch's configuration
    /// folder where it is a relative path. The host comes with its port, if it has one.
    var file: String {
        let home = environment["HOME"] ?? "/"
        let host = base.split(separator: "/", omittingEmptySubsequences: true).last ?? ""
        let name = parameters["secret_file"]?.string ?? "secure-link/\(host).secret"
        if name.hasPrefix("/") { return name }
        if name.hasPrefix("~/") { return home + name.dropFirst() }
        var folder = environment["XDG_CONFIG_HOME"] ?? ""
        if !folder.hasPrefix("/") { folder = home + "/.config" }
        return "\(folder)/coursefetch/\(name)"
    }
}
