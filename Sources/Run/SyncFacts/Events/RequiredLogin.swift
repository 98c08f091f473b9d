package import Foundation

/// A server of a provider that requires a login.
package struct RequiredLogin: Sendable, Hashable, Comparable {
    package var provider: String
    /// Scheme, host and port, or the plugin's own name for it; nil for the provider as a whole.
    package var server: String?
    /// The parameter of a login at the provider that takes the server; nil without one.
    package var parameter: String?

    package init(provider: String, server: String? = nil, parameter: String? = nil) {
        self.provider = provider
        self.server = server
        self.parameter = parameter
    }

    package static func < (a: RequiredLogin, b: RequiredLogin) -> Bool {
        (a.provider, a.server ?? "") < (b.provider, b.server ?? "")
    }
}

/// A server that asked to be left alone, or doesn't answer, for longer than the run waits.
package struct ServerCooldown: Sendable, Equatable {
    /// The provider that asked it; nil for a server of media.
    package var provider: String?
    /// Scheme, host and port; nil for a provider as a whole.
    package var server: String?
    /// The end of the wait.
    package var until: Date
    /// From the end of the run to the end of the wait.
    package var seconds: Double
    /// The number of videos that wait for it.
    package var videos: Int

    package init(provider: String? = nil, server: String?, until: Date, seconds: Double, videos: Int) {
        self.provider = provider
        self.server = server
        self.until = until
        self.seconds = seconds
        self.videos = videos
    }
}
