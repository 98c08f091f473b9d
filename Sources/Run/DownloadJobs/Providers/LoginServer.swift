package import CourseCatalog
import MediaTransfer
package import ProviderHost
package import ProviderKit
import YAMLSource

/// The server that a login is for: scheme, host and port of the parameter `endpoint`. A credential helper's secrets for
/// one server go to no other.
package struct LoginServer: Sendable, Hashable, CustomStringConvertible {
    /// The parameter that names it, and the key in a helper's lines.
    package static let parameter = "endpoint"

    private let origin: Origin

    /// The server of a request or login; nil if its parameters name none.
    package init?(_ parameters: [String: JSONValue]) {
        guard let text = parameters[Self.parameter]?.string else { return nil }
        self.init(url: text)
    }

    /// The server that a course or video names; nil if it names none.
    package init?(_ settings: Settings) {
        guard let text = settings.parameters[Self.parameter]?.string else { return nil }
        self.init(url: text)
    }

    /// Whether a login at a provider is for the server of its parameter `endpoint`.
    package static func isNamed(at provider: String, in registry: PluginRegistry) -> Bool {
        guard case .found(let plugin) = registry.plugin(named: provider) else { return false }
        return plugin.manifest.methods.contains("login")
            && plugin.manifest.parameters.properties.contains { $0.name == parameter }
    }

    /// The server at an http or https URL without a user name; nil for anything else.
    package init?(url: String) {
        guard let parsed = ParsedURL(url), parsed.origin.isHTTP, parsed.user == nil else { return nil }
        origin = parsed.origin
    }

    /// `https://media.example.org`, with the port unless it is the scheme's own.
    package var description: String { origin.text }

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
        guard let text = given.value[Self.parameter] else { return .unstated }
        return LoginServer(url: text) == self ? .confirmed : .another
    }
}
