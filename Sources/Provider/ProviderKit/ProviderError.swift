/// The reason why a request has no answer. Its kind decides what the runner does; its message is shown to the user.
///
/// A message must not contain a secret. The host replaces the secrets that it knows and cuts the query off URLs before
/// it shows, logs or stores a message, but it can't know all of them.
public struct ProviderError: Error, Sendable, Hashable {
    /// The kind of failure. The raw values are those of the protocol.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The downloads of ``ProviderError/server`` are suspended until the user has logged in.
        case authRequired = "auth_required"
        /// The credentials have to be renewed, and the request said that it isn't its turn to do that. The kit's
        /// `renewCredentials` throws it; the host asks again.
        case renewalNeeded = "renewal_needed"
        /// This user may not have the video; permanent.
        case forbidden
        /// The video isn't available at this location; permanent.
        case geoBlocked = "geo_blocked"
        /// There is no such video.
        case notFound = "not_found"
        /// The video existed, and was removed.
        case gone
        /// Encrypted for a player, not for downloading.
        case drm
        /// Not available yet: asked again after ``ProviderError/retryAfter`` or at the next run.
        case notReady = "not_ready"
        /// The provider gets no requests for ``ProviderError/server`` for ``ProviderError/retryAfter``.
        case rateLimited = "rate_limited"
        /// Temporarily unavailable: asked again with a growing delay.
        case unavailable
        /// The catalog's parameter ``ProviderError/parameter`` is invalid for this provider.
        case invalidParameters = "invalid_parameters"
        /// The provider doesn't have this method (`list`, `login`).
        case unsupported = "unsupported_method"
        /// The plugin is at fault: it failed in a way without a kind or, on the host's side, gave a wrong answer, or
        /// crashed or hung twice on this one request. Fails this video only.
        case pluginFault = "plugin_fault"
        /// On the host's side only: the plugin can't be started, or failed on three different requests without a good
        /// answer in between. Fails all of the provider's videos.
        case providerFailed = "provider_failed"
        /// On the host's side only: this machine has no file descriptors, processes or memory left to start the plugin
        /// with. Suspends the run.
        case machineExhausted = "machine_exhausted"
        /// On the host's side only: the caller gave up waiting, or the run ends.
        case cancelled

        /// The kinds that a plugin may answer with; any other becomes a ``pluginFault``.
        public static let ofPlugins: Set<Kind> = [
            .authRequired, .forbidden, .geoBlocked, .notFound, .gone, .drm, .notReady, .rateLimited, .unavailable,
            .invalidParameters, .renewalNeeded,
        ]
    }

    public var kind: Kind
    /// The description of the failure, as a sentence for the user.
    public var message: String
    /// The time to wait before asking again; nil leaves it to the runner.
    public var retryAfter: Duration?
    /// The catalog parameter at fault, with ``Kind/invalidParameters``.
    public var parameter: String?
    /// The server that refuses, asks to wait or can't be reached, as `https://media.example.org`; with another name of
    /// it if it has no address. Without it the error is about the server of the parameter `endpoint`, or else about the
    /// whole provider.
    public var server: String?
    /// New credentials that replace the old ones, although the request failed: for example, a single-use refresh token
    /// has been used.
    public var credentials: Secret<JSONValue>?

    public init(
        _ kind: Kind, _ message: String, retryAfter: Duration? = nil, parameter: String? = nil,
        credentials: Secret<JSONValue>? = nil, server: String? = nil
    ) {
        self.kind = kind
        self.message = message
        self.retryAfter = retryAfter
        self.parameter = parameter
        self.credentials = credentials
        self.server = server
    }
}

extension ProviderError: CustomStringConvertible {
    /// The kind, the parameter if there is one, and the message.
    public var description: String {
        "\(kind.rawValue)\(parameter.map { " (\($0))" } ?? ""): \(message)"
    }
}
