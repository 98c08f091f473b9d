/// Why a stream isn't downloaded. Holds nothing that may be a secret.
package enum StreamRefusal: Error, Sendable, Equatable {
    /// It is live, or still growing.
    case notReady
    /// It is protected by a system that gives its keys to players alone; `system` is its name.
    case drm(system: String)
    /// It needs what isn't there; `reason` is a sentence without its full stop.
    case unsupported(reason: String)
    /// It ended, and has no segments.
    case empty
}
