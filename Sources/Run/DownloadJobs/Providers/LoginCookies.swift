package import Foundation
package import ProviderHost
package import ProviderKit
package import SyncFacts
import YAMLSource

/// The browser's sessions among the secrets of a login.
package struct LoginCookies: Sendable {
    private let provider: String
    /// Of the manifest's `cookies`.
    private let names: [String]
    /// The parameter that says which server a line of `Cookie` is for; nil if the provider has none.
    private let parameter: String?
    private let server: LoginServer?

    /// - Parameter parameters: those of the login.
    package init(_ plugin: Plugin, _ parameters: [String: JSONValue]) {
        let manifest = plugin.manifest
        provider = plugin.name
        names = manifest.cookies
        let isKnown = manifest.parameters == .anything || manifest.parameters.property(manifest.server) != nil
        parameter = isKnown ? manifest.server : nil
        server = LoginServer(parameters, in: manifest.server)
    }

    /// The secrets with each session in Netscape's format, without what has expired.
    package func read(_ secrets: [String: String], at now: Date) throws(Refusal) -> [String: String] {
        var secrets = secrets
        for name in names {
            guard let text = secrets[name] else { continue }
            do throws(CookieMistake) {
                secrets[name] = try CookieJar.read(text, for: server?.cookies, from: parameter, at: now).text
            } catch {
                throw .provider(.cookies(provider, secret: name, error))
            }
        }
        return secrets
    }

    /// The secrets of a login at one server, with the cookies for other hosts that an earlier login has left, if there
    /// is room for them.
    package func joining(_ secrets: [String: String], with earlier: JSONValue?) -> [String: String] {
        guard server != nil else { return secrets }
        var secrets = secrets
        for name in names {
            guard let new = secrets[name].flatMap(CookieJar.init(recognising:)),
                let old = earlier?[name]?.string.flatMap(CookieJar.init(recognising:))
            else { continue }
            let domains = Set(new.cookies.map(\.domain))
            let both = CookieJar(old.cookies.filter { !domains.contains($0.domain) } + new.cookies)
            guard both.cookies.count <= CookieJar.countBound, both.text.utf8.count <= CookieJar.byteBound else {
                continue
            }
            secrets[name] = both.text
        }
        return secrets
    }

    /// When the last cookie with an expiry ends; nil if none has one.
    package func lastExpiry(of secrets: [String: String]) -> Date? {
        names.compactMap { secrets[$0].flatMap(CookieJar.init(recognising:))?.lastExpiry }.max()
    }
}
