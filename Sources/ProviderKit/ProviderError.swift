/// Why a request has no answer. Its kind decides what the runner does; its message is shown to the person.
///
/// A message must not hold a secret. The host replaces the secrets that it knows and cuts the query off URLs
/// before it shows, logs or stores a message, but it can't know all.
public struct ProviderError: Error, Sendable, Hashable {
    /// What kind of failure it is. The raw values are those of the protocol.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The provider's downloads are suspended until the person has logged in.
        case authRequired = "auth_required"
        /// This person may not have the video, for good.
        case forbidden
        /// The video isn't given out at this place, for good.
        case geoBlocked = "geo_blocked"
        /// There is no such video.
        case notFound = "not_found"
        /// There was such a video.
        case gone
        /// Encrypted for a player, not for downloading.
        case drm
        /// Not there yet: asked again after ``ProviderError/retryAfter`` or at the next run.
        case notReady = "not_ready"
        /// The provider as a whole is left in peace for ``ProviderError/retryAfter``.
        case rateLimited = "rate_limited"
        /// Out of order for the moment: asked again with a growing delay.
        case unavailable
        /// A parameter of the catalog, ``ProviderError/parameter``, makes no sense to this provider.
        case invalidParameters = "invalid_parameters"
        /// The provider doesn't have this method (`list`, `login`).
        case unsupported = "unsupported_method"
        /// The plugin is at fault: it failed in a way that it has no kind for or, on the host's side, gave a wrong
        /// answer, crashed or hung on this one request twice. Fails the one video.
        case pluginFault = "plugin_fault"
        /// On the host's side only: the plugin can't be started, or failed on three different requests without a good
        /// answer between. Fails all of the provider's videos.
        case providerFailed = "provider_failed"
        /// On the host's side only: this machine has no file descriptors, processes or memory left to start the plugin
        /// with. Suspends the run.
        case machineExhausted = "machine_exhausted"
        /// On the host's side only: the caller gave up waiting, or the run ends.
        case cancelled

        /// The kinds that a plugin may answer with; any other makes it a ``pluginFault``.
        public static let ofPlugins: Set<Kind> = [
            .authRequired, .forbidden, .geoBlocked, .notFound, .gone, .drm, .notReady, .rateLimited, .unavailable,
            .invalidParameters,
        ]
    }

    /// What kind of failure it is.
    public var kind: Kind
    /// What went wrong, as a sentence for the person.
    public var message: String
    /// How long to wait before asking again; nil leaves it to the runner.
    public var retryAfter: Duration?
    /// The catalog parameter at fault, with ``Kind/invalidParameters``.
    public var parameter: String?
    /// New credentials that replace the old, though there is no answer: a refresh token that is good once has been used.
    public var credentials: Secret<JSONValue>?

    /// Makes an error.
    public init(
        _ kind: Kind, _ message: String, retryAfter: Duration? = nil, parameter: String? = nil,
        credentials: Secret<JSONValue>? = nil
    ) {
        self.kind = kind
        self.message = message
        self.retryAfter = retryAfter
        self.parameter = parameter
        self.credentials = credentials
    }
}

extension ProviderError: CustomStringConvertible {
    /// The kind, the parameter if there is one, and the message.
    public var description: String {
        "\(kind.rawValue)\(parameter.map { " (\($0))" } ?? ""): \(message)"
    }
}
