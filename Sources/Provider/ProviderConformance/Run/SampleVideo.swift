package import ProviderKit

/// A video to ask the plugin under check for.
package struct SampleVideo: Sendable, PrintsRedacted {
    package var id: String
    /// Its own parameters, which win over the course's.
    package var parameters: [String: JSONValue]

    package init(id: String, parameters: [String: JSONValue] = [:]) {
        self.id = id
        self.parameters = parameters
    }

    /// What stands in for a video if nobody names one.
    static let madeUp = [SampleVideo(id: "sample-1"), SampleVideo(id: "sample-2"), SampleVideo(id: "sample-3")]
}
