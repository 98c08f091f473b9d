package import CourseCatalog
import MediaTransfer
package import ProviderHost
package import ProviderKit
import YAMLSource

/// The server that a login is for: scheme, host and port of the parameter that the plugin's manifest names, by default
/// `endpoint`. A credential helper's secrets for one server go to no other.
package struct LoginServer: Sendable, Hashable, CustomStringConvertible {
    /// The key in a helper's lines.
    package static let key = "endpoint"

    private let origin: Origin

    /// The server of a request or login; nil if its parameters name none.
    package init?(_ parameters: [String: JSONValue], in parameter: String) {
        self.init(text: parameters[parameter]?.string, in: parameter)
    }

    /// The server that a course or video names; nil if it names none.
    package init?(_ settings: Settings, in parameter: String) {
        self.init(text: settings.parameters[parameter]?.string, in: parameter)
    }

    /// A parameter that a manifest names may have the host alone, which is asked over https.
    private init?(text: String?, in parameter: String) {
        guard let text else { return nil }
        if let server = LoginServer(url: text) {
            self = server
        } else if parameter != Manifest.standardServer, !text.contains("://") {
            self.init(url: "https://\(text)")
        } else {
            return nil
        }
    }

    /// The parameter that names the server of a login at a provider; nil if it has none.
    package static func parameter(at provider: String, in registry: PluginRegistry) -> String? {
        guard case .found(let plugin) = registry.plugin(named: provider), plugin.manifest.methods.contains("login"),
            plugin.manifest.parameters.properties.contains(where: { $0.name == plugin.manifest.server })
        else { return nil }
        return plugin.manifest.server
    }

    /// The server at an http or https URL without a user name; nil for anything else.
    package init?(url: String) {
        guard let parsed = ParsedURL(url), parsed.origin.isHTTP, parsed.user == nil else { return nil }
        origin = parsed.origin
    }

    /// `https://media.example.org`, with the port unless it is the scheme's own.
    package var description: String { origin.text }

    /// The server that a line of `Cookie` is for.
    var cookies: CookieJar.Server { CookieJar.Server(host: origin.host, isSecure: origin.scheme == "https") }

    /// What a helper's answer says about this server.
    package enum Claim: Sendable, Equatable {
        /// Its secrets are for this server.
        case confirmed
        /// They are for another one.
        case another
        /// It doesn't say which server they are for.
        case unstated
    }

    /// Whether a helper's secrets are for this server.
    package func claim(of given: Secret<[String: String]>) -> Claim {
        guard let text = given.value[Self.key] else { return .unstated }
        return LoginServer(url: text) == self ? .confirmed : .another
    }
}
