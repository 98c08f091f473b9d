/// Locates videos.
///
/// A plugin is a type that conforms to this protocol and is marked `@main`:
///
/// ```swift
/// import ProviderKit
///
/// @main struct Example: Provider {
///     func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution {
///         Resolution(url: "https://media.example.org/\(PercentEncoding.encoded(request.video.id)).mp4")
///     }
/// }
/// ```
///
/// Methods are called concurrently, up to the `concurrency` of the plugin's manifest. Every request is complete in
/// itself: the provider needs no state between two of them.
public protocol Provider: Sendable {
    /// Makes the provider of a plugin process: ``main()`` calls it once. A non-failable `init()` satisfies it.
    ///
    /// A provider that is only used within a program needs none: the default returns nil.
    init?()

    /// Returns the current location of one video's media, and its expiry.
    ///
    /// If ``ResolveRequest/previous`` is set the previous answer can't be used any more, so the answer must not come
    /// from a cache.
    func resolve(_ request: ResolveRequest) async throws(ProviderError) -> Resolution

    /// Lists one page of a course's contents. Called for courses with `discover: true` only, and only if the manifest
    /// has `list` among its `methods`.
    func list(_ request: ListRequest) async throws(ProviderError) -> Listing

    /// Lists one page of the courses that the user has at this provider. Called only if the manifest has `courses`
    /// among its `methods`.
    func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList

    /// Says what is at an address that a user wants to download from. Called only if the manifest has `recognise` among
    /// its `methods`, and if the address matches one of its `addresses`, should it have any.
    ///
    /// Of an address that isn't its own it answers `Recognition()`, not an error.
    func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition

    /// Turns the secrets that the user typed into credentials to store. Called only if the manifest has `login` among
    /// its `methods`.
    func login(_ request: LoginRequest) async throws(ProviderError) -> Login
}

extension Provider {
    /// Returns nil: this provider doesn't run as a process of its own.
    public init?() { return nil }

    /// Throws ``ProviderError/Kind/unsupported``.
    public func list(_ request: ListRequest) async throws(ProviderError) -> Listing {
        throw ProviderError(.unsupported, "this provider can't list courses")
    }

    /// Throws ``ProviderError/Kind/unsupported``.
    public func courses(_ request: CoursesRequest) async throws(ProviderError) -> CourseList {
        throw ProviderError(.unsupported, "this provider can't list a user's courses")
    }

    /// Throws ``ProviderError/Kind/unsupported``.
    public func recognise(_ request: RecogniseRequest) async throws(ProviderError) -> Recognition {
        throw ProviderError(.unsupported, "this provider can't recognise addresses")
    }

    /// Throws ``ProviderError/Kind/unsupported``.
    public func login(_ request: LoginRequest) async throws(ProviderError) -> Login {
        throw ProviderError(.unsupported, "this provider needs no login")
    }
}
