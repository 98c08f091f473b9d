/// The mistake in a redirect.
package enum RedirectProblem: Sendable, Equatable, Hashable {
    /// A redirect status without `Location`.
    case noLocation
    /// A `Location` that isn't a URL.
    case badLocation
    /// Another scheme than http and https.
    case unsupportedScheme
    /// From https to http.
    case downgrade
    /// Back to a URL of this chain.
    case loop
    /// More than ``mostHops``.
    case tooMany
    /// A `Location` with a user name, which would allow fake credentials for another host.
    case credentials

    /// The limit on redirects of one transfer.
    package static let mostHops = 10
}
