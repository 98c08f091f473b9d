package import Foundation
package import ProviderKit

/// What a plugin is checked with.
package struct CheckSettings: Sendable, PrintsRedacted {
    /// The course's parameters.
    package var parameters: [String: JSONValue] = [:]
    /// The secrets for its login, by the names in its manifest.
    package var credentials: [String: String] = [:]
    /// Credentials that a login has answered, in its place; nil without any.
    package var stored: Secret<JSONValue>?
    /// The videos to resolve; if empty, those that it lists, else made-up ones.
    package var videos: [SampleVideo] = []
    /// The time to tell the plugin; nil for the present time.
    package var now: Date?
    /// How long the requests that show whether the plugin grows may take.
    package var growthPatience = Duration.seconds(12)

    /// Whether a host over the network is asked: slowly, and without a made-up login.
    package var isRealHost = false
    /// Whether no login is sent, and no made-up credentials.
    package var leavesOutLogins = false

    /// Whether fixtures say all that there is: what they don't have, nobody is asked for.
    var isSelfContained = false

    package init() {}
}
