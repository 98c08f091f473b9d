package import Foundation

/// A provider or a host that the running sync leaves alone for a while.
package struct RunWait: Sendable, Equatable, Codable {
    package var name: String
    package var until: Date
    /// The raw value of a ``DownloadError/Kind``.
    package var kind: String
    /// Scheme, host and port, or the plugin's own name for a server; nil if it is about all of the provider.
    package var server: String?

    /// More aren't noted.
    package static let most = 50

    package init(name: String, until: Date, kind: String, server: String? = nil) {
        self.name = name
        self.until = until
        self.kind = kind
        self.server = server
    }
}
