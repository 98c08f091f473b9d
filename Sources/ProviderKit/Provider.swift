/// Says where a video is right now.
///
/// A plugin is a type that conforms to this protocol and is marked `@main`:
///
/// ```swift
/// import ProviderKit
///
/// @main struct Example: Provider {
///     func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
///         Resolution(url: "https://media.example.org/\(request.video.id).mp4")
///     }
/// }
/// ```
///
/// Methods are called concurrently, up to the `concurrency` of the plugin's manifest. Every request is complete in
/// itself: nothing has to be remembered between two of them.
public protocol Provider: Sendable {
    /// Makes the provider of a plugin process: ``main()`` calls it once. An `init()` that can't fail will do.
    ///
    /// A provider that is only used within a program needs none: the default makes nil.
    init?()

    /// Answers where the media of one video is right now, and until when that holds.
    ///
    /// With ``ResolveRequest/previous`` set the last answer is no good any more, so that an answer must not come out
    /// of a cache.
    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution

    /// Lists one page of what a course holds. Called for courses with `discover: true` only, and only if the manifest
    /// has `list` among its `methods`.
    func list(_ request: ListRequest) async throws(ProviderError) -> Listing

    /// Turns the secrets that a person typed into credentials to keep. Called only if the manifest has `login` among
    /// its `methods`.
    func login(_ request: LoginRequest) async throws(ProviderError) -> Login
}

extension Provider {
    /// Makes nil: this provider doesn't run as a process of its own.
    public init?() { return nil }

    /// Throws ``ProviderError/Kind/unsupported``.
    public func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        throw ProviderError(.unsupported, "this provider can't list courses")
    }

    /// Throws ``ProviderError/Kind/unsupported``.
    public func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        throw ProviderError(.unsupported, "this provider needs no login")
    }
}
