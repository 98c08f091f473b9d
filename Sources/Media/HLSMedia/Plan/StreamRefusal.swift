/// The reason why a stream isn't downloaded. Contains no secrets.
package enum StreamRefusal: Error, Sendable, Equatable {
    /// It is live, or still growing.
    case notReady
    /// It is protected by a system that gives its keys only to players; `system` is its name.
    case drm(system: String)
    /// It uses an unsupported feature; `reason` is a sentence without its full stop.
    case unsupported(reason: String)
    /// It has ended, and has no segments.
    case empty
}
