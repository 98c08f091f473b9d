/// What is done with a stream that hasn't ended.
package enum LiveStreams: String, Sendable, CaseIterable {
    /// It is downloaded once it has ended.
    case wait
    /// It is recorded while it grows.
    case record
}
