import MediaLibrary
import Synchronization

/// A download's claim of a video that several shards have, from its turn until its file is in place.
package final class HeldClaim: Sendable {
    private let claim = Mutex<VideoClaim?>(nil)

    /// Whether there is one.
    package var isHeld: Bool { claim.withLock { $0 != nil } }

    func take(_ claim: VideoClaim) { self.claim.withLock { $0 = claim } }

    /// Lets other shards fetch it, or link its file. Without effect if there is none.
    package func release() { claim.withLock { $0 = nil } }
}
