/// What is wrong with a redirect.
package enum RedirectProblem: Sendable, Equatable, Hashable {
    /// A redirect status without `Location`.
    case noLocation
    /// A `Location` that makes no URL.
    case badLocation
    /// Another scheme than http and https.
    case unsupportedScheme
    /// From https to http.
    case downgrade
    /// Back to a URL of this chain.
    case loop
    /// More than ``mostHops``.
    case tooMany
    /// A `Location` with a user name in it, which would be a way to make up credentials for another host.
    case credentials

    /// How many redirects one transfer follows.
    package static let mostHops = 10
}
