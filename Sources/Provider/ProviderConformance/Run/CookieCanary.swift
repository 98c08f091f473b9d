import Foundation
import ProviderHost
import ProviderKit

/// The browser's sessions that a plugin is checked with: those that are given, or made-up ones, each with a cookie of
/// a host that nothing is asked of.
package struct CookieCanary: Sendable {
    /// Nobody's (RFC 2606 §2).
    package static let host = "elsewhere.invalid"
    private static let name = "elsewhere"
    /// The host of a made-up session if no parameter names one.
    private static let madeUpHost = "media.example.org"
    /// How its values begin: a server finds it without knowing the whole.
    private static let mark = "canary-\(name)-"

    private let server: CookieJar.Server?
    private let now: Date
    private let cookie = Cookie(name, SecretWatch.canary(name), domain: host, includesSubdomains: true)

    init(_ manifest: Manifest, _ parameters: [String: JSONValue], now: Date) {
        server = parameters[manifest.server]?.string.flatMap(CookieJar.Server.init(url:))
        self.now = now
    }

    /// Whether the cookie is in a text.
    static func isIn(_ text: String) -> Bool { text.contains(mark) }

    /// Whether the cookie is in anything that goes with the requests of an answer: it is for none of them.
    static func isIn(_ resolution: Resolution) -> Bool {
        let parts = resolution.streams.flatMap(\.tracks) + resolution.tracks
        let headers = [resolution.headers] + parts.map(\.headers) + resolution.streams.map(\.headers)
        let texts = resolution.everyToken.map(\.value) + headers.flatMap(\.values) + [resolution.url]
        return texts.contains(where: isIn)
    }

    /// A session for a secret of this name; `text` is what fixtures have for it.
    func session(_ name: String, given text: String? = nil) -> String {
        let given = text.flatMap { try? CookieJar.read($0, for: server, from: nil, at: now) }
        let madeUp = Cookie(
            "session", SecretWatch.canary(name), domain: server?.host ?? Self.madeUpHost,
            isSecure: server?.isSecure ?? true)
        return added(to: given ?? CookieJar([madeUp])).text
    }

    func added(to jar: CookieJar) -> CookieJar { CookieJar(jar.cookies + [cookie]) }

    /// Settings with the cookie in each session; `names` are those of their credentials that are one.
    func added(to settings: CheckSettings, _ names: [String]) -> CheckSettings {
        var copy = settings
        for name in names where settings.credentials[name] != nil {
            copy.credentials[name] = session(name, given: settings.credentials[name])
        }
        copy.stored = settings.stored.map { Secret($0.value.mapCookieJars(added)) }
        return copy
    }
}

extension CookieJar.Server {
    /// The server at an http or https URL; nil for anything else.
    init?(url text: String) {
        guard let url = URL(string: text), let host = url.host()?.lowercased(), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme)
        else { return nil }
        self.init(host: host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host, isSecure: scheme == "https")
    }
}
