package import ProviderKit

/// A video to ask the plugin under check for.
package struct SampleVideo: Sendable, PrintsRedacted {
    package var id: String
    /// Its own parameters, which win over the course's.
    package var parameters: [String: JSONValue]
    /// What its answer has to be; nil for any valid one.
    package var expectation: Expectation?

    package init(id: String, parameters: [String: JSONValue] = [:], expectation: Expectation? = nil) {
        self.id = id
        self.parameters = parameters
        self.expectation = expectation
    }

    /// What stands in for a video if nobody names one.
    static let madeUp = [SampleVideo(id: "sample-1"), SampleVideo(id: "sample-2"), SampleVideo(id: "sample-3")]
}
